package recording

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// hidden replaces a value that is not recorded.
const hidden = "(not recorded)"

// withoutValues returns a YAML document without the data of Secrets and
// ConfigMaps, the values of environment variables in any Pod template, and
// kubectl's last-applied annotation; also without what looks like a secret,
// unless secrets is set.
func withoutValues(text string, secrets bool) (string, error) {
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewBufferString(text)).Decode(&doc); err != nil {
		return "", fmt.Errorf("read the object's YAML: %w", err)
	}
	root := &doc
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		root = root.Content[0]
	}
	if kind := entry(root, "kind"); kind != nil && (kind.Value == "Secret" || kind.Value == "ConfigMap") {
		for _, key := range []string{"data", "stringData", "binaryData"} {
			hideAll(entry(root, key))
		}
	}
	hideEnvironment(root)
	if !secrets {
		if err := hideSecrets(root); err != nil {
			return "", err
		}
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := enc.Encode(root); err != nil {
		return "", err
	}
	return out.String(), nil
}

// hideSecrets masks values in place, which keeps the order of fields.
func hideSecrets(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		var v any
		if err := root.Content[i+1].Decode(&v); err != nil {
			return fmt.Errorf("read the object's YAML: %w", err)
		}
		masked, changed := mask.Value(map[string]any{root.Content[i].Value: v})
		if !changed {
			continue
		}
		if err := root.Content[i+1].Encode(masked.(map[string]any)[root.Content[i].Value]); err != nil {
			return err
		}
	}
	return nil
}

// withoutSecrets masks what looks like a secret in fields and annotations;
// objects without any are returned as they are.
func withoutSecrets(objects []*object.Object) []*object.Object {
	var out []*object.Object
	for i, o := range objects {
		if o == nil {
			continue
		}
		annotations := maskedAnnotations(o.Annotations)
		tree, changed := mask.Value(o.Tree)
		if !changed && (len(annotations) == 0 || &annotations[0] == &o.Annotations[0]) {
			continue
		}
		if out == nil {
			out = slices.Clone(objects)
		}
		masked := *o
		masked.Annotations, masked.Tree = annotations, tree.(map[string]any)
		out[i] = &masked
	}
	if out == nil {
		return objects
	}
	return out
}

// maskedAnnotations returns list with secrets masked, or list itself if there are
// none.
func maskedAnnotations(list []object.Label) []object.Label {
	var out []object.Label
	for i, a := range list {
		value := mask.Text(a.Value)
		if mask.LooksSecret(a.Key) && a.Value != "" && a.Value != "true" && a.Value != "false" {
			value = mask.Placeholder
		}
		if value != a.Value {
			if out == nil {
				out = append(out, list...)
			}
			out[i].Value = value
		}
	}
	if out == nil {
		return list
	}
	return out
}

func entry(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

func hideAll(m *yaml.Node) {
	if m == nil || m.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(m.Content); i += 2 {
		hide(m.Content[i])
	}
}

func hide(n *yaml.Node) { *n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: hidden} }

func hideEnvironment(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			switch {
			case key == "kubectl.kubernetes.io/last-applied-configuration":
				hide(value)
			case key == "env" && value.Kind == yaml.SequenceNode:
				for _, variable := range value.Content {
					if v := entry(variable, "value"); v != nil {
						hide(v)
					}
				}
			case key == "env" && value.Kind == yaml.MappingNode:
				hideAll(value) // some custom kinds spell it so
			}
		}
	}
	for _, c := range n.Content {
		hideEnvironment(c)
	}
}
