package source

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// rawBytes describes the bytes of a raw file or stream.
type rawBytes struct {
	name  string // in a sentence
	size  int64  // including skipped bytes
	known bool   // size is known; a stream's only once it is read
	more  bool   // the stream is longer; only one byte of the excess was read
	isNpy bool
}

// checkSkip refuses to skip more bytes than there are.
func (b rawBytes) checkSkip(skip int64) error {
	if b.known && skip > b.size {
		return fault.New(fault.Usage, "--skip %d is outside %s, which has %s", skip, b.name, text.Bytes(b.size))
	}
	return nil
}

// readStdin reads standard input up to one byte after maxElems elements. With o.HeaderOnly the bytes are only counted, not kept.
func (t *Tensor) readStdin(o Options, maxElems int) (b rawBytes, err error) {
	limit := int64(math.MaxInt64 - 1)
	item := int64(t.DType.ItemSize())
	if int64(maxElems) <= (limit-o.Skip)/item {
		limit = o.Skip + t.DType.Size(int64(maxElems))
	}
	b = rawBytes{name: input.Stdin, known: true}
	r := io.LimitReader(o.Stdin, limit+1)
	if o.HeaderOnly {
		var head string
		b.size, head, err = input.Count(input.Stdin, r, len(npy.Magic))
		b.isNpy = head == npy.Magic
		b.more = b.size > limit
		return b, err
	}
	t.file, err = input.Spool(input.Stdin, r, 0)
	if err != nil {
		return b, err
	}
	t.own, b.size = true, t.file.Size()
	head, err := readHead(t.file)
	b.isNpy = strings.HasPrefix(head, npy.Magic)
	b.more = b.size > limit
	return b, err
}

// fits checks that the data is minElems to maxElems whole elements.
func (t *Tensor) fits(b rawBytes, minElems, maxElems int, o Options) error {
	item := int64(t.DType.ItemSize())
	have := t.Header.DataBytes
	need := t.DType.Size(int64(minElems))
	enough := have >= need && have <= t.DType.Size(int64(maxElems))
	if enough && !b.more && have%item == 0 {
		return nil
	}
	size := strconv.FormatInt(b.size, 10)
	if b.more {
		size = "more than " + strconv.FormatInt(b.size-1, 10)
	}
	e := fault.New(fault.Usage, "%s of %s needs %d bytes from byte %d, %s has %s", tensor.Tuple(t.Layout.Shape()), t.DType, need,
		t.Header.DataOffset, b.name, size)
	if b.isNpy {
		return e.WithHint("it is a .npy file: remove --raw and --shape")
	}
	if b.more {
		return e.WithHint("--skip skips a header; or give another --shape or --dtype")
	}
	if each := elementSize(have, minElems); each > 0 {
		other := ""
		if row, pitch, s := t.padded(have); pitch > 0 && row == 1 {
			other = ", or padded, " + t.stridesFlag(s, o)
		}
		return e.WithHint("%s per element: another --dtype%s?", text.Bytes(each), other)
	}
	if have > need {
		header := fmt.Sprintf("--skip %d skips a header and reads the last %d bytes", b.size-need, need)
		if t.Header.DataOffset > 0 {
			header = "--allow-trailing ignores those after the tensor"
		}
		if row, pitch, s := t.padded(have); pitch > 0 {
			return e.WithHint("%s for every %d: %s if rows are padded; %s", text.Count(pitch, "element"), row, t.stridesFlag(s, o), header)
		}
		if pitch, s := t.paddedBetween(have); pitch > 0 {
			return e.WithHint("rows of %d bytes, the last not padded: %s; or %s", int64(pitch)*item, t.stridesFlag(s, o), header)
		}
		return e.WithHint("%s; or give another --shape", header)
	}
	return e.WithHint("give another --shape or --dtype")
}

// elementSize returns the bytes of each of so many elements if that is the size of a type, a power of two up to 16; otherwise 0.
func elementSize(bytes int64, elems int) int64 {
	if elems <= 0 || bytes%int64(elems) != 0 {
		return 0
	}
	switch each := bytes / int64(elems); each {
	case 1, 2, 4, 8, 16:
		return each
	}
	return 0
}

// padded explains the bytes as a dense tensor with padding after every row, plane or larger part of row elements, the next one pitch
// elements on: bytes = itemsize · numel / row · pitch. It picks the smallest part whose pitch is a multiple of 16 bytes, otherwise the
// smallest. pitch is 0 if there is none.
func (t *Tensor) padded(bytes int64) (row, pitch int, strides []int) {
	s, plain := t.Layout.Strided()
	item := int64(t.DType.ItemSize())
	if !plain || s.Empty() || s.Numel() != t.Layout.Alloc() {
		return 0, 0, nil
	}
	if t.StorageView || t.DType.Packed() || bytes%item != 0 {
		return 0, 0, nil
	}
	elems := int(bytes / item)
	aligned := false
	for d, r := range s.Strides {
		rows := s.Numel() / r
		if s.Shape[d] == 1 || elems%rows != 0 || elems/rows <= r {
			continue
		}
		is := int64(elems/rows)*item%16 == 0
		better := is && !aligned
		smaller := is == aligned && r < row
		if pitch == 0 || better || smaller {
			row = r
			pitch = elems / rows
			aligned = is
		}
	}
	for d, r := range s.Strides {
		if pitch > 0 && r >= row {
			s.Strides[d] = r / row * pitch
		}
	}
	return row, pitch, s.Strides
}

// paddedBetween explains the bytes as a dense tensor with padding between its rows, and none after the last, as textures are copied:
// bytes = itemsize · ((rows − 1) · pitch + row). Of all parts whose pitch is a multiple of 16 bytes it picks the smallest. pitch is in elements,
// 0 if there is none.
func (t *Tensor) paddedBetween(bytes int64) (pitch int, strides []int) {
	s, plain := t.Layout.Strided()
	item := int64(t.DType.ItemSize())
	if !plain || t.StorageView || t.DType.Packed() {
		return 0, nil
	}
	if s.Empty() || s.Numel() != t.Layout.Alloc() || bytes%item != 0 {
		return 0, nil
	}
	elems := int(bytes / item)
	row := 0 // elements of a row that the padding follows
	for d, r := range s.Strides {
		rows := s.Numel() / r
		if s.Shape[d] == 1 || rows < 2 || (elems-r)%(rows-1) != 0 {
			continue
		}
		p := (elems - r) / (rows - 1)
		smaller := pitch == 0 || r < row
		if smaller && p > r && int64(p)*item%16 == 0 {
			row = r
			pitch = p
		}
	}
	for d, r := range s.Strides {
		if pitch > 0 && r >= row {
			s.Strides[d] = r / row * pitch
		}
	}
	return pitch, s.Strides
}

// stridesFlag returns the flags that set these strides: --strides, or --from with sizes and strides if a layout or names order the
// sizes.
func (t *Tensor) stridesFlag(strides []int, o Options) string {
	if o.Layout == nil && o.Raw.Named == nil {
		return "--strides " + text.Ints(strides, ",")
	}
	shape := t.Layout.Shape()
	return fmt.Sprintf("--from '(%s):(%s)' instead of --shape", text.Ints(shape, ","), text.Ints(strides, ","))
}
