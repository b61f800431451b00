package status

import (
	"bytes"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (d *decoder) workloadSpec(key []byte) {
	w := d.o.Workload
	switch string(key) {
	case "replicas":
		w.Replicas = d.integer()
	case "paused":
		w.Paused = d.boolean()
	case "minReadySeconds":
		w.MinReadySeconds = d.integer()
	case "progressDeadlineSeconds":
		w.ProgressDeadline = d.integer()
	case "serviceName":
		w.ServiceName = d.word()
	case "podManagementPolicy":
		w.PodManagement = d.word()
	case "selector":
		if d.peek() == 'n' {
			d.skip()
			return
		}
		w.HasSelector = true
		if d.o.Kind == "ReplicationController" { // a plain map
			w.Selector.Match = d.labels()
			return
		}
		w.Selector = d.selector()
	case "strategy", "updateStrategy":
		d.object(d.strategy)
	case "template":
		w.PodLabels, w.Images = d.podTemplate(w)
	case "volumeClaimTemplates":
		d.array(func(int) {
			d.object(func(key []byte) {
				if string(key) != "metadata" {
					d.skip()
					return
				}
				d.object(func(key []byte) {
					if string(key) == "name" {
						w.ClaimTemplates = append(w.ClaimTemplates, d.word())
						return
					}
					d.skip()
				})
			})
		})
	default:
		d.skip()
	}
}

func (d *decoder) strategy(key []byte) {
	w := d.o.Workload
	switch string(key) {
	case "type":
		w.Strategy = d.word()
	case "rollingUpdate":
		d.object(func(key []byte) {
			switch string(key) {
			case "maxUnavailable":
				w.MaxUnavailable = d.intOrString()
			case "maxSurge":
				w.MaxSurge = d.intOrString()
			case "partition":
				w.Partition = d.integer()
			default:
				d.skip()
			}
		})
	default:
		d.skip()
	}
}

// podTemplate reads a pod template: its labels and images, and into w, where it
// is given, what placing the pods needs.
func (d *decoder) podTemplate(w *object.Workload) (labels []object.Label, images []object.Image) {
	d.object(func(key []byte) {
		switch string(key) {
		case "metadata":
			d.object(func(key []byte) {
				if string(key) == "labels" {
					labels = d.labels()
					return
				}
				d.skip()
			})
		case "spec":
			d.object(func(key []byte) {
				switch string(key) {
				case "nodeSelector":
					l := d.labels()
					if w != nil {
						w.NodeSelector = l
					}
				case "serviceAccountName":
					s := d.word()
					if w != nil {
						w.ServiceAccount = s
					}
				case "containers":
					images = append(images, d.images()...)
				case "initContainers":
					images = slices.Insert(images, 0, d.images()...)
				default:
					d.skip()
				}
			})
		default:
			d.skip()
		}
	})
	return labels, images
}

func (d *decoder) images() (list []object.Image) {
	d.array(func(int) {
		var m object.Image
		d.object(func(key []byte) {
			switch string(key) {
			case "name":
				m.Container = d.word()
			case "image":
				m.Image = d.word()
			case "resources":
				d.within("limits", func() {
					d.within("memory", func() { m.Memory = d.intOrString() })
				})
			default:
				d.skip()
			}
		})
		if len(list) < 256 {
			list = append(list, m)
		}
	})
	return list
}

func (d *decoder) workloadStatus(key []byte) {
	w := d.o.Workload
	switch string(key) {
	case "replicas":
		w.StatusReplicas = d.integer()
	case "updatedReplicas", "updatedNumberScheduled":
		w.Updated = d.integer()
	case "readyReplicas", "numberReady":
		w.Ready = d.integer()
	case "availableReplicas", "numberAvailable":
		w.Available = d.integer()
	case "currentReplicas", "currentNumberScheduled":
		w.Current = d.integer()
	case "fullyLabeledReplicas":
		w.FullyLabeled = d.integer()
	case "desiredNumberScheduled":
		w.Desired = d.integer()
	case "unavailableReplicas", "numberUnavailable":
		w.Unavailable = d.integer()
	case "terminatingReplicas":
		w.Terminating = d.integer()
	case "numberMisscheduled":
		w.Misscheduled = d.integer()
	case "currentRevision":
		w.CurrentRevision = d.word()
	case "updateRevision":
		w.UpdateRevision = d.word()
	default:
		d.skip()
	}
}

// scaler reads who has scaled the workload, and the replicas of the manifest that
// kubectl applied last. Nothing else of the manifest is looked at.
func (d *decoder) scaler() {
	d.back(d.applied.place)
	var manifest object.Int
	text, _ := d.bytes()
	// It is a person's text: what is wrong with it is no flaw of the object.
	r := reader{b: bytes.Clone(text), o: &object.Object{}}
	if r.peek() == '{' {
		r.object(func(key []byte) {
			if string(key) != "spec" || r.peek() != '{' {
				r.skip()
				return
			}
			r.object(func(key []byte) {
				if string(key) != "replicas" {
					r.skip()
					return
				}
				manifest = r.integer()
			})
		})
	}
	if r.err != nil || !manifest.Set {
		return
	}
	s := object.Scaled{Manifest: manifest.V}
	var newest time.Time
	d.back(d.managed.place)
	d.array(func(int) {
		var manager string
		var at time.Time
		scale := false
		d.object(func(key []byte) {
			switch string(key) {
			case "manager":
				manager = d.word()
			case "subresource":
				name, _ := d.bytes()
				scale = string(name) == "scale"
			case "time":
				at = d.when()
			default:
				d.skip()
			}
		})
		if scale && !at.Before(newest) {
			s.By, newest = manager, at
		}
	})
	if s.By != "" {
		d.o.Workload.Scaled = &s
	}
}

func (d *decoder) jobSpec(key []byte) {
	j := d.o.Job
	switch string(key) {
	case "completions":
		j.Completions = d.integer()
	case "parallelism":
		j.Parallelism = d.integer()
	case "backoffLimit":
		j.BackoffLimit = d.integer()
	case "activeDeadlineSeconds":
		j.ActiveDeadline = d.integer()
	case "ttlSecondsAfterFinished":
		j.TTL = d.integer()
	case "suspend":
		j.Suspend = d.boolean()
	case "completionMode":
		j.Mode = d.word()
	case "managedBy":
		if j.ManagedBy = d.word(); j.ManagedBy == "kubernetes.io/job-controller" {
			j.ManagedBy = ""
		}
	case "podReplacementPolicy":
		j.Replacement = d.word()
	case "selector":
		j.Selector = d.selector()
	case "template":
		_, j.Images = d.podTemplate(nil)
	default:
		d.skip()
	}
}

func (d *decoder) jobStatus(key []byte) {
	j := d.o.Job
	switch string(key) {
	case "active":
		j.Active = d.integer()
	case "succeeded":
		j.Succeeded = d.integer()
	case "failed":
		j.Failed = d.integer()
	case "ready":
		j.Ready = d.integer()
	case "terminating":
		j.Terminating = d.integer()
	case "failedIndexes":
		j.FailedIndexes = d.text()
	case "completedIndexes":
		j.CompletedIndexes = d.text()
	case "startTime":
		j.Started = d.when()
	case "completionTime":
		j.Completed = d.when()
	default:
		d.skip()
	}
}

func (d *decoder) cronJobSpec(key []byte) {
	c := d.o.CronJob
	switch string(key) {
	case "suspend":
		c.Suspend = d.boolean()
	case "schedule":
		c.Schedule = d.word()
	case "timeZone":
		c.TimeZone = d.word()
	case "concurrencyPolicy":
		c.Concurrency = d.word()
	default:
		d.skip()
	}
}

func (d *decoder) cronJobStatus(key []byte) {
	c := d.o.CronJob
	switch string(key) {
	case "lastScheduleTime":
		c.LastSchedule = d.when()
	case "lastSuccessfulTime":
		c.LastSuccess = d.when()
	case "active":
		d.array(func(int) {
			d.object(func(key []byte) {
				if string(key) == "name" && len(c.Active) < 64 {
					c.Active = append(c.Active, d.word())
					return
				}
				d.skip()
			})
		})
	default:
		d.skip()
	}
}
