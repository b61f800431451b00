package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// finishPod does what needs the whole pod.
func (d *decoder) finishPod() {
	p := d.o.Pod
	byClass := func(a, b object.Container) int { return class(a.Kind) - class(b.Kind) }
	if !slices.IsSortedFunc(p.Containers, byClass) {
		slices.SortStableFunc(p.Containers, byClass)
	}
	if !d.opts.PodSpec.Filled() {
		p.QOS, p.Requests = d.qos, d.demand.total()
	} else if p.QOS != d.qos { // it is of the status
		p.PodTemplate = new(*p.PodTemplate)
		p.QOS = d.qos
	}
	if s := d.opts.PodSpec; s != nil {
		s.filled = s.filled || s.template != nil && p.Node != "" && len(d.o.Flaws) == 0
	}
	if p.Node == "" {
		d.placement()
	}
}

// PodSpec is what a pod has from its template alone. An empty one that is given
// to [DecodeOptions] is filled from the pod that is read; a filled one spares
// the pods with the same spec the reading of it.
type PodSpec struct {
	template   *object.PodTemplate
	containers []*object.ContainerSpec
	filled     bool
}

// Filled reports whether a pod has filled it. One that waits for a node, or that
// something is wrong with, does not.
func (s *PodSpec) Filled() bool { return s != nil && s.filled }

// Pod is a new pod of a filled spec, on that node and without a status; for
// whoever reads pods otherwise than from JSON.
func (s *PodSpec) Pod(node string) *object.Pod {
	p := s.pod()
	p.Node = node
	return p
}

// pod is a new pod of that spec.
func (s *PodSpec) pod() *object.Pod {
	if !s.Filled() {
		return &object.Pod{PodTemplate: &object.PodTemplate{}}
	}
	p := &object.Pod{PodTemplate: s.template}
	if n := len(s.containers); n > 0 {
		p.Containers = make([]object.Container, n)
	}
	for i, c := range s.containers {
		p.Containers[i].ContainerSpec = c
	}
	return p
}

// learn takes the spec from a pod whose status has not been read yet.
func (s *PodSpec) learn(p *object.Pod) {
	if s == nil || s.filled {
		return
	}
	s.template, s.containers = p.PodTemplate, make([]*object.ContainerSpec, len(p.Containers))
	for i, c := range p.Containers {
		s.containers[i] = c.ContainerSpec
	}
}

// podPlace reads the only field of a spec that is the pod's own.
func (d *decoder) podPlace(key []byte) {
	if string(key) == "nodeName" {
		d.o.Pod.Node = d.word()
		return
	}
	d.skip()
}

func (d *decoder) podSpec(key []byte) {
	p := d.o.Pod
	switch string(key) {
	case "nodeName":
		p.Node = d.word()
	case "restartPolicy":
		p.RestartPolicy = d.word()
	case "serviceAccountName":
		p.ServiceAccount = d.word()
	case "priorityClassName":
		p.PriorityClass = d.word()
	case "runtimeClassName":
		p.RuntimeClass = d.word()
	case "schedulerName":
		p.Scheduler = d.word()
	case "schedulingGates":
		d.array(func(int) {
			d.within("name", func() { p.Gates = append(p.Gates, d.word()) })
		})
	case "overhead":
		d.demand.overhead = d.amounts()
	case "tolerations":
		d.array(func(int) { d.toleration() })
	case "affinity", "nodeSelector", "topologySpreadConstraints":
		d.placed = append(d.placed, deferred{key, d.here()})
		d.skip()
	case "initContainers":
		d.array(func(int) { d.container(object.InitContainer) })
	case "containers":
		d.array(func(int) { d.container(object.MainContainer) })
	case "ephemeralContainers":
		d.array(func(int) { d.container(object.EphemeralContainer) })
	case "readinessGates":
		d.array(func(int) {
			d.within("conditionType", func() { p.ReadinessGates = append(p.ReadinessGates, d.word()) })
		})
	case "resourceClaims":
		d.array(func(int) {
			d.within("resourceClaimName", func() { d.addUse(object.Use{Kind: "ResourceClaim", Name: d.word()}) })
		})
	case "imagePullSecrets":
		d.array(func(int) { d.use("Secret") })
	case "volumes":
		d.array(func(int) { d.volume() })
	default:
		d.skip()
	}
}

