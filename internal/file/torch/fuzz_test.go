package torch

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

// FuzzOpen reads any bytes as a checkpoint: no panic; memory in proportion to the bytes; a clean *fault.Error; and each tensor is
// within its storage, each storage within the file, and no name is there twice.
func FuzzOpen(f *testing.F) {
	f.Add(saved(dict(str("w"), simple)))
	f.Add(saved(tuple(simple, call("torch._utils._rebuild_sparse_tensor", tuple(simple)))))
	f.Add(legacyOf(v2(tuple(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(2), "N")+"Q", 0, nums(2), nums(1)), str("0"),
		legacyStorage(2, "8 bytes.")))
	real, err := os.ReadFile("../zip/testdata/torch-1.13.pt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(real)
	f.Fuzz(func(t *testing.T, file []byte) { checkFile(t, file) })
}

// FuzzObject reads any bytes as the pickle of an archive that is sound otherwise.
func FuzzObject(f *testing.F) {
	f.Add(whole2(dict(str("w"), simple)))
	f.Add(whole2(global("torch.nn.modules.linear.Linear") + ")\x81" + dict(str("_parameters"), dict(str("w"), simple), str("_buffers"), "}", str("_modules"), "}") + "b"))
	f.Add(whole2(dict(str("w"), call("torch._utils._rebuild_parameter", simple, "\x88", hooks), str("x"), call("torch._utils._rebuild_qtensor", simple))))
	f.Add(whole2("]q\x01(" + simple + "h\x01h\x01e"))
	f.Add(whole2(dict(str("a"), arrayState(np, nums(2), dtypeOf("f4", "<"), "\x88", raw("8 bytes.")), str("b"), arrayState("numpy._core", nums(1),
		dtypeOf("u1", "|"), c, latin("\u00ff")), str("c"), call(np+".numeric._frombuffer", raw("abcd"), dtypeOf("i2", ">"), nums(1, 2), str("F")))))
	f.Add(whole2(arrayState(np, nums(2, 1), dtypeOf("O8", "|"), c, "]("+arrayState(np, nums(2), dtypeOf("f4", "<"), c, raw("8 bytes."))+"N\x85e")))
	f.Fuzz(func(t *testing.T, pickle string) {
		if _, err := OpenPickle(strings.NewReader(pickle), 0, int64(len(pickle)), checkpoint.DefaultLimit); err != nil {
			hostile.CheckError(t, err, math.MaxInt)
		}
		checkFile(t, archiveOf(record{"data.pkl", pickle}, record{"data/0", "8 bytes."}))
	})
}

// checkFile opens a file and checks what it gives.
func checkFile(t *testing.T, file []byte) {
	t.Helper()
	before := hostile.Allocated()
	c, err := openBytes(file)
	if used := hostile.Allocated() - before; used > bound(len(file)) {
		t.Fatalf("%d bytes allocated for a file of %d", used, len(file))
	}
	if err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		return
	}
	for _, s := range c.Storages {
		if s.Inline && int64(len(s.Data)) != s.Bytes || s.At < 0 || s.Bytes < 0 || s.At+s.Bytes > int64(len(file)) {
			t.Fatalf("storage %+v of a file of %d bytes", s, len(file))
		}
	}
	names := map[string]bool{}
	for _, x := range c.Tensors {
		if names[x.Name] {
			t.Fatalf("two tensors have the name %q", x.Name)
		}
		names[x.Name] = true
		storage := file[c.Storages[x.Storage].At:][:c.Storages[x.Storage].Bytes]
		last := x.View.Offset
		for d, n := range x.View.Shape {
			last += (n - 1) * x.View.Strides[d]
		}
		if !x.View.Empty() && (x.View.Offset < 0 || last < x.View.Offset || (last+1)*x.Type.ItemSize() > len(storage)) {
			t.Fatalf("%+v of a storage of %d bytes", x, len(storage))
		}
	}
}
