package explain

// secretMakers are the kinds that make Secrets, and where their specs name the
// Secret.
var secretMakers = []struct {
	group, kind string
	path        []string
	ownName     bool // the object's own name, where the field is absent
}{
	{"external-secrets.io", "ExternalSecret", []string{"spec", "target", "name"}, true},
	{"cert-manager.io", "Certificate", []string{"spec", "secretName"}, false},
	{"bitnami.com", "SealedSecret", []string{"spec", "template", "metadata", "name"}, true},
	{"secrets.hashicorp.com", "VaultStaticSecret", []string{"spec", "destination", "name"}, false},
	{"secrets.hashicorp.com", "VaultDynamicSecret", []string{"spec", "destination", "name"}, false},
}
