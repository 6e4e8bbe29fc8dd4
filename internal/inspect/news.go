package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Fact is what the first screen says under a label. Several may have one label.
type Fact struct {
	Label, Text string
	Weight      Weight
	Who         string // whom it is about, for a screen that has no room for the reasons; empty if it is about the tensor
}

// Weight is how much a reader would miss a fact that a screen has no room for.
type Weight int

// The weights, the lightest first.
const (
	Spelling Weight = iota // what else the layout is called
	Detail                 // what is as expected, or seldom asked
	Useful
	Vital // without it another fact is misread
)

// News are the facts of the first screen, in its order: whether the tensor is contiguous, what a copy costs, who accepts it, its
// names, and anything unusual. All facts are those of the fields of the report.
func (r *Report) News() []Fact {
	var all []Fact
	add := func(w Weight, label string, texts ...string) {
		for _, text := range texts {
			if text != "" {
				all = append(all, Fact{Label: label, Text: text, Weight: w})
			}
		}
	}
	add(Vital, "axes", r.doubtText())
	if r.TwoViews() {
		add(Vital, "as stored", r.storedText())
		add(Vital, r.viewLabel(), r.viewText())
	}
	add(Vital, "oneDNN", r.descriptorText())
	if !r.TwoViews() || r.Strides != nil {
		add(Vital, "contiguous", r.contiguousText())
	}
	if len(r.BroadcastDims) > 0 {
		add(Vital, "broadcast", r.BroadcastText()+": "+r.SharedText())
	} else {
		add(Vital, "overlap", r.SharedText())
	}
	add(Vital, "storage", r.storageText())
	add(Vital, "padding", r.paddingText())
	add(Vital, "strict", r.strictText())
	add(Useful, "offset", r.offsetText())
	add(Useful, "copies", r.copiesText())
	add(Detail, "PyTorch", r.formatText())
	add(Useful, "PyTorch", r.tracedNews())
	add(Useful, "note", r.noteTexts()...)
	add(Useful, "ambiguous", r.Ambiguity)
	add(Detail, "fields", r.fieldsText())
	add(Detail, "header", r.headerText())
	add(Useful, "device", r.deviceText())
	add(Detail, "archive", r.archiveText())
	all = append(all, r.acceptedFacts()...)
	add(Spelling, "names", r.namesText())
	return all
}

// AssumedDims says that the names of dims whose strides are given are assumed; empty for others.
func (r *Report) AssumedDims() string {
	if rank := len(r.Shape); r.tensor.Told != source.ByStrides || rank < 3 || rank > 5 || !slices.Equal(r.Dims, source.DimNames(rank)) {
		return ""
	}
	return strings.Join(r.Dims, ",") + " assumed, --dims names them"
}

// viewLabel is "as N,C,H,W" for dims of one letter each.
func (r *Report) viewLabel() string {
	if label := "as " + strings.Join(r.Dims, ","); len(label) <= len("as N,C,D,H,W") {
		return label
	}
	return "as dims"
}

// doubtText says that the shape suggests another order of the axes than the one that is assumed, and how to name it.
func (r *Report) doubtText() string {
	if r.LooksLike == "" {
		return ""
	}
	looks, last := strings.ToUpper(r.LooksLike), r.FileShape[len(r.FileShape)-1]
	assumed := strings.ToLower(strings.Join(r.Dims, ""))
	if len(r.Shape) == 3 { // as likely a list of boxes or points as an image
		return fmt.Sprintf("unknown: an image would be %s (the last axis is %d): --from %s or %s", looks, last, r.LooksLike, assumed)
	}
	return fmt.Sprintf("unknown: shape suggests %s (the last axis is %d): --from %s or %s", looks, last, r.LooksLike, assumed)
}

// storedText is the array as it is stored, and who sees it so.
func (r *Report) storedText() string {
	return fmt.Sprintf("%s, %s: what %s", tensor.Tuple(r.AsStored.Shape), r.AsStored.Senses(), r.SeenAsStored())
}

// SeenAsStored ends a sentence about the array as stored: np.load reads only files with a header.
func (r *Report) SeenAsStored() string {
	if r.Container != nil && r.Container.Kind == source.KindRaw {
		return "the raw file holds"
	}
	return "np.load and safetensors see"
}

// ViewText is the tensor over the bytes of a file: "as N,C,H,W (2, 3, 6, 8), channels_last contiguous"; empty where the array as
// stored is no other view of them.
func (r *Report) ViewText() string {
	if !r.TwoViews() {
		return ""
	}
	return r.viewLabel() + " " + r.viewText()
}

// viewText is the tensor over the same bytes.
func (r *Report) viewText() string {
	text := tensor.Tuple(r.Shape) + ", " + r.Character()
	if r.Strides == nil {
		text += "; not contiguous: " + r.Contiguous.WhyNot["c"].Reason
	}
	return text
}

