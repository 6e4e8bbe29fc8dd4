//go:build !js

package convertcmd

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// verify reads the draft as the output will be read under its final name: tlayout's reader must find the planned names, types, shapes and layouts,
// the source's elements at the addresses of the layout's formula, and only the pad value between them. npyio, a reader that shares no code with ours,
// must agree on .npy files, also those in an archive.
func (j *job) verify(n name.Name, file *os.File, tasks []task) error {
	d, err := j.openDraft(n, file, tasks)
	if err != nil {
		return fault.In("verify", err)
	}
	defer d.Close()
	var archive *zip.Reader
	if j.container.readBack == asMember {
		archive, err = zip.NewReader(file, d.Size)
		if err != nil {
			return fault.In("verify", unnamed(err))
		}
	}
	for i := range tasks {
		var stranger io.Reader
		switch j.container.readBack {
		case asMember:
			stranger, err = archive.Open(tasks[i].name + ".npy")
		case asFile:
			stranger = io.NewSectionReader(file, 0, d.Size)
		}
		if err != nil {
			err = unnamed(err)
		} else {
			err = j.verifyTask(d, file, i, &tasks[i], stranger)
		}
		if err != nil && j.in.single {
			return fault.In("verify", err)
		}
		if err != nil {
			return fault.In("verify: "+text.Quoted(text.Cut(tasks[i].name, 200)), err)
		}
	}
	return nil
}

// openDraft opens the draft, which must have the planned tensors by name.
func (j *job) openDraft(n name.Name, file *os.File, tasks []task) (d *source.Set, err error) {
	opts := source.Options{}
	if j.container.readBack == asBytes {
		opts, _, err = j.readAgain(&tasks[0])
		if err != nil {
			return nil, err
		}
	}
	d, err = source.OpenDraft(n, file, opts)
	if err != nil {
		return nil, err
	}
	if n := len(d.Tensors); n != len(tasks) || len(d.Refused) > 0 {
		err = fault.New(fault.Negative, "the result has %d tensors, want %d", n, len(tasks))
	}
	for i := range tasks {
		if err != nil || !d.IsContainer() {
			break
		}
		found := d.TensorName(i)
		if j.container.readBack == asMember {
			found = strings.TrimSuffix(d.Storages[i].ID, ".npy")
		}
		if found != tasks[i].name {
			err = fault.New(fault.Negative, "tensor %s is named %s", text.Quoted(text.Cut(tasks[i].name, 200)), text.Quoted(text.Cut(found, 200)))
		}
	}
	if err != nil {
		d.Close()
	}
	return d, err
}

// readBack returns the options that read the result of a task.
func (j *job) readBack(k *task) (o source.Options) {
	if j.container.readBack == asBytes {
		o, _, _ = j.readAgain(k) // openDraft has refused errors
		return o
	}
	if k.dtype.Packed() {
		o.DType = &k.dtype
		return o
	}
	if named := !k.target.Hidden && !k.keepsAxes(); named && j.out.unrecorded != "" {
		o.Layout = k.request.to.Layout
	}
	return o
}

// bytesOf opens a file as n bytes.
func bytesOf(file *os.File, n int64) (*source.Tensor, error) {
	byteType, err := dtype.Parse("uint8")
	if err != nil {
		return nil, err
	}
	o := source.Options{DType: &byteType, Raw: &source.Typed{Shape: []int{int(n)}}}
	d, err := source.OpenDraft(name.Parse("the output"), file, o)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Tensor(0, o)
}

