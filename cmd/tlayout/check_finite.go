package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/scalar"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// finite answers --finite. All the storage is read once, front to back; only where it holds something that is not
// finite does it matter which element lies there, for padding may hold anything.
func finite(r *inspectReport, t *source.Tensor) (assertion, error) {
	a := assertion{Name: "finite", Found: "all finite", OK: true}
	if !t.HasData() {
		a.Found, a.Why = "no data", "there is nothing to look at"
		a.OK = t.Layout.Numel() == 0
		return a, nil
	}
	if !scalar.HasNumbers(t.DType) {
		a.OK, a.Found = false, shorten(t.DType.String())+" items hold no numbers"
		if t.DType.Kind() == tensor.Void && t.DType.Fields() == nil {
			a.Hint = "--as reads raw bytes as numbers: --as bfloat16"
		}
		return a, nil
	}
	data, err := t.Data()
	if err != nil {
		return a, err
	}
	scan := scalar.NotFinite(t.DType)
	if scan == nil {
		a.Found = "items of " + shorten(t.DType.String()) + " are always finite"
		return a, nil
	}
	return a, t.Guard(func() error {
		a.lookAt(r, t, data, scan)
		return nil
	})
}

// lookAt ends at the first element that is not finite, or at the first place of which it takes too long to tell.
func (a *assertion) lookAt(r *inspectReport, t *source.Tensor, data []byte, scan func([]byte) int) {
	size := t.DType.ItemSize()
	for at := 0; at < len(data); at += size {
		next := scan(data[at:])
		if next < 0 {
			return
		}
		at += next / size * size
		coords, complete := t.Layout.Find(at/size, 1)
		if len(coords) == 0 && complete {
			continue // padding
		}
		a.OK, a.Found = false, fault.Quote(t.DType.FormatValue(data[at:at+size]))
		a.Why = fmt.Sprintf("offset %d", at/size)
		if start, ok := t.DataStart(); ok {
			a.Why += fmt.Sprintf(", byte %d%s", start+int64(at), cmp.Or(r.Container.within(), " of the file"))
		}
		switch {
		case len(coords) == 0:
			a.Why += "; which element lies there, if any, would take too long to tell"
		case len(coords[0]) > 0:
			a.Found += fmt.Sprintf(" at %s = %s", strings.ToLower(strings.Join(t.Layout.Names(), ",")), words.Ints(coords[0], ", "))
		}
		return
	}
}