// descriptorText says that the strides may be those of a oneDNN descriptor.
func (r *Report) descriptorText() string {
	outer := r.OuterStridesText()
	if outer == "" {
		return ""
	}
	return joined(outer, r.UnblockedText(), "what follows is of plain strides")
}

// contiguousText answers the senses that the rank has. Every no has its reason, but that of Fortran order, which is asked for
// beside a yes only.
func (r *Report) contiguousText() string {
	c := r.Contiguous
	switch {
	case len(r.Shape) == 0:
		return ""
	case r.Strides == nil:
		return "no: " + c.WhyNot["c"].Reason
	case r.Numel == 0:
		return "C and F yes, as every empty tensor"
	}
	var yes, no []string
	ask := func(name, key string, ok, explained bool) {
		switch why := c.WhyNot[key].Reason; {
		case ok:
			yes = append(yes, name)
		case explained:
			no = append(no, name+" no: "+why)
		default:
			no = append(no, name+" no")
		}
	}
	ask("C", "c", c.C, true)
	ask("F", "f", c.F, false)
	if format := r.ChannelsLastFormat(); r.asksLast() {
		ask(format, format, c.CL || c.CL3D, true)
	} else if r.LooksLike != "" && len(r.Shape) > 3 && c.C {
		no = append(no, format+" if the axes are "+strings.ToUpper(r.LooksLike))
	}
	if len(yes) > 0 {
		no = append([]string{words.And(yes) + " yes"}, no...)
	} else if r.Dense != nil && *r.Dense {
		no = append(no, "non-overlapping and dense")
	}
	return strings.Join(no, "; ")
}

// asksLast reports whether channels_last is a question about the tensor: its rank has such a format, and its second dim is
// channels, or nobody knows.
func (r *Report) asksLast() bool {
	if channelsLastFormat(len(r.Shape)).Rank() != len(r.Shape) || r.LooksLike != "" {
		return false
	}
	return r.Dims[1] == "C" || r.Dims[1] == "I" || r.Contiguous.CL || r.Contiguous.CL3D
}

// paddingText says where storage holds no element, which dim is padded or which stride is larger than dense, and how much
// that is; empty where all of it is in use, or the strides are a descriptor's.
func (r *Report) paddingText() string {
	l := r.tensor.Layout
	if r.Padded != nil && !*r.Padded && r.Trailing == 0 || r.Numel == 0 || len(r.OuterTags) > 0 || r.isView() {
		return ""
	}
	var where []string
	for i, padded := range l.PaddedShape() {
		if d := l.Dim(i); padded > d.Size {
			where = append(where, fmt.Sprintf("%s is padded from %d to %d", d.Name, d.Size, padded))
		}
	}
	if len(r.Candidates) == 1 && r.Candidates[0].gaps != "" {
		where = append(where, r.Candidates[0].gaps)
	}
	much := ""
	switch padded, text := r.GapsText(); {
	case padded == tensor.Unknown:
		much = "unknown, " + text
	case r.Gaps == nil:
		much = text
	default:
		much = fmt.Sprintf("%s of %s hold no element", r.exactly(*r.Gaps+r.Trailing), r.exactly(r.Storage-r.Leading))
	}
	return strings.Join(append(where, much), "; ")
}

// exactly prints the bytes of so many elements, all digits of them: who maps a buffer needs them.
func (r *Report) exactly(elements int) string {
	return words.FullBytes(int64(elements) * int64(r.ItemSize))
}

// isView reports whether the tensor is one of a checkpoint whose storage others may use too.
func (r *Report) isView() bool {
	return checkpoint.Format(r.tensor.Kind).Pickled() && r.tensor.StorageView
}

// storageText is how much of its storage a view uses, and where the rest is; empty where all of it is in use, or the tensor is no view.
func (r *Report) storageText() string {
	if !r.isView() || r.Numel == 0 || r.Gaps != nil && *r.Gaps+r.Leading+r.Trailing == 0 {
		return ""
	}
	if r.Gaps == nil || r.Unique == nil {
		return fmt.Sprintf("%s, which others may use too", r.exactly(r.Storage))
	}
	var rest []string
	for _, part := range []struct {
		elements int
		where    string
	}{{r.Leading, "before it"}, {*r.Gaps, "between its elements"}, {r.Trailing, "after it"}} {
		if part.elements > 0 {
			rest = append(rest, r.exactly(part.elements)+" "+part.where)
		}
	}
	return fmt.Sprintf("%s, of which the tensor uses %s; %s", r.exactly(r.Storage), r.exactly(*r.Unique), words.And(rest))
}

