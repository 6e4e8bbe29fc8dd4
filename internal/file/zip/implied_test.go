package zip

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestImplied: of archives of PyTorch 1.13, NumPy and this package, the directory implies the byte that each member's header gives, with any
// kind of descriptor; where several kinds fit, none is chosen.
func TestImplied(t *testing.T) {
	archives := map[string][]byte{}
	for _, name := range []string{"stored.npz", "torch-1.13.pt"} {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		archives[name] = content
	}
	for kind, descriptor := range descriptorSizes {
		first := file{name: strings.Repeat("n", 64-localSize), content: "1234", flags: streamed}
		at := localSize + len(first.name) + len(first.content) + int(descriptor)
		first.behind = strings.Repeat("d", int(descriptor))
		second := file{name: strings.Repeat("m", 192-at-localSize), content: "56", flags: streamed, behind: first.behind}
		archives[string(rune('0'+kind))] = build("", first, second)
	}
	for name, content := range archives {
		a, err := Open(bytes.NewReader(content), int64(len(content)), "archive")
		if err != nil {
			t.Fatal(name, err)
		}
		for i, m := range a.Members {
			want := int64(64 + 128*i)
			if len(name) > 1 {
				want, err = a.Locate(m)
			}
			if at, ok := a.Implied(m, 64); err != nil || !ok || at != want {
				t.Errorf("%s: member %d at byte %d, %t, want %d, %v", name, i, at, ok, want, err)
			}
			if at, ok := a.Implied(m, 4); ok && name == "torch-1.13.pt" {
				t.Errorf("%s: member %d at byte %d, although several descriptors fit", name, i, at)
			}
		}
	}
}
