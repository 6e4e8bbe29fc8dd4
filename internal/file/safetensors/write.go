package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Item is a tensor to be written; its data are little-endian and in C order.
type Item struct {
	Name  string // UTF-8
	Type  dtype.Type
	Shape []int
}

// Header is the part of a file before its data, with the positions of the data.
type Header struct {
	Text []byte  // the file's first bytes: the length, the JSON, spaces
	At   []int64 // where each item's data begin in the file, without gaps
	Size int64   // size of the whole file in bytes
}

// minAlign is the reference implementation's alignment of the data (prepare in tensor.rs).
const minAlign = prefix

// NewHeader makes the header of a file with these items and metadata, in this order. The data begin at a multiple of align bytes, at
// least 8; the other items follow without gaps (Alignment). Errors are Usage, or Unsupported if the format cannot hold something.
func NewHeader(items []Item, metadata []checkpoint.Entry, align int) (*Header, error) {
	align = max(align, minAlign)
	if align&(align-1) != 0 || align > maxHeader {
		return nil, fault.New(fault.Usage, "invalid alignment of %d bytes", align).
			WithHint("choose a power of two up to %d", 1<<26)
	}
	w := writer{names: map[string]struct{}{}}
	w.WriteString("{")
	if err := w.writeMetadata(metadata); err != nil {
		return nil, err
	}
	offsets := make([]int64, len(items))
	for i, item := range items {
		offsets[i] = w.end
		if err := w.writeItem(item); err != nil {
			return nil, err
		}
	}
	w.WriteString("}")
	return w.header(offsets, align)
}

// Alignment returns the largest power of two that divides a position in the file.
func Alignment(at int64) int64 { return at & -at }

// WriteTo writes the header. The data follow.
func (h *Header) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(h.Text)
	return int64(n), err
}

// writer writes JSON without blanks, as the reference implementation does.
type writer struct {
	bytes.Buffer
	names map[string]struct{}
	comma string
	end   int64 // size of the items so far, in bytes
}

func (w *writer) writeMetadata(metadata []checkpoint.Entry) error {
	if len(metadata) == 0 {
		return nil
	}
	w.WriteString(`"` + metadataKey + `":{`)
	keys := map[string]struct{}{}
	comma := ""
	for _, e := range metadata {
		if _, again := keys[e.Key]; again {
			return fault.New(fault.Unsupported, "safetensors cannot hold two texts named %s", checkpoint.Quoted(e.Key))
		}
		keys[e.Key] = struct{}{}
		w.WriteString(comma)
		if err := w.writeText(e.Key); err != nil {
			return err
		}
		w.WriteString(":")
		if err := w.writeText(e.Value); err != nil {
			return err
		}
		comma = ","
	}
	w.WriteString("}")
	w.comma = ","
	return nil
}

func (w *writer) writeItem(item Item) error {
	word, err := Word(item.Type)
	if err != nil {
		return inTensor(item.Name, err)
	}
	if item.Type.Order() == dtype.Big {
		return inTensor(item.Name, fault.New(fault.Unsupported, "its elements are big-endian; a checkpoint's are little-endian"))
	}
	n, err := tensor.Numel(item.Shape)
	if err != nil {
		return inTensor(item.Name, err)
	}
	if item.Type.Packed() && n%item.Type.PerByte() != 0 {
		return inTensor(item.Name, fault.New(fault.Unsupported, "%d values of %s end inside a byte", n, item.Type))
	}
	if int64(n) > (math.MaxInt64-maxHeader-prefix-w.end)/int64(item.Type.ItemSize()) {
		return inTensor(item.Name, fault.New(fault.Unsupported, "the file would be larger than 2⁶³ bytes"))
	}
	if _, again := w.names[item.Name]; again || item.Name == metadataKey {
		return fault.New(fault.Unsupported, "safetensors cannot hold two tensors named %s", checkpoint.Quoted(item.Name))
	}
	w.names[item.Name] = struct{}{}
	w.WriteString(w.comma)
	if err := w.writeText(item.Name); err != nil {
		return err
	}
	begin := w.end
	w.end += item.Type.Size(int64(n))
	w.WriteString(`:{"dtype":"` + word + `","shape":[` + text.Ints(item.Shape, ",") + `],"data_offsets":[` +
		strconv.FormatInt(begin, 10) + "," + strconv.FormatInt(w.end, 10) + "]}")
	w.comma = ","
	return nil
}

// writeText writes a string, which must be UTF-8 in JSON.
func (w *writer) writeText(s string) error {
	if !utf8.ValidString(s) {
		return fault.New(fault.Unsupported, "safetensors cannot hold the name or text %s, which is not UTF-8", checkpoint.Quoted(s))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	w.Truncate(w.Len() - 1) // the encoder's newline
	return nil
}

// header pads the JSON with spaces, so that the data are aligned.
func (w *writer) header(offsets []int64, align int) (*Header, error) {
	begin := (prefix + w.Len() + align - 1) / align * align
	if begin-prefix > maxHeader {
		return nil, fault.New(fault.Unsupported, "the header would have %d bytes, over the limit of 100,000,000", begin-prefix)
	}
	text := make([]byte, 0, begin)
	text = binary.LittleEndian.AppendUint64(text, uint64(begin-prefix))
	text = append(append(text, w.Bytes()...), strings.Repeat(" ", begin-prefix-w.Len())...)
	for i := range offsets {
		offsets[i] += int64(begin)
	}
	return &Header{Text: text, At: offsets, Size: int64(begin) + w.end}, nil
}
