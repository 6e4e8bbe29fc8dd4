package convert

import (
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// unitOutput is the output of one source among many: where it is, and what is known of it.
type unitOutput struct {
	converter *Converter
	folder    string // of the result
	rel       string // the same below the destination, with slashes
	path      string // of the result, once it begins
	token     string // of what it is made, "" if that has no version
	bytes     int64
	kept      bool // the result was there
}

// placed is where a result of that default name goes: it stays, unless the source is one among many.
func (o *options) placed(name string) string {
	if o.unit == nil {
		return name
	}
	return store.Join(o.unit.folder, source.Base(name))
}

// begins notes that the output begins, and completes how it is published: a result that is there is kept if it is the same.
func (u *unitOutput) begins(opts *publish.Options, name string) {
	u.path, u.token, u.bytes = name, opts.Token, opts.Size
	journal := u.converter.journal
	if journal == nil || store.Is(name) {
		return
	}
	opts.KeepSame = true
	opts.Known = func(s publish.Stat) bool {
		token, ok := shortToken(opts.Token)
		return ok && journal.Has(u.name(), token, s.Size, s.ModTime)
	}
}

// name is the result's in the journal.
func (u *unitOutput) name() string { return path.Join(u.rel, source.Base(u.path)) }

// shortToken is the first half of a token, which is enough to tell two of them apart; ok is false of the empty one.
func shortToken(token string) (short [16]byte, ok bool) {
	if len(token) < 2*len(short) {
		return short, false
	}
	_, err := hex.Decode(short[:], []byte(token[:2*len(short)]))
	return short, err == nil
}

// Unit converts a source. It never fails: what went wrong is in the outcome.
func (c *Converter) Unit(u many.Unit) many.Outcome {
	if done, ok := c.small(u); ok {
		return done
	}
	o := c.unitOptions(u)
	err := c.convert(&o)
	done := many.Outcome{Unit: u, Destination: o.unit.path, Result: many.Made, Bytes: o.unit.bytes}
	switch {
	case err != nil:
		done.Result, done.Err = many.Failed, err
		return done
	case o.unit.kept:
		done.Result = many.Skipped
	}
	if !o.dryRun {
		o.unit.remember()
	}
	return done
}

// remember adds the result to the journal.
func (u *unitOutput) remember() {
	token, ok := shortToken(u.token)
	if !ok || u.converter.journal == nil {
		return
	}
	info, err := os.Stat(u.path)
	if err != nil {
		return
	}
	size, mtime := info.Size(), info.ModTime().UnixNano()
	if !u.kept || !u.converter.journal.Has(u.name(), token, size, mtime) {
		u.converter.journal.Add(u.name(), token, size, mtime)
	}
}

// convert converts one source, of whatever kind.
func (c *Converter) convert(o *options) error {
	kernels, err := o.kernels(c.app)
	if err != nil {
		return err
	}
	if o.source == source.Stdin {
		return fault.New(fault.Usage, "standard input has no name to derive the output's from").WithHint("convert it alone, with --output")
	}
	if file, member, ok := source.SplitArchive(o.source); ok && !source.NamesArchive(file) && (member == "" || strings.ContainsAny(member, `*?[\`)) {
		o.out = o.placed(checkpointName(file, o.to))
		w := &whole{app: c.app, options: o, kernels: kernels}
		defer w.close()
		err := w.convert()
		o.unit.kept = w.done.skipped
		return err
	}
	if err := o.checkTarget("tlayout convert x.npy --to nhwc"); err != nil {
		return err
	}
	if err := o.checkNoCheckpoint(); err != nil {
		return err
	}
	names, err := source.Expand(o.source, o.Options(c.app))
	if err != nil {
		return err
	}
	if len(names) > 1 || names[0] != o.source {
		s := &set{app: c.app, options: o, kernels: kernels, names: names}
		err := s.convert()
		o.unit.kept = s.skipped
		return err
	}
	t, err := source.Open(o.source, o.Options(c.app))
	if err != nil {
		return err
	}
	defer t.Close()
	j, err := newJob(c.app, o, kernels, t)
	if err != nil {
		return err
	}
	if j.out, err = j.newOutput(); err != nil {
		return err
	}
	done, err := j.write()
	o.unit.kept = done.skipped
	return err
}

// checkpointName is the name of a checkpoint's result: the same container, x.nhwc.pt.
func checkpointName(file string, to cli.Layout) string {
	name := words.URLPath(file)
	ext := filepath.Ext(name)
	layout := ""
	if to.Layout != nil {
		layout = "." + strings.Trim(fileLetters.ReplaceAllString(strings.ToLower(to.Name), "-"), "-")
	}
	return strings.TrimSuffix(name, ext) + layout + ext + file[len(name):]
}

// fileLetters are those that a file's name had better not have.
var fileLetters = regexp.MustCompile(`[^a-z0-9_]+`)

// hasFolder reports whether the folder of the result is there.
func (u *unitOutput) hasFolder() bool {
	info, err := os.Stat(u.folder)
	return err == nil && info.IsDir() || source.IsRemote(u.folder)
}
