package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Fact is one fact about a tensor, with a label, which several facts may share.
type Fact struct {
	Label, Text string
	Full        []string // lines for --all, if they differ from Text
	Priority    Priority
	Who         string // frameworks concerned, for a screen without room for reasons; empty if it is about the tensor
}

// Priority is how important a fact is on a screen without room for all.
type Priority int

// The priorities, lowest first.
const (
	Plain    Priority = iota // as expected, or in the headline or dims: only for --all
	Spelling                 // other names of the layout
	Detail                   // rarely needed
	Useful
	Vital // needed to read another fact correctly
)

// factList collects facts.
type factList []Fact

// add adds a fact for each non-empty text.
func (l *factList) add(p Priority, label string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			*l = append(*l, Fact{Label: label, Text: text, Priority: p})
		}
	}
}

// addFull adds a fact with lines for --all; without a short text it is Plain.
func (l *factList) addFull(p Priority, label, text string, full []string) {
	if text == "" {
		p = Plain
	}
	if len(full) > 0 {
		*l = append(*l, Fact{Label: label, Text: text, Full: full, Priority: p})
	}
}

// Facts returns all facts about the tensor, in display order: the file, the array as stored, the tensor over its bytes, its use of memory, the cost
// of a copy, the frameworks that accept it, and its names. All derive from the fields of the report.
func (r *Report) Facts() []Fact {
	l := &factList{}
	l.add(Vital, "axes", r.doubtText())
	r.addFileFacts(l)
	r.addViewFacts(l)
	r.addStorageFacts(l)
	r.addPyTorchFacts(l)
	r.addQuantizedFacts(l)
	l.add(Useful, "note", r.noteTexts()...)
	l.add(Useful, "ambiguous", r.Ambiguity)
	for _, c := range r.Candidates {
		l.add(Plain, "candidate", c.Layout+": "+c.Why)
	}
	r.addOriginFacts(l)
	*l = append(*l, r.acceptedFacts()...)
	l.addFull(Spelling, "names", r.namesText(), r.nameLines())
	return *l
}

// Highlights are the facts of the first screen.
func (r *Report) Highlights() (highlights []Fact) {
	for _, f := range r.Facts() {
		if f.Priority > Plain {
			highlights = append(highlights, f)
		}
	}
	return highlights
}

// addViewFacts adds the array as stored, the tensor over its bytes, and their contiguity.
func (r *Report) addViewFacts(l *factList) {
	if r.TwoViews() {
		l.add(Vital, "as stored", r.storedText())
		l.add(Vital, r.viewLabel(), r.viewText())
	}
	l.add(Plain, "memory order", r.memoryOrderText())
	l.add(Plain, "address", r.Formula)
	l.add(Vital, "oneDNN", r.descriptorText())
	if len(r.OuterTags) == 0 {
		l.add(Plain, "unblocked", r.UnblockedText())
	}
	if !r.TwoViews() || r.Strides != nil {
		l.addFull(Vital, "contiguous", r.contiguousText(), r.contiguousLines())
	}
}

// addStorageFacts adds how the elements occupy storage.
func (r *Report) addStorageFacts(l *factList) {
	l.add(Plain, "dense", r.denseText())
	r.addOverlapFact(l)
	l.add(Vital, "storage", r.storageText())
	if r.padded() {
		l.add(Vital, "padding", r.paddingText())
	} else {
		l.add(Plain, "padding", "no")
	}
	l.addFull(Vital, "strict", r.strictText(), r.strictLines())
	l.add(Useful, "offset", r.offsetText())
	l.add(Plain, "elements", fmt.Sprintf("%d, %s", r.Numel, text.Bytes(int64(r.NBytes))))
	l.add(Plain, "extent", r.extentText())
	l.add(Plain, "lda", r.leadingText())
	if r.DirectMLBytes != nil {
		l.add(Plain, "DirectML size", fmt.Sprintf("%d bytes (DMLCalcBufferTensorSize)", *r.DirectMLBytes))
	}
}

