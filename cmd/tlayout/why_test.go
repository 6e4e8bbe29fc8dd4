package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/text"
)

// pasted are messages with other answers than the examples of diagnose.
var pasted = []string{
	"view size is not compatible with input tensor's size and stride x.shape, x.stride() = (torch.Size([2, 4, 3]), (12, 1, 4)) x.view(8, 3)",
	"Grad strides do not match bucket view strides.",
	"assert_size_stride(buf0, (8, 64, 7, 7), (3136, 1, 448, 64))\nAssertionError: expected size 64==64, stride 49==1 at dim=1",
	"required rank 5 tensor to use channels_last_3d format",
	"Cannot handle this data type: (1, 1, 3), <f4",
	"expected input[8, 5, 9, 9] to have 3 channels, but got 5 channels instead",
	"Set dimensions are [1,3,224,320]. Expected dimensions are [1,224,320,3].",
	"Set dimensions are [1,3,224,320]. Expected dimensions are [1,3,224,224].",
	"Got invalid dimensions for input: x for the following indices index: 1 Got: 3 Expected: 480 index: 3 Got: 480 Expected: 3",
	"Got invalid dimensions for input: x for the following indices index: 2 Got: 960 Expected: 736",
	"shape '[4294967296, 4294967296]' is invalid for input of size 12",
	"sizes [0], strides [1], storage offset 2, and itemsize 4 requiring a storage size of 32 are out of bounds for storage of size 16",
	"ndarray is not Fortran contiguous",
	"size mismatch for w: copying a param with shape torch.Size([64, 7, 7, 3]) from checkpoint, the shape in current model is torch.Size([64, 3, 7, 7]).",
	"last dimension must be contiguous; x.shape torch.Size([2, 8, 64]), x.stride() (512, 1, 8), torch.float16",
	"Largest program allocations in hbm: 1. Size: 4.00G Shape: bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)} Unpadded size: 1.00G",
	"Ran out of memory in memory space vmem", "MatMulUnexpectedStriding", "Only DLPack tensors with trivial (compact) striding are supported",
	"unknown: (3, 224, 224) and (224, 224, 3), float32",
	"unknown: f32[2,3,4] and f32[6,4], 3x12xf64, memref<12x3xf32, strided<[12, 1]>>",
	"Ran out of memory in memory space hbm", "rows must be a multiple of 16", "images: expected 4D input, got 3D input", "expected shape [B, T, H, D] but got [B, H, T, D]",
	"the strides' dim_order is (1, 0)", "Unexpected layout format b_fs_yx_fsv16",
}

// whyMessages returns the examples of diagnose, of messages and of kinds, and pasted.
func whyMessages() []string {
	messages := slices.Clone(pasted)
	for _, m := range diagnose.Known() {
		messages = append(messages, m.Text)
	}
	for _, k := range diagnose.Kinds() {
		messages = append(messages, k.Example)
	}
	return messages
}

// TestWhyCommands: every command line that why names works, also for messages with other numbers.
func TestWhyCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFixtures(t, dir)
	r, number := rand.New(rand.NewPCG(5, 6)), regexp.MustCompile(`-?\b\d+\b`)
	numbers := []string{"-3", "0", "1", "2", "3", "12", "4294967296", "9223372036854775807"}
	messages := whyMessages()
	variants := random.Cases(t, "TLAYOUT_TEST_WHY_CASES", 40)
	for _, m := range messages {
		for range variants {
			messages = append(messages, number.ReplaceAllStringFunc(m, func(n string) string {
				if r.IntN(3) > 0 {
					return n
				}
				return numbers[r.IntN(len(numbers))]
			}))
		}
	}
	files := strings.NewReplacer("convert FILE.npy --from chw", "convert kernels.npy --from chw", "FILE.npy", "x.npy", "FILE.pt:NAME", "model.pt:conv1.bias", "inspect FILE.safetensors", "inspect tiny.safetensors",
		"FILE.pt", "model.pt", "FILE.safetensors", "model.safetensors")
	seen, script := map[string]bool{}, ""
	for _, m := range messages {
		a, known := diagnose.Read(m)
		if !known {
			a = diagnose.Found(m)
		}
		for _, line := range a.Commands {
			if line = files.Replace(line); !seen[line] {
				seen[line] = true
				script += fmt.Sprintf("rm -f *.*.npy model.safetensors; %s\n[ $? -le 1 ] || echo FAILED: %s\n", line, text.Shell(line))
			}
		}
	}
	cli.Must(os.WriteFile(filepath.Join(dir, "all.sh"), []byte(script), 0o600))
	if out := shell(t, dir, "sh all.sh"); strings.Contains(out, "FAILED") || len(seen) < 100 {
		t.Errorf("%d commands:\n%s", len(seen), out)
	}
}
