package convert

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/words"
)

// wholeReport is convert's answer about a whole checkpoint.
type wholeReport struct {
	Schema     string        `json:"schema"`
	Source     string        `json:"source"`
	Raw        []byte        `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	Output     string        `json:"output"`
	RawOut     []byte        `json:"output_base64,omitempty"`
	Container  string        `json:"container"` // the output's
	Tensors    []wholeTensor `json:"tensors"`
	Converted  int           `json:"converted"`       // tensors that --to gave its layout
	Contiguous int           `json:"made_contiguous"` // tensors that were not contiguous, in a container without strides
	Swapped    int           `json:"byte_swapped"`    // tensors that were big-endian
	LeftOut    int           `json:"left_out"`        // tensors of the source that its pattern does not name, or --exclude does
	Alignment  int64         `json:"alignment"`       // of the tensors' first bytes
	Read       int64         `json:"bytes_read"`      // of tensors
	Written    int64         `json:"bytes_written"`
	Seconds    float64       `json:"seconds"`
	GBPerS     float64       `json:"gbps"`
	Verified   string        `json:"verified,omitempty"`
	DryRun     bool          `json:"dry_run"`
	Skipped    bool          `json:"skipped,omitempty"` // --update: the output is up to date
	Size       int64         `json:"file_bytes"`        // of the output
	Notes      []string      `json:"notes"`
	Warnings   []string      `json:"warnings"`

	from, to string   // containers, in words
	items    []string // what is news
	already  int      // of Converted, those that moved no element
}

// wholeTensor is a tensor of it.
type wholeTensor struct {
	Name      string   `json:"name"`
	NameBytes []byte   `json:"name_base64,omitempty"`
	DType     string   `json:"dtype"`
	From      cli.Side `json:"before"`
	To        cli.Side `json:"after"`
	Kept      bool     `json:"kept,omitempty"`
}

func (w *whole) report() *wholeReport {
	r := &wholeReport{Schema: "tlayout/convert_checkpoint/v1", Source: words.Redact(w.options.source), Raw: words.RawBytes(w.options.source), Output: words.Redact(w.out),
		RawOut: words.RawBytes(w.out), Container: string(w.format), Tensors: make([]wholeTensor, 0, len(w.pieces)), LeftOut: w.model.leftOut,
		Alignment: w.align, Written: w.done.written, Seconds: w.done.seconds, DryRun: w.options.dryRun, Skipped: w.upToDate(), Size: w.size,
		Notes: []string{}, Warnings: append(append([]string{}, w.model.warnings...), w.lost...),
		from: cmp.Or(w.model.format.Title(), "a .npy file"), to: w.format.Title()}
	for i := range w.pieces {
		p := &w.pieces[i]
		r.Read += int64(p.from.Numel()) * int64(p.tensor.Type.ItemSize())
		r.Tensors = append(r.Tensors, w.tensorReport(i))
		if p.swap > 0 {
			r.Swapped++
		}
		switch {
		case p.converted:
			if r.Converted++; !p.moved {
				r.already++
			}
		case p.reordered:
			r.Contiguous++
		}
	}
	if w.done.verified > 0 {
		r.Verified = words.Count(w.done.verified, "tensor") + " equal"
	}
	r.GBPerS = speed(r.Read+r.Written, r.Seconds)
	r.items = w.news(r)
	if note := w.structure(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	r.Notes = append(r.Notes, w.others()...)
	if w.permutes() && w.format == checkpoint.Safetensors {
		r.Notes = append(r.Notes, "safetensors records no order of axes: read it with --from "+words.Shell(w.options.to.Name))
	}
	return r
}

func (w *whole) tensorReport(i int) wholeTensor {
	p := &w.pieces[i]
	t := wholeTensor{Name: p.tensor.Name, NameBytes: words.RawBytes(p.tensor.Name), DType: p.tensor.Type.String(), Kept: !p.converted && !p.moved && p.swap == 0}
	var fileShape []int
	if !w.model.pickled() {
		fileShape = p.tensor.View.Shape
	}
	t.From = cli.NewSide("", fileShape, p.from)
	switch {
	case w.format == checkpoint.Torch && !p.converted && !p.apart:
		t.To = cli.NewSide("", nil, p.from)
	case w.format == checkpoint.Torch:
		t.To = cli.NewSide(p.target.Order, nil, p.target.Layout)
	default:
		t.To = cli.NewSide(p.target.Order, p.shape(), p.target.Layout)
	}
	return t
}

// permutes reports whether a tensor's axes are stored in another order than its dims.
func (w *whole) permutes() bool {
	for i := range w.pieces {
		if w.pieces[i].permuted && w.format != checkpoint.Torch {
			return true
		}
	}
	return false
}

// structure says what of the source no container but its own holds.
func (w *whole) structure() string {
	switch {
	case w.model.pickled():
		return "of the pickle, the tensors are written, by name; values that are no tensors are not"
	case w.model.texts > 0:
		return fmt.Sprintf("GGUF's %s are not written", words.Count(w.model.texts, "key"))
	case len(w.model.metadata) > 0 && w.format != checkpoint.Safetensors:
		return fmt.Sprintf("__metadata__ of %s is not written: only safetensors holds it", words.Count(len(w.model.metadata), "text"))
	}
	return ""
}

// others are lines of arrays that are no tensors, one for each type of elements: left out: names, 1 NumPy array of Python objects.
func (w *whole) others() (lines []string) {
	var kinds []string
	names := map[string][]string{}
	for _, l := range w.model.others {
		if names[l.Elements] == nil {
			kinds = append(kinds, l.Elements)
		}
		names[l.Elements] = append(names[l.Elements], cmp.Or(l.Name, "the root"))
	}
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("left out: %s, %s of %s", firstNames(names[kind]), words.Count(len(names[kind]), "NumPy array"), kind))
	}
	return lines
}

// news are lines of what was converted, kept and dropped.
func (w *whole) news(r *wholeReport) (lines []string) {
	if r.Converted > 0 {
		line := fmt.Sprintf("converted: %s to %s", words.Count(r.Converted, "tensor"), words.Quote(w.options.to.Name))
		if r.already > 0 {
			line += fmt.Sprintf(", %d already in this layout", r.already)
		}
		lines = append(lines, line)
	}
	if r.Contiguous > 0 {
		lines = append(lines, "made contiguous: "+words.Count(r.Contiguous, "tensor"))
	}
	if r.Swapped > 0 {
		lines = append(lines, "byte-swapped to little-endian: "+words.Count(r.Swapped, "tensor"))
	}
	kept := 0
	for i := range r.Tensors {
		if r.Tensors[i].Kept {
			kept++
		}
	}
	if kept > 0 {
		line := "kept as they are: " + words.Count(kept, "tensor")
		if w.options.to.Layout != nil {
			line += ", of another rank"
			if w.options.match != "" {
				line += " or name"
			}
		}
		lines = append(lines, line)
	}
	if r.LeftOut > 0 {
		lines = append(lines, fmt.Sprintf("left out: %s %s", words.Count(r.LeftOut, "tensor"), w.leftOutBy()))
	}
	if saved := w.unused(); saved > 0 {
		lines = append(lines, fmt.Sprintf("dropped: %s that no tensor uses", words.Bytes(saved)))
	}
	if n := len(w.model.metadata); n > 0 && w.format == checkpoint.Safetensors {
		lines = append(lines, "kept: __metadata__ of "+words.Count(n, "text"))
	}
	if r.Alignment > 0 && w.options.align > 0 {
		line := fmt.Sprintf("alignment: every storage begins at a multiple of %s", words.Bytes(r.Alignment))
		if w.format == checkpoint.Safetensors {
			line = fmt.Sprintf("alignment: the first tensor begins at a multiple of %s, every one of %d: the format has no gaps",
				words.Bytes(int64(w.options.align)), r.Alignment)
		}
		lines = append(lines, line)
	}
	if r.Verified != "" {
		lines = append(lines, "verified: "+r.Verified)
	}
	return lines
}

// leftOutBy says what left tensors out.
func (w *whole) leftOutBy() string {
	switch {
	case w.options.exclude == "":
		return "that the pattern does not name"
	case w.model.pattern == "":
		return "that --exclude names"
	}
	return "that the pattern does not name or --exclude does"
}

// unused is how many bytes of the source's storages a PyTorch checkpoint has not: what no tensor uses.
func (w *whole) unused() int64 {
	if !w.options.compact {
		return 0
	}
	var before int64
	seen := map[int]bool{}
	for _, t := range w.model.tensors {
		if !seen[t.Storage] {
			before += w.model.storages[t.Storage].Bytes
		}
		seen[t.Storage] = true
	}
	return before - w.storageBytes
}

// Warned are the source's warnings, and what the output's container cannot hold.
func (r *wholeReport) Warned() []string { return r.Warnings }

// shownTensors is how many tensors a page lists without --all, of those that are not as they were.
const shownTensors = 4

// Page writes what was written, and a line for each tensor that changes.
func (r *wholeReport) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s: %s, %s, %s", wroteText(r.Output, r.DryRun, r.Skipped), r.to, words.Count(len(r.Tensors), "tensor"), words.ShortBytes(r.Size)))
	lines := append([]string{"from " + r.from}, r.items...)
	if moved := r.Read + r.Written; !r.DryRun && !r.Skipped && (p.All() || moved >= worthTiming) {
		lines = append(lines, movedText(moved, r.Seconds))
	}
	p.Items(lines...)
	t := render.Table{Title: "Tensors", Header: []string{"name", "dtype", "shape", "strides", "", "shape", "strides"}}
	var shown []wholeTensor
	for _, one := range r.Tensors {
		if !one.Kept || p.All() {
			shown = append(shown, one)
		}
	}
	for i, one := range shown {
		if i == shownTensors && !p.All() && len(shown) > shownTensors+1 {
			t.Add("…", fmt.Sprintf("%d more", len(shown)-i), "", "", "", "", "")
			break
		}
		name := words.Quote(words.Cut(one.Name, 60))
		if one.Kept {
			t.Add(name, words.Shorten(one.DType), tensor.Tuple(one.From.Shape), one.From.StridesText(), "kept", "", "")
			continue
		}
		shape := one.To.Shape
		if one.To.FileShape != nil {
			shape = one.To.FileShape
		}
		t.Add(name, words.Shorten(one.DType), tensor.Tuple(one.From.Shape), one.From.StridesText(), "→", tensor.Tuple(shape), one.strides())
	}
	if len(shown) > 0 {
		p.Section(t)
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// strides are those of the axes as the output has them; none where its container has none.
func (t *wholeTensor) strides() string {
	if t.To.FileShape != nil {
		return ""
	}
	return t.To.StridesText()
}

// Rows has a row for each tensor.
func (r *wholeReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("name,dtype,shape,strides,to_layout,to_file_shape,to_strides,kept", ",")}
	list := func(xs []int) string { return words.Ints(xs, ", ") }
	for _, one := range r.Tensors {
		t.Add(words.Quote(one.Name), one.DType, list(one.From.Shape), list(one.From.Strides), one.To.Layout, list(one.To.FileShape), list(one.To.Strides),
			fmt.Sprint(one.Kept))
	}
	return t
}
