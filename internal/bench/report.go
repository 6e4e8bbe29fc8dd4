package bench

import (
	"slices"
	"strconv"
	"strings"
)

// Schema names the form of a Report in JSON.
const Schema = "tlayout/bench/v1"

// Suite is the kind of a row.
type Suite string

const (
	Access  Suite = "access"  // a pattern over a layout
	Convert Suite = "convert" // from one layout to another
)

// Report is everything that one run found out. It is what JSON holds.
type Report struct {
	Schema   string      `json:"schema"`
	Source   string      `json:"source,omitempty"`
	Machine  Machine     `json:"machine"`
	Shape    []int       `json:"shape"` // logical
	Dims     []string    `json:"dims"`
	DType    string      `json:"dtype"`
	Elems    int         `json:"elems"`
	Rows     []Row       `json:"rows"`
	Verdict  Verdict     `json:"verdict"`
	Noise    Noise       `json:"noise"`
	Baseline *Comparison `json:"baseline,omitempty"`
	Gates    []Gate      `json:"gates,omitempty"`
	Notes    []string    `json:"notes"`
}

// Row is one measurement. Layouts are named in lower case, as gates name them: nhwc, nchw4c.
type Row struct {
	Suite   Suite   `json:"suite"`
	Layout  string  `json:"layout,omitempty"` // Access
	Pattern Pattern `json:"pattern,omitempty"`
	From    string  `json:"from,omitempty"` // Convert
	To      string  `json:"to,omitempty"`
	Shape   []int   `json:"shape"`
	DType   string  `json:"dtype"`
	Bytes   int     `json:"bytes"` // of the elements; of a conversion, read and written

	Timing
	GBps   float64 `json:"gbps"`    // 10⁹ bytes a second, by the median
	OfRoof float64 `json:"of_roof"` // GBps over that of the roof: of reading, or of a copy for a conversion

	Bound     Bound   `json:"bound,omitempty"`      // operations only, as WalkShare
	WalkShare float64 `json:"walk_share,omitempty"` // the time of the bare walk in the same order over that of the operation
	Model     *Model  `json:"model,omitempty"`      // walks only
}

// Key tells the rows of a report apart: nhwc.channel, nchw.to.nhwc. Gates use it, and so does the Go benchmark format.
func (r Row) Key() string {
	if r.Suite == Convert {
		return r.From + ".to." + r.To
	}
	return accessKey(r.Layout, r.Pattern)
}

// accessKey is that of the row for a pattern over a layout.
func accessKey(layout string, p Pattern) string { return layout + "." + string(p) }

// Sizes are those of the row's shape: 8x64x56x56.
func (r Row) Sizes() string {
	sizes := make([]string, len(r.Shape))
	for i, n := range r.Shape {
		sizes[i] = strconv.Itoa(n)
	}
	return strings.Join(sizes, "x")
}

// Timing is what a row's clock said, in nanoseconds of one pass.
type Timing struct {
	SamplesNS []float64  `json:"samples_ns"` // in the order in which they were taken
	MedianNS  float64    `json:"median_ns"`
	CINS      [2]float64 `json:"ci_ns"`    // of the median, at 95 % or more
	Outliers  int        `json:"outliers"` // samples far from the others; none is left out
}

// Bound says what a row's time went into.
type Bound string

const (
	// Memory: the bare walk in the same order takes at least half of the time.
	Memory Bound = "memory"
	// Arithmetic: the bare walk in the same order takes less than half of the time.
	Arithmetic Bound = "arithmetic"
)

// Model is what a walk costs in a cache that is simulated: the same on every machine and in every run.
type Model struct {
	// TouchesPerElem is how often the walk goes to a line other than the last one.
	TouchesPerElem float64 `json:"touches_per_elem"`
	// LinesPerElem is how many lines are fetched into the first cache.
	LinesPerElem float64 `json:"lines_per_elem"`
	// BytesUsed is how many bytes of the tensor are read for each byte that is fetched into the first cache.
	BytesUsed float64 `json:"bytes_used_per_byte_fetched"`
	// MissPerElem is, by level, how many lines had to come from the next one.
	MissPerElem map[string]float64 `json:"miss_per_elem"`
	// PagesPerElem is how many pages had to be looked up again, for their translation was no longer at hand.
	PagesPerElem float64 `json:"pages_per_elem"`
	// Error is 0 where all was simulated; else the greatest relative error to expect of the figures above, at 95 %.
	Error float64 `json:"error"`
}

