package pickle

import (
	"errors"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// FuzzLoad reads any bytes as a pickle: no panic; memory and nodes in proportion to the bytes; a clean *fault.Error; and what
// follows the pickle does not change it.
func FuzzLoad(f *testing.F) {
	f.Add("\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\x00\x00\x00storageq\x03K\x06tq\x04QK\x00\x89ccollections\nOrderedDict\nq\x05)Rq\x06tq\x07Rq\x08u.")
	f.Add("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x8c\x01m\x8c\x01n\x93\x94)\x81\x94]\x94(K\x01G\x3f\xf0\x00\x00\x00\x00\x00\x00eb.")
	f.Add("\x80\x05\x8f\x94(\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19\x90(N\x88\x91}\x86.")
	f.Add("\x80\x02(((1112NQ0]2as.")
	f.Fuzz(func(t *testing.T, pickle string) {
		before := allocated()
		p, err := load(pickle)
		if used := allocated() - before; used > 1<<20+200*uint64(len(pickle)) {
			t.Fatalf("%d bytes allocated for a pickle of %d", used, len(pickle))
		}
		if err != nil {
			checkError(t, err)
			return
		}
		if p.Nodes > len(pickle) || p.Bytes > int64(len(pickle)) || p.Root == nil {
			t.Fatalf("%d nodes, %d bytes of %d, root %v", p.Nodes, p.Bytes, len(pickle), p.Root)
		}
		again, err := load(pickle[:p.Bytes])
		if err != nil || again.Nodes != p.Nodes || again.Bytes != p.Bytes {
			t.Fatalf("without what follows: %v", err)
		}
	})
}

// allocated returns all the bytes the process has allocated on the heap so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// checkError accepts errors that say whose fault it is, in text that is safe to print.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Malformed && e.Class != fault.Unsupported {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	control := func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e }
	if text := e.Text + e.Hint; e.Text == "" || strings.ContainsFunc(text, control) {
		t.Fatalf("unsuitable text: %q", text)
	}
}
