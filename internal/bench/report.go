package bench

import (
	"slices"

	"github.com/tlayout/tlayout/internal/words"
)

// Schema names the form of a Report in JSON.
const Schema = "tlayout/bench/v1"

// Suite is the kind of a row.
type Suite string

const (
	Access  Suite = "access"  // a pattern over a layout
	Convert Suite = "convert" // from one layout to another
)

// Report is the result of one run, and its JSON.
type Report struct {
	Schema   string      `json:"schema"`
	Source   string      `json:"source,omitempty"`
	Machine  Machine     `json:"machine"`
	Shape    []int       `json:"shape"` // logical
	Dims     []string    `json:"dims"`
	DType    string      `json:"dtype"`
	Elems    int         `json:"numel"`
	Rows     []Row       `json:"rows"`
	Verdict  Verdict     `json:"verdict"`
	Noise    Noise       `json:"noise"`
	Baseline *Comparison `json:"baseline,omitempty"`
	Gates    []Gate      `json:"gates,omitempty"`
	Notes    []string    `json:"notes"`
}

// Row is one measurement. Layout names are in lower case, as in gates: nhwc, nchw4c.
type Row struct {
	Suite   Suite   `json:"suite"`
	Layout  string  `json:"layout,omitempty"` // Access
	Pattern Pattern `json:"pattern,omitempty"`
	From    string  `json:"from,omitempty"` // Convert
	To      string  `json:"to,omitempty"`
	Shape   []int   `json:"shape"`
	DType   string  `json:"dtype"`
	Bytes   int     `json:"bytes"` // of the elements; of a conversion: read and written

	Timing
	GBps   float64 `json:"gbps"`    // 10⁹ bytes per second, by the median
	OfRoof float64 `json:"of_roof"` // fraction of the roofline: of reading, or of a copy for a conversion

	Bound     Bound   `json:"bound,omitempty"`      // operations only, like WalkShare
	WalkShare float64 `json:"walk_share,omitempty"` // time of the walk in the same order / time of the operation
	Model     *Model  `json:"model,omitempty"`      // walks only
}

// Key identifies a row in a report, and in gates: nhwc.channel, nchw.to.nhwc.
func (r Row) Key() string {
	if r.Suite == Convert {
		return r.From + ".to." + r.To
	}
	return accessKey(r.Layout, r.Pattern)
}

// accessKey is the key of the row for a pattern over a layout.
func accessKey(layout string, p Pattern) string { return layout + "." + string(p) }

// Sizes is the row's shape as text: 8x64x56x56.
func (r Row) Sizes() string { return words.Ints(r.Shape, "x") }

// Timing is the measured time of a pass in nanoseconds.
type Timing struct {
	SamplesNS []float64  `json:"samples_ns"` // one per round
	MedianNS  float64    `json:"median_ns"`
	CINS      [2]float64 `json:"ci_ns"`    // of the median, at 95 % or more
	Outliers  int        `json:"outliers"` // samples far from the others; they count too
}

// Bound says what limits an operation.
type Bound string

const (
	// Memory: the walk in the same order takes at least half of the time.
	Memory Bound = "memory"
	// Arithmetic: the walk in the same order takes less than half of the time.
	Arithmetic Bound = "arithmetic"
)

// Model is the cost of a walk in a simulated cache: deterministic on every machine.
type Model struct {
	// TouchesPerElem counts cache lines touched, a line once while the walk stays in it.
	TouchesPerElem float64 `json:"touches_per_elem"`
	// LinesPerElem counts cache lines fetched into L1.
	LinesPerElem float64 `json:"lines_per_elem"`
	// BytesUsed is the utilization: bytes of the tensor read per byte fetched into L1.
	BytesUsed float64 `json:"bytes_used_per_byte_fetched"`
	// MissPerElem counts misses by cache level.
	MissPerElem map[string]float64 `json:"miss_per_elem"`
	// PagesPerElem counts TLB misses.
	PagesPerElem float64 `json:"pages_per_elem"`
	// Error is 0 if everything was simulated; otherwise the maximum relative error of the figures above at 95 %.
	Error float64 `json:"sampling_error"`
}

// Noise is the variation of the same work over the run.
type Noise struct {
	Spread   float64 `json:"spread"` // half the interquartile range of the roof's samples / their median
	Outliers int     `json:"outliers"`
	Samples  int     `json:"samples"` // in all rows
	Advice   string  `json:"advice"`  // "" if the run was quiet
}

// Verdict holds the conclusions from the rows.
type Verdict struct {
	// Ratios is, for each layout, the time of the channel-wise walk over that of the spatial one.
	Ratios []Ratio `json:"channel_over_spatial"`
	// Best lists, for each pattern, the fastest layouts.
	Best []Best `json:"best"`
	// Slowdowns lists, for each pattern, every layout against the fastest one.
	Slowdowns []Slowdown `json:"slowdowns"`
	// BreakEven is, for each conversion and pattern, the number of passes that pays for the conversion.
	BreakEven []BreakEven `json:"break_even"`
}

