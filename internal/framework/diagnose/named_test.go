package diagnose

import (
	"strings"
	"testing"
)

// TestNamed: of a message that names layouts, the words before each say which is expected; one that says neither is no complaint.
func TestNamed(t *testing.T) {
	for message, want := range map[string]string{
		"expected NCHW but got NHWC":                          "the tensor is NHWC (channels last), and NCHW (channels first) is expected",
		"got tensor in NDHWC, which must be NCDHW":            "the tensor is NDHWC (channels last), and NCDHW (channels first) is expected",
		"conv2d only supports NHWC layout":                    "the tensor is NCHW (channels first), and NHWC (channels last) is expected",
		"unsupported layout CHW of the tensor":                "the tensor is CHW (channels first), and HWC (channels last) is expected",
		"kernel was compiled for OIHW, not HWIO":              "the tensor is HWIO, and OIHW is expected",
		"images should be in channels first format":           "the tensor is NHWC (channels last), and channels first is expected",
		"NHWC expected, NCHW given":                           "the tensor is NCHW (channels first), and NHWC (channels last) is expected",
		"NHWC expected but NCHW found in the tensor":          "the tensor is NCHW (channels first), and NHWC (channels last) is expected",
		"layout NCHW was given where NHWC is required":        "the tensor is NCHW (channels first), and NHWC (channels last) is expected",
		"input is not NHWC":                                   "the tensor is NCHW (channels first), and NHWC (channels last) is expected",
		"INFO loader: input is NHWC":                          "",
		"INFO: Only NHWC kernels were compiled":               "",
		"INFO: model needs 4 GB, NHWC kernels loaded":         "",
		"Found 3 NHWC ops":                                    "",
		"found NHWC transpose in graph: removed":              "",
		"cudnn: NHWC kernels not found, falling back to NCHW": "",
		"not using NHWC":                                      "",
		"does not need NHWC":                                  "",
		"you do not have to convert to NHWC":                  "",
		"Saved model (expects NCHW) to out.onnx":              "",
		"Downloading model requirements: NHWC.onnx":           "",
		"TypeError: layout must be NCHW or NHWC, not str":     "",
		"the operator accepts NCHW and NHWC":                  "",
		"Expected 4D (unbatched) or NHWC input":               "",
		"expected NCHW but got HWC":                           "",
		"NHWC to NCHW conversion finished":                    "",
		"expected NHWC, got NHWC":                             "",
	} {
		a, ok := Read(message)
		if want == "" {
			if ok {
				t.Errorf("%s: %s, want no answer", message, a.What)
			}
			continue
		}
		if a.What != want || a.Kind.ID != "named" || !strings.Contains(strings.Join(a.Fixes, "\n"), "permute(") {
			t.Errorf("%s: %q of %q, want %q", message, a.What, a.Kind.ID, want)
		}
	}
}

// TestNamedAssumed: the order that a message leaves out is said to be assumed.
func TestNamedAssumed(t *testing.T) {
	one, _ := Read("conv2d only supports NHWC layout")
	both, _ := Read("expected NHWC, got NCHW")
	if !strings.Contains(strings.Join(one.Facts, "\n"), "is assumed") || strings.Contains(strings.Join(both.Facts, "\n"), "is assumed") {
		t.Error(one.Facts, both.Facts)
	}
}
