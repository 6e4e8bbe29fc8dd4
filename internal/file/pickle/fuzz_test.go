package pickle

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

// FuzzLoad reads any bytes as a pickle: no panic; memory and nodes in proportion to the bytes; a clean *fault.Error; and what
// follows the pickle does not change it.
func FuzzLoad(f *testing.F) {
	f.Add("\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\x00\x00\x00storageq\x03K\x06tq\x04QK\x00\x89ccollections\nOrderedDict\nq\x05)Rq\x06tq\x07Rq\x08u.")
	f.Add("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x8c\x01m\x8c\x01n\x93\x94)\x81\x94]\x94(K\x01G\x3f\xf0\x00\x00\x00\x00\x00\x00eb.")
	f.Add("\x80\x05\x8f\x94(\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19\x90(N\x88\x91}\x86.")
	f.Add("\x80\x02(((1112NQ0]2as.")
	f.Add("(dp0\nVa\\u00e9\np1\n(lp2\nI01\naL5L\naF1.5\naS'x\\n'\nasg0\n(im\nn\n(cm\nn\noPid\n\x87.")
	f.Fuzz(func(t *testing.T, pickle string) {
		before := hostile.Allocated()
		p, err := load(pickle)
		if used := hostile.Allocated() - before; used > 1<<20+200*uint64(len(pickle)) {
			t.Fatalf("%d bytes allocated for a pickle of %d", used, len(pickle))
		}
		if err != nil {
			hostile.CheckError(t, err, math.MaxInt)
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