// container reads one entry of a list of containers in the spec.
func (d *decoder) container(kind object.ContainerKind) {
	if d.peek() != '{' {
		d.wrong("an object")
		return
	}
	c := object.Container{ContainerSpec: &object.ContainerSpec{Kind: kind}}
	var requests []object.Amount
	d.object(func(key []byte) {
		switch string(key) {
		case "name":
			c.Name = d.word()
		case "image":
			c.Image = d.word()
		case "restartPolicy":
			if d.word() == "Always" && kind == object.InitContainer {
				c.Kind = object.SidecarContainer
			}
		case "startupProbe":
			c.Probes.Startup = d.probe()
		case "readinessProbe":
			c.Probes.Readiness = d.probe()
		case "livenessProbe":
			c.Probes.Liveness = d.probe()
		case "ports":
			d.array(func(int) { c.Ports = append(c.Ports, d.containerPort()) })
		case "resources":
			d.object(func(key []byte) {
				switch string(key) {
				case "limits":
					d.within("memory", func() { c.Memory = d.intOrString() })
				case "requests":
					requests = d.amounts()
				default:
					d.skip()
				}
			})
		case "env":
			d.array(func(int) { d.env() })
		case "envFrom":
			d.array(func(int) {
				d.object(func(key []byte) {
					switch string(key) {
					case "configMapRef":
						d.use("ConfigMap")
					case "secretRef":
						d.use("Secret")
					default:
						d.skip()
					}
				})
			})
		default:
			d.skip()
		}
	})
	d.demand.add(c.Kind, requests)
	if len(d.o.Pod.Containers) < 256 {
		d.o.Pod.Containers = append(d.o.Pod.Containers, c)
	}
}

// env reads where a variable comes from; its value is never read.
func (d *decoder) env() {
	d.object(func(key []byte) {
		if string(key) != "valueFrom" {
			d.skip()
			return
		}
		d.object(func(key []byte) {
			switch string(key) {
			case "configMapKeyRef":
				d.use("ConfigMap")
			case "secretKeyRef":
				d.use("Secret")
			default:
				d.skip()
			}
		})
	})
}

// use reads a reference: {name, key, optional} under one of the names that
// Kubernetes gives these fields.
func (d *decoder) use(kind string) {
	u := object.Use{Kind: kind}
	d.object(func(key []byte) {
		switch string(key) {
		case "name", "secretName", "claimName":
			u.Name = d.word()
		case "key":
			u.Key = d.word()
		case "optional":
			u.Optional = d.boolean()
		default:
			d.skip()
		}
	})
	d.addUse(u)
}

func (d *decoder) addUse(u object.Use) {
	p := d.o.Pod
	if u.Name == "" || len(p.Uses) >= 256 || slices.Contains(p.Uses, u) {
		return
	}
	p.Uses = append(p.Uses, u)
}

func (d *decoder) volume() {
	var name string
	ephemeral := false
	d.object(func(key []byte) {
		switch string(key) {
		case "name":
			name = d.word()
		case "persistentVolumeClaim":
			d.use("PersistentVolumeClaim")
		case "configMap":
			d.use("ConfigMap")
		case "secret":
			d.use("Secret")
		case "csi":
			d.within("nodePublishSecretRef", func() { d.use("Secret") })
		case "ephemeral":
			ephemeral = true
			d.skip()
		case "projected":
			d.within("sources", func() {
				d.array(func(int) {
					d.object(func(key []byte) {
						switch string(key) {
						case "configMap":
							d.use("ConfigMap")
						case "secret":
							d.use("Secret")
						default:
							d.skip()
						}
					})
				})
			})
		default:
			d.skip()
		}
	})
	if ephemeral && d.o.Name != "" { // the claim is named POD-VOLUME
		d.addUse(object.Use{Kind: "PersistentVolumeClaim", Name: d.o.Name + "-" + name})
	}
}

func (d *decoder) probe() *object.Probe {
	p := &object.Probe{}
	if !d.object(func(key []byte) {
		switch string(key) {
		case "initialDelaySeconds":
			p.InitialDelay = d.small()
		case "periodSeconds":
			p.Period = d.small()
		case "failureThreshold":
			p.Threshold = d.small()
		case "timeoutSeconds":
			p.Wait = d.small()
		case "httpGet":
			scheme, path, port := d.target()
			p.What = probeTarget(scheme, port, path)
		case "tcpSocket":
			_, _, port := d.target()
			p.What = probeTarget("tcp", port, "")
		case "grpc":
			_, _, port := d.target()
			p.What = probeTarget("grpc", port, "")
		case "exec":
			p.What = "exec"
			d.skip()
		default:
			d.skip()
		}
	}) {
		return nil
	}
	return p
}

