package convertcmd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents are the documents that the commands print, and the record of layouts that convert writes into an archive.
var Documents = []cli.Document{
	recipeDocument,
	{Schema: "tlayout/convert/v1", Prints: "convert", Type: reflect.TypeFor[report]()},
	{Schema: batch.ShardSchema, Prints: "convert of many sources", Type: reflect.TypeFor[batch.Summary]()},
	{Schema: "tlayout/plan/v1", Prints: "plan", Type: reflect.TypeFor[planReport]()},
	{Schema: "tlayout/shared/v1", Prints: "plan --shared", Type: reflect.TypeFor[sharedReport]()},
	{Schema: "tlayout/layout/v1", Prints: "convert, as layout.json in an archive", Type: reflect.TypeFor[document.Record]()},
}

// report is convert's answer.
type report struct {
	document.Head
	Output     string         `json:"output"`                  // the file to write
	RawOutput  []byte         `json:"output_base64,omitempty"` // its bytes, if not UTF-8
	Container  string         `json:"format" jsonschema:"of the output"`
	Tensors    []tensorReport `json:"tensors"`
	Converted  int            `json:"converted"`       // tensors that got the layout of --to
	Contiguous int            `json:"made_contiguous"` // other tensors made contiguous for a container without strides
	Swapped    int            `json:"byte_swapped"`    // big-endian tensors, little-endian in the output
	LeftOut    int            `json:"left_out"`        // tensors of the source that the pattern or --exclude leaves out
	Alignment  int64          `json:"alignment"`
	Read       int64          `json:"bytes_read"`                                                      // data of the source, in bytes
	Written    int64          `json:"bytes_written"`                                                   // data of the target with its padding, in bytes
	Seconds    float64        `json:"seconds"`                                                         // duration
	GBPerS     float64        `json:"gbps"`                                                            // 10⁹ bytes read and written per second
	Verified   string         `json:"verified,omitempty" jsonschema:"if the assumed orders are right"` // what --verify compared
	DryRun     bool           `json:"dry_run"`                                                         // nothing was written
	Skipped    bool           `json:"skipped,omitempty"`                                               // the output was up to date
	Size       int64          `json:"file_bytes" jsonschema:"of the output"`
	ReadAgain  string         `json:"read_again,omitempty"` // flags that read the raw bytes as the tensor

	missing  string   // of --update --dry-run with several outputs: how many are missing or out of date
	single   bool     // the source is a single tensor
	from, to string   // containers, in words
	items    []string // what changed
}

// tensorReport is the report of one tensor.
type tensorReport struct {
	Name      string   `json:"name" jsonschema:"in the output; empty in a .npy file"`
	NameBytes []byte   `json:"name_base64,omitempty"`
	DType     string   `json:"dtype"`
	From      cli.Side `json:"before"` // the tensor before the conversion
	To        cli.Side `json:"after"`  // the tensor after the conversion
	order
	Kept     bool  `json:"kept,omitempty"`  // nothing of it changes
	Recorded bool  `json:"layout_recorded"` // layout.json in the output records the layout
	Numel    int   `json:"numel"`
	PadElems int   `json:"pad_elems"`
	Read     int64 `json:"bytes_read"`    // data of the source, in bytes
	Written  int64 `json:"bytes_written"` // data of the target with its padding, in bytes

	WordType  string `json:"word_dtype,omitempty"` // of the stored array, whose elements hold several values
	WordShape []int  `json:"word_shape,omitempty"` // of the stored array, in words
}

// order is a memory order's origin; zero if the order does not matter.
type order struct {
	Assumed bool               `json:"layout_assumed"`
	By      source.OrderSource `json:"layout_from"`

	mark string // source.Tensor.OrderMark
}

