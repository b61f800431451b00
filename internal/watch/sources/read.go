package sources

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// fetch reads the source once, or a page of it.
func (s *Source) fetch(ctx context.Context, mode feed.Mode, o metav1.ListOptions) (kube.Page, error) {
	if err := s.begin(ctx); err != nil {
		return kube.Page{}, err
	}
	switch mode {
	case feed.ModePollGet:
		o, err := s.get(ctx)
		switch {
		case says(err, s.spec.Name):
			return kube.Page{}, nil
		case err != nil:
			return kube.Page{}, err
		}
		return kube.Page{ResourceVersion: o.ResourceVersion, Items: []*object.Object{o}}, nil
	case feed.ModeNone:
		return kube.Page{}, s.lookUp(ctx)
	}
	return s.list(ctx, o, s.enc())
}

// begin waits until the server may be asked, and shows that a first list is in
// progress, unless there are rows already.
func (s *Source) begin(ctx context.Context) error {
	err := s.Gate.Wait(ctx)
	s.sink.State(func(st *feed.SourceState) {
		if err == nil && (st.Phase == feed.Waiting || st.Phase == feed.Syncing) {
			st.Phase, st.Mode = feed.Syncing, s.mode.Load().(feed.Mode)
		}
	})
	return err
}

// list reads a page of a list.
func (s *Source) list(ctx context.Context, o metav1.ListOptions, enc kube.Encoding) (kube.Page, error) {
	data, err := s.Client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace), s.query(o), kube.Accept(enc, true))
	if err != nil {
		return kube.Page{}, err
	}
	p, err := kube.DecodeList(data, s.spec.Resource, s.opts)
	if _, ok := errors.AsType[*kube.DecodeError](err); ok && enc == kube.Protobuf {
		return s.list(ctx, o, kube.JSON) // JSON is decoded item by item
	}
	p.Items = slices.DeleteFunc(p.Items, func(o *object.Object) bool { return !s.keep.Has(o) })
	if err != nil {
		for _, o := range p.Items { // they exist, even if they cannot be read
			s.sink.Upsert(o)
		}
	}
	return p, err
}

// get reads the object; of a Secret that is a reference its metadata, its
// type and the number of its keys, where the server has tables.
func (s *Source) get(ctx context.Context) (*object.Object, error) {
	path := s.spec.Resource.Path(s.spec.Namespace) + "/" + s.spec.Name
	if s.spec.Ref && s.spec.Resource == kube.Builtin("", "Secret") {
		data, err := s.Client.Read(ctx, path, nil, kube.AcceptTable)
		if err == nil {
			return kube.DecodeTable(data, s.spec.Resource)
		}
		if kube.Code(err) != http.StatusNotAcceptable {
			return nil, err
		}
	}
	data, err := s.Client.Read(ctx, path, nil, kube.Accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	return kube.DecodeObject(data, s.spec.Resource, s.opts)
}

// says reports whether a 404 is about the object: it contains its name.
func says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}

// lookUp asks whether an unknown kind is served. If it is, the next plan
// replaces the source.
func (s *Source) lookUp(ctx context.Context) error {
	r := s.spec.Resource
	if _, known := s.Resolver.Kind(r.Group, r.Kind); !known {
		res, err := s.Resolver.Served(ctx, r.Group, r.Version, r.Kind)
		if err != nil {
			return err
		}
		s.Resolver.Changed(res)
	}
	s.Turns.give(s)
	<-ctx.Done()
	return ctx.Err()
}

// query adds the source's selectors to the options of a request.
func (s *Source) query(o metav1.ListOptions) url.Values {
	o.LabelSelector, o.FieldSelector = s.spec.Selector, s.spec.Fields
	if s.spec.Name != "" {
		o.FieldSelector = "metadata.name=" + s.spec.Name
	}
	q, _ := queryparams.Convert(&o) // its types are known
	return q
}

// enc is the encoding of the source's kind: JSON if it is wanted whole.
func (s *Source) enc() kube.Encoding {
	if s.opts.Whole {
		return kube.JSON
	}
	return s.spec.Resource.Enc
}
