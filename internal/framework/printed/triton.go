package printed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/gpu/triton"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// ParseName reads the name of a layout: any that notation reads, and layouts of shared memory as Triton and Gluon spell them,
// #ttg.swizzled_shared<{…}> and gl.NVMMASharedLayout(…).
func ParseName(s string) (notation.Layout, error) {
	if len(s) <= notation.MaxBytes && triton.Is(s) {
		return parseShared(s)
	}
	if threads.IsPrinted(s) {
		return notation.Layout{}, ofThreads(s, "")
	}
	if l, ok := parseSigned(s); ok {
		return l, nil
	}
	return notation.Parse(s)
}

func parseShared(s string) (notation.Layout, error) {
	a, err := triton.Parse(s)
	if err != nil {
		return notation.Layout{}, err
	}
	if !a.IsShared() {
		return notation.Layout{}, notShared(s, a)
	}
	if a.Element != "" {
		return notation.Layout{}, badName(s, fault.New(fault.Usage, "it is the type of a tensor").WithHint("tlayout inspect %s", text.Shell(s)))
	}
	l := notation.Layout{Sized: a.Layout, Shape: a.Shape, Fits: a.CheckBits}
	if bits := a.ElementBits(); slices.Contains([]int{8, 16, 32, 64}, bits) {
		l.DType = "uint" + strconv.Itoa(bits)
	}
	return l, nil
}

// notShared is the error for a layout of threads or of tensor memory.
func notShared(s string, a triton.Attribute) error {
	tile := ""
	switch {
	case a.Shape != nil: // the text has it
	case a.InTensorMemory():
		tile = " --tile 128,64 --dtype float16"
	default:
		tile = " --tile 16,16"
	}
	if a.InTensorMemory() {
		return badName(s, fault.New(fault.Usage, "a layout of tensor memory, which has lanes and columns").WithHint("tlayout threads %s%s", text.Shell(s), tile))
	}
	return ofThreads(s, tile)
}

// ofThreads is the error for a layout of threads; tile is the flag that it needs.
func ofThreads(s, tile string) error {
	return badName(s, fault.New(fault.Usage, "a layout of threads, not of memory").WithHint("tlayout threads %s%s", text.Shell(s), tile))
}

// badName says of which layout an error is.
func badName(s string, err error) error { return fault.In("layout "+text.Quoted(text.Cut(s, 81)), err) }

// isTriton reports whether a type has a layout of Triton: tensor<8x64xf16, #ttg.…>, !ttg.memdesc<…>.
func isTriton(name string, body scan.Term) bool {
	dialect := strings.Contains(body.Text, "#ttg.") || strings.Contains(body.Text, "#triton_gpu.")
	return name == "tensor" && dialect || strings.HasPrefix(name, "!") && strings.HasSuffix(name, ".memdesc")
}

// readTriton reads a tensor in shared memory, !ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{…}>, #smem>. One of threads has no offsets.
func readTriton(s string) (*reading, error) {
	a, err := triton.Parse(s)
	if err == nil && !a.IsShared() {
		_, err = ParseName(s)
	}
	if err != nil {
		return nil, err
	}
	exact, err := a.Layout(a.Shape)
	if err != nil {
		return nil, err
	}
	d, err := dtype.ParsePrinted(a.Element)
	if err == nil {
		err = a.CheckBits(d.Bits(), a.Element)
	}
	return &reading{element: &d, named: &notation.Layout{Exact: &exact}}, err
}
