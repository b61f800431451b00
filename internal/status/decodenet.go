package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (d *decoder) serviceSpec(key []byte) {
	s := d.o.Service
	switch string(key) {
	case "type":
		s.Type = d.word()
	case "clusterIP":
		s.ClusterIP = d.word()
	case "externalName":
		s.ExternalName = d.word()
	case "selector":
		s.Selector.Match = d.labels()
	case "externalIPs":
		d.array(func(int) { s.ExternalIPs++; d.skip() })
	case "loadBalancerClass":
		s.LoadBalancerClass = d.word()
	case "publishNotReadyAddresses":
		s.PublishNotReady = d.boolean()
	case "ports":
		d.array(func(int) {
			var p object.Port
			d.object(func(key []byte) {
				switch string(key) {
				case "name":
					p.Name = d.word()
				case "port":
					p.Number = d.small()
				case "targetPort":
					p.Target = d.intOrString()
				case "protocol":
					p.Protocol = d.word()
				default:
					d.skip()
				}
			})
			if len(s.Ports) < 256 {
				s.Ports = append(s.Ports, p)
			}
		})
	default:
		d.skip()
	}
}

func (d *decoder) serviceStatus(key []byte) {
	if string(key) != "loadBalancer" {
		d.skip()
		return
	}
	s := d.o.Service
	d.object(func(key []byte) {
		if string(key) != "ingress" {
			d.skip()
			return
		}
		d.array(func(int) {
			var ip, host string
			d.object(func(key []byte) {
				switch string(key) {
				case "ip":
					ip = d.text()
				case "hostname":
					host = d.text()
				case "ports":
					d.array(func(int) { d.loadBalancerPort() })
				default:
					d.skip()
				}
			})
			if host == "" {
				host = ip
			}
			if len(s.Ingress) < 64 {
				s.Ingress = append(s.Ingress, host)
			}
		})
	})
}

// loadBalancerPort keeps what is wrong with a port of a load balancer.
func (d *decoder) loadBalancerPort() {
	var port, protocol, why string
	d.object(func(key []byte) {
		switch string(key) {
		case "port":
			port = d.intOrString()
		case "protocol":
			protocol = d.text()
		case "error":
			why = d.text()
		default:
			d.skip()
		}
	})
	if s := d.o.Service; why != "" && len(s.PortErrors) < 16 {
		s.PortErrors = append(s.PortErrors, port+"/"+protocol+" "+why)
	}
}

// endpoints reads a top-level field of an EndpointSlice or an Endpoints object,
// which have neither spec nor status.
func (d *decoder) endpoints(key []byte) {
	e := d.o.Endpoints
	switch string(key) {
	case "endpoints":
		if n := d.count(); n > 0 && e.Endpoints == nil {
			e.Endpoints = make([]object.Endpoint, 0, min(n, maxEndpoints))
		}
		d.array(func(int) {
			p := object.Endpoint{Ready: true}
			serving := object.Int{}
			d.object(func(key []byte) {
				switch string(key) {
				case "addresses":
					d.array(func(int) { p.Addresses++; d.skip() })
				case "nodeName":
					p.Node = d.word()
				case "targetRef":
					d.objectRef(&p)
				case "conditions":
					d.object(func(key []byte) {
						if d.peek() == 'n' {
							d.skip()
							return
						}
						switch string(key) {
						case "ready":
							p.Ready = d.boolean()
						case "serving":
							serving = object.IntOf(0)
							if d.boolean() {
								serving.V = 1
							}
						case "terminating":
							p.Terminating = d.boolean()
						default:
							d.skip()
						}
					})
				default:
					d.skip()
				}
			})
			// "If nil, consumers should defer to the ready condition."
			p.Serving = p.Ready
			if serving.Set {
				p.Serving = serving.V == 1
			}
			d.addEndpoint(p)
		})
		if cap(e.Endpoints) > len(e.Endpoints) { // there are thousands of slices, and no more will come
			e.Endpoints = slices.Clone(slices.Clip(e.Endpoints))
		}
	case "ports":
		d.array(func(int) { e.Ports = append(e.Ports, d.endpointPort()) })
	case "subsets":
		d.array(func(int) {
			d.object(func(key []byte) {
				switch string(key) {
				case "addresses":
					d.addresses(true)
				case "notReadyAddresses":
					d.addresses(false)
				case "ports":
					d.array(func(int) { e.Ports = append(e.Ports, d.endpointPort()) })
				default:
					d.skip()
				}
			})
		})
	default:
		d.skip()
	}
}

// maxEndpoints is how many are kept of one object; the API has no more in a slice
// than 1,000.
const maxEndpoints = 4096

func (d *decoder) addEndpoint(p object.Endpoint) {
	if e := d.o.Endpoints; len(e.Endpoints) < maxEndpoints {
		e.Endpoints = append(e.Endpoints, p)
	}
}

// addresses reads one of the two lists of an Endpoints object.
func (d *decoder) addresses(ready bool) {
	d.array(func(int) {
		p := object.Endpoint{Ready: ready, Serving: ready, Addresses: 1}
		d.object(func(key []byte) {
			switch string(key) {
			case "nodeName":
				p.Node = d.word()
			case "targetRef":
				d.objectRef(&p)
			default:
				d.skip()
			}
		})
		d.addEndpoint(p)
	})
}

func (d *decoder) objectRef(p *object.Endpoint) {
	d.object(func(key []byte) {
		switch string(key) {
		case "kind":
			p.Target.Kind = d.word()
		case "namespace":
			p.Target.Namespace = d.word()
		case "name": // few others have either, and all of them together would fill the table of words
			p.Target.Name = d.text()
		case "uid":
			p.TargetUID = d.text()
		default:
			d.skip()
		}
	})
}

func (d *decoder) endpointPort() (p object.Port) {
	d.object(func(key []byte) {
		switch string(key) {
		case "name":
			p.Name = d.word()
		case "port":
			p.Number = d.small()
		case "protocol":
			p.Protocol = d.word()
		default:
			d.skip()
		}
	})
	return p
}

func (d *decoder) claimSpec(key []byte) {
	c := d.o.Claim
	switch string(key) {
	case "storageClassName":
		if d.peek() == 'n' {
			d.skip()
			return
		}
		c.HasClass = true
		c.StorageClass = d.word()
	case "volumeName":
		c.Volume = d.word()
	case "resources":
		d.object(func(key []byte) {
			if string(key) != "requests" {
				d.skip()
				return
			}
			c.Requested = d.storage(c.Requested)
		})
	default:
		d.skip()
	}
}

// storage reads the entry "storage" of a resource list.
func (d *decoder) storage(was string) string {
	d.object(func(key []byte) {
		if string(key) == "storage" {
			was = d.intOrString()
			return
		}
		d.skip()
	})
	return was
}

func (d *decoder) claimStatus(key []byte) {
	c := d.o.Claim
	switch string(key) {
	case "phase":
		b, ok := d.bytes()
		if c.Phase = object.Intern(b); ok && c.Phase == "" {
			d.flaw("is empty") // kstatus tells it from an absent one
		}
	case "capacity":
		c.Capacity = d.storage(c.Capacity)
	case "allocatedResourceStatuses":
		c.Resize = d.storage(c.Resize)
	case "resizeStatus": // until Kubernetes 1.27
		if s := d.word(); c.Resize == "" {
			c.Resize = s
		}
	default:
		d.skip()
	}
}
