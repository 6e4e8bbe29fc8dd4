package convert

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Documents are those that the commands print, and the record of layouts that convert writes into an archive.
var Documents = []cli.Document{
	{Schema: "tlayout/convert/v1", Prints: "convert", Type: reflect.TypeFor[report]()},
	{Schema: "tlayout/convert_npz/v1", Prints: "convert of an archive", Type: reflect.TypeFor[setReport]()},
	{Schema: "tlayout/convert_checkpoint/v1", Prints: "convert of a checkpoint", Type: reflect.TypeFor[wholeReport]()},
	{Schema: many.ShareSchema, Prints: "convert of many sources", Type: reflect.TypeFor[many.Summary]()},
	{Schema: "tlayout/plan/v1", Prints: "plan", Type: reflect.TypeFor[planReport]()},
	{Schema: "tlayout/layout/v1", Prints: "convert, as layout.json in an archive", Type: reflect.TypeFor[source.Record]()},
}

// report is convert's answer.
type report struct {
	Schema    string   `json:"schema"`
	Source    string   `json:"source"`
	Output    string   `json:"output"`
	Raw       []byte   `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	RawOutput []byte   `json:"output_base64,omitempty"`
	Recorded  bool     `json:"layout_recorded"` // in layout.json
	Member    *string  `json:"member"`          // of the archive that the output is; null for a .npy file
	Kept      bool     `json:"kept,omitempty"`  // an array among several that has another rank than the target
	DType     string   `json:"dtype"`
	From      cli.Side `json:"before"`
	To        cli.Side `json:"after"`
	order
	Numel     int      `json:"numel"`
	Read      int64    `json:"bytes_read"`
	Written   int64    `json:"bytes_written"`
	PadElems  int      `json:"pad_elems"`
	Seconds   float64  `json:"seconds"`
	GBPerS    float64  `json:"gbps"`
	Verified  string   `json:"verified,omitempty"` // if From is right, which Assumed says
	DryRun    bool     `json:"dry_run"`
	Skipped   bool     `json:"skipped,omitempty"`    // --update: the output is up to date
	FileBytes int64    `json:"file_bytes"`           // of the output; of an array among several, of its .npy file
	ReadAgain string   `json:"read_again,omitempty"` // flags that read raw bytes as the tensor
	Notes     []string `json:"notes"`
	Warnings  []string `json:"warnings"`
}

func newReport(j *job, done outcome) *report {
	t := j.tensor
	r := &report{
		Schema: "tlayout/convert/v1", Source: words.Redact(j.options.source), Output: words.Redact(j.out.path), DType: t.DType.String(),
		Raw: words.RawBytes(j.options.source), RawOutput: words.RawBytes(j.out.path), order: j.told(),
		Numel: t.Layout.Numel(), Read: int64(t.Layout.Numel()) * int64(j.plan.ItemSize), Written: j.bytesWritten(),
		PadElems: j.target.Layout.Alloc() - j.target.Layout.Numel(),
		DryRun:   j.options.dryRun, Kept: j.kept,
		Notes: j.notes(), Warnings: j.warnings(),
	}
	r.From, r.To = j.sides()
	if j.out.archive {
		r.Member = words.OrNull(j.out.member)
		r.Recorded = j.records()
	}
	if j.out.raw {
		_, r.ReadAgain, _ = j.readAgain() // newPart has refused what it refuses
	}
	r.finish(done)
	return r
}

// finish adds what only a finished run knows.
func (r *report) finish(done outcome) {
	r.FileBytes, r.Seconds, r.Verified, r.Skipped = done.bytes, done.seconds, done.verified, done.skipped
	r.GBPerS = speed(r.moved(), done.seconds)
}

// moved is how many bytes were read and written.
func (r *report) moved() int64 { return r.Read + r.Written }

// speed is in gigabytes per second; 0 without a time.
func speed(bytes int64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(bytes) / seconds / 1e9
}

// worthTiming is how many bytes must move before their time says something about the copy.
const worthTiming = 1 << 20

// movedText says how much was moved, and how fast.
func movedText(bytes int64, seconds float64) string {
	return fmt.Sprintf("moved %s in %s, %.3g GB/s", words.Bytes(bytes), words.Seconds(seconds), speed(bytes, seconds))
}

// wroteText begins the answer: wrote x.npy; would write x.npy.
func wroteText(output string, dryRun, skipped bool) string {
	name := source.DisplayName(output)
	switch {
	case skipped:
		return name + " is up to date"
	case dryRun && output == source.Stdin:
		return "would write to standard output"
	case dryRun:
		return "would write " + name
	}
	return "wrote " + name
}

// Warned are the source's warnings and the target's.
func (r *report) Warned() []string { return r.Warnings }

// Page writes what was written, and from what; then what its name and shape do not say.
func (r *report) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s: %s %s, %s, %s", wroteText(r.Output, r.DryRun, r.Skipped), words.Shorten(r.DType), tensor.Tuple(r.To.FileShape),
		sideName(r.To), words.ShortBytes(r.FileBytes)))
	p.Items(r.lines(p.All())...)
	if p.All() {
		p.Section(r.sideTable())
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// sideName is a layout's name, or its strides.
func sideName(s cli.Side) string {
	if name := s.Name(); name != "" {
		return name
	}
	return "strides " + s.StridesText()
}

// sideTable compares both sides.
func (r *report) sideTable() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	add := func(name string, s cli.Side, assumed string) {
		stored := ""
		if s.FileShape != nil {
			stored = tensor.Tuple(s.FileShape)
		}
		t.Add(name, s.Name()+assumed, stored, s.Sizes(), s.StridesText())
	}
	add("from", r.From, r.told())
	add("to", r.To, "")
	return t
}

// Rows has a row for either side; a blocked layout has no strides, but a notation.
func (r *report) Rows() render.Table {
	t := render.Table{Header: strings.Split("side,layout,layout_assumed,file_shape,dims,shape,strides,notation", ",")}
	list := func(xs []int) string { return words.Ints(xs, ", ") }
	add := func(name string, s cli.Side, assumed bool) {
		t.Add(name, s.Layout, strconv.FormatBool(assumed), list(s.FileShape), strings.Join(s.Dims, ""), list(s.Shape), list(s.Strides), s.Notation)
	}
	add("before", r.From, r.Assumed)
	add("after", r.To, false)
	return t
}

// order is what told the source's memory order; nothing, where that does not matter.
type order struct {
	Assumed bool            `json:"layout_assumed"`
	By      source.Evidence `json:"layout_from"`
}

// told marks a memory order that nobody but the file's name or its rank gave.
func (o order) told() string {
	switch o.By {
	case source.ByRank:
		return " (assumed)"
	case source.ByName:
		return " (by the file's name)"
	}
	return ""
}

// shapeOf is the file's shape, or the tensor's if it is a view of a checkpoint's storage.
func shapeOf(s cli.Side) []int {
	if s.FileShape == nil {
		return s.Shape
	}
	return s.FileShape
}

// lines say from what it was made, what it holds, and whether that was verified; with all, how fast.
func (r *report) lines(all bool) []string {
	lines := []string{"from " + sideName(r.From) + r.told() + ", " + tensor.Tuple(shapeOf(r.From))}
	if r.PadElems > 0 || r.To.Strides == nil || len(r.To.FileShape) != len(r.To.Shape) {
		line := "holds " + r.To.Sizes()
		if r.PadElems > 0 {
			line += " and " + words.Count(r.PadElems, "element") + " of padding"
		}
		lines = append(lines, line)
	}
	if r.Member != nil {
		line := "an archive of the array " + *r.Member
		if r.Recorded {
			line += " and " + source.RecordName + ", which records its layout"
		}
		lines = append(lines, line)
	}
	if r.ReadAgain != "" {
		lines = append(lines, "bytes alone: read them with "+r.ReadAgain)
	}
	switch {
	case r.Verified != "" && r.Assumed:
		lines = append(lines, fmt.Sprintf("verified, if %s is right (--from says what is): %s", r.From.Layout, r.Verified))
	case r.Verified != "":
		lines = append(lines, "verified: "+r.Verified)
	}
	if !r.DryRun && !r.Skipped && (all || r.moved() >= worthTiming) {
		lines = append(lines, movedText(r.moved(), r.Seconds))
	}
	return lines
}
