package formatscmd

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// sharedOptions are those of a layout of float16.
func sharedOptions(layout string) *options {
	o := &options{framework: allFrameworks}
	cli.Must(o.Layout.Set(layout))
	cli.Must(o.DType.Set("float16"))
	return o
}

// TestSharedNamesRead: the names of a layout of shared memory are read back as the same layout, where their notation is read.
func TestSharedNamesRead(t *testing.T) {
	read := 0
	for _, layout := range []string{
		"Sw<3,3,3> o (8,64):(64,1)", "Sw<3,3,3> o (64,8):(1,64)", "Sw<2,3,3> o (16,32):(32,1)", "Sw<1,3,3> o (32,16):(16,1)",
		"Sw<2,0,5> o (8,32):(32,1)", "Sw<2,1,5> o (8,32):(1,8)", "Sw<3,3,3> o (4,64):(64,1)", "Sw<3,3,3> o (8,32):(32,1)",
		"Sw<3,3,3> o (2,8,64):(512,64,1)", "Sw<3,3,3> o (64,(64,2)):(64,(1,4096))", "Sw<3,3,3> o ((64,2),64):((1,4096),64)",
		"(64,64):(72,1)", "(16,128):(1,20)",
	} {
		r := fixture.Must(reportOf(sharedOptions(layout)))
		for _, f := range r.Frameworks {
			for _, name := range f.Names {
				if _, err := notation.Parse(name); err != nil || f.Framework != "Triton" && f.Framework != "CuTe" {
					continue
				}
				o := sharedOptions(name)
				if f.Framework == "Triton" {
					o.Shape = cli.Sizes{Ints: cli.Ints{Values: r.Shape, Given: true}}
				}
				if back := fixture.Must(o.Describe()); !sameAddresses(back.Layout, *r.layout) {
					t.Errorf("%s is spelled %s, which reads as %s", layout, name, back.Layout)
				} else if strings.HasPrefix(name, "#ttg.") {
					read++
				}
			}
		}
	}
	if _, err := notation.Parse("#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>"); err == nil && read < 17 {
		t.Errorf("%d names of Triton read", read)
	}
}

func sameAddresses(a, b tensor.Layout) bool {
	for coord := range b.Logical() {
		if a.At(coord...) != b.At(coord...) {
			return false
		}
	}
	return true
}