// verifyTask compares the result of a task with its plan.
func (j *job) verifyTask(d *source.Set, file *os.File, i int, k *task, stranger io.Reader) error {
	again, err := d.Tensor(i, j.readBack(k))
	if err != nil {
		return err
	}
	defer again.Close()
	l, err := j.layoutOf(d.Tensors[i].View, k, again)
	if err != nil {
		return err
	}
	bytes := again
	if j.container.readBack == asBytes && !k.dtype.Packed() { // all bytes, including those that the flags skip
		bytes, err = bytesOf(file, k.bytes())
		if err != nil {
			return err
		}
		defer bytes.Close()
	}
	if err := j.compareStorage(k, bytes, l, again.DType); err != nil {
		return err
	}
	second := ""
	if stranger != nil {
		words := again
		if k.dtype.Packed() {
			words, err = d.Tensor(i, source.Options{})
			if err != nil {
				return err
			}
			defer words.Close()
		}
		second, err = secondReader(stranger, words)
		if err != nil {
			return fault.In("with npyio", err)
		}
		second = "; " + second
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done.verified++
	j.done.text = k.comparedText() + " equal" + second
	return nil
}

// comparedText counts the compared elements.
func (k *task) comparedText() string {
	text := text.Count(k.target.Layout.Numel(), "element")
	if pad := k.target.Layout.Alloc() - k.target.Layout.Numel(); pad > 0 {
		text += fmt.Sprintf(" and %d of padding", pad)
	}
	return text
}

// layoutOf checks type, shape, strides and, if the output records it, the axis order of the result, and returns the layout to compare by.
func (j *job) layoutOf(view tensor.Strided, k *task, again *source.Tensor) (l tensor.Layout, err error) {
	l = k.target.Layout
	if !k.isType(again.DType) {
		return l, fault.New(fault.Negative, "elements are %s, want %s", again.DType, k.dtype)
	}
	switch j.container.readBack {
	case asViews:
		if err := k.checkView(view); err != nil {
			return l, err
		}
		return view.Layout(l.Names(), tensor.Unbounded)
	case asBytes:
		return l, k.checkBytes(again)
	}
	if !slices.Equal(again.Header.Shape, k.shape) {
		return l, fault.New(fault.Negative, "shape is %s, want %s", tensor.Tuple(again.Header.Shape), tensor.Tuple(k.shape))
	}
	if again.Header.Fortran != k.target.Fortran {
		return l, fault.New(fault.Negative, "wrong memory order (C or Fortran)")
	}
	if !j.recordsLayout(k) {
		return l, nil
	}
	found := again.Layout
	if k.frame == ofFile {
		found, err = again.FileLayout()
		if err != nil {
			return l, err
		}
	}
	return l, checkLayout(found, l)
}

// isType reports whether a type that was read is that of the result: a .npy file holds a type that it cannot name as bytes.
func (k *task) isType(found dtype.Type) bool {
	if found.Equal(k.dtype) || found.Equal(k.stored) {
		return true
	}
	opaque := unspelled(k.dtype) && found.Kind() == dtype.Void
	return opaque && found.ItemSize() == k.dtype.ItemSize()
}

// checkView compares the shape of a view and, if they are planned, its strides.
func (k *task) checkView(got tensor.Strided) error {
	want := k.view()
	equal := slices.Equal(got.Shape, want.Shape)
	if k.action.converts() {
		equal = equal && slices.Equal(got.Strides, want.Strides)
	}
	if !equal {
		return fault.New(fault.Negative, "shape and strides are %s, %s, want %s, %s", tensor.Tuple(got.Shape), tensor.Tuple(got.Strides),
			tensor.Tuple(want.Shape), tensor.Tuple(want.Strides))
	}
	return nil
}

// checkBytes compares the layout of raw bytes, as the reported flags read them.
func (k *task) checkBytes(again *source.Tensor) error {
	if k.recordsOrder() {
		want, _, err := k.recorded()
		if err != nil {
			return err
		}
		return checkLayout(again.Layout, want)
	}
	found, err := again.FileLayout()
	if err != nil {
		return err
	}
	return checkLayout(found, k.target.Layout)
}

func checkLayout(found, want tensor.Layout) error {
	if !sameLayout(found, want) {
		return fault.New(fault.Negative, "the result reads as %s, want %s", found, want)
	}
	return nil
}

// recordsLayout reports whether a .npy file with its name, or the archive that has it, records the layout.
func (j *job) recordsLayout(k *task) bool {
	if j.container.records {
		return k.recordsOrder()
	}
	if k.axes == nil || !j.container.axes || k.dtype.Packed() {
		return false
	}
	return j.out.unrecorded == "" || !k.target.Hidden && !k.keepsAxes()
}

// sameLayout compares layouts whose dims may be in different orders.
func sameLayout(found, want tensor.Layout) bool {
	order := sameDims(want.Names(), found.Names())
	for i, k := range order {
		if k >= want.Rank() || found.Dim(i).Size != want.Dim(k).Size {
			return false
		}
		if want.Numel() > 0 && !sameDigits(found.Dim(i), want.Dim(k)) {
			return false
		}
	}
	return found.Rank() == want.Rank() && found.Offset() == want.Offset()
}

// sameDigits compares digits, except for unused strides, those of an index that is always 0.
func sameDigits(a, b tensor.Dim) bool {
	used := func(d tensor.Dim) []tensor.Digit {
		return slices.DeleteFunc(slices.Clone(d.Digits), func(g tensor.Digit) bool { return g.Extent == 1 })
	}
	return slices.Equal(used(a), used(b))
}

// swapBetween returns the size of the numbers of which two types have opposite byte orders; 0 if there are none. A .npy file has no byte order for a type
// that it cannot name, whose values are little-endian there.
func swapBetween(from, to dtype.Type) int {
	swapped := from.Order() == dtype.Big && to.Order() != dtype.Big || from.Order() == dtype.Little && to.Order() == dtype.Big
	if !swapped {
		return 0
	}
	switch from.Kind() {
	case dtype.Complex:
		return from.ItemSize() / 2
	case dtype.Text:
		return 4
	}
	return from.ItemSize()
}

// compareStorage compares elements and padding bit by bit; read is the type that the file says.
func (j *job) compareStorage(k *task, again *source.Tensor, l tensor.Layout, read dtype.Type) error {
	if k.dtype.ItemSize() == 0 {
		return nil // elements without bytes are all equal
	}
	got, err := again.Data()
	if err != nil {
		return err
	}
	return j.read(k, func(t *source.Tensor) error {
		want, err := t.Data()
		if err != nil {
			return err
		}
		c := &comparison{task: k, to: l, want: want, got: got, shared: j.container.views, swap: swapBetween(t.DType, read),
			threads: cmp.Or(j.settings.threads, runtime.GOMAXPROCS(0)),
			guard:   func(f func() error) error { return t.Guard(func() error { return again.Guard(f) }) },
			release: func() { t.Release(0, len(want)); again.Release(0, len(got)) }}
		return again.Guard(func() error { return c.run(maxMarked) })
	})
}

// unnamed removes the file's name, which is still that of a draft, from a library's error.
func unnamed(err error) error {
	return fault.New(fault.Resource, "%s", text.Quote(fault.Cause(err).Error()))
}
