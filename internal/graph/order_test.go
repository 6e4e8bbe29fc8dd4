package graph_test

import (
	"testing"

	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// Dims of size 1 have the places of C order or channels_last where those of all others are, whatever their strides.
func TestOrderNameOfUnits(t *testing.T) {
	for line, want := range map[string]string{
		"x 1,8,4,4 NHWC":                "0,2,3,1",
		"x 2,8,4,1 NHWC":                "0,2,3,1",
		"x 2,8,1,4 NHWC":                "0,2,3,1",
		"x 2,8,1,1 NHWC":                "0,1,2,3",
		"x 1,1,4,4 strides 16,16,4,1":   "0,1,2,3",
		"x 1,8,2,4,4 0,2,3,4,1":         "0,2,3,4,1",
		"x 1,3,4 strides 1,1,3":         "0,2,1",
		"x 3,1,4 strides 1,1,3":         "1,2,0",
		"x 2,3 1,0":                     "1,0",
		"x 7":                           "0",
		"x 2,3,4,5 3,1,2,0":             "3,1,2,0",
		"x 2,3,4,5 strides 600,20,60,1": "0,2,1,3",
	} {
		p := graphtest.Program(t, line)
		if got := p.OrderName(0); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	p := graphtest.Program(t, "x ?")
	if got := p.OrderName(0); got != "" {
		t.Errorf("of an unknown tensor: %q", got)
	}
}

// A batch of 1 leaves a weight's order its name: channels_last.
func TestOrderNameOfWeight(t *testing.T) {
	p := graphtest.Program(t, "x 1,8,6,6 NHWC\nw weight 8,8,3,3\ny 1,8,4,4 NHWC = follows conv2d x w")
	all := p.Changes()
	const cure = "model.to(memory_format=torch.channels_last) converts the weight once"
	if len(all) != 1 || all[0].FromName() != "OIHW" || all[0].ToName() != "OHWI" || all[0].Cure != cure {
		t.Errorf("changes %+v", all)
	}
}

// Names of orders with dims of size 1 are those that people use, of images and of kernels.
func TestUsualNames(t *testing.T) {
	for _, c := range []struct{ image, kernel, wantImage, wantKernel string }{
		{"2,3,8,8", "4,3,3,3", "NCHW", "OIHW"},
		{"2,3,8,8 NHWC", "4,3,3,3 NHWC", "NHWC", "OHWI"},
		{"2,1,8,8 NHWC", "4,1,3,3 NHWC", "NCHW", "OIHW"},
		{"1,3,8,8 NHWC", "1,3,3,3 NHWC", "NHWC", "OHWI"},
		{"2,3,8,8 2,3,0,1", "4,3,3,3 2,3,1,0", "HWNC", "HWIO"},
		{"2,3,8,8 0,3,2,1", "4,3,3,3 1,0,2,3", "NWHC", "IOHW"},
		{"2,3,4,8,8 0,2,3,4,1", "4,3,3,3,3 0,2,3,4,1", "NDHWC", "ODHWI"},
		{"2,3,4,8,8", "4,3,1,1,1", "NCDHW", "OIDHW"},
		{"2,3,8,8", "2,4,3,3,3", "NCHW", "GOIHW"},
		{"2,3,8,8 strides 0,1,24,3", "4,3,3,3 strides 9,0,3,1", "NHWC", "OIHW"},
	} {
		program := "x " + c.image + "\nw weight " + c.kernel + "\ny " + c.image[:1] + ",4,6,6 = follows convolution x w"
		p := graphtest.Program(t, program)
		p.Changes()
		if image, kernel := p.OrderName(0), p.OrderName(1); image != c.wantImage || kernel != c.wantKernel {
			t.Errorf("%s by %s: %s and %s, want %s and %s", c.image, c.kernel, image, kernel, c.wantImage, c.wantKernel)
		}
	}
}
