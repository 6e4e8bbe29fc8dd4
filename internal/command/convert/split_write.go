package convert

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// checkSplit refuses what does not go with --split.
func (o *options) checkSplit() error {
	if o.split == 0 {
		return nil
	}
	refuse := func(what, hint string) error {
		return fault.New(fault.Usage, "--split %s", what).WithHint("%s", hint)
	}
	switch {
	case o.out != "":
		return refuse("writes several files, and --output names one", "-d names their folder")
	case o.dir == "":
		return refuse("writes several files", "-d names their folder")
	case o.verify:
		return refuse("has no --verify", "tlayout diff compares the manifest with the source afterwards")
	case o.source == source.Stdin:
		return refuse("reads parts of its source, and standard input has none", "convert a file")
	}
	return nil
}

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
	Files  []splitOutput `json:"split_outputs"`
	order
	Read     int64    `json:"bytes_read"`
	Written  int64    `json:"bytes_written"`
	Seconds  float64  `json:"seconds"`
	DryRun   bool     `json:"dry_run"`
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`

	axis string
}

type splitOutput struct {
	source.SplitFile
	Bytes int64 `json:"file_bytes"`
}

// writeSplit writes the files, each of which appears whole or not at all, and then the manifest: where that is, all files are.
func (j *job) writeSplit() (*splitReport, error) {
	o := j.options
	if !j.records() {
		return nil, fault.New(fault.Usage, "the order of the axes of %s is assumed, and a manifest would record it", words.Quoted(o.source)).
			WithHint("--from names the layout, or --to nchw instead of %s", o.to.Name)
	}
	s, err := newSplit(j.plan, j.target, o.split)
	if err != nil {
		return nil, err
	}
	base, err := j.defaultName()
	if err != nil {
		return nil, err
	}
	l, order, err := j.recorded()
	if err != nil {
		return nil, err
	}
	names := newSplitNames(filepath.Base(base))
	manifest := source.NewSplitRecord(source.NewArrayRecord(j.recordedType(), j.target.FileShape, l, order), s.axis)
	r := &splitReport{Schema: "tlayout/convert_split/v1", Source: o.source, Raw: words.RawBytes(o.source), DType: j.tensor.DType.String(),
		Output: store.Join(o.dir, names.manifest()), Axis: s.axis, Files: []splitOutput{}, order: j.told(),
		Read: int64(j.tensor.Layout.Numel()) * int64(j.plan.ItemSize), Written: j.bytesWritten(), DryRun: o.dryRun,
		Notes: j.notes(), Warnings: j.warnings(), axis: axisName(&j.conversion, s.axis)}
	r.RawOut = words.RawBytes(r.Output)
	r.From, r.To = j.sides()
	for k := range s.files() {
		begin, end := s.values(k)
		manifest.Files = append(manifest.Files, source.SplitFile{Name: names.file(k, s.files()), Begin: begin, End: end})
	}
	if !o.dryRun {
		if err := makeFolders(o.dir); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	opts := convert.Options{Kernels: j.kernels, Threads: o.threads, Guard: j.tensor.Guard, Disk: j.tensor}
	if !j.tensor.IsElsewhere() { // what is brought has a bar of its own
		bar := cli.NewProgress(j.app.Streams, "writing", r.Written)
		defer bar.End()
		opts.Done = bar.Add
	}
	err = j.tensor.Guard(func() error {
		for k, f := range manifest.Files {
			n, err := j.writeSplitFile(s, k, store.Join(o.dir, f.Name), opts)
			if err != nil {
				return err
			}
			r.Files = append(r.Files, splitOutput{f, n})
		}
		return nil
	})
	if err == nil { // the source is what it was, for all files
		err = j.writeManifest(r.Output, manifest.JSON())
	}
	r.Seconds = time.Since(start).Seconds()
	return r, err
}

// writeSplitFile writes one file and returns its size.
func (j *job) writeSplitFile(s *split, k int, path string, opts convert.Options) (int64, error) {
	part := s.part(k)
	header, err := npy.AppendHeader(nil, j.tensor.Header.DType, false, s.shape(j.target.FileShape, k))
	if err != nil {
		return 0, err
	}
	size := int64(len(header)) + int64(part.Alloc)*int64(part.ItemSize)
	file, err := j.createSplit(path, size)
	if err != nil || file == nil {
		return size, err
	}
	defer file.Discard()
	var data []byte
	if j.tensor.IsElsewhere() {
		opts.Disk = nil // all that the part needs is brought
		data, err = j.tensor.DataAt(part.Reads(nearRead))
	} else {
		data, err = j.tensor.Data()
	}
	if err != nil {
		return 0, err
	}
	if _, err := file.WriteAt(header, 0); err != nil {
		return 0, err
	}
	if err := part.WriteAt(file, int64(len(header)), data, j.pad, j.options.memory.N, opts); err != nil {
		return 0, err
	}
	if err := j.tensor.Guard(func() error { return nil }); err != nil { // it changed meanwhile
		return 0, err
	}
	return size, file.Commit()
}

// createSplit begins a file; nil for a dry run, which finds only whether it could.
func (j *job) createSplit(path string, size int64) (*publish.File, error) {
	o := j.options
	if _, err := os.Stat(o.dir); o.dryRun && !source.IsRemote(o.dir) && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the folder would be made
	}
	file, err := publish.Create(path, publish.Options{Replace: o.force, Durable: o.durable, Size: size})
	if err == nil && o.dryRun {
		file.Discard()
		return nil, nil
	}
	return file, err
}

func (j *job) writeManifest(path string, text []byte) error {
	file, err := j.createSplit(path, int64(len(text)))
	if err != nil || file == nil {
		return err
	}
	defer file.Discard()
	if _, err := file.WriteAt(text, 0); err != nil {
		return err
	}
	return file.Commit()
}

// Warned are the source's warnings and the target's.
func (r *splitReport) Warned() []string { return r.Warnings }

// Page says how many files there are, where they were cut, and which file stands for all.
func (r *splitReport) Page(p *cli.Page) {
	count := words.Count(len(r.Files), "file")
	p.Answer(fmt.Sprintf("%s and %s: %s %s, %s, %s", wroteText(r.Output, r.DryRun, false), count, words.Shorten(r.DType), tensor.Tuple(r.To.FileShape),
		sideName(r.To), words.ShortBytes(r.Written)))
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

// Rows has a row for each file.
func (r *splitReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("file_name,begin,end,file_bytes", ",")}
	for _, f := range r.Files {
		t.Add(f.Name, strconv.Itoa(f.Begin), strconv.Itoa(f.End), strconv.FormatInt(f.Bytes, 10))
	}
	return t
}