// Ratio is the median of the rounds' ratios, with its interval.
type Ratio struct {
	Layout string     `json:"layout"`
	Ratio  float64    `json:"ratio"`
	CI     [2]float64 `json:"ci"`
}

// Best names the layout with the lowest median, and those statistically tied with it.
type Best struct {
	Pattern  Pattern  `json:"pattern"`
	Layouts  []string `json:"layouts"`
	MedianNS float64  `json:"median_ns"`
}

// Slowdown is the time of a pattern over a layout as a multiple of that over the fastest layout: the median of the rounds' ratios,
// with its interval.
type Slowdown struct {
	Pattern Pattern    `json:"pattern"`
	Layout  string     `json:"layout"`
	Ratio   float64    `json:"ratio"`
	CI      [2]float64 `json:"ci"`
	Tied    bool       `json:"tied"` // it is the fastest, or statistically tied with it
}

// BreakEven is the number of passes from which converting first is faster than passing over the tensor as it is.
//
//	passes = time to convert / (time of a pass from − time of a pass to)
//
// Passes is nil if the result is not faster: the conversion never breaks even.
type BreakEven struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Pattern Pattern  `json:"pattern"`
	Passes  *float64 `json:"passes"`
	Lo      *float64 `json:"lo"` // lower bound, from the intervals of the three times; nil: never
	Hi      *float64 `json:"hi"` // upper bound; nil: never
}

// Machine is where a run was measured. Sizes are bytes.
type Machine struct {
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	L1      int    `json:"l1_bytes"` // data; 0: unknown
	L2      int    `json:"l2_bytes"`
	L3      int    `json:"l3_bytes"`
	Memory  int64  `json:"memory_bytes"` // available to this program; 0: unknown
	Kernels string `json:"kernel_level"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Tlayout string `json:"tlayout"`
	Roofs   []Roof `json:"roofs"`
	Cache   string `json:"cache"` // geometry of the model: l1=48K,12,64 …
}

// Roof is the highest bandwidth of one thread that reads, or copies, memory of some size, and the fastest way to do so.
type Roof struct {
	Level    string  `json:"memory_level"` // l1, l2, l3 or memory, by size; tensor: as large as the tensor; conversion: twice that
	Bytes    int     `json:"bytes"`
	ReadGBps float64 `json:"read_gbps"`
	ReadBy   string  `json:"read_by"`   // load, xor or pages
	CopyGBps float64 `json:"copy_gbps"` // bytes read and written
	CopyBy   string  `json:"copy_by"`   // a name of Copies
}

// ReadRoof is the bandwidth of reading as many bytes as the tensor has, in GB/s.
func (r *Report) ReadRoof() float64 { return r.roofAt(tensorRoof) }

// fill adds the measurements to the report.
func (r *Report) fill(programs []*program, models map[string]*Model) {
	var constant []float64 // samples of work that is the same all along
	for _, p := range programs {
		if p.roof == nil {
			r.Rows = append(r.Rows, p.measured())
			continue
		}
		p.roof.set(p.kind, p.way, gbps(p.roof.Bytes, newTiming(p.samples).MedianNS))
		if p.roof.Level == tensorRoof && p.kind == reading && p.roof.ReadBy == p.way {
			constant = p.samples
		}
	}
	at := byKey(r.Rows)
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Model = models[row.Key()]
		if row.Suite == Convert {
			row.OfRoof = row.GBps / r.roofAt(conversionRoof)
			continue
		}
		row.OfRoof = row.GBps / r.roofAt(tensorRoof)
		if !row.Pattern.Walk() {
			row.WalkShare = at[accessKey(row.Layout, row.Pattern.Order())].MedianNS / row.MedianNS
			row.Bound = boundOf(row.WalkShare)
		}
	}
	r.Verdict = newVerdict(r.Rows)
	r.Noise = newNoise(constant, r.Rows)
}

// measured is the row with its timing.
func (p *program) measured() Row {
	row := p.row
	row.Timing = newTiming(p.samples)
	row.GBps = gbps(row.Bytes, row.MedianNS)
	return row
}

// roofAt is the bandwidth of a roof in GB/s: of a copy for conversions, else of reading. It is 0 if not measured.
func (r *Report) roofAt(level string) float64 {
	at := slices.IndexFunc(r.Machine.Roofs, func(roof Roof) bool { return roof.Level == level })
	switch {
	case at < 0:
		return 0
	case level == conversionRoof:
		return r.Machine.Roofs[at].CopyGBps
	}
	return r.Machine.Roofs[at].ReadGBps
}

func boundOf(walkShare float64) Bound {
	if walkShare < 0.5 {
		return Arithmetic
	}
	return Memory
}

// gbps is 10⁹ bytes per second, which is bytes per nanosecond.
func gbps(bytes int, ns float64) float64 { return float64(bytes) / ns }
