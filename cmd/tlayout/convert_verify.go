package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"slices"

	npyio "github.com/sbinet/npyio/npy"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// verify reads the published file again and compares every element with the source, each found by its own layout's
// address formula. Then npyio, a reader that shares no code with ours, must see the same type, order, shape and bytes.
func (j *convertJob) verify() error {
	if j.out == source.Stdin {
		return fault.New(fault.Usage, "--verify needs an output that can be read again")
	}
	opts := source.Options{}
	if !j.target.Hidden && !j.keepsAxes() {
		opts.Layout = j.options.to.layout
	}
	again, err := source.Open(j.out, opts)
	if err != nil {
		return fault.In("verify", err)
	}
	defer again.Close()
	if err := j.compareElements(again); err != nil {
		return err
	}
	note, err := secondReader(j.out, again)
	if err != nil {
		return fault.In("verify with npyio", err)
	}
	j.result.Verified = fmt.Sprintf("%d elements equal; %s", j.target.Layout.Numel(), note)
	return nil
}

// compareElements walks the logical coordinates and compares the items at both addresses, bit for bit.
func (j *convertJob) compareElements(again *source.Tensor) error {
	from, to := j.sourceLayout(), again.Layout
	if j.keepsAxes() {
		axes, err := again.FileLayout()
		if err != nil {
			return err
		}
		to = axes
	}
	if !slices.Equal(from.Shape(), to.Shape()) {
		return fault.New(fault.Negative, "verify: the result has shape %s, the source %s", tensor.Tuple(to.Shape()), tensor.Tuple(from.Shape()))
	}
	want, err := j.tensor.Data()
	if err != nil {
		return err
	}
	got, err := again.Data()
	if err != nil {
		return err
	}
	n := j.plan.ItemSize
	return j.tensor.Guard(func() error {
		return again.Guard(func() error {
			for coord, s := range from.Logical() {
				if d := to.At(coord...); !bytes.Equal(want[s*n:(s+1)*n], got[d*n:(d+1)*n]) {
					return fault.New(fault.Negative, "verify: element %s differs", tensor.Tuple(coord))
				}
			}
			return nil
		})
	})
}

// secondReaderLimit bounds the data that npyio decodes, for it holds all of it in memory.
const secondReaderLimit = 64 << 20

// secondReader opens the file with npyio and compares what it sees. npyio knows only the plain number types, and it
// panics on some files that it does not understand.
func secondReader(path string, ours *source.Tensor) (note string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Unsupported, "it failed: %s", fault.Quote(fmt.Sprint(p)))
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := ours.Header
	typ := npyio.TypeFrom(h.DType.Typestr())
	if h.Major > 2 || len(h.Shape) == 0 || !npyioReads(h.DType) || typ == nil {
		return "npyio does not read files of this kind", nil
	}
	r, err := npyio.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return "", err
	}
	d := r.Header.Descr
	if d.Type != h.DType.Typestr() || d.Fortran != h.Fortran || !slices.Equal(d.Shape, h.Shape) {
		return "", fault.New(fault.Negative, "it reads %s %v, fortran order %t", fault.Quote(d.Type), d.Shape, d.Fortran)
	}
	if h.DataBytes > secondReaderLimit || h.DataBytes == 0 {
		return "npyio reads the same header", nil
	}
	values := reflect.New(reflect.SliceOf(typ))
	if err := r.Read(values.Interface()); err != nil {
		return "", err
	}
	return "npyio reads the same bytes", compareBytes(ours, values.Elem().Interface())
}

// npyioReads lists the types that npyio decodes without loss.
func npyioReads(d tensor.DType) bool {
	if d.Fields() != nil {
		return false
	}
	switch d.Kind() {
	case tensor.Bool, tensor.Int, tensor.Uint:
		return true
	case tensor.Float:
		return d.ItemSize() == 4 || d.ItemSize() == 8
	case tensor.Complex:
		return d.ItemSize() == 8 || d.ItemSize() == 16
	}
	return false
}

func compareBytes(ours *source.Tensor, values any) error {
	var order binary.ByteOrder = binary.LittleEndian
	if ours.DType.Order() == tensor.Big {
		order = binary.BigEndian
	}
	var theirs bytes.Buffer
	if err := binary.Write(&theirs, order, values); err != nil {
		return err
	}
	data, err := ours.Data()
	if err != nil {
		return err
	}
	if !bytes.Equal(theirs.Bytes(), data) {
		return fault.New(fault.Negative, "it reads other values")
	}
	return nil
}