// addOverlapFact adds whether elements share addresses, and whether that is because of broadcast dims.
func (r *Report) addOverlapFact(l *factList) {
	shared := r.SharedText()
	if len(r.BroadcastDims) > 0 {
		l.add(Vital, "broadcast", r.BroadcastText()+": "+shared)
		return
	}
	if shared != "" {
		l.add(Vital, "overlap", shared)
		return
	}
	l.add(Plain, "overlap", "no")
}

// memoryOrderText is the memory order, and its assumptions; empty if it has no name.
func (r *Report) memoryOrderText() string {
	if r.Layout == r.Notation || len(r.Shape) < 2 {
		return ""
	}
	order := r.Explicit + ", outermost first" + r.tensor.OrderMark()
	if r.LayoutAssumed {
		order += "; --from overrides"
	}
	return order
}

// AssumedDims notes that dim names are assumed, if only strides were given; otherwise empty.
func (r *Report) AssumedDims() string {
	rank := len(r.Shape)
	if rank < 3 || rank > 5 { // only these have letters that may be wrong
		return ""
	}
	if r.tensor.OrderSource != source.ByStrides || !slices.Equal(r.Dims, source.DimNames(rank)) {
		return ""
	}
	return strings.Join(r.Dims, ",") + " assumed, set with --dims"
}

// viewLabel is "as N,C,H,W" for dims of one letter each.
func (r *Report) viewLabel() string {
	if label := "as " + strings.Join(r.Dims, ","); len(label) <= len("as N,C,D,H,W") {
		return label
	}
	return "as dims"
}

// doubtText is Doubt of the source, and how to set the order.
func (r *Report) doubtText() string {
	assumed := strings.ToLower(strings.Join(r.Dims, ""))
	if r.LooksLike != "" {
		return fmt.Sprintf("unknown: %s%s; --from %s or %s", r.tensor.Doubt(), r.evidence(), r.LooksLike, assumed)
	}
	if !r.contradicted() {
		return ""
	}
	suggested := text.Or(r.Evidence.Suggests)
	flags := strings.ToLower(text.Or(append(slices.Clone(r.Evidence.Suggests), assumed)))
	return fmt.Sprintf("%s assumed, but values suggest %s: --from %s", strings.Join(r.Dims, ""), suggested, flags)
}

// storedText is the array as stored, and who sees it this way.
func (r *Report) storedText() string {
	return fmt.Sprintf("%s, %s: what %s", tensor.Tuple(r.AsStored.Shape), r.AsStored.Senses(), r.seenAsStored())
}

// seenAsStored ends a sentence about the array as stored: np.load only reads files with a header.
func (r *Report) seenAsStored() string {
	if r.Bits > 0 || r.tensor.Divided() {
		return "the file holds, divided"
	}
	if r.Container != nil && r.Container.Format == source.KindRaw {
		return "the raw file holds"
	}
	return "np.load and safetensors see"
}

// ViewText is the tensor over the bytes of a file: "as N,C,H,W (2, 3, 6, 8), channels_last contiguous"; empty if the array as stored is the same
// view.
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

// descriptorText reports that the strides may be those of a oneDNN descriptor.
func (r *Report) descriptorText() string {
	outer := r.OuterStridesText()
	if outer == "" {
		return ""
	}
	return joined(outer, r.UnblockedText(), "the facts below assume plain strides")
}

// noteTexts are the notes not covered by another fact.
func (r *Report) noteTexts() []string {
	var texts []string
	for _, note := range r.Notes {
		if note != r.tensor.Doubt() && note != r.strictNote(r.tensor) {
			texts = append(texts, note)
		}
	}
	return texts
}

// IndexNames are the names of an element's indices: n,c,h,w.
func (r *Report) IndexNames() string { return strings.ToLower(strings.Join(r.Dims, ",")) }
