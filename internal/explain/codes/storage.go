package codes

// The codes of family storage.
var (
	ClaimMissing = register(Code{
		Name: "ClaimMissing", Family: "storage", Class: Action,
		Meaning:  "A PersistentVolumeClaim that the pod mounts does not exist.",
		Reads:    "claims",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	VolumeAttachFailed = register(Code{
		Name: "VolumeAttachFailed", Family: "storage", Class: Retries,
		Meaning:  "A volume cannot be attached to the pod's node.",
		Reads:    "events",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	VolumeAttachedElsewhere = register(Code{
		Name: "VolumeAttachedElsewhere", Family: "storage", Class: Retries,
		Meaning:  "A volume is still attached to another node.",
		Reads:    "events, volume attachments",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	VolumeMountFailed = register(Code{
		Name: "VolumeMountFailed", Family: "storage", Class: Retries,
		Meaning:  "A volume cannot be mounted.",
		Reads:    "events",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	VolumeSourceMissing = register(Code{
		Name: "VolumeSourceMissing", Family: "storage", Class: Action,
		Meaning:  "A ConfigMap or Secret that a volume mounts does not exist.",
		Reads:    "events",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	VolumeKeyMissing = register(Code{
		Name: "VolumeKeyMissing", Family: "storage", Class: Action,
		Meaning:  "A ConfigMap or Secret lacks a key that a volume mounts.",
		Reads:    "events",
		Step:     AtStorage,
		Concerns: []Concern{Volumes},
	})
	ClaimDeleting = register(Code{
		Name: "ClaimDeleting", Family: "storage", Class: Action,
		Meaning: "A claim that the pod mounts is being deleted.",
		Reads:   "claims",
		Step:    AtStorage,
	})
	ClaimUnbound = register(Code{
		Name: "ClaimUnbound", Family: "storage", Class: Retries,
		Meaning: "A PersistentVolumeClaim has no volume yet.",
		Reads:   "claims",
		Step:    AtStorage,
	})
	StorageClassMissing = register(Code{
		Name: "StorageClassMissing", Family: "storage", Class: Action,
		Meaning: "The StorageClass of a claim does not exist.",
		Reads:   "events, storage classes",
		Step:    AtStorage,
	})
	NoStorageClass = register(Code{
		Name: "NoStorageClass", Family: "storage", Class: Action,
		Meaning: "A claim names no StorageClass, and there is no default one.",
		Reads:   "events",
		Step:    AtStorage,
	})
	WaitsForConsumer = register(Code{
		Name: "WaitsForConsumer", Family: "storage", Class: Waits,
		Meaning: "A claim is bound only once a pod that mounts it is scheduled.",
		Reads:   "events, storage classes",
		Step:    AtStorage,
	})
	ProvisionerSilent = register(Code{
		Name: "ProvisionerSilent", Family: "storage", Class: Action,
		Meaning: "The provisioner of a claim's class does not answer.",
		Reads:   "events",
		Step:    AtStorage,
	})
	ProvisioningFailed = register(Code{
		Name: "ProvisioningFailed", Family: "storage", Class: Retries,
		Meaning: "The provisioner cannot create the volume.",
		Reads:   "events",
		Step:    AtStorage,
	})
	VolumeLost = register(Code{
		Name: "VolumeLost", Family: "storage", Class: Action,
		Meaning: "A claim has lost the volume that it was bound to.",
		Step:    AtStorage,
	})
	VolumeMismatch = register(Code{
		Name: "VolumeMismatch", Family: "storage", Class: Action,
		Meaning: "The volume does not fit the claim that names it.",
		Reads:   "events",
		Step:    AtStorage,
	})
	VolumeHeld = register(Code{
		Name: "VolumeHeld", Family: "storage", Class: Action,
		Meaning: "The volume for a claim still belongs to an earlier claim that is gone.",
		Reads:   "events, volumes, storage classes",
		Step:    AtStorage,
	})
	VolumeResizePending = register(Code{
		Name: "VolumeResizePending", Family: "storage", Class: Waits,
		Meaning: "A volume is being resized.",
	})
	VolumeModifyFailed = register(Code{
		Name: "VolumeModifyFailed", Family: "storage", Class: Action,
		Meaning: "A claim's VolumeAttributesClass cannot be applied to its volume.",
	})
	VolumeResizeFailed = register(Code{
		Name: "VolumeResizeFailed", Family: "storage", Class: Action,
		Meaning: "A volume cannot be resized.",
	})
	ClaimInUse = register(Code{
		Name: "ClaimInUse", Family: "storage", Class: Waits,
		Meaning: "A claim is being deleted, and a pod still uses it.",
		Reads:   "pods",
	})
	VolumeReleased = register(Code{
		Name: "VolumeReleased", Family: "storage", Class: Waits,
		Meaning: "A volume's claim is gone: the volume is kept, or being deleted.",
	})
	VolumeFailed = register(Code{
		Name: "VolumeFailed", Family: "storage", Class: Action,
		Meaning: "A volume could not be reclaimed.",
	})
)
