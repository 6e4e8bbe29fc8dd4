package convert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// splitReport is the answer of convert --split.
type splitReport struct {
	Schema string        `json:"schema"`
	Source string        `json:"source"`
	Raw    []byte        `json:"source_base64,omitempty"`
	Output string        `json:"output"` // the manifest
	RawOut []byte        `json:"output_base64,omitempty"`
	DType  string        `json:"dtype"`
	From   cli.Side      `json:"before"`
	To     cli.Side      `json:"after"` // of the whole
	Axis   int           `json:"split_axis"`
	Share  int           `json:"share"`
	Shares int           `json:"shares"`
	Files  []splitOutput `json:"split_outputs"` // of the share
	order
	Read     int64    `json:"bytes_read"`
	Written  int64    `json:"bytes_written"`
	Seconds  float64  `json:"seconds"`
	DryRun   bool     `json:"dry_run"`
	Complete bool     `json:"complete"` // the manifest is written
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`

	axis      string
	all, made int   // files: of all shares, and of this one that were written
	there     bool  // the manifest was there
	bytes     int64 // of the whole
}

type splitOutput struct {
	source.SplitFile
	Bytes   int64       `json:"file_bytes"`
	Outcome many.Result `json:"outcome"`
}

// Warned are the source's warnings and the target's.
func (r *splitReport) Warned() []string { return r.Warnings }

// Page says how many files there are, where they were cut, and which file stands for all.
func (r *splitReport) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s: %s %s, %s, %s", r.wrote(), words.Shorten(r.DType), tensor.Tuple(r.To.FileShape), sideName(r.To),
		words.ShortBytes(r.bytes)))
	lines := []string{"from " + sideName(r.From) + r.told() + ", " + tensor.Tuple(shapeOf(r.From))}
	if len(r.Files) > 0 {
		lines = append(lines, fmt.Sprintf("cut along %s, %s each: %s, …", r.axis, words.Count(r.Files[0].End, "value"), words.Quote(r.Files[0].Name)))
	}
	if moved := r.Read + r.Written; !r.DryRun && (p.All() || moved >= worthTiming) {
		lines = append(lines, movedText(moved, r.Seconds))
	}
	p.Items(lines...)
	if p.All() {
		t := r.Rows()
		t.Title, t.Numbers = "Files", []int{1, 2, 3}
		p.Section(t)
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// wrote says what was written.
func (r *splitReport) wrote() string {
	verb, output := "wrote", source.DisplayName(r.Output)
	if r.DryRun {
		verb = "would write"
	}
	switch here := len(r.Files) - r.made; {
	case r.Shares > 1 && !r.Complete:
		return fmt.Sprintf("share %d of %d: %s %d of %s, the manifest comes with the last share", r.Share, r.Shares, verb, r.made, words.Count(r.all, "file"))
	case r.Shares > 1:
		return fmt.Sprintf("share %d of %d: %s %d of %s, all are there now, %s too", r.Share, r.Shares, verb, r.made, words.Count(r.all, "file"), output)
	case r.made == 0 && r.there:
		return fmt.Sprintf("nothing to do, %s and %s are there", output, words.Count(here, "file"))
	case r.made == 0:
		return fmt.Sprintf("%s %s, its %s are there", verb, output, words.Count(here, "file"))
	case here > 0:
		return fmt.Sprintf("%s %s and %d of %s, the others are there", verb, output, r.made, words.Count(r.all, "file"))
	}
	return fmt.Sprintf("%s %s and %s", verb, output, words.Count(r.all, "file"))
}

// Rows has a row for each file.
func (r *splitReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("file_name,begin,end,file_bytes,outcome", ",")}
	for _, f := range r.Files {
		t.Add(f.Name, strconv.Itoa(f.Begin), strconv.Itoa(f.End), strconv.FormatInt(f.Bytes, 10), string(f.Outcome))
	}
	return t
}
