package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/words"
)

// viewTable compares the array as stored with the tensor over the same bytes, where they are two.
func (r report) viewTable() render.Table {
	t := render.Table{Title: "Two views of the same bytes: as stored is what " + r.SeenAsStored(),
		Header: []string{"view", "shape", "strides", "contiguous"}}
	if !r.TwoViews() {
		return t
	}
	s, strides, contiguous := r.AsStored, "in blocks", inspect.Senses(r.Contiguous.C, r.Contiguous.F, r.Contiguous.CL, r.Contiguous.CL3D)
	switch {
	case r.Strides != nil:
		strides = tensor.Tuple(r.Strides)
	case r.Swizzle != nil:
		strides = "permuted by " + r.Swizzle.String()
	}
	t.Add("as stored", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides), s.Senses())
	t.Add("as "+strings.Join(r.Dims, ","), tensor.Tuple(r.Shape), strides, cmp.Or(contiguous, "no"))
	return t
}

// ofView ends the title of a table about the tensor, not the array as stored, where these are two: "Contiguous? as N,C,H,W".
func (r report) ofView(title string) string {
	if !r.TwoViews() {
		return title + r.AsPlain()
	}
	return title + " as " + strings.Join(r.Dims, ",")
}

// dimTable lists the dims with their strides, or the digits of dims that are split.
func (r report) dimTable() render.Table {
	if r.Strides == nil {
		return r.digitTable()
	}
	t := render.Table{Title: "Dims, in logical order", Header: []string{"dim", "size", "stride", "bytes"}, Numbers: []int{1, 2, 3}}
	for i, name := range r.Dims {
		t.Add(name, strconv.Itoa(r.Shape[i]), strconv.Itoa(r.Strides[i]), explain.InBytes(r.Strides[i], r.ItemSize))
	}
	return t
}

func (r report) digitTable() render.Table {
	t := render.Table{Title: "Dims and their digits, most significant first",
		Header: []string{"dim", "size", "digit", "extent", "stride", "bytes"}, Numbers: []int{1, 3, 4, 5}}
	for i, name := range r.Dims {
		d := tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
		size := strconv.Itoa(d.Size)
		for k, g := range slices.Backward(d.Digits) {
			t.Add(name, size, explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), explain.InBytes(g.Stride, r.ItemSize))
			name, size = "", ""
		}
	}
	return t
}

// maxFields is how many fields of a record are shown: more would bury the rest, and wrapping them takes time.
const maxFields = 32

// factTable lists the facts that take one line each.
func (r report) factTable() render.Table {
	t := render.Table{Title: r.ofView("Facts"), Header: []string{"fact", "value"}}
	r.addFileFacts(&t)
	r.addTypeFacts(&t)
	t.Add("shape", strings.TrimSuffix(fmt.Sprintf("%s, logical: %s", tensor.Tuple(r.Shape), strings.Join(r.Dims, ", ")), ": "))
	if r.Layout != r.Notation && len(r.Shape) > 0 {
		t.Add("memory order", r.orderText())
	}
	t.Add("address", r.Formula)
	if outer := r.OuterStridesText(); outer != "" {
		t.Add("oneDNN", outer)
	}
	if plain := r.UnblockedText(); plain != "" {
		t.Add("unblocked", plain)
	}
	t.Add("elements", fmt.Sprintf("%d, %s", r.Numel, words.Bytes(int64(r.NBytes))))
	t.Add("extent", r.extentText())
	t.Add("dense", r.DenseText())
	t.Add("padded", r.PaddedText())
	t.Add("broadcast", r.BroadcastText())
	t.Add("overlapping", r.OverlapText())
	if r.DirectMLBytes != nil {
		t.Add("DirectML size", fmt.Sprintf("%d bytes (DMLCalcBufferTensorSize)", *r.DirectMLBytes))
	}
	for _, n := range r.Notes {
		t.Add("note", n)
	}
	return t
}

