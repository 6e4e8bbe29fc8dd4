package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
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

// splitWriter writes the files of a split result, or a share of them, and the manifest once all of them are there.
type splitWriter struct {
	*job
	split    *split
	share    many.Share
	manifest source.SplitRecord
	journal  *many.Journal // nil of object stores
	report   *splitReport
	opts     convert.Options
}

// writeSplit writes the files of the share, each of which appears whole or not at all, unless they are there, and then the manifest: where
// that is, all files are. Of several shares, the one that ends last writes it.
func (j *job) writeSplit() (*splitReport, error) {
	o := j.options
	if !j.records() {
		return nil, fault.New(fault.Usage, "the order of the axes of %s is assumed, and a manifest would record it", words.Quoted(o.source)).
			WithHint("--from names the layout, or --to nchw instead of %s", o.to.Name)
	}
	share, err := o.many.share(j.app)
	if err != nil {
		return nil, err
	}
	if store.Is(o.dir) && share.All().Count > 1 && j.tensor.Version() == "" {
		return nil, fault.New(fault.Unsupported, "--shard: %s has no version, by which shares could know each other's objects", words.Quoted(o.source)).
			WithHint("leave out --shard, or copy the source to a file or an object store")
	}
	w := &splitWriter{job: j, share: share}
	if w.split, err = newSplit(j.plan, j.target, o.split); err != nil {
		return nil, err
	}
	if err := w.begin(); err != nil {
		return nil, err
	}
	start := time.Now()
	err = j.tensor.Guard(w.write)
	if w.journal != nil {
		if warning := w.journal.Close(); warning != nil {
			w.report.Warnings = append(w.report.Warnings, warning.Error())
		}
	}
	complete := false
	if err == nil {
		err = j.tensor.Guard(func() (err error) {
			complete, err = w.others()
			return err
		})
	}
	if err == nil && complete { // the source is what it was, for all files
		err = w.writeManifest()
	}
	w.report.Seconds = time.Since(start).Seconds()
	return w.report, err
}

// begin names the files, and begins the report.
func (w *splitWriter) begin() error {
	j, s, o := w.job, w.split, w.options
	base, err := j.defaultName()
	if err != nil {
		return err
	}
	l, order, err := j.recorded()
	if err != nil {
		return err
	}
	names := newSplitNames(source.Base(base))
	w.manifest = source.NewSplitRecord(source.NewArrayRecord(j.recordedType(), j.target.FileShape, l, order), s.axis)
	for k := range s.files() {
		begin, end := s.values(k)
		w.manifest.Files = append(w.manifest.Files, source.SplitFile{Name: names.file(k, s.files()), Begin: begin, End: end})
	}
	share := w.share.All()
	w.report = &splitReport{Schema: "tlayout/convert_split/v1", Source: o.source, Raw: words.RawBytes(o.source), DType: j.tensor.DType.String(),
		Output: store.Join(o.dir, names.manifest()), Axis: s.axis, Share: share.Index, Shares: share.Count, Files: []splitOutput{}, order: j.told(),
		DryRun: o.dryRun, Notes: j.notes(), Warnings: j.warnings(), axis: axisName(&j.conversion, s.axis), all: s.files(), bytes: j.bytesWritten()}
	w.report.RawOut = words.RawBytes(w.report.Output)
	w.report.From, w.report.To = j.sides()
	w.opts = convert.Options{Kernels: j.kernels, Threads: o.threads, Guard: j.tensor.Guard, Disk: j.tensor}
	if !store.Is(o.dir) {
		w.journal = many.OpenJournal(o.dir, share)
	}
	if o.dryRun {
		return nil
	}
	return makeFolders(o.dir)
}

// write writes the files of the share.
func (w *splitWriter) write() error {
	total := int64(0)
	for k := range w.split.files() {
		if w.share.Takes(k) {
			total += w.bytes(k)
		}
	}
	if !w.tensor.IsElsewhere() { // what is brought has a bar of its own
		bar := cli.NewProgress(w.app.Streams, "writing", total)
		defer bar.End()
		w.opts.Done = bar.Add
		defer func() { w.opts.Done = nil }()
	}
	for k, f := range w.manifest.Files {
		if !w.share.Takes(k) {
			continue
		}
		size, there, err := w.writeFile(k)
		if err != nil {
			return err
		}
		out := splitOutput{SplitFile: f, Bytes: size, Outcome: many.Made}
		if there {
			out.Outcome = many.Skipped
		} else {
			w.report.made++
			w.report.Read += int64(w.split.part(k).Elems()) * int64(w.plan.ItemSize)
			w.report.Written += w.bytes(k)
		}
		w.report.Files = append(w.report.Files, out)
	}
	return nil
}

// bytes are those of a file's elements.
func (w *splitWriter) bytes(k int) int64 {
	return int64(w.split.cuts[k+1]-w.split.cuts[k]) * int64(w.plan.ItemSize)
}