// offsetText is where the first element is, if not at the beginning of the storage.
func (r *Report) offsetText() string {
	if r.Offset == 0 {
		return ""
	}
	return fmt.Sprintf("the first element is at offset %d, byte %s", r.Offset, explain.InBytes(r.Offset, r.ItemSize))
}

// strictText is strictNote, shorter.
func (r *Report) strictText() string {
	if r.strictNote(r.tensor) == "" {
		return ""
	}
	why := r.Contiguous.WhyNot["c_strict"]
	return fmt.Sprintf("no: %s, which PyTorch and NumPy ignore, for %s has size 1. Code that compares every stride does not: %s", why.Reason,
		*why.Dim, strictReaders)
}

// copiesText says what PyTorch's calls copy; empty where PyTorch refuses the tensor, or nothing is to copy.
func (r *Report) copiesText() string {
	p := r.PyTorch
	if p == nil || r.NBytes == 0 || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	size := words.ShortBytes(int64(r.NBytes))
	var calls []string
	call := func(name string, made *Copy) {
		switch {
		case made == nil:
		case made.Self:
			calls = append(calls, name+" none")
		default:
			calls = append(calls, name+" "+size)
		}
	}
	call(".contiguous()", &p.MakeContiguous)
	if last := r.ChannelsLastFormat(); r.asksLast() {
		if made, to := p.MadeLast(), p.ToLast(); made != nil && made.Self != to.Self {
			call(".contiguous("+last+")", made)
		}
		call(".to("+last+")", p.ToLast())
	}
	if len(calls) == 1 && p.MakeContiguous.Self {
		return ""
	}
	text := strings.Join(calls, "; ")
	if r.TwoViews() {
		return r.viewLabel() + ": " + text
	}
	return text
}

// formatText says what suggest_memory_format returns where that is not what is_contiguous suggests.
func (r *Report) formatText() string {
	p := r.PyTorch
	if p == nil || r.NBytes == 0 || r.LooksLike != "" || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	text := r.SuggestionText()
	if text != "" {
		text = fmt.Sprintf("suggest_memory_format() is %s: %s", p.Suggested, text)
	}
	return text
}

// tracedNews says that PyTorch's Python, which traces for torch.compile, suggests another format than its C++; empty where
// both suggest the same, or PyTorch refuses the tensor.
func (r *Report) tracedNews() string {
	format, _ := r.TracedText()
	if format == "" || r.NBytes == 0 || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	return fmt.Sprintf("C++ suggests %s, torch.compile's Python %s: --explain", r.PyTorch.Suggested, format)
}

// noteTexts are the notes that no other fact says.
func (r *Report) noteTexts() []string {
	var texts []string
	for _, note := range r.Notes {
		if note != r.tensor.Doubt() && note != r.strictNote(r.tensor) {
			texts = append(texts, note)
		}
	}
	return texts
}

// maxFields is how many fields of a record the first screen lists.
const maxFields = 6

// fieldsText lists the fields of a record with the bytes at which they begin.
func (r *Report) fieldsText() string {
	var parts []string
	for i, f := range r.Fields {
		if i == maxFields {
			parts = append(parts, fmt.Sprintf("and %d more", len(r.Fields)-maxFields))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s at %d", words.Cut(f.Name, maxType/2), words.Cut(f.DType, maxType/2), f.Offset))
	}
	return strings.Join(parts, ", ")
}

// headerText says what is unusual in the header of a .npy file: a version that old readers lack, or more characters than
// np.load reads. (NumPy's release notes of 1.9.0 and 1.17.0)
func (r *Report) headerText() string {
	c := r.Container
	if c == nil {
		return ""
	}
	text := ""
	switch {
	case strings.HasPrefix(c.Version, "3."):
		text = ".npy version " + c.Version + ", which NumPy reads since 1.17"
	case strings.HasPrefix(c.Version, "2."):
		text = ".npy version " + c.Version + ", which NumPy reads since 1.9"
	}
	if n := r.tensor.Header.Chars; n > npy.LoadLimit {
		text = joined(text, fmt.Sprintf("%d characters, more than np.load reads", n))
	}
	return text
}

// deviceText is the device that the tensor was on, if that is not the CPU.
func (r *Report) deviceText() string {
	if c := r.Container; c != nil && c.ArchiveMember != nil && c.Device != "" && c.Device != "cpu" {
		return deviceText(c.Device)
	}
	return ""
}

// archiveText says where in its archive the array is, and whether it can be mapped.
func (r *Report) archiveText() string {
	c := r.Container
	switch {
	case c == nil || c.ArchiveMember == nil:
		return ""
	case c.Compressed:
		return fmt.Sprintf("deflated to %s: it cannot be memory-mapped", words.ShortBytes(c.PackedBytes))
	case c.Mmap == nil:
		return ""
	}
	return fmt.Sprintf("stored from byte %d: np.memmap maps it in place, as --all shows", c.DataOffset)
}
