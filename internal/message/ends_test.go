package message

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A wrapped error says at its end what is wrong.
func TestALineThatIsTooLongKeepsItsEnd(t *testing.T) {
	for _, c := range []struct {
		about, text, want string
		most              int
	}{
		{
			"VictoriaMetrics/helm-charts#2531",
			`cannot parse configuration file: failed to parse [/etc/vmalert/config/rulefiles-0/*.yaml]: errors(1): invalid group "alertmanager.rules" in file "/etc/vmalert/config/rulefiles-0/monitoring-alertmanager.rules.yaml": invalid expression for rule "AlertmanagerMembersInconsistent": bad prometheus expr: "max_over_time(members{job=\"a\",container=\"b\"}[5m]) < on(namespace,vm-stack) group_left()", err: identList: unexpected token "-"; want ",", ")"; unparsed data: "-stack) group_left() count(max_over_time(members[5m]))"`,
			`cannot parse configuration file: …: invalid expression for rule "AlertmanagerMembersInconsistent": bad prometheus expr: "…", err: identList: unexpected token "-"; want ",", ")"`,
			198,
		},
		{
			"errors that are joined in brackets (llm-d/llm-d#494)",
			"Error: invalid service state: Failed, expected: Terminated, failure: not healthy, 0 terminated, 1 failed: [starting module provisioning: invalid service state: Failed, expected: Running, failure: Datasource provisioning error: datasource.yaml config is invalid. Only one datasource per organization can be marked as default]",
			"…: Running, failure: Datasource provisioning error: datasource.yaml config is invalid. Only one datasource per organization can be marked as default",
			150,
		},
		{
			"paths (awslabs/benchmark-ai#552)",
			`error loading config from "/etc/prometheus/config_out/prometheus.env.yaml": couldn't load configuration (--config.file="/etc/prometheus/config_out/prometheus.env.yaml"): parsing YAML file /etc/prometheus/config_out/prometheus.env.yaml: yaml: unmarshal errors: line 661: field honor_timestamps not found in type config.plain`,
			`error loading config from "…/prometheus.env.yaml": …: yaml: unmarshal errors: line 661: field honor_timestamps not found in type config.plain`,
			150,
		},
		{
			"a list of values behind what is wrong (open-telemetry/opentelemetry-operator#3556)",
			`error decoding 'exporters': unknown type: "debug" for id: "debug" (valid values: [kafka logicmonitor skywalking otlp coralogix googlemanagedprometheus influxdb instana])`,
			`error decoding 'exporters': unknown type: "debug" for id: "debug" (valid values: [kafka logicmonitor skywalking otlp c…])`,
			130,
		},
		{
			"no room for the whole segment before",
			`ERROR orders.db could not translate host name "orders-db.orders.svc.cluster.local" to address: Temporary failure in name resolution`,
			`… could not translate host name "orders-db.orders.svc.cluster.local" to address: Temporary failure in name resolution`,
			120,
		},
		{
			"an end that says nothing",
			"running the backup of the volume: the repository at s3.example.org is locked by another process: exit status 1",
			"running the backup of the volume: the repository at s3.example.org is locked by another process",
			100,
		},
		{"no wrapped error", "the version of the schema is too old for this server and has to be migrated first", "the version of the schema is too old for this…", 48},
		{"a short one", "open a: no such file", "open a: no such file", 40},
	} {
		if got := Ends(c.text, c.most); got != c.want || len(got) > c.most {
			t.Errorf("%s (%d bytes):\n got %s\nwant %s", c.about, len(got), got, c.want)
		}
	}
}

func TestALineIsNeverLongerThanItMayBe(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a: ", 200), strings.Repeat("é", 300), strings.Repeat(`"`, 301), `a: "` + strings.Repeat("x y ", 100) + `": [` + strings.Repeat("b, ", 100) + "]",
		strings.Repeat("long words: ", 40) + strings.Repeat("z", 300), "[" + strings.Repeat("a: b, ", 100) + "]", strings.Repeat("/path", 100) + ": " + strings.Repeat("{a} ", 100),
	} {
		for most := 20; most < 260; most += 7 {
			if got := Ends(text, most); len(got) > most || !utf8.ValidString(got) || got == "" {
				t.Fatalf("%d of %d bytes of %s: %s", len(got), most, text, got)
			}
		}
	}
}
