package pods

import "testing"

func TestAPullsDetailNamesTheImageOnce(t *testing.T) {
	const want = `failed to resolve reference "r.example/web:2.O": not found`
	for _, msg := range []string{
		`Back-off pulling image "r.example/web:2.O": ErrImagePull: failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`Failed to pull image "r.example/web:2.O": rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		want,
	} {
		if got := pulled(msg); got != want {
			t.Errorf("pulled(%q)\n got %q\nwant %q", msg, got, want)
		}
	}
	for _, msg := range []string{"", `Back-off pulling image "r.example/web:2.O"`, "unauthorized: who are you?"} {
		if got := pulled(msg); got != msg {
			t.Errorf("pulled(%q) = %q, want it as it is", msg, got)
		}
	}
}
