package bench

import (
	"time"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
)

// program is one unit of measurement: a pass over the tensor in one layout, a conversion, or a roof.
type program struct {
	row     Row      // of the report; its timing is not filled yet
	roof    *Roof    // instead of a row
	kind    roofKind // of a roof: operation and way
	way     string
	pass    func()
	timed   func(passes int) time.Duration // instead of pass: measures itself
	check   func() error                   // clears the results, runs one more pass and compares them with the expected ones; may be nil
	passes  int                            // in a sample
	warm    int                            // uncounted, before a sample
	once    time.Duration                  // of one pass
	samples []float64
}

// cost returns the time of a sample.
func (p *program) cost() time.Duration {
	return p.once * time.Duration(p.passes+p.warm)
}

// builder makes the programs for a subject's rows.
type builder struct {
	kernels *kernel.Kernels
	enc     encoding
	layouts map[string]tensor.Layout
	mems    map[string][]byte // the tensor in each layout
}

// newBuilder writes the tensor in all layouts of the subject and checks every element.
func newBuilder(s Subject, k *kernel.Kernels) (*builder, error) {
	b := &builder{kernels: k, enc: newEncoding(s.DType), layouts: map[string]tensor.Layout{}, mems: map[string][]byte{}}
	rowMajor, err := s.rowMajor()
	if err != nil {
		return nil, err
	}
	elements := memory(s.bytes())
	b.enc.fill(elements)
	for _, l := range s.Layouts {
		mem, err := newStorage(l.Layout, rowMajor, elements, b.enc)
		if err != nil {
			return nil, err
		}
		if err := checkElements(mem, l.Layout, b.enc); err != nil {
			return nil, err
		}
		b.layouts[l.Name], b.mems[l.Name] = l.Layout, mem
	}
	return b, nil
}

func (b *builder) program(r Row) (*program, error) {
	if r.Suite == Convert {
		return b.conversion(r)
	}
	return b.walk(r)
}

func (b *builder) walk(r Row) (*program, error) {
	l := b.layouts[r.Layout]
	n, err := newNest(r.Pattern, l, b.enc.size)
	if err != nil {
		return nil, err
	}
	w := newWalk(reader.For(b.kernels), b.mems[r.Layout], n)
	return &program{row: r, pass: w.pass, check: func() error { return w.check(l, b.enc) }}, nil
}

// conversion overwrites the tensor in its destination layout with the same bytes.
func (b *builder) conversion(r Row) (*program, error) {
	to := b.layouts[r.To]
	from := b.layouts[r.From]
	plan, err := convert.NewPlan(to, from, b.enc.size)
	if err != nil {
		return nil, err
	}
	dst := b.mems[r.To]
	src := b.mems[r.From]
	pad := make([]byte, b.enc.size)
	options := convert.Options{Kernels: b.kernels, Threads: 1}
	run := func() { plan.Run(dst, src, pad, options) } //nolint:errcheck // without a guard or a disk nothing can fail
	return &program{row: r, pass: run, check: func() error {
		noise(dst, 0)
		run()
		return checkElements(dst, to, b.enc)
	}}, nil
}