// addFileFacts adds what the file's header says; nothing without a file.
func (r report) addFileFacts(t *render.Table) {
	c := r.Container
	if c == nil {
		return
	}
	order, within := "C order", ""
	if c.FortranOrder {
		order = "Fortran order"
	}
	if c.ArchiveMember != nil {
		within = c.Within()
	}
	format := ".npy " + c.Version
	if c.Version == "" {
		format = c.Kind
	}
	if r.FileShape == nil {
		order = "a view of a storage"
	}
	t.Add("file", fmt.Sprintf("%s, %s, %s of data from byte %d%s", format, order, words.Bytes(c.DataBytes), c.DataOffset, within))
	if c.ArchiveMember != nil {
		r.addMemberFacts(t)
	}
	if r.FileShape != nil {
		t.Add("file shape", tensor.Tuple(r.FileShape)+", physical: one size per file axis")
	}
}

// addTypeFacts adds the dtype and the fields of a record.
func (r report) addTypeFacts(t *render.Table) {
	size := words.Count(r.ItemSize, "byte") + " per element"
	if r.ByteOrder != "none" {
		size += ", " + r.ByteOrder + "-endian"
	}
	t.Add("dtype", fmt.Sprintf("%s, %s, %s", words.Shorten(r.DType), words.Shorten(words.Quote(r.Descr)), size))
	for i, f := range r.Fields {
		if i == maxFields {
			t.Add("", fmt.Sprintf("… %d more fields; --json lists them all", len(r.Fields)-i))
			break
		}
		t.Add("", fmt.Sprintf("field %s: %s at byte %d", words.Shorten(f.Name), words.Shorten(f.DType), f.Offset))
	}
}

// orderText is the memory order, and how it was assumed.
func (r report) orderText() string {
	order := r.Explicit + ", outermost first"
	switch {
	case r.LayoutAssumed && r.Reversed():
		order += fmt.Sprintf(": the file's axes in reverse, assumed to be %s (--from overrides)", strings.Join(r.Dims, ", "))
	case r.LayoutAssumed:
		order += "; assumed from the rank, --from overrides"
	}
	return order
}

// addMemberFacts adds where in its archive the array is, and whether it can be mapped.
func (r report) addMemberFacts(t *render.Table) {
	c := r.Container
	m, archive := c.ArchiveMember, words.Quote(c.Archive)
	if c.Kind != "npz" {
		t.Add("checkpoint", fmt.Sprintf("%s, 1 of %s in %s", words.Shorten(words.Quote(cmp.Or(m.Member, "(the tensor)"))), words.Count(m.Members, "tensor"), archive))
		if m.Device != "" {
			t.Add("device", words.Quote(m.Device))
		}
		if m.Mmap != nil {
			t.Add("mmap", "yes: "+words.Shorten(*m.Mmap))
		}
		return
	}
	t.Add("archive", fmt.Sprintf("%s, 1 of %s in %s", words.Shorten(words.Quote(m.Member)), words.Count(m.Members, "member"), archive))
	switch {
	case m.Compressed:
		t.Add("mmap", fmt.Sprintf("no: deflated, %s in the archive. It can be read without the other members: inspect read only its "+
			"header, %d of %d bytes. np.savez, unlike np.savez_compressed, writes arrays that can be memory-mapped",
			words.Bytes(m.PackedBytes), c.DataOffset, c.DataOffset+c.DataBytes+c.TrailingBytes))
	case m.Mmap == nil:
		t.Add("mmap", "nothing to map: no data")
	default:
		odd := ""
		if r.ItemSize > 1 && c.DataOffset%int64(r.ItemSize) != 0 {
			odd = fmt.Sprintf(" (not a multiple of %d, which NumPy accepts)", r.ItemSize)
		}
		t.Add("mmap", fmt.Sprintf("yes: stored uncompressed in %s from byte %d%s. np.load ignores mmap_mode for archives; this call "+
			"maps the array: %s", archive, c.DataOffset, odd, words.Shorten(*m.Mmap)))
	}
}

func (r report) extentText() string {
	s := fmt.Sprintf("%d", r.Extent)
	if r.Span != nil {
		s += fmt.Sprintf(", offsets %d to %d in a storage of %d", r.Span[0], r.Span[1], r.Storage)
	}
	if r.Unique != nil && *r.Unique != r.Extent {
		s += fmt.Sprintf("; %d of them used", *r.Unique)
	}
	return s
}

