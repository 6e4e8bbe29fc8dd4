package convert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// report is convert's answer. Bytes moved are those read and those written.
type report struct {
	told      source.Evidence // ByNothing where the order does not matter
	Schema    string          `json:"schema"`
	Source    string          `json:"source"`
	Output    string          `json:"output"`
	Raw       []byte          `json:"source_bytes,omitempty"` // base64, if the name is not UTF-8
	RawOutput []byte          `json:"output_bytes,omitempty"`
	Recorded  bool            `json:"layout_recorded"` // in layout.json
	Member    *string         `json:"member"`          // of the archive that the output is; null for a .npy file
	DType     string          `json:"dtype"`
	From      cli.Side        `json:"from"`
	To        cli.Side        `json:"to"`
	Assumed   bool            `json:"from_assumed"`
	Bytes     int64           `json:"bytes_moved"`
	PadElems  int             `json:"pad_elems"`
	Seconds   float64         `json:"seconds"`
	GBPerS    float64         `json:"gb_per_s"`
	Verified  string          `json:"verified,omitempty"` // if From is right, which Assumed says
	DryRun    bool            `json:"dry_run"`
	Notes     []string        `json:"notes"`
	Warnings  []string        `json:"warnings"`
}

func newReport(j *job, done outcome) *report {
	t := j.tensor
	r := &report{
		Schema: "tlayout/convert/v1", Source: j.options.source, Output: j.out.path, DType: t.DType.String(),
		Raw: words.RawBytes(j.options.source), RawOutput: words.RawBytes(j.out.path), Assumed: j.assumed(),
		Bytes:    int64(t.Layout.Numel())*int64(j.plan.ItemSize) + j.bytesWritten(),
		PadElems: j.target.Layout.Alloc() - j.target.Layout.Numel(),
		DryRun:   j.options.dryRun,
		Notes:    j.notes(), Warnings: j.warnings(),
	}
	r.From, r.To = j.sides()
	if j.out.archive {
		r.Member = words.OrNull(j.out.member)
		r.Recorded = j.records()
	}
	r.told = j.evidence()
	r.finish(done)
	return r
}

// finish adds what only a finished run knows.
func (r *report) finish(done outcome) {
	r.Seconds, r.Verified, r.GBPerS = done.seconds, done.verified, speed(r.Bytes, done.seconds)
}

// speed is in gigabytes per second; 0 without a time.
func speed(bytes int64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(bytes) / seconds / 1e9
}

// movedText says how much was moved, and how fast.
func movedText(bytes int64, seconds float64, dryRun bool) string {
	if dryRun {
		return words.Bytes(bytes) + " would be moved; nothing was written"
	}
	return fmt.Sprintf("%s moved in %s, %.3g GB/s", words.Bytes(bytes), words.Seconds(seconds), speed(bytes, seconds))
}

// Warned are the source's warnings and the target's.
func (r *report) Warned() []string { return r.Warnings }

// Page writes what became what, both sides, and how much was moved how fast.
func (r *report) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s -> %s", words.Quote(r.Source), words.Quote(r.Output)))
	p.Section(r.sideTable())
	p.Remarks(r.lines()...)
}

// sideTable compares both sides.
func (r *report) sideTable() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	add := func(name string, s cli.Side, assumed string) {
		t.Add(name, s.Name()+assumed, tensor.Tuple(s.FileShape), s.Sizes(), s.StridesText())
	}
	add("from", r.From, evidenceText(r.told))
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
	add("from", r.From, r.Assumed)
	add("to", r.To, false)
	return t
}

// evidenceText marks a memory order that nobody but the file's name or its rank gave.
func evidenceText(told source.Evidence) string {
	switch told {
	case source.ByRank:
		return " (assumed)"
	case source.ByName:
		return " (by the file's name)"
	}
	return ""
}

// lines say what was moved, how fast, and what else is worth knowing.
func (r *report) lines() []string {
	lines := []string{movedText(r.Bytes, r.Seconds, r.DryRun)}
	if r.PadElems > 0 {
		lines = append(lines, words.Count(r.PadElems, "element")+" of padding")
	}
	if r.Member != nil {
		line := "an archive of the array " + *r.Member
		if r.Recorded {
			line += " and " + source.RecordName + ", which records its layout"
		}
		lines = append(lines, line)
	}
	switch {
	case r.Verified != "" && r.Assumed:
		lines = append(lines, fmt.Sprintf("verified, if the source is %s, as assumed (--from names its order): %s", r.From.Layout, r.Verified))
	case r.Verified != "":
		lines = append(lines, "verified: "+r.Verified)
	}
	return append(lines, cli.NoteLines(r.Notes)...)
}