func newReport(j *job) *report {
	o := j.options
	r := &report{
		Head: document.NewHead("tlayout/convert/v1", j.settings.source, j.in.warnings...), Output: j.out.path.Redacted(), RawOutput: j.out.path.Bytes(),
		Container: string(j.container.format), Tensors: make([]tensorReport, len(j.tasks)), LeftOut: j.in.leftOut, Alignment: j.place.align,
		Written: j.place.data, Seconds: j.done.seconds, DryRun: o.dryRun, Skipped: j.done.upToDate(), Size: j.place.size,
		single: j.in.single, from: j.in.title(), to: j.container.format.Title(),
	}
	if n := j.done.outputs; o.update && o.dryRun && n > 1 {
		r.missing = fmt.Sprintf("%d of %s missing or out of date", n-j.done.skipped, text.Count(n, "result"))
	}
	for i := range j.tasks {
		k := &j.tasks[i]
		r.Tensors[i] = j.tensorReport(k)
		r.Read += r.Tensors[i].Read
		for _, text := range k.tensor.Warnings {
			if !slices.Contains(r.Warnings, text) {
				r.Warnings = append(r.Warnings, text)
			}
		}
		if k.swap > 0 {
			r.Swapped++
		}
		switch k.action {
		case inPlace, converted:
			r.Converted++
		case contiguous:
			r.Contiguous++
		}
	}
	if !j.container.shapes {
		_, r.ReadAgain, _ = j.readAgain(&j.tasks[0]) // newPlacement has refused errors
	}
	if j.done.verified > 0 {
		r.Verified = text.Count(j.done.verified, "tensor") + " equal"
	}
	if j.in.single {
		r.Verified = j.done.text
	}
	if r.Seconds > 0 {
		r.GBPerS = float64(r.moved()) / r.Seconds / 1e9
	}
	if j.out.unrecorded != "" {
		r.Warnings = append(r.Warnings, j.out.unrecorded)
	}
	r.Warnings = append(r.Warnings, j.lost...)
	r.Notes = append([]string{}, j.notes()...)
	r.items = j.news(r)
	return r
}

// title describes the source's format.
func (in *input) title() string {
	if in.isContainer() {
		return in.set.Format.Title()
	}
	return "a .npy file"
}

func (j *job) tensorReport(k *task) tensorReport {
	name := k.name
	if !j.container.several {
		name = ""
	}
	t := tensorReport{Name: name, NameBytes: text.RawBytes(name), DType: k.tensor.DType.String(), order: k.orderOrigin(), Kept: k.action == kept && k.swap == 0,
		Recorded: j.container.records && k.recordsOrder(), Numel: k.from.Numel(), PadElems: k.target.Layout.Alloc() - k.target.Layout.Numel(),
		Read: k.dtype.Size(int64(k.from.Numel())), Written: k.bytes()}
	t.From, t.To = k.sides()
	if k.dtype.Packed() && k.shape != nil && j.container.shapes {
		t.WordType = k.stored.String()
		t.WordShape = k.shape
	}
	if !j.in.single && j.in.origin == pickles { // its strides are recorded
		t.From = cli.NewSide("", nil, k.from)
	}
	if j.container.views {
		t.To.FileShape = nil
		if !k.action.converts() {
			t.To = cli.NewSide("", nil, k.target.Layout)
			t.PadElems = 0
			t.Written = t.Read
		}
	}
	return t
}

// notes returns remarks on layout names, and what the output's container cannot hold of the source.
func (j *job) notes() (notes []string) {
	if j.in.single {
		notes = j.tasks[0].notes()
	}
	if j.scope != arrayToArray {
		notes = append(notes, j.dropped()...)
	}
	if name := j.namedByFile(); name != "" {
		notes = append(notes, fmt.Sprintf("the tensor has no name in %s: it is named %s after the file", j.in.name.Shown(), text.Quoted(name)))
	}
	notes = append(notes, j.in.otherArrays()...)
	if lost := j.container.permuted; lost != "" && j.permutes() {
		notes = append(notes, lost+": read it with --from "+text.Shell(j.settings.to.Name))
	}
	return notes
}

// dropped returns a note on what the source has besides tensors, and the output cannot hold.
func (j *job) dropped() []string {
	switch in := j.in; in.origin {
	case modelFile:
		return []string{"only tensors are written; the model's graph is dropped"}
	case pickles:
		if in.set.Format == checkpoint.PT2 {
			return []string{"only tensors are written; the program is dropped"}
		}
		if n := len(in.set.Locals); n > 0 {
			return []string{text.Count(n, "tensor") + " of one rank, parts of global ones; the folder of all rank files has those whole"}
		}
		return []string{"only tensors are written; other pickled values are dropped"}
	case ggufFile:
		if in.texts > 0 {
			return []string{fmt.Sprintf("%s of GGUF metadata not written", text.Count(in.texts, "key"))}
		}
	case tensorFiles:
		if len(in.metadata) > 0 && !j.container.metadata {
			return []string{fmt.Sprintf("__metadata__ of %s not written: only safetensors holds it", text.Count(len(in.metadata), "text"))}
		}
	}
	return nil
}