// Noise is how much the same work varied over the run.
type Noise struct {
	Spread   float64 `json:"spread"` // half of the middle half of the roof's samples, over their median
	Outliers int     `json:"outliers"`
	Samples  int     `json:"samples"` // of which outliers are counted
	Advice   string  `json:"advice"`  // what to do about it; "" where it is quiet
}

// Verdict is what follows from the rows.
type Verdict struct {
	// Ratios has, for each layout, the time of the channel-wise walk over that of the spatial one.
	Ratios []Ratio `json:"channel_over_spatial"`
	// Best has, for each pattern, the fastest layouts.
	Best []Best `json:"best"`
	// BreakEven has, for each conversion and pattern, the passes after which it has paid for itself.
	BreakEven []BreakEven `json:"break_even"`
}

// Ratio is the median of the rounds' ratios, with its interval.
type Ratio struct {
	Layout string     `json:"layout"`
	Ratio  float64    `json:"ratio"`
	CI     [2]float64 `json:"ci"`
}

// Best names the layout with the least median, and those that cannot be told from it.
type Best struct {
	Pattern  Pattern  `json:"pattern"`
	Layouts  []string `json:"layouts"`
	MedianNS float64  `json:"median_ns"`
}

// BreakEven says after how many passes converting first, and then passing over the result, took less time than passing
// over the tensor as it is.
//
//	passes = time to convert / (time of a pass from − time of a pass to)
//
// Passes is nil where the result is not faster: never.
type BreakEven struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Pattern Pattern  `json:"pattern"`
	Passes  *float64 `json:"passes"`
	Lo      *float64 `json:"lo"` // at best, by the intervals of the three times; nil: never
	Hi      *float64 `json:"hi"` // at worst; nil: never
}

// Machine is where it was measured. Sizes are bytes.
type Machine struct {
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	L1      int    `json:"l1"` // data; 0: unknown
	L2      int    `json:"l2"`
	L3      int    `json:"l3"`
	Memory  int64  `json:"memory"` // that this program may still take; 0: unknown
	Kernels string `json:"kernels"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Tlayout string `json:"tlayout"`
	Roofs   []Roof `json:"roofs"`
	Cache   string `json:"cache"` // geometry of the model: l1=48K,12,64 …
}

// Roof is the fastest that one thread reads and copies memory of some size.
type Roof struct {
	Level    string  `json:"level"` // l1, l2, l3, memory: where it fits; tensor: of its size; conversion: of twice that
	Bytes    int     `json:"bytes"`
	ReadGBps float64 `json:"read_gbps"`
	CopyGBps float64 `json:"copy_gbps"` // bytes read and written
}

// ReadRoof is the fastest read of as many bytes as the tensor has, in GB/s.
func (r *Report) ReadRoof() float64 { return r.roofAt(tensorRoof) }

// fill writes what the programs measured into the report.
func (r *Report) fill(programs []*program, models map[string]*Model) {
	var steady []float64
	for _, p := range programs {
		if p.roof == nil {
			r.Rows = append(r.Rows, p.measured())
			continue
		}
		*p.speed = max(*p.speed, gbps(p.roof.Bytes, NewTiming(p.samples).MedianNS))
		if p.roof.Level == tensorRoof && p.speed == &p.roof.ReadGBps {
			steady = p.samples
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
	r.Noise = newNoise(steady, r.Rows)
}

// measured is the row with its timing.
func (p *program) measured() Row {
	row := p.row
	row.Timing = NewTiming(p.samples)
	row.GBps = gbps(row.Bytes, row.MedianNS)
	return row
}

// roofAt is the one that rows are measured against, in GB/s: that of reading the tensor, or of a copy for conversions. It
// is 0 where it was not measured.
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

// gbps is 10⁹ bytes a second, which is bytes a nanosecond.
func gbps(bytes int, ns float64) float64 { return float64(bytes) / ns }
