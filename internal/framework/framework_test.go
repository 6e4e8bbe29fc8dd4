package framework

import (
	"strings"
	"testing"
)

// TestMeant: an abbreviation is its framework, and only where that can be chosen; a misspelled name is the nearest one.
func TestMeant(t *testing.T) {
	var all []string
	for _, f := range frameworks {
		all = append(all, f.Key())
	}
	for word, want := range map[string]string{"trt": "tensorrt", "TRT": "tensorrt", "torch": "pytorch", "dnnl": "onednn", "tensort": "tensorrt",
		"tmv": "tvm", "safe": "safetensors", "keras": ""} {
		if got := Meant(word, all); got != want {
			t.Errorf("%s: %q, expected %q", word, got, want)
		}
	}
	if got := Meant("trt", []string{"pytorch", "tvm"}); got != "" {
		t.Errorf("trt is %q without TensorRT", got)
	}
	for word, f := range abbreviations {
		if word != strings.ToLower(word) || Meant(word, all) != f.Key() {
			t.Errorf("%s is not %s", word, f.Name)
		}
	}
}
