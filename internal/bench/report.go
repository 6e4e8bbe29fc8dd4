package bench

import (
	"slices"

	"github.com/tlayout/tlayout/internal/gate"
	"github.com/tlayout/tlayout/internal/text"
)

// Schema names the schema of a Report in JSON.
const Schema = "tlayout/bench/v1"

// Suite is the kind of a row.
type Suite string

const (
	Access  Suite = "access"  // a pattern over a layout
	Convert Suite = "convert" // from one layout to another
)

// Report is the result of one run, and its JSON.
type Report struct {
	Schema  string      `json:"schema"`
	Source  string      `json:"source,omitempty"`
	Machine Machine     `json:"machine"` // where it ran
	Shape   []int       `json:"shape"`   // sizes of the dims, in logical order; of blocks, in values
	Dims    []string    `json:"dims"`
	DType   string      `json:"dtype"` // element type: float32
	Elems   int         `json:"numel"`
	Rows    []Row       `json:"rows"`            // rows of a table or picture
	Verdict Verdict     `json:"verdict"`         // conclusions from the rows
	Noise   Noise       `json:"noise"`           // how steady the measurement was
	Gates   []gate.Gate `json:"gates,omitempty"` // conditions that decide the exit code
	Notes   []string    `json:"notes"`
}

// Row is one measurement. Layout names are in lower case, as in gates: nhwc, nchw4c.
type Row struct {
	Suite   Suite   `json:"suite"`             // access or convert
	Layout  string  `json:"layout,omitempty"`  // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Pattern Pattern `json:"pattern,omitempty"` // order of accesses, or the operator
	From    string  `json:"from,omitempty"`    // layout before
	To      string  `json:"to,omitempty"`      // layout after
	Shape   []int   `json:"shape"`             // sizes of the dims, in logical order; of blocks, in values
	DType   string  `json:"dtype"`             // element type: float32
	// size, or data read and written, in bytes
	Bytes int `json:"bytes" jsonschema:"of the elements; of a conversion and an operator: read and written"`

	Timing
	GBps float64 `json:"gbps"`
	// fraction of the roofline
	OfRoof float64 `json:"of_roof" jsonschema:"of reading, or of copying for a conversion and an operator"`

	Model *Model `json:"model,omitempty"`
}

// Key identifies a row in reports and gates: nhwc.channel, nchw.to.nhwc.
func (r Row) Key() string {
	if r.Suite == Convert {
		return r.From + ".to." + r.To
	}
	return accessKey(r.Layout, r.Pattern)
}

// accessKey returns the key of the row for a pattern over a layout.
func accessKey(layout string, p Pattern) string { return layout + "." + string(p) }

// Sizes returns the row's shape as text: 8x64x56x56.
func (r Row) Sizes() string { return text.Ints(r.Shape, "x") }

// Timing is the measured time of a pass in nanoseconds.
type Timing struct {
	SamplesNS []float64  `json:"samples_ns"` // one per round
	MedianNS  float64    `json:"median_ns"`  // median of the samples
	CINS      [2]float64 `json:"ci_ns"`      // confidence interval of the median, 95 % or more
	Outliers  int        `json:"outliers"`   // samples far from the others; they count too
}

// Model is the cost of a walk in a simulated cache: deterministic on every machine.
type Model struct {
	// cache lines touched per element
	TouchesPerElem float64 `json:"touches_per_elem" jsonschema:"a line once while the walk stays in it"`
	LinesPerElem   float64 `json:"lines_per_elem"` // cache lines fetched into L1 per element
	// utilization of cache lines
	BytesUsed    float64            `json:"bytes_used_per_byte_fetched" jsonschema:"data read per data fetched into L1"`
	MissPerElem  map[string]float64 `json:"miss_per_elem"`  // misses per element, by cache level
	PagesPerElem float64            `json:"pages_per_elem"` // TLB misses per element
	Error        float64            `json:"sampling_error"` // relative error of the counts, at most; 0 if all was simulated
}

// Noise is the variation of the same work over the run.
type Noise struct {
	Spread   float64 `json:"spread"`   // half the interquartile range / median of the roof's samples
	Outliers int     `json:"outliers"` // samples far from the others; they count too
	Samples  int     `json:"samples"`  // samples of all rows
	Advice   string  `json:"advice"`   // what would reduce the noise; empty if quiet
}

// Verdict holds the conclusions from the rows.
type Verdict struct {
	Ratios    []Ratio     `json:"channel_over_spatial"` // ratio of the channel-wise to the spatial walk, by layout
	Best      []Best      `json:"best"`                 // the fastest layouts of each pattern
	Slowdowns []Slowdown  `json:"slowdowns"`            // time of each layout relative to the fastest
	BreakEven []BreakEven `json:"break_even"`           // passes after which converting first is faster
}

// Ratio is the median of the rounds' ratios, with its interval.
type Ratio struct {
	Layout string     `json:"layout"` // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Ratio  float64    `json:"ratio"`  // ratio of two times
	CI     [2]float64 `json:"ci"`     // confidence interval of the ratio, 95 % or more
}

// Best names the layout with the lowest median, and those statistically tied with it.
type Best struct {
	Pattern  Pattern  `json:"pattern"`   // order of accesses, or the operator
	Layouts  []string `json:"layouts"`   // names of layouts that are statistically tied
	MedianNS float64  `json:"median_ns"` // median of the samples
}

