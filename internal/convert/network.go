package convert

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// maxEndpoints bounds the endpoints of one object; the API allows 1,000 per
// slice.
const maxEndpoints = 4096

func (c *converter) service(from *corev1.Service) {
	spec := &from.Spec
	c.hasStatus = true // every Service has a load balancer status, even if empty
	s := &object.Service{
		Type: c.word(string(spec.Type)), ClusterIP: c.word(spec.ClusterIP), ExternalName: c.word(spec.ExternalName),
		Selector: object.Selector{Match: c.labels(spec.Selector)}, ExternalIPs: len(spec.ExternalIPs),
		LoadBalancerClass: c.word(orZero(spec.LoadBalancerClass)), PublishNotReady: spec.PublishNotReadyAddresses,
	}
	c.o.Service = s
	for i := range spec.Ports[:min(len(spec.Ports), 256)] {
		p := &spec.Ports[i]
		port := object.Port{Name: c.word(p.Name), Number: p.Port, Protocol: c.word(string(p.Protocol))}
		if t := p.TargetPort; t.IntVal != 0 || t.StrVal != "" {
			port.Target = c.word(t.String())
		}
		s.Ports = append(s.Ports, port)
	}
	for _, in := range from.Status.LoadBalancer.Ingress[:min(len(from.Status.LoadBalancer.Ingress), 64)] {
		s.Ingress = append(s.Ingress, c.text(cmp.Or(in.Hostname, in.IP)))
		for _, p := range in.Ports {
			if p.Error != nil && len(s.PortErrors) < 16 {
				s.PortErrors = append(s.PortErrors, c.text(fmt.Sprintf("%d/%s %s", p.Port, p.Protocol, *p.Error)))
			}
		}
	}
	for i := range from.Status.Conditions {
		c.metaCondition(&from.Status.Conditions[i])
	}
}

func (c *converter) endpointSlice(from *discoveryv1.EndpointSlice) {
	e := &object.Endpoints{Endpoints: slices.Grow([]object.Endpoint(nil), min(len(from.Endpoints), maxEndpoints))}
	c.o.Endpoints = e
	for i := range from.Endpoints[:min(len(from.Endpoints), maxEndpoints)] {
		x := &from.Endpoints[i]
		// By default an endpoint is ready, and serving as ready.
		p := object.Endpoint{
			Ready: true, Addresses: len(x.Addresses), Node: c.word(orZero(x.NodeName)),
			Terminating: orZero(x.Conditions.Terminating),
		}
		if x.Conditions.Ready != nil {
			p.Ready = *x.Conditions.Ready
		}
		if p.Serving = p.Ready; x.Conditions.Serving != nil {
			p.Serving = *x.Conditions.Serving
		}
		c.target(&p, x.TargetRef)
		e.Endpoints = append(e.Endpoints, p)
	}
	for _, p := range from.Ports {
		e.Ports = append(e.Ports,
			object.Port{
				Name: c.word(orZero(p.Name)), Number: orZero(p.Port),
				Protocol: c.word(string(orZero(p.Protocol))),
			})
	}
}

// Older clusters have nothing else than Endpoints.
//
//lint:ignore SA1019 see above
type endpoints = corev1.Endpoints

func (c *converter) endpoints(from *endpoints) {
	e := &object.Endpoints{}
	c.o.Endpoints = e
	add := func(all []corev1.EndpointAddress, ready bool) {
		for i := range all[:min(len(all), maxEndpoints-len(e.Endpoints))] {
			p := object.Endpoint{Ready: ready, Serving: ready, Addresses: 1, Node: c.word(orZero(all[i].NodeName))}
			c.target(&p, all[i].TargetRef)
			e.Endpoints = append(e.Endpoints, p)
		}
	}
	for i := range from.Subsets {
		add(from.Subsets[i].Addresses, true)
		add(from.Subsets[i].NotReadyAddresses, false)
		for _, p := range from.Subsets[i].Ports {
			e.Ports = append(e.Ports,
				object.Port{Name: c.word(p.Name), Number: p.Port, Protocol: c.word(string(p.Protocol))})
		}
	}
}

func (c *converter) target(p *object.Endpoint, ref *corev1.ObjectReference) {
	if ref != nil {
		p.Target = object.ID{Kind: c.word(ref.Kind), Namespace: c.word(ref.Namespace), Name: c.text(ref.Name)}
		p.TargetUID = c.text(string(ref.UID))
	}
}

func (c *converter) claim(from *corev1.PersistentVolumeClaim) {
	spec, status, modify := &from.Spec, &from.Status, orZero(from.Status.ModifyVolumeStatus)
	c.noteStatus(*status)
	c.o.Claim = &object.Claim{
		Phase: c.word(string(status.Phase)), StorageClass: c.word(orZero(spec.StorageClassName)),
		HasClass: spec.StorageClassName != nil, Volume: c.word(spec.VolumeName),
		Requested:        quantity(spec.Resources.Requests, corev1.ResourceStorage),
		Capacity:         quantity(status.Capacity, corev1.ResourceStorage),
		Resize:           c.word(string(status.AllocatedResourceStatuses[corev1.ResourceStorage])),
		Attributes:       c.word(orZero(spec.VolumeAttributesClassName)),
		AttributesNow:    c.word(orZero(status.CurrentVolumeAttributesClassName)),
		AttributesTarget: c.word(modify.TargetVolumeAttributesClassName), Modify: c.word(string(modify.Status)),
	}
	for _, m := range spec.AccessModes[:min(len(spec.AccessModes), 8)] {
		c.o.Claim.Modes = append(c.o.Claim.Modes, c.word(string(m)))
	}
	if from := spec.DataSource; from != nil {
		c.o.Claim.Source = object.ID{
			Group: c.word(orZero(from.APIGroup)), Kind: c.word(from.Kind),
			Namespace: c.o.Namespace, Name: c.word(from.Name),
		}
	}
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
}
