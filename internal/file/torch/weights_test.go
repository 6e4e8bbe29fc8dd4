package torch

import (
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/pickle"
)

// TestWeightsOnly: which classes of tensors torch.load(weights_only=True) accepts: torch/__init__.py and torch/cuda/__init__.py have no
// sparse BoolTensor, and torch/_weights_only_unpickler.py takes those of torch._tensor_classes.
func TestWeightsOnly(t *testing.T) {
	for name, want := range map[pickle.Global]bool{
		{Module: "torch", Name: "BoolTensor"}: true, {Module: "torch.cuda", Name: "BoolTensor"}: true,
		{Module: "torch.sparse", Name: "BoolTensor"}: false, {Module: "torch.cuda.sparse", Name: "BoolTensor"}: false,
		{Module: "torch.sparse", Name: "FloatTensor"}: true, {Module: "torch.cuda.sparse", Name: "HalfTensor"}: true,
		{Module: "torch", Name: "QInt8Storage"}: true, {Module: "torch.cuda", Name: "QInt8Storage"}: false,
		{Module: "__builtin__", Name: "set"}: true, {Module: "os", Name: "system"}: false,
	} {
		if got := weightsOnly(&name); got != want {
			t.Errorf("%s: %v, expected %v", &name, got, want)
		}
	}
}

// TestPartOfStorage: a legacy file's view of a part of a storage counts its elements in the storage's type: as a tensor of another size it
// would begin elsewhere.
func TestPartOfStorage(t *testing.T) {
	part := func(offset, numel int64, dtype string, at, size int64) []byte {
		id := tuple(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(4), tuple(str("v"), num(offset), num(numel))) + "Q"
		return legacyOf(call("torch._utils._rebuild_tensor_v3", id, num(at), nums(size), nums(1), "\x89", hooks, global("torch."+dtype)), str("0"),
			legacyStorage(4, "16 bytes of data"))
	}
	wantLines(t, "of the same size", part(1, 2, "int32", 1, 1), " <i4 [1] [1] 2 @0", "storage 0 16")
	wantLines(t, "from the first byte", part(0, 2, "int16", 0, 4), " <i2 [4] [1] 0 @0", "storage 0 16")
	for _, dtype := range []string{"int16", "int64", "uint8"} {
		_, err := openBytes(part(2, 2, dtype, 0, 1))
		hostile.WantFault(t, dtype, err, fault.Malformed, "it is a view of a storage with another type")
	}
}