// others reports whether the files of all other shares are there. They are, if the journal or the store knows of what they were made, or
// they are what they would be. With --force, what nothing is known of is what another share is going to replace.
func (w *splitWriter) others() (bool, error) {
	switch {
	case w.share.All().Count == 1:
		return true, nil
	case w.options.dryRun:
		return false, nil
	case w.journal != nil:
		w.journal = many.OpenJournal(w.options.dir, many.Share{}) // of all shares
		defer w.journal.Close()                                   //nolint:errcheck // it is not needed
	}
	for k := range w.manifest.Files {
		if w.share.Takes(k) {
			continue
		}
		if there, err := w.isThere(k); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// writeManifest writes the manifest, unless it is there.
func (w *splitWriter) writeManifest() error {
	text := w.manifest.JSON()
	known := func(s publish.Stat) bool {
		if s.Size != int64(len(text)) {
			return false
		}
		old, err := os.ReadFile(w.report.Output)
		return err == nil && bytes.Equal(old, text)
	}
	opts := publish.Options{Replace: w.options.force, Size: int64(len(text)), Durable: w.options.durable, KeepSame: true, Known: known,
		Token: tokenOf([]string{string(text)})}
	file, err := w.create(w.report.Output, opts)
	if err != nil || file == nil {
		w.report.Complete = err == nil
		return err
	}
	defer file.Discard()
	if !file.There() && !w.options.dryRun {
		if _, err := file.WriteAt(text, 0); err != nil {
			return err
		}
		if err := file.Commit(); err != nil {
			return err
		}
	}
	w.report.Complete, w.report.there = true, file.There()
	return nil
}

// isThere reports whether a file of another share is complete.
func (w *splitWriter) isThere(k int) (bool, error) {
	path := w.path(k)
	if store.Is(path) {
		target, err := store.Locate(path)
		return err == nil && target.Has(w.token(k)), err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fault.New(fault.Resource, "cannot read %s: %v", words.Quoted(path), fault.Cause(err))
	case w.known(k)(publish.Stat{Size: info.Size(), ModTime: info.ModTime().UnixNano()}):
		return true, nil
	case w.options.force:
		return false, nil
	}
	_, _, err = w.writeFile(k) // which finds it there
	return err == nil, err
}

func (w *splitWriter) path(k int) string { return store.Join(w.options.dir, w.manifest.Files[k].Name) }

// token says what a file is made of; "" if the source has no version.
func (w *splitWriter) token(k int) string {
	version := w.tensor.Version()
	if version == "" {
		return ""
	}
	return tokenOf(append([]string{version, fmt.Sprintf("split %d %d", w.split.cuts[k], w.split.cuts[k+1])}, w.tokenParts()...))
}

// known reports whether the journal knows that a file is made of the same.
func (w *splitWriter) known(k int) func(publish.Stat) bool {
	return func(s publish.Stat) bool {
		token, ok := shortToken(w.token(k))
		return ok && w.journal != nil && w.journal.Has(w.manifest.Files[k].Name, token, s.Size, s.ModTime)
	}
}

// writeFile writes one file, unless it is there, and returns its size.
func (w *splitWriter) writeFile(k int) (size int64, there bool, err error) {
	part := w.split.part(k)
	header, err := npy.AppendHeader(nil, w.tensor.Header.DType, false, w.split.shape(w.target.FileShape, k))
	if err != nil {
		return 0, false, err
	}
	size = int64(len(header)) + w.bytes(k)
	file, err := w.create(w.path(k), publish.Options{Replace: w.options.force, Durable: w.options.durable, Size: size, KeepSame: true,
		Known: w.known(k), Token: w.token(k)})
	if err != nil || file == nil {
		return size, false, err
	}
	defer file.Discard()
	if file.There() || w.options.dryRun {
		return size, file.There(), nil
	}
	opts := w.opts
	var data []byte
	if w.tensor.IsElsewhere() {
		opts.Disk = nil // all that the part needs is brought
		data, err = w.tensor.DataAt(part.Reads(nearRead))
	} else {
		data, err = w.tensor.Data()
	}
	if err != nil {
		return 0, false, err
	}
	if _, err := file.WriteAt(header, 0); err != nil {
		return 0, false, err
	}
	if err := part.WriteAt(file, int64(len(header)), data, w.pad, w.options.memory.N, opts); err != nil {
		return 0, false, err
	}
	if err := w.tensor.Guard(func() error { return nil }); err != nil { // it changed meanwhile
		return 0, false, err
	}
	if err := file.Commit(); err != nil {
		return 0, false, err
	}
	w.remember(k)
	return size, file.There(), nil
}

// create begins a file; nil for a dry run into a folder that would be made. Others find whether it could be written.
func (w *splitWriter) create(path string, opts publish.Options) (*publish.File, error) {
	o := w.options
	if _, err := os.Stat(o.dir); o.dryRun && !store.Is(o.dir) && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return publish.Create(path, opts)
}

// remember adds a file to the journal.
func (w *splitWriter) remember(k int) {
	token, ok := shortToken(w.token(k))
	if !ok || w.journal == nil {
		return
	}
	if info, err := os.Stat(w.path(k)); err == nil {
		w.journal.Add(w.manifest.Files[k].Name, token, info.Size(), info.ModTime().UnixNano())
	}
}
