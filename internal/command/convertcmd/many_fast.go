//go:build !js

package convertcmd

import (
	"bytes"
	"path"
	"strings"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	files "github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/publish"
)

// Fast path for small .npy files: each is read at once into a reused buffer, converted by a template shared by files with the same header, and written
// at once. Anything unusual, an error or an existing result included, falls back to the slow path, which gives the same result.

// maxSmall limits the size in bytes of a file on the fast path, and of its result.
const maxSmall = 1 << 20

// fastPath holds the buffers for one unit at a time.
type fastPath struct {
	in, out   []byte
	key       []byte
	templates map[string]*template
	folders   map[string]*publish.Folder // open folders of results, by path below the destination
}

// Limits of one fastPath.
const (
	maxTemplates = 1 << 12
	maxFolders   = 8
)

// template is the conversion of files with the same header and the same ending of their names.
type template struct {
	slow   bool // not for the fast path
	plan   *convert.Plan
	size   int    // of a file, in bytes
	from   int    // offset of the data in a file, in bytes
	header []byte // of the result
	bytes  int    // of the result
	pad    []byte
	tail   string // ending of the result's name, in place of the source's
	opts   convert.Options
}

func (c *Converter) takeSmall() *fastPath {
	select {
	case w := <-c.idle:
		return w
	default:
		return &fastPath{in: make([]byte, maxSmall), out: make([]byte, maxSmall+1), templates: map[string]*template{}, folders: map[string]*publish.Folder{}}
	}
}

func (c *Converter) giveSmall(w *fastPath) {
	select {
	case c.idle <- w:
	default:
		w.close()
	}
}

func (w *fastPath) close() {
	for dir, folder := range w.folders {
		folder.Close()
		delete(w.folders, dir)
	}
}

// isSmall reports whether a source may take the fast path.
func (c *Converter) isSmall(u batch.Item) bool {
	if u.Size <= 0 || u.Size > maxSmall {
		return false
	}
	return u.Name.EndsInNpy() && !u.Name.IsRemote() && c.options.allowSmall()
}

// allowSmall reports whether no flag asks for what the fast path does not do.
func (o *options) allowSmall() bool {
	if o.verify || o.durable || o.dryRun {
		return false
	}
	if o.Raw || o.Skip.N != 0 || o.selects() {
		return false
	}
	return !o.dir.IsRemote()
}

// small converts a source on the fast path; ok is false if it needs the slow path.
func (c *Converter) small(u batch.Item) (done batch.Result, ok bool) {
	if !c.isSmall(u) {
		return done, false
	}
	w := c.takeSmall()
	defer c.giveSmall(w)
	content, ok := files.ReadSmall(u.Name, w.in)
	if !ok {
		return done, false
	}
	dir, base := path.Split(u.Rel)
	tail := filename.Tail(base)
	r := w.templateOf(c, u, tail, content)
	if r == nil || r.slow || len(content) != r.size {
		return done, false
	}
	folder := w.folder(c, dir)
	if folder == nil {
		return done, false
	}
	file := base[:len(base)-len(tail)] + r.tail
	if folder.Has(file) {
		return done, false
	}
	out := w.out[:r.bytes]
	copy(out, r.header)
	if err := r.plan.Run(out[len(r.header):], content[r.from:], r.pad, r.opts); err != nil {
		return done, false
	}
	if existed, err := folder.Put(file, out); existed || err != nil {
		return done, false
	}
	return batch.Result{Destination: c.options.dir.Join(dir + file), State: batch.Made, Bytes: int64(r.bytes)}, true
}

// folder opens a folder of results below the destination; nil if that fails.
func (w *fastPath) folder(c *Converter, dir string) *publish.Folder {
	if folder := w.folders[dir]; folder != nil {
		return folder
	}
	if len(w.folders) >= c.folders {
		w.close()
	}
	folder, err := publish.OpenFolder(c.options.dir, path.Clean(dir))
	if err != nil {
		return nil
	}
	w.folders[strings.Clone(dir)] = folder
	return folder
}

// templateOf returns the template for a file; nil if the file does not begin as .npy.
func (w *fastPath) templateOf(c *Converter, u batch.Item, tail string, content []byte) *template {
	header, ok := source.SplitHeader(content)
	if !ok {
		return nil
	}
	w.key = append(append(w.key[:0], tail...), header...)
	if r := w.templates[string(w.key)]; r != nil {
		return r
	}
	if len(w.templates) >= maxTemplates {
		clear(w.templates)
	}
	r := c.newRecipe(u, tail, header, content)
	w.templates[string(w.key)] = r
	return r
}

// newRecipe plans the conversion of a file with the code of the slow path.
func (c *Converter) newRecipe(u batch.Item, tail string, header, content []byte) *template {
	slow := &template{slow: true}
	s := c.settingsOf(u)
	kernels, err := c.app.Kernels()
	if err != nil || s.check() != nil {
		return slow
	}
	set, err := source.FromContent(u.Name, content)
	if err != nil {
		return slow
	}
	in := &input{set: set, name: u.Name, single: true, numbers: []int{0}, opts: s.Options(c.app)}
	t, _, err := in.open(0, true)
	if err != nil || t.Trailing > 0 || t.Header.DataOffset != int64(len(header)) {
		return slow
	}
	j := &job{app: c.app, options: c.options, settings: s, kernels: kernels, destination: s.destination, container: s.container(), scope: arrayToArray, in: in, ranks: map[int]*request{}}
	k, err := j.taskOf(0, t, true)
	if err != nil {
		return slow
	}
	j.tasks = []task{k}
	j.out, err = j.newOutput()
	if err != nil || j.container.records || j.out.unrecorded != "" {
		return slow
	}
	p, err := j.container.place(j)
	if err != nil || p.size > maxSmall || k.swap > 0 {
		return slow
	}
	plan, err := convert.NewPlan(k.target.Layout, k.from, k.dtype.ItemSize())
	base := path.Base(u.Rel)
	file := j.out.path.Base()
	stem := base[:len(base)-len(tail)]
	if err != nil || !strings.HasPrefix(file, stem) {
		return slow
	}
	return &template{plan: plan, size: len(content), from: len(header), header: p.items[0].header, bytes: int(p.size), pad: bytes.Clone(k.pad),
		tail: file[len(stem):], opts: convert.Options{Kernels: kernels, Threads: 1}}
}
