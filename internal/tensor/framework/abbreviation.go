package framework

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// abbreviations are what people call frameworks. They are hints only: no flag takes them.
var abbreviations = map[string]*Framework{
	"trt": TensorRT, "nvinfer": TensorRT, "torch": PyTorch, "pt": PyTorch, "aten": PyTorch, "np": NumPy, "dml": DirectML, "dnnl": OneDNN,
	"mkldnn": OneDNN, "mkl-dnn": OneDNN, "mge": MegEngine, "megdnn": MegEngine, "tf": TensorFlow, "cutlass": CuTe, "jax": XLA, "relay": TVM,
}

// Meant returns the one of keys, names of frameworks in lower case, that a word abbreviates or misspells; "" where none is near.
func Meant(word string, keys []string) string {
	if f := abbreviations[strings.ToLower(word)]; f != nil {
		if key := strings.ToLower(f.Name); slices.Contains(keys, key) {
			return key
		}
	}
	return words.Nearest(word, keys)
}