// contiguityTable answers each sense of contiguous with its reason, and says which of PyTorch's calls make a copy.
func (r report) contiguityTable() render.Table {
	t := render.Table{Title: r.ofView("Contiguous?"), Header: []string{"sense", "answer", "why"}}
	c := r.Contiguous
	add := func(label, key string, ok bool) { t.Add(label, words.YesNo(ok), c.WhyNot[key].Reason) }
	add("C (is_contiguous)", "c", c.C)
	add("F (Fortran)", "f", c.F)
	last := r.ChannelsLastFormat()
	if len(r.Shape) == 4 || len(r.Shape) == 5 {
		add(last, last, c.CL || c.CL3D)
	}
	if c.C && !c.CStrict {
		ignored := ""
		if r.Numel == 0 {
			ignored = "; PyTorch and NumPy ignore the strides of an empty tensor"
		}
		t.Add("C, strict", "no", c.WhyNot["c_strict"].Reason+ignored)
	}
	p := r.PyTorch
	if p == nil {
		return t
	}
	t.Add("suggest_memory_format", p.Suggested, r.SuggestionText())
	if format, why := r.TracedText(); format != "" {
		t.Add("the same in Python", format, why)
	}
	for _, q := range []struct {
		call string
		made *inspect.Copy
	}{{".contiguous()", &p.MakeContiguous}, {".contiguous(" + last + ")", p.MadeLast()}, {".to(" + last + ")", p.ToLast()}} {
		switch {
		case q.made == nil:
		case q.made.Self:
			t.Add(q.call, "self", "no copy")
		default:
			t.Add(q.call, "copy", "with strides "+tensor.Tuple(q.made.Strides))
		}
	}
	return t
}

// acceptedTable has one row for all frameworks that give the same answer.
func (r report) acceptedTable() render.Table {
	t := render.Table{Title: "Zero-copy compatibility" + r.AsPlain(), Header: []string{"answer", "frameworks"}}
	type answer struct {
		ok  bool
		why string
	}
	who := map[answer][]string{}
	var answers []answer
	for _, c := range inspect.Consumers {
		accepted := r.AcceptedBy[c.Key]
		a := answer{accepted.OK, accepted.Why}
		if who[a] == nil {
			answers = append(answers, a)
		}
		who[a] = append(who[a], c.Name)
	}
	rank := func(a answer) int {
		switch {
		case a.ok && a.why == "":
			return 0
		case a.ok:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(answers, func(a, b answer) int { return rank(a) - rank(b) })
	for _, a := range answers {
		t.Add(words.YesNo(a.ok), strings.TrimSuffix(strings.Join(who[a], ", ")+": "+a.why, ": "))
	}
	return t
}

// nameTable lists the layout's name in every framework that has one.
func (r report) nameTable() render.Table {
	t := render.Table{Title: "Names", Header: []string{"framework", "name"}}
	n := r.Names
	add := func(framework string, names ...string) {
		if s := strings.Join(names, ", "); s != "" {
			t.Add(framework, s)
		}
	}
	add("PyTorch", known(n.PyTorch))
	add("oneDNN", n.OneDNN...)
	add("TVM", known(n.TVM))
	add("XLA", known(n.XLA))
	add("CuTe", n.CuTe)
	add("TensorRT", n.TensorRT...)
	add("MegEngine", n.MegEngine...)
	add("cuDNN", known(n.CuDNN))
	if d := n.DirectML; d != nil {
		strides := "null"
		if d.Strides != nil {
			strides = braces(d.Strides)
		}
		add("DirectML", fmt.Sprintf("Sizes %s, Strides %s", braces(d.Sizes), strides))
	}
	return t
}

func braces(xs []int) string { return "{" + words.Ints(xs, ", ") + "}" }

// candidateTable lists the memory orders that the strides agree with.
func (r report) candidateTable() render.Table {
	t := render.Table{Title: "Candidate layouts", Header: []string{"order", "why"}}
	for _, c := range r.Candidates {
		t.Add(c.Layout, c.Why)
	}
	return t
}
