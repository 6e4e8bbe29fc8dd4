package inspect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// addFileFacts adds the contents of the file's header.
func (r *Report) addFileFacts(l *factList) {
	if r.Container != nil {
		l.add(Plain, "file", r.containerText())
		if r.FileShape != nil {
			l.add(Plain, "file shape", tensor.Tuple(r.FileShape)+", physical: one size per file axis")
		}
	}
	size := r.itemText() + " per element"
	if r.ByteOrder != "none" {
		size += ", " + r.ByteOrder + "-endian"
	}
	name := text.Shorten(r.DType)
	if r.Descr != "" {
		name += ", " + text.Shorten(text.Quote(r.Descr))
	}
	l.add(Plain, "dtype", name+", "+size)
	l.add(Plain, "shape", strings.TrimSuffix(fmt.Sprintf("%s, logical: %s", tensor.Tuple(r.Shape), strings.Join(r.Dims, ", ")), ": "))
}

// containerText is the format of the file, the order of its axes, and where the data is.
func (r *Report) containerText() string {
	c := r.Container
	format := c.Format
	if c.Version != "" {
		format = ".npy " + c.Version
	}
	within := ""
	if c.ArchiveMember != nil {
		within = c.Within()
	}
	return fmt.Sprintf("%s, %s, %s of data from byte %d%s", format, r.fileOrderText(), text.Bytes(c.DataBytes), c.DataOffset, within)
}

// fileOrderText is the order of the file's axes.
func (r *Report) fileOrderText() string {
	if r.FileShape == nil {
		return "a view of a storage"
	}
	if r.Container.FortranOrder {
		return "Fortran order"
	}
	return "C order"
}

// addOriginFacts adds what is unusual about the file, and the array's location in its archive.
func (r *Report) addOriginFacts(l *factList) {
	l.addFull(Detail, "fields", r.fieldsText(), r.fieldLines())
	l.add(Detail, "header", r.headerText())
	if r.Container == nil || r.Container.ArchiveMember == nil {
		return
	}
	c := r.Container
	m := c.ArchiveMember
	archive := text.Quote(c.Archive)
	label := "archive"
	noun := "member"
	if c.Format != "npz" {
		label = "checkpoint"
		noun = "tensor"
	}
	l.add(Plain, label, fmt.Sprintf("%s, 1 of %s in %s", text.Shorten(text.Quote(cmp.Or(m.Member, "(the tensor)"))), text.Count(m.Members, noun), archive))
	l.addFull(Useful, "slices", SlicesText(m.Slices), sliceLines(m.Slices))
	if m.PartOf != nil {
		l.add(Useful, "local", "part "+m.PartOf.text())
	}
	if m.Device != "" {
		l.addFull(Useful, "device", r.deviceText(), []string{cmp.Or(r.deviceText(), text.Quote(m.Device))})
	}
	l.addFull(Detail, "archive", r.archiveText(), r.mappingLines())
}

// maxFields limits the fields of a record on the first screen.
const maxFields = 6

// fieldsText lists the fields of a record with their byte offsets.
func (r *Report) fieldsText() string {
	var parts []string
	for i, f := range r.Fields {
		if i == maxFields {
			parts = append(parts, fmt.Sprintf("and %d more", len(r.Fields)-maxFields))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s at %d", text.Cut(f.Name, maxType/2), text.Cut(f.DType, maxType/2), f.Offset))
	}
	return strings.Join(parts, ", ")
}

// maxLines limits the fields of a record that --all lists.
const maxLines = 32

// fieldLines lists the fields of a record, one per line.
func (r *Report) fieldLines() (lines []string) {
	for i, f := range r.Fields {
		if i == maxLines {
			return append(lines, fmt.Sprintf("… %d more; use --json for all", len(r.Fields)-i))
		}
		lines = append(lines, fmt.Sprintf("%s: %s at byte %d", text.Shorten(f.Name), text.Shorten(f.DType), f.Offset))
	}
	return lines
}

// headerText reports an unusual .npy header: a version that old readers lack, or more characters than np.load accepts. (NumPy's release notes of
// 1.9.0 and 1.17.0)
func (r *Report) headerText() string {
	c := r.Container
	if c == nil {
		return ""
	}
	text := ""
	switch major, _, _ := strings.Cut(c.Version, "."); major {
	case "3":
		text = ".npy version " + c.Version + ", readable since NumPy 1.17"
	case "2":
		text = ".npy version " + c.Version + ", readable since NumPy 1.9"
	}
	if n := r.tensor.Header.Chars; n > framework.NumPy.MaxHeader {
		text = joined(text, fmt.Sprintf("%d characters, more than np.load accepts", n))
	}
	return text
}

// deviceText is the device of the tensor, unless it is the CPU.
func (r *Report) deviceText() string {
	if device := r.Container.Device; device != "cpu" {
		return deviceText(device, r.Container.Format)
	}
	return ""
}

// archiveText is whether the array can be mapped in its archive; empty except for a .npy in an archive file.
func (r *Report) archiveText() string {
	c := r.Container
	if c.Compressed {
		return fmt.Sprintf("deflated to %s: cannot be memory-mapped", text.ShortBytes(c.PackedBytes))
	}
	if c.Mmap == nil {
		return ""
	}
	return fmt.Sprintf("stored from byte %d: np.memmap maps it in place, as --all shows", c.DataOffset)
}

// mappingLines explain how to map the array, or why it cannot be mapped.
func (r *Report) mappingLines() []string {
	c := r.Container
	if c.Compressed {
		return []string{fmt.Sprintf("deflated to %s: cannot be memory-mapped, but can be read without the other members; its header took %d of %d bytes. "+
			"np.savez, unlike np.savez_compressed, writes arrays that can be mapped", text.Bytes(c.PackedBytes), c.DataOffset, c.DataOffset+c.DataBytes+c.TrailingBytes)}
	}
	if c.Mmap == nil {
		if c.Format == "npz" {
			return []string{"nothing to map: no data"}
		}
		return nil
	}
	line := fmt.Sprintf("stored from byte %d", c.DataOffset)
	if r.ItemSize > 1 && c.DataOffset%int64(r.ItemSize) != 0 {
		line += fmt.Sprintf(", not a multiple of %d, which NumPy accepts", r.ItemSize)
	}
	if c.Format == "npz" {
		line += "; np.load ignores mmap_mode for archives"
	}
	return []string{line + ". To map it: " + text.Shorten(*c.Mmap)}
}
