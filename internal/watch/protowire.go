package watch

import (
	"bytes"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The protobuf of Kubernetes: a magic prefix, a runtime.Unknown that names the
// kind, and in it the object's own message (apimachinery v0.37.2
// pkg/runtime/serializer/protobuf).

var (
	protoMagic = []byte("k8s\x00")
	errNoProto = errors.New("this is not the protobuf of a Kubernetes object")
)

// eachField calls f for every field of a message. Length-delimited fields come
// as bytes, the others as a number. It never keeps or copies b.
func eachField(b []byte, f func(num protowire.Number, data []byte, n uint64) error) error {
	for len(b) > 0 {
		num, typ, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		var data []byte
		var n uint64
		switch typ {
		case protowire.BytesType:
			data, size = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			n, size = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(b)
			n = uint64(v)
		default:
			size = protowire.ConsumeFieldValue(num, typ, b)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		if err := f(num, data, n); err != nil {
			return err
		}
	}
	return nil
}

// unknown is a runtime.Unknown: an object's message, and what it says that it is.
type unknown struct{ apiVersion, kind, raw []byte }

// unwrapUnknown takes the object's message out of its envelope.
func unwrapUnknown(b []byte) (u unknown, err error) {
	b, ok := bytes.CutPrefix(b, protoMagic)
	if !ok {
		return u, errNoProto
	}
	err = eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		switch num {
		case 1: // runtime.Unknown.typeMeta
			u.apiVersion, u.kind = protoEntry(data)
		case 2: // runtime.Unknown.raw
			u.raw = data
		}
		return nil
	})
	return u, err
}

// unwrap takes out the message of an object that is one of the types.
func unwrap(b []byte, want ...typeMeta) ([]byte, error) {
	u, err := unwrapUnknown(b)
	if err != nil {
		return nil, err
	}
	for _, t := range want {
		if string(u.kind) == t.kind && string(u.apiVersion) == t.apiVersion {
			return u.raw, nil
		}
	}
	return nil, isOneOf(typeMeta{string(u.apiVersion), string(u.kind)}, nil, want...)
}

// splitProtoEvent reads a metav1.WatchEvent: type = 1, object = 2, which is a
// RawExtension: raw = 1.
func splitProtoEvent(b []byte) (frame, error) {
	var f frame
	err := eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		switch num {
		case 1:
			f.typ = object.Intern(data)
		case 2:
			return eachField(data, func(num protowire.Number, data []byte, _ uint64) error {
				if num == 1 {
					f.object = data
				}
				return nil
			})
		}
		return nil
	})
	return f, err
}

func protoBookmark(raw []byte, want ...typeMeta) (rv string, end bool, err error) {
	b, err := unwrap(raw, want...)
	if err != nil {
		return "", false, err
	}
	err = eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		if num != 1 { // metadata is the first field of every kind
			return nil
		}
		return eachField(data, func(num protowire.Number, data []byte, _ uint64) error {
			switch num {
			case 6:
				rv = string(data)
			case 12:
				k, v := protoEntry(data)
				end = end || string(k) == metav1.InitialEventsAnnotationKey && string(v) == "true"
			}
			return nil
		})
	})
	return rv, end, err
}

// protoEntry reads an entry of a map, or another message of two strings.
func protoEntry(b []byte) (k, v []byte) {
	_ = eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		switch num {
		case 1:
			k = data
		case 2:
			v = data
		}
		return nil
	})
	return k, v
}

// decodeProto decodes one object's message (without its envelope).
func decodeProto(b []byte, res resource, opts status.DecodeOptions) (*object.Object, error) {
	opts.Group, opts.Version, opts.Kind = res.Group, res.Version, res.Kind
	return status.DecodeProto(b, res.Enc == encMeta, opts)
}

func readProtoList(data []byte, res resource, opts status.DecodeOptions) (listPage, error) {
	var p listPage
	b, err := unwrap(data, res.list(), partialList)
	if err != nil {
		return p, err
	}
	err = eachField(b, func(num protowire.Number, data []byte, n uint64) error {
		switch num {
		case 1: // ListMeta
			return eachField(data, func(num protowire.Number, data []byte, n uint64) error {
				switch num {
				case 2:
					p.rv = string(data)
				case 3:
					p.cont = string(data)
				case 4:
					p.remaining = int64(n)
				}
				return nil
			})
		case 2:
			if o, err := decodeProto(data, res, opts); err == nil {
				p.items = append(p.items, o)
			}
		}
		return nil
	})
	return p, err
}
