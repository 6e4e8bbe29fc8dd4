package onnx

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// extent is bytes of a file beside the model.
type extent struct {
	file      string
	at, bytes int64
}

// Bounds of external data.
const (
	maxEntries = 100  // of a tensor's external_data
	maxFiles   = 4096 // of a model
)

// external adds the bytes of a tensor in another file: external_data has its location, and maybe the offset and length, as texts. Tensors of equal
// bytes share a storage. (onnx/onnx.proto, external_data; onnx/external_data_helper.py)
func (r *reader) external(p *proto, bytes int64) (int, error) {
	if p.field != 0 {
		return 0, damaged("its elements are in both external data and %s", fieldNames[p.field])
	}
	if len(p.entries) > maxEntries {
		return 0, damaged("%d entries of external_data", len(p.entries))
	}
	x := extent{bytes: bytes}
	for _, e := range p.entries {
		if e.Bytes > 2*checkpoint.MaxLocation {
			continue
		}
		key, value, err := r.pair(e, func(int64) error { return nil })
		if err != nil {
			return 0, err
		}
		switch key {
		case "location":
			x.file = cleaned(value)
		case "offset":
			x.at, err = natural(key, value)
		case "length":
			err = sameLength(value, bytes)
		}
		if err != nil {
			return 0, err
		}
	}
	if err := checkLocation(x.file); err != nil {
		return 0, err
	}
	if x.at > math.MaxInt64-bytes {
		return 0, damaged("its external data end after byte 2⁶³")
	}
	i, known := r.shared[x]
	if !known {
		i = len(r.c.Storages)
		r.shared[x] = i
		r.c.Storages = append(r.c.Storages, checkpoint.Storage{ID: p.name, File: x.file, At: x.at, Bytes: bytes})
	}
	return i, nil
}

// cleaned returns a location in its shortest form, by which files are compared.
func cleaned(location string) string {
	if location == "" {
		return ""
	}
	return path.Clean(location)
}

// natural reads a number of bytes.
func natural(key, value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, damaged("the %s of its external data is %s, not a number of bytes", key, checkpoint.Quoted(value))
	}
	return n, nil
}

// sameLength compares the recorded length with that of the shape. Zero says nothing, as in ONNX Runtime. (tensorprotoutils.cc)
func sameLength(value string, bytes int64) error {
	n, err := natural("length", value)
	if err == nil && n != bytes && n != 0 {
		err = damaged("its shape has %d bytes, its external data %d", bytes, n)
	}
	return err
}

// checkLocation refuses a path that leaves the model's folder on any system.
func checkLocation(location string) error {
	if location == "" {
		return damaged("its external data have no location")
	}
	if !checkpoint.IsBelow(location) {
		return fault.New(fault.Malformed, "its external data are in %s, which is not a path below the model's folder", checkpoint.Quoted(location)).
			WithHint("do not load this file, or write it again with its data beside it")
	}
	return nil
}

// apart checks that extents in other files do not overlap, and that the files are not too many.
func (r *reader) apart() error {
	if len(r.shared) == 0 {
		return nil
	}
	all := r.c.Storages
	var sorted []int
	for _, i := range r.shared {
		if all[i].Bytes > 0 {
			sorted = append(sorted, i)
		}
	}
	slices.SortFunc(sorted, func(i, j int) int {
		a := all[i]
		b := all[j]
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.At, b.At), cmp.Compare(a.Bytes, b.Bytes))
	})
	files := 0
	last := checkpoint.Storage{}
	for _, i := range sorted {
		if all[i].File != last.File {
			files++
			last = checkpoint.Storage{File: all[i].File}
		}
		if all[i].At < last.At+last.Bytes {
			return inTensor(all[i].ID, damaged("its external data overlap those of %s", checkpoint.Quoted(last.ID)))
		}
		last = all[i]
	}
	if files > maxFiles {
		return fault.New(fault.Unsupported, "external data in %d files, over the limit of %d", files, maxFiles)
	}
	return nil
}
