package convertcmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

type planOptions struct {
	conversionFlags
	sharedFlags
	shard []string
}

// NewPlanCmd returns tlayout plan.
func NewPlanCmd(a *cli.App) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan SRC --to LAYOUT",
		Short: "Explain a conversion without running it",
		Long: `Explain a conversion without running it: whether it needs a copy and why, the
bytes moved, the kernel, and the expected time. The cache model of bench counts
the cache lines that the plan fetches, and those of a plain loop over the
strides, which frameworks run if they have no kernel for the conversion. --all
shows the loops of the copy before and after simplification. convert --dry-run
reports the file that would be written.

--shared finds the layout of a tile in the shared memory of a GPU instead: the
swizzle and the row pad with the fewest transactions for the accesses that
--read and --write name, and the mode of TMA that writes it. Accesses are those of draw --banks.

Steps are in elements. Without a file, --shape describes the source; its sizes
are logical: N,C,H,W.`,
		Example: `  tlayout plan x.npy --to nhwc
  tlayout plan photo.npy --from nhwc --to nchw4
  tlayout plan --shape 8,64,56,56 --dtype float16 --to nchw16 --json
  tlayout plan --shared --shape 64,32 --dtype fp16 --read ldmatrix --write w:16`,
		Args:              cli.Args(0, 1, "source", "tlayout plan x.npy --to nhwc"),
		ValidArgsFunction: cli.CompleteSources(1),
		RunE: func(_ *cobra.Command, args []string) error {
			source, err := cli.OnlySource(args)
			if err != nil {
				return err
			}
			if o.shared {
				return runShared(a, o, source)
			}
			return runPlan(a, o, source)
		},
	}
	o.addConversion(cmd)
	o.AddTyping(cmd)
	cmd.Flags().StringSliceVar(&o.shard, "shard", nil, "split `dim/n`, H/2 or L/4,H/2, and count the runs and bytes of a part's transfer")
	cli.Group(cmd, "What to make", "to", "to-pitch", "shard")
	o.sharedFlags.add(cmd)
	cli.Details(cmd, planDetails, planExamples)
	cli.Frequent(cmd.Flags(), "to", "from", "shape", "dtype", "strides", "shared", "read", "write")
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "shard", "read", "write")
	return cmd
}