// Slowdown is the time of a pattern over a layout as a multiple of the fastest layout's time: the median of the rounds' ratios, with its
// interval.
type Slowdown struct {
	Pattern Pattern    `json:"pattern"` // order of accesses, or the operator
	Layout  string     `json:"layout"`  // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Ratio   float64    `json:"ratio"`   // ratio of two times
	CI      [2]float64 `json:"ci"`      // confidence interval of the ratio, 95 % or more
	Tied    bool       `json:"tied"`    // fastest, or statistically tied with it
}

// BreakEven is the number of passes from which converting first is faster than passing over the unconverted tensor.
//
//	passes = time to convert / (time of a pass from − time of a pass to)
//
// Passes is nil if the result is not faster: the conversion never breaks even.
type BreakEven struct {
	From    string   `json:"from"`    // layout before
	To      string   `json:"to"`      // layout after
	Pattern Pattern  `json:"pattern"` // order of accesses, or the operator
	Passes  *float64 `json:"passes"`  // passes; null: never
	// lower bound; null: never
	Lo *float64 `json:"lo" jsonschema:"from the intervals of the three times"`
	Hi *float64 `json:"hi"` // upper bound; null: never
}

// Machine is where a run was measured. Sizes are bytes.
type Machine struct {
	CPU     string `json:"cpu"`          // processor model
	Cores   int    `json:"cores"`        // processors available to the program
	L1      int    `json:"l1_bytes"`     // size of the L1 data cache; 0 if unknown
	L2      int    `json:"l2_bytes"`     // size of the L2 cache; 0 if unknown
	L3      int    `json:"l3_bytes"`     // size of the L3 cache; 0 if unknown
	Memory  int64  `json:"memory_bytes"` // memory available to the program; 0 if unknown
	Kernels string `json:"kernel_level"`
	Go      string `json:"go"`      // version of Go
	OS      string `json:"os"`      // operating system
	Arch    string `json:"arch"`    // processor architecture
	Tlayout string `json:"tlayout"` // version of tlayout
	Roofs   []Roof `json:"roofs"`   // highest bandwidth at each level
	Cache   string `json:"cache"`
	Torch   *Torch `json:"torch,omitempty"` // where PyTorch measured
}

// Roof is the highest bandwidth of one thread that reads, or copies, memory of some size, and the fastest way to do so.
type Roof struct {
	// l1, l2, l3, memory, tensor or conversion
	Level    string  `json:"memory_level" jsonschema:"tensor is as large as the tensor, conversion twice that, the others by size"`
	Bytes    int     `json:"bytes"`     // size, or data read and written, in bytes
	ReadGBps float64 `json:"read_gbps"` // bandwidth of reading
	// fastest way to read: load, xor or pages
	ReadBy   string  `json:"read_by" jsonschema:"pages are read four in turn"`
	CopyGBps float64 `json:"copy_gbps"` // bandwidth of copying, read and written
	// fastest way to copy: go, pieces, vectors, stream, pages, movsb or torch
	CopyBy string `json:"copy_by" jsonschema:"pieces are of 256 KiB, pages are copied four in turn; stream and pages write past the caches"`
}

// ReadRoof returns the bandwidth of reading as many bytes as the tensor has, in GB/s.
func (r *Report) ReadRoof() float64 { return r.roofAt(tensorRoof) }

// fill adds the measurements to the report.
func (r *Report) fill(programs []*program, models map[string]*Model) {
	var constant []float64 // samples of constant work
	for _, p := range programs {
		if p.roof == nil {
			r.Rows = append(r.Rows, p.measured())
			continue
		}
		p.roof.set(p.kind, p.way, gbps(p.roof.Bytes, newTiming(p.samples).MedianNS))
		if r.Machine.Torch != nil || p.isReadRoof() {
			constant = p.samples
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Model = models[row.Key()]
		if row.Suite == Convert || r.Machine.Torch != nil {
			row.OfRoof = row.GBps / r.roofAt(conversionRoof)
			continue
		}
		row.OfRoof = row.GBps / r.roofAt(tensorRoof)
	}
	r.Verdict = newVerdict(r.Rows)
	r.Noise = newNoise(constant, r.Rows)
	if r.Noise.Advice != "" && r.Machine.Torch == nil {
		r.Noise.Advice += modelAdvice
	}
}

// isReadRoof reports whether the program is the fastest way so far to read as many bytes as the tensor has.
func (p *program) isReadRoof() bool {
	return p.roof.Level == tensorRoof && p.kind == reading && p.way == p.roof.ReadBy
}

// measured returns the row with its timing.
func (p *program) measured() Row {
	row := p.row
	row.Timing = newTiming(p.samples)
	row.GBps = gbps(row.Bytes, row.MedianNS)
	return row
}

// roofAt returns the bandwidth of a roof in GB/s: of copying for conversions, otherwise of reading; 0 if not measured.
func (r *Report) roofAt(level string) float64 {
	at := slices.IndexFunc(r.Machine.Roofs, func(roof Roof) bool { return roof.Level == level })
	if at < 0 {
		return 0
	}
	if level == conversionRoof {
		return r.Machine.Roofs[at].CopyGBps
	}
	return r.Machine.Roofs[at].ReadGBps
}

// gbps returns 10⁹ bytes per second, which is bytes per nanosecond.
func gbps(bytes int, ns float64) float64 { return float64(bytes) / ns }