// namedByFile returns the name that a tensor without one has in the output's container, after its file; "" if it has its own, or needs none.
func (j *job) namedByFile() string {
	if len(j.tasks) != 1 || j.scope == arrayToArray {
		return ""
	}
	name := j.tasks[0].name
	if !j.in.isContainer() {
		return name
	}
	n := j.in.numbers[0]
	if j.in.set.Tensors[n].Root && name != j.in.set.TensorName(n) {
		return name
	}
	return ""
}

// otherArrays lists arrays that are not tensors, one line per element type: left out: names, 1 NumPy array of Python objects.
func (in *input) otherArrays() (lines []string) {
	var kinds []string
	names := map[string][]string{}
	for _, l := range in.others {
		if names[l.Elements] == nil {
			kinds = append(kinds, l.Elements)
		}
		names[l.Elements] = append(names[l.Elements], cmp.Or(l.Name, "the root"))
	}
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("left out: %s, %s of %s", checkpoint.Names(names[kind]...), text.Count(len(names[kind]), "NumPy array"), kind))
	}
	return lines
}

// news lists what was converted, kept and dropped, for several tensors or a container.
func (j *job) news(r *report) (lines []string) {
	if j.scope == arrayToArray {
		return nil
	}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	kept := 0
	already := 0
	for i := range r.Tensors {
		if r.Tensors[i].Kept {
			kept++
		} else if j.tasks[i].action == inPlace {
			already++
		}
	}
	there := ""
	if already > 0 {
		there = fmt.Sprintf(", %d already in this layout", already)
	}
	add(r.Converted, "converted: %s to %s%s", text.Count(r.Converted, "tensor"), text.Quote(j.settings.to.Name), there)
	add(r.Contiguous, "made contiguous: %s", text.Count(r.Contiguous, "tensor"))
	add(r.Swapped, "byte-swapped to little-endian: %s", text.Count(r.Swapped, "tensor"))
	why := ""
	if j.settings.to.Layout != nil {
		why = ", of another rank"
		if len(j.options.match.Patterns) > 0 {
			why += " or name"
		}
	}
	add(kept, "kept as they are: %s%s", text.Count(kept, "tensor"), why)
	add(r.LeftOut, "left out: %s %s", text.Count(r.LeftOut, "tensor"), j.leftOutBy())
	saved := j.unused()
	add(int(min(saved, 1)), "dropped: %s that no tensor uses", text.Bytes(saved))
	if j.container.metadata {
		add(len(j.in.metadata), "kept: __metadata__ of %s", text.Count(len(j.in.metadata), "text"))
	}
	if r.Alignment > 0 && j.container.views {
		add(j.options.align, "alignment: every storage begins at a multiple of %s", text.Bytes(r.Alignment))
	}
	if r.Alignment > 0 && !j.container.views {
		add(j.options.align, "alignment: the first tensor begins at a multiple of %s, every one of %d: the format has no gaps",
			text.Bytes(int64(j.options.align)), r.Alignment)
	}
	return lines
}

// leftOutBy describes which tensors were left out.
func (j *job) leftOutBy() string {
	if len(j.options.exclude.Patterns) == 0 {
		return "not matching the pattern"
	}
	if j.in.pattern == "" {
		return "matching --exclude"
	}
	return "by the pattern or --exclude"
}

// unused returns how many bytes of the source's storages --compact drops because no tensor uses them.
func (j *job) unused() int64 {
	if !j.options.compact || j.in.isArrays() {
		return 0
	}
	before := -j.place.data
	seen := map[int]bool{}
	for _, t := range j.in.views() {
		if !seen[t.Storage] {
			before += j.in.set.Storages[t.Storage].Bytes
		}
		seen[t.Storage] = true
	}
	return before
}

// moved returns how many bytes were read and written.
func (r *report) moved() int64 { return r.Read + r.Written }
