package source

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/onnx"
	"github.com/tlayout/tlayout/internal/file/pt2"
	"github.com/tlayout/tlayout/internal/file/ptd"
	"github.com/tlayout/tlayout/internal/file/tflite"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

// maxHead is how many bytes of a file's head are inspected.
const maxHead = 1024

// readHead returns a file's first bytes.
func readHead(b input.File) (head string, err error) {
	p := make([]byte, min(maxHead, b.Size()))
	err = b.Guard(func() error {
		n, err := b.ReadAt(p, 0)
		head = string(p[:n])
		if err == io.EOF {
			return nil
		}
		return err
	})
	return head, err
}

// Recognize returns a file's format by its bytes, and by its name where they do not suffice: NPY, a container, or "" if unknown.
// Another well-known format that can be converted to a tensor is an error, fault.Unsupported.
func Recognize(b input.File, n name.Name) (format checkpoint.Format, err error) {
	head, err := readHead(b)
	if err != nil {
		return "", fault.In(n.String(), err)
	}
	if err := foreign.LFSPointer(head); err != nil {
		return "", fault.In(n.String(), err)
	}
	if strings.HasPrefix(head, npy.Magic) {
		return recognizeNpy(b, head)
	}
	if strings.HasPrefix(head, "PK") {
		err = b.Guard(func() (err error) { format, err = recognizeZip(b, n, head); return err })
		return format, fault.In(n.String(), err)
	}
	if strings.HasPrefix(head, "GGUF") {
		return checkpoint.GGUF, nil
	}
	if tflite.Recognize(head) {
		return checkpoint.TFLite, nil
	}
	if ptd.Recognize(head) {
		return checkpoint.PTD, nil
	}
	if format, ok := recognizeArray(head, b.Size()); ok {
		return format, nil
	}
	if beginsSafetensors(head, b.Size()) { // before pickles, whose first bytes may be a length: 640 is 0x80 0x02
		return checkpoint.Safetensors, nil
	}
	if torch.BeginsLegacy(head) {
		return checkpoint.TorchLegacy, nil
	}
	if beginsMetadata(head) {
		return checkpoint.DCP, nil
	}
	if isPickle(head) {
		return checkpoint.Pickle, nil
	}
	if isModel(b) {
		return checkpoint.ONNX, nil
	}
	if n.EndsIn(".pkl", ".pickle") && isOldPickle(head) {
		return checkpoint.Pickle, nil
	}
	if n.EndsIn(".safetensors") {
		return checkpoint.Safetensors, nil
	}
	if n.IsIndex() {
		return index, nil
	}
	if n.IsArchive() {
		return checkpoint.NPZ, nil
	}
	if n.EndsIn(".pt", ".pth", ".ckpt") {
		return checkpoint.Torch, nil
	}
	if err := foreign.Recognize(n, head, b.Size()); err != nil {
		return "", fault.In(n.String(), err)
	}
	if n.EndsIn(".onnx") {
		return checkpoint.ONNX, nil
	}
	if n.EndsIn(".pt2") {
		return checkpoint.PT2, nil
	}
	return "", nil
}

// isModel reports whether a file is an ONNX model. One that cannot be read is none: another reader reports the reason.
func isModel(b input.File) bool {
	is := false
	err := b.Guard(func() error { is = onnx.Recognize(b, b.Size()); return nil })
	return err == nil && is
}

// beginsSafetensors reports whether a file of size bytes starts with a length within it of 8 bytes, and then with JSON (safetensors 0.4, README,
// section Format).
func beginsSafetensors(head string, size int64) bool {
	return len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64([]byte(head)) < uint64(size)
}

// isPickle reports whether a file starts with a pickle that is read.
func isPickle(head string) bool {
	protocol := len(head) > 1 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 // PROTO, and its number
	return protocol && !foreign.IsJoblib(head)
}