func runPlan(a *cli.App, o *planOptions, source name.Name) error {
	if err := o.checkTarget("tlayout plan x.npy --to nhwc"); err != nil {
		return err
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	t, err := o.OpenOnly(a, source, true)
	if err != nil {
		return err
	}
	defer t.Close()
	c, err := newConversion(&request{conversionFlags: o.conversionFlags, source: source}, t)
	if err != nil {
		return err
	}
	e, err := convert.Explain(c.target.Layout, c.from, t.DType.ItemSize(), kernels)
	if err != nil {
		return err
	}
	r := newPlanReport(&c, e, kernels)
	if o.shard != nil {
		r.Shard, err = shardOf(&c, o.shard)
		if err != nil {
			return err
		}
	}
	if r.copies() {
		r.Stores = e.Plan.Stores(c.from.Alloc()*e.Plan.ItemSize, kernels).String()
	}
	if r.copies() && !a.Quiet && a.Format != cli.CSV {
		r.measure(kernels)
	}
	return a.Write(r)
}

// planReport is plan's answer. Steps are in elements.
type planReport struct {
	document.Head
	inPlace bool    // every element has the same offset in both
	Target  string  `json:"to"` // layout after
	Answer  string  `json:"answer"`
	Copy    bool    `json:"copy"`            // data must be moved
	View    *string `json:"view_expression"` // expression that gives the target without a copy
	// statements of frameworks that make the copy
	Code     []planCode `json:"copy_code" jsonschema:"empty for blocks, and for views with strides"`
	DType    string     `json:"dtype"`
	ItemSize int        `json:"itemsize"`
	From     cli.Side   `json:"before"`
	To       cli.Side   `json:"after"`
	order
	Read     int64    `json:"bytes_read"`
	Written  int64    `json:"bytes_written"`
	PadElems int      `json:"pad_elems"`
	PadWhy   []string `json:"pad_why"` // why there is padding, dim by dim
	// parts in which both layouts have constant steps
	Boxes []planBox `json:"boxes" jsonschema:"the first of them"`
	Total int       `json:"boxes_total"`  // boxes
	Level string    `json:"kernel_level"` // instruction set of the kernels: generic, avx2, avx512 or neon
	Tiles planTiles `json:"tiles"`        // tiles of the target
	// cached, or streaming past the caches; empty if nothing is copied
	Stores string `json:"stores" jsonschema:"of a conversion in memory"`
	// time at a measured speed
	Time *prediction `json:"predicted" jsonschema:"null if nothing is copied, or there is no memory to measure in"`
	// transfer of a part
	Shard *planShard `json:"transfer" jsonschema:"null without --shard"`
	// counts in simulated caches
	Model *bench.CopyModels `json:"model" jsonschema:"null if nothing is copied"`

	item, shared int // bytes that the kernel moves per element; elements that share a byte
}

// planCode makes y, an array with the target's axes, of x, an array with the source's.
type planCode struct {
	Framework string   `json:"framework"` // name of the framework
	Make      []string `json:"make"`      // statements that make it
}

// code returns the statements for a copy from one plain order of dims to another.
func (c *conversion) code() []planCode {
	all := []planCode{}
	to := c.request.to.Layout
	isNamed := c.tensor.HasFormat && to != nil && to.HasFormat()
	if !isNamed || c.keepsAxes() || !c.axesAreStored() {
		return all
	}
	for _, d := range []struct {
		framework string
		framework.Dialect
	}{{framework.PyTorch.Name, framework.PyTorchCode}, {framework.NumPy.Name, framework.NumPyCode}} {
		line, ok := d.Reordered(c.tensor.Format, to.ForRank(c.from.Rank()).Format)
		if ok {
			all = append(all, planCode{d.framework, []string{line}})
		}
	}
	return all
}

// axesAreStored reports whether a program has the tensor as an array with its axes in memory order: of a .npy file or --from, and of a
// row-major one. A view with strides has its dims in another order.
func (c *conversion) axesAreStored() bool {
	isOfFile := c.tensor.FileShape != nil || c.request.Layout.Layout != nil
	isSorted := slices.IsSortedFunc(c.tensor.Format.Axes(), func(a, b notation.Axis) int { return a.Dim - b.Dim })
	return (isOfFile || isSorted) && !c.tensor.DType.Packed()
}

type planBox struct {
	Holds string     `json:"holds"`
	Elems int        `json:"numel"`
	Steps []planStep `json:"steps"`
	// what moves the elements
	Kernel *convert.Kernel `json:"kernel" jsonschema:"null if nothing is copied"`
}

type planStep struct {
	Pass  string     `json:"pass"`  // the pass that simplifies the loops
	Why   string     `json:"why"`   // the reason
	Loops []planLoop `json:"loops"` // outermost first
}

type planLoop struct {
	Name string `json:"name"`
	N    int    `json:"n"`        // iterations
	Src  int    `json:"src_step"` // source step of one iteration
	Dst  int    `json:"dst_step"` // destination step of one iteration
}

type planTiles struct {
	Count   int `json:"count"` // tiles
	Bytes   int `json:"bytes"`
	Threads int `json:"threads"` // threads
}

// prediction is the time that the bytes take at a measured speed.
type prediction struct {
	Seconds float64 `json:"seconds"`
	GBPerS  float64 `json:"gbps"`
}

func newPlanReport(c *conversion, e convert.Explanation, k *kernel.Kernels) *planReport {
	t := c.tensor
	l := c.target.Layout
	r := &planReport{
		Head: document.NewHead("tlayout/plan/v1", c.request.source, t.Warnings...), Target: c.request.to.Name,
		DType: t.DType.String(), ItemSize: t.DType.WholeBytes(), item: e.Plan.ItemSize, shared: t.DType.PerByte(), order: c.orderOrigin(), inPlace: e.Plan.InPlace(),
		Copy: !e.Plan.InPlace() || l.Alloc() > c.from.Alloc(),
		Read: t.DType.Size(int64(l.Numel())), Written: t.DType.Size(int64(l.Alloc())), PadElems: l.Alloc() - l.Numel(),
		PadWhy: append([]string{}, explain.PaddedBlocks(l)...), Boxes: []planBox{}, Total: len(e.Plan.Boxes), Level: k.Name(),
	}
	r.Notes = c.notes()
	r.From, r.To = c.sides()
	r.Code = []planCode{}
	if r.copies() {
		r.Code = c.code()
	}
	for _, box := range e.Boxes {
		b := newPlanBox(box)
		if r.Copy && e.Plan.ItemSize > 0 {
			b.Kernel = &box.Kernel
			b.Kernel.What = itemText(b.Kernel, box.Steps[len(box.Steps)-1].Loops, e.Plan.ItemSize)
		}
		r.Boxes = append(r.Boxes, b)
	}
	if r.copies() {
		s := e.Plan.Schedule(defaultMemory, convert.Options{})
		r.Tiles = planTiles{Count: s.Tiles, Bytes: s.TileBytes, Threads: s.Threads}
		r.Model = bench.ModelCopy(e.Plan, c.from.Alloc(), cachesim.Reference)
	}
	if t.DType.Packed() && r.Copy {
		r.Notes = append(r.Notes, "values are unpacked to a byte each, moved and packed; kernel and model are of these bytes")
	}
	if t.Trailing > 0 {
		r.Notes = append(r.Notes, "convert needs --allow-trailing for this source")
	}
	if !r.Copy {
		r.View = c.view()
	}
	r.Answer = r.answer()
	return r
}

// elements returns how many elements a number of bytes holds.
func (r *planReport) elements(bytes int64) int64 { return bytes / int64(r.item) * int64(r.shared) }

// copies reports whether any bytes are copied, so that time can be measured.
func (r *planReport) copies() bool { return r.Copy && r.Written > 0 }

// measure predicts the time from a copy of the same size, made now, if there is memory for it.
func (r *planReport) measure(k *kernel.Kernels) {
	if speed, ok := bench.CopySpeed(k); ok && r.shared == 1 {
		r.Time = &prediction{Seconds: float64(r.Read+r.Written) / speed, GBPerS: speed / 1e9}
	}
}

func newPlanBox(e convert.BoxExplanation) planBox {
	b := planBox{Holds: heldText(e), Elems: e.Elems()}
	for _, step := range e.Steps {
		p := planStep{Pass: step.Pass, Why: passText(step), Loops: []planLoop{}}
		for _, l := range step.Loops {
			p.Loops = append(p.Loops, planLoop{Name: l.Name(), N: l.N, Src: l.Src, Dst: l.Dst})
		}
		b.Steps = append(b.Steps, p)
	}
	return b
}

// planDetails is what --help --all of plan adds.
const planDetails = `--shard H/2 splits dim H into two equal parts, and counts the runs and bytes of
the transfer of one into a tensor of its own.

With --inner-blocks, --strides are those of a oneDNN descriptor.`

// planExamples are the examples that it adds.
const planExamples = `  tlayout plan --shape 8,64,56,56 --to nhwc
  tlayout plan --shape 1,8,2,2 --strides 32,16,8,4 --inner-blocks 4c --to nchw
  tlayout plan --shape 4,8,16,128 --from NHD --to HND --shard H/2`
