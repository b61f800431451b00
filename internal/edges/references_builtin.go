package edges

// The references of Kubernetes's own kinds.

func (r *refs) ingress() {
	o := r.o
	backend := func(v map[string]any, role string) {
		if s, ok := v["service"].(map[string]any); ok {
			r.own("", "Service", str(s, "name"), role)
		}
		r.own("", "Service", str(v, "serviceName"), role) // extensions/v1beta1
	}
	backend(o.Map("spec", "defaultBackend"), "spec.defaultBackend")
	backend(o.Map("spec", "backend"), "spec.backend")
	for _, v := range o.List("spec", "rules") {
		rule, _ := v.(map[string]any)
		http, _ := rule["http"].(map[string]any)
		paths, _ := http["paths"].([]any)
		for _, p := range paths {
			path, _ := p.(map[string]any)
			b, _ := path["backend"].(map[string]any)
			backend(b, "spec.rules.http.paths.backend")
		}
	}
	for _, v := range o.List("spec", "tls") {
		t, _ := v.(map[string]any)
		r.own("", "Secret", str(t, "secretName"), "spec.tls.secretName")
	}
	r.cluster("networking.k8s.io", "IngressClass", o.Str("spec", "ingressClassName"), "spec.ingressClassName")
}

func (r *refs) autoscaler() {
	r.typed(r.o.Map("spec", "targetRef"), "", "spec.targetRef")
	r.typed(r.o.Map("spec", "scaleTargetRef"), "", "spec.scaleTargetRef")
}

func (r *refs) storageClass() {
	r.cluster("storage.k8s.io", "CSIDriver", r.o.Str("provisioner"), "provisioner")
}

func (r *refs) persistentVolume() {
	o := r.o
	r.typedIn(o.Map("spec", "claimRef"), "", "PersistentVolumeClaim", "spec.claimRef")
	r.cluster("storage.k8s.io", "StorageClass", o.Str("spec", "storageClassName"), "spec.storageClassName")
	r.cluster("storage.k8s.io", "CSIDriver", o.Str("spec", "csi", "driver"), "spec.csi.driver")
	for _, key := range [...]string{
		"controllerPublishSecretRef", "nodeStageSecretRef", "nodePublishSecretRef",
		"controllerExpandSecretRef", "nodeExpandSecretRef",
	} {
		r.typedIn(o.Map("spec", "csi", key), "", "Secret", "spec.csi."+key)
	}
}

func (r *refs) volumeAttachment() {
	o := r.o
	r.cluster("", "PersistentVolume", o.Str("spec", "source", "persistentVolumeName"), "spec.source.persistentVolumeName")
	r.cluster("", "Node", o.Str("spec", "nodeName"), "spec.nodeName")
}

func (r *refs) node() {
	r.cluster("storage.k8s.io", "CSINode", r.o.Name, "metadata.name")
	if pool, ok := r.o.Label("karpenter.sh/nodepool"); ok {
		r.cluster("karpenter.sh", "NodePool", pool, "metadata.labels[karpenter.sh/nodepool]")
	}
}

func (r *refs) apiService() {
	r.typedIn(r.o.Map("spec", "service"), "", "Service", "spec.service")
}

func (r *refs) customResourceDefinition() {
	r.typedIn(r.o.Map("spec", "conversion", "webhook", "clientConfig", "service"),
		"", "Service", "spec.conversion.webhook.clientConfig.service")
}

func (r *refs) webhooks() {
	for _, v := range r.o.List("webhooks") {
		webhook, _ := v.(map[string]any)
		config, _ := webhook["clientConfig"].(map[string]any)
		service, _ := config["service"].(map[string]any)
		r.typedIn(service, "", "Service", "webhooks.clientConfig.service")
	}
}