// isOldPickle reports whether a file may start with a pickle of protocol 0 or 1, which has no PROTO: with a mark, a class, or an empty collection.
func isOldPickle(head string) bool { return head != "" && strings.Contains("(c]})", head[:1]) }

// recognizeNpy distinguishes a .npy file of elements from one of Python objects, whose data is a pickle.
func recognizeNpy(b input.File, head string) (format checkpoint.Format, err error) {
	format = checkpoint.NPY
	if !strings.Contains(head, npy.ObjectDescr) {
		return format, nil
	}
	err = b.Guard(func() error {
		if _, ok := npy.Objects(io.NewSectionReader(b, 0, b.Size()), b.Size(), npy.Limits{}); ok {
			format = checkpoint.Pickle
		}
		return nil
	})
	return format, err
}

// index is the format of an index whose files are not read yet.
const index checkpoint.Format = "index"

// recognizeZip distinguishes archives of torch.save from archives of arrays: by the first member if its whole name is in the head, else
// by any member, else by the archive's name.
func recognizeZip(b input.File, n name.Name, head string) (checkpoint.Format, error) {
	isPickle := func(member string) bool { return strings.HasSuffix(member, "/data.pkl") }
	isArray := func(member string) bool { return strings.HasSuffix(member, ".npy") }
	var members []string
	if len(head) > 30 { // a local header, then the name (APPNOTE.TXT 6.3.10, 4.3.7)
		if end := 30 + int(binary.LittleEndian.Uint16([]byte(head[26:]))); end <= len(head) {
			members = append(members, head[30:end])
		}
	}
	var damaged error
	if !slices.ContainsFunc(members, isPickle) && !slices.ContainsFunc(members, isArray) {
		a, err := zip.Open(b, b.Size(), "a zip archive")
		damaged = err
		if err == nil {
			for _, m := range a.Members {
				members = append(members, m.Name)
			}
		}
	}
	if pt2.Recognize(members) {
		return checkpoint.PT2, nil
	}
	other := foreign.Zip(n, members)
	if slices.ContainsFunc(members, isPickle) {
		if inRow, err := zip.InRow(b, b.Size()); inRow || err != nil || n.EndsIn(".distcp") {
			return checkpoint.Streams, err
		}
		return checkpoint.Torch, nil
	}
	if slices.ContainsFunc(members, isArray) || n.IsArchive() {
		return checkpoint.NPZ, nil
	}
	if other == nil && n.EndsIn(".pt", ".pth", ".ckpt", ".bin") {
		return checkpoint.Torch, nil
	}
	if !strings.HasPrefix(head, "PK\x03\x04") {
		return "", foreign.Recognize(n, head, b.Size())
	}
	if other == nil && n.EndsIn(".pt2") {
		return checkpoint.PT2, nil
	}
	if damaged != nil {
		return "", fault.New(fault.Unsupported, "a damaged zip archive, not a .npy file")
	}
	if other != nil {
		return "", other
	}
	return "", fault.New(fault.Unsupported, "a zip archive, not a .npy file")
}

// withRawHint adds how to read a file without a header to the error for a file that is not .npy, by its bytes and name.
func withRawHint(n name.Name, err error) error {
	var e *fault.Error
	if n.EndsIn(".npy") || !errors.As(err, &e) {
		return err
	}
	if e.Class == fault.Malformed && e.Hint == "" {
		return e.WithHint("tlayout guess %s finds the shape of raw bytes; --raw --shape 2,3,4,5 --dtype float32 reads them", n.Arg())
	}
	return err
}

// HoldsTensors reports whether a local file is, by its bytes, a .npy file or a container. An index is neither: its tensors are in other
// files.
func HoldsTensors(n name.Name) bool {
	b, err := input.Open(n, input.Options{})
	if err != nil {
		return false
	}
	defer b.Close()
	format, err := Recognize(b, name.Name{})                         // by its bytes only
	return err == nil && format != "" && format != checkpoint.Pickle // a pickle may hold anything
}