func (d *decoder) target() (scheme, path, port string) {
	scheme = "http"
	d.object(func(key []byte) {
		switch string(key) {
		case "scheme":
			if d.word() == "HTTPS" {
				scheme = "https"
			}
		case "path":
			path = d.word()
		case "port":
			port = d.intOrString()
		default:
			d.skip()
		}
	})
	return scheme, path, port
}

func probeTarget(scheme, port, path string) string {
	return object.InternString(scheme + " :" + port + path)
}

func (d *decoder) containerPort() (p object.Port) {
	var host int32
	defer func() {
		if host != 0 {
			d.o.Pod.HostPorts = append(d.o.Pod.HostPorts, object.Port{Name: p.Name, Number: host, Protocol: p.Protocol})
		}
	}()
	d.object(func(key []byte) {
		switch string(key) {
		case "name":
			p.Name = d.word()
		case "containerPort":
			p.Number = d.small()
		case "hostPort":
			host = d.small()
		case "protocol":
			p.Protocol = d.word()
		default:
			d.skip()
		}
	})
	return p
}

func (d *decoder) podStatus(key []byte) {
	p := d.o.Pod
	switch string(key) {
	case "phase":
		p.Phase = d.word()
	case "reason":
		p.Reason = d.word()
	case "message":
		p.Message = d.text()
	case "qosClass":
		d.qos = d.word()
	case "nominatedNodeName":
		p.Nominated = d.word()
	case "startTime":
		p.Started = d.when()
	case "initContainerStatuses":
		d.array(func(i int) { d.containerStatus(object.InitContainer, i) })
	case "containerStatuses":
		d.containerStatuses()
	case "ephemeralContainerStatuses":
		d.array(func(i int) { d.containerStatus(object.EphemeralContainer, i) })
	default:
		d.skip()
	}
}

func (d *decoder) containerStatuses() {
	if d.peek() == 'n' { // an error in kstatus's reading
		d.skip()
		d.flaw("is null")
		return
	}
	d.array(func(i int) { d.containerStatus(object.MainContainer, i) })
}

// containerStatus joins one entry of a list of statuses with its container.
func (d *decoder) containerStatus(kind object.ContainerKind, place int) {
	if d.peek() != '{' {
		if d.peek() == 'n' {
			d.flaw("is null")
		}
		d.wrong("an object")
		return
	}
	spec := object.ContainerSpec{Kind: kind}
	s := object.Container{Place: int32(min(place, 1<<20)) + 1}
	d.object(func(key []byte) {
		switch string(key) {
		case "name":
			spec.Name = d.word()
		case "image":
			spec.Image = d.word()
		case "ready":
			s.Ready = d.boolean()
		case "started":
			s.Started = d.boolean()
		case "restartCount":
			s.Restarts = d.integer().V
		case "state":
			s.State = d.containerState()
		case "lastState":
			if last := d.containerState(); last != (object.ContainerState{}) {
				s.Prior = new(last)
			}
		default:
			d.skip()
		}
	})
	list := d.o.Pod.Containers
	for i := range list {
		c := &list[i]
		if c.Name == spec.Name && class(c.Kind) == class(kind) && c.Place == 0 {
			c.Ready, c.Started, c.Restarts, c.State, c.Prior, c.Place = s.Ready, s.Started, s.Restarts, s.State, s.Prior, s.Place
			if c.Image == "" && spec.Image != "" {
				c.ContainerSpec = new(*c.ContainerSpec) // the other may be others' too
				c.Image = spec.Image
			}
			return
		}
	}
	if len(list) < 256 {
		s.ContainerSpec = new(spec)
		d.o.Pod.Containers = append(list, s)
	}
}

func (d *decoder) containerState() (s object.ContainerState) {
	d.object(func(key []byte) {
		var kind string
		switch string(key) {
		case "waiting":
			kind = "waiting"
		case "running":
			kind = "running"
		case "terminated":
			kind = "terminated"
		default:
			d.skip()
			return
		}
		if d.peek() == 'n' {
			d.skip()
			return
		}
		s.Kind = kind
		d.object(func(key []byte) {
			switch string(key) {
			case "reason":
				s.Reason = d.word()
			case "message":
				s.Message = d.text()
			case "exitCode":
				s.ExitCode = d.small()
			case "signal":
				s.Signal = d.small()
			case "startedAt":
				s.Started = d.when()
			case "finishedAt":
				s.Finished = d.when()
			default:
				d.skip()
			}
		})
	})
	return s
}

// class groups the sorts of containers as the pod's lists do: init containers
// and sidecars stand in one.
func class(k object.ContainerKind) int {
	switch k {
	case object.InitContainer, object.SidecarContainer:
		return 0
	case object.EphemeralContainer:
		return 2
	}
	return 1
}
