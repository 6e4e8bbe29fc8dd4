package printed

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// setter returns what reads the value of a folded key; nil for a word that is a remark: it may change addresses.
func setter(key string) func(r *reading, value []scan.Term) error {
	switch key {
	case "shape", "size", "sizes", "dims", "dim", "dimensions", "extents", "extent", "globalshape", "globalsizes":
		return (*reading).setSizes
	case "stride", "strides", "elementstrides":
		return (*reading).setStrides
	case "strideinbytes", "stridesinbytes", "bytestride", "bytestrides", "stridebytes", "stridesbytes":
		return (*reading).setByteStrides
	case "offset", "storageoffset", "startoffset", "elemoffset":
		return (*reading).setOffset
	case "dtype", "elementtype", "elemtype", "scalartype", "datatype", "type":
		return (*reading).setElement
	case "typestr":
		return (*reading).setTypestr
	case "ccontiguous", "contiguous", "iscontiguous":
		return (*reading).setC
	case "fcontiguous":
		return (*reading).setF
	case "order", "layout", "memoryformat":
		return (*reading).setOrder
	case "mask":
		return (*reading).setMask
	case "view", "views":
		return (*reading).setViews
	default:
		return nil
	}
}

// neutral are keys that change no address.
const neutral = " device requiresgrad grad gradfn ispinned pinmemory data dataptr ptr descr version ndim rank itemsize elementsize nbytes numel isquantized " +
	"qparams owndata writeable aligned writebackifcopy updateifcopy readonly stream name weaktype sharding vma names isleaf isview arrayinterface cudaarrayinterface backend "

// fold returns a key without case, underscores, and the tensor that it is of: x.stride() is stride.
func fold(key string) string {
	key = strings.ToLower(key[strings.LastIndexByte(key, '.')+1:])
	return strings.ReplaceAll(strings.Trim(key, "_"), "_", "")
}

// isKey reports whether a folded word is a key.
func isKey(word string) bool { return setter(word) != nil || strings.Contains(neutral, " "+word+" ") }

// ofFields reads terms that are all fields, or lists without names if positional. An error counts behind what is said of a tensor.
//
//	shape=[2, 3], strides=[3, 1], layout=Cc (0x5), const ndim=2    torch.Size([2, 3]) (1, 2)    C_CONTIGUOUS : True …
func ofFields(terms []scan.Term, positional bool) (*reading, error) {
	r := &reading{}
	all, err := r.fields(&cursor{terms: terms}, positional)
	if err != nil && (r.sizes != nil || r.said()) {
		return nil, err
	}
	if !all || !r.said() {
		return nil, nil
	}
	return r, r.finish()
}

// said reports whether fields are those of a tensor: strides, or flags or an element type with sizes.
func (r *reading) said() bool {
	if r.strides != nil || r.isC != unsaid || r.isF != unsaid {
		return true
	}
	return r.named != nil || r.sizes != nil && (r.element != nil || len(r.notes) > 0)
}

// finish says what the fields leave open.
func (r *reading) finish() error {
	if r.named != nil {
		return nil
	}
	if r.sizes == nil {
		r.lone = true
	}
	if r.strides == nil && r.isC == no && r.isF == no {
		return fault.New(fault.Usage, "neither C_CONTIGUOUS nor F_CONTIGUOUS: its strides are missing").WithHint("paste x.shape and x.strides: '(2, 3) (24, 8)'")
	}
	if r.lone && r.strides == nil {
		r.named = &notation.Layout{Own: notation.OwnC}
		if r.isC != yes {
			r.named.Own = notation.OwnFortran
		}
		return nil
	}
	isPlain := r.strides == nil && r.isC == unsaid && r.isF == unsaid
	if isPlain && !r.inBytes { // NumPy's strides None are row-major
		r.notes = append(r.notes, rowMajor)
	}
	return nil
}

// fields reads names and values, and, if positional, lists without names, of which the first has the sizes. all is false if a term is none of
// these.
func (r *reading) fields(c *cursor, positional bool) (all bool, err error) {
	var lists [][]scan.Term
	named := false
	for c.at < len(c.terms) {
		if slices.Contains([]string{",", ";", "const", "dynamic"}, c.peek().Text) {
			c.at++
			continue
		}
		key, found := c.key()
		if found {
			value := c.value()
			named = true
			err = r.set(key, value)
			if err != nil {
				return true, err
			}
			continue
		}
		value := c.value()
		last := value[len(value)-1]
		isElements := len(value) == 1 && last.Open == '[' // of an array, before its fields
		if isList(value) || isElements {
			lists = append(lists, value)
			continue
		}
		isClass := len(value) == 2 && (last.Open == '(' || last.Open == '{')
		if isClass {
			inner, err := r.fields(&cursor{terms: last.Inner}, true)
			if !inner || err != nil {
				return inner, err
			}
			continue
		}
		if !r.unnamed(value) {
			return false, nil
		}
	}
	if named && r.sizes != nil {
		return true, nil // lists before them are the elements
	}
	if len(lists) > 0 && !positional {
		return false, nil
	}
	return r.listsOf(lists)
}

// listsOf reads sizes, strides and an offset that have no names: NumPy's strides are bytes, those of torch.Size are elements.
func (r *reading) listsOf(lists [][]scan.Term) (all bool, err error) {
	if len(lists) == 0 || len(lists) > 2 {
		return len(lists) == 0, nil
	}
	if r.sizes == nil {
		err = r.setSizes(lists[0])
		ofTorch := len(lists[0]) > 1
		lists = lists[1:]
		r.guessed = !ofTorch && r.offset.n == 0
	}
	if len(lists) == 1 && err == nil {
		err = r.setStrides(lists[0])
		lists = nil
	}
	return len(lists) == 0, err
}

// unnamed reads a value without a name: a type of elements, a device, an offset behind the strides.
func (r *reading) unnamed(value []scan.Term) bool {
	first := value[0]
	if len(value) == 3 && value[1].Text == ":" { // cuda:0
		return true
	}
	if len(value) > 1 {
		return false
	}
	if first.Text == "..." || first.Open == '"' || first.Open == '\'' {
		return true
	}
	if !first.IsWord() {
		return false
	}
	n, err := countOf(first.Text)
	if err == nil && n.open == "" {
		r.offset = n
		return true
	}
	d := elementOf(first.Text)
	if d == nil {
		return slices.Contains([]string{"cpu", "cuda", "meta", "mps", "xpu", "None"}, first.Text)
	}
	r.element = d
	return true
}

// key takes a word or a quoted word with = or : behind it, or a key before a list: x.stride() (3, 1).
func (c *cursor) key() (key string, ok bool) {
	begin := c.at
	t := c.peek()
	word := c.word()
	if quoted, is := c.bracket(`"'`, true); word == "" && is && len(quoted.Inner) == 1 {
		word = quoted.Content()
	}
	if word == "" {
		c.at = begin
		return "", false
	}
	if body, called := c.bracket("(", false); called && len(body.Inner) > 0 {
		c.at = begin
		return "", false
	}
	key = fold(word)
	isName := t.Open != 0 || scan.NameLength(strings.ReplaceAll(word, ".", "_")) == len(word)
	if isName && (c.sign("=") || c.sign(":")) {
		return key, true
	}
	next := c.peek()
	isList := next.Open == '(' || next.Open == '[' || strings.HasSuffix(next.Text, "Size")
	isBeforeList := isList && next.Apart && setter(key) != nil
	if !isBeforeList {
		c.at = begin
	}
	return key, isBeforeList
}

// value takes the terms of a value: up to a comma, the next key, or a list that stands apart.
func (c *cursor) value() []scan.Term {
	begin := c.at
	for c.at < len(c.terms) {
		t := c.peek()
		ends := t.Text == "," || t.Text == ";"
		isNext := t.Apart && !c.continues(begin)
		if c.at > begin && (ends || isNext) {
			break
		}
		c.at++
	}
	return c.terms[begin:c.at]
}

// continues reports whether a term that stands apart belongs to the value that began before: a word's fields, or Rust's Cc (0x5).
func (c *cursor) continues(begin int) bool {
	isWord := c.at == begin+1 && c.terms[begin].IsWord()
	next := c.peek()
	return isWord && (next.Open == '{' || next.Open == '(' && strings.HasPrefix(next.Text, "(0x"))
}

// set reads the value of a key.
func (r *reading) set(key string, value []scan.Term) error {
	if len(value) == 0 {
		return fault.New(fault.Usage, "%s has no value", text.Quote(text.Cut(key, 40)))
	}
	set := setter(key)
	if set != nil {
		return set(r, value)
	}
	if !isKey(key) {
		r.notes = append(r.notes, "not read: "+text.Cut(key+"="+scan.Span(value), 40))
	}
	return nil
}

// isList reports whether a value is a list of numbers, with or without its class: (2, 3), torch.Size([2, 3]), IntTuple(2, 3).
func isList(value []scan.Term) bool {
	last := value[len(value)-1]
	isClass := len(value) == 2 && value[0].IsWord() && !last.Apart && last.Open == '('
	isBracket := last.Open == '(' || last.Open == '[' || last.Open == '{'
	if !isBracket || !isClass && len(value) != 1 {
		return false
	}
	if isClass && len(last.Inner) == 1 && last.Inner[0].Open != 0 {
		last = last.Inner[0]
	}
	for _, t := range last.Inner {
		isKeyed := t.Text == "=" || t.Text == ":"
		if t.Open != 0 || isKeyed {
			return false
		}
	}
	return true
}

func isNone(value []scan.Term) bool {
	return len(value) == 1 && slices.Contains([]string{"None", "null", "nullptr", "NULL"}, value[0].Text)
}

// list returns the numbers of a list; nil for None.
func list(value []scan.Term) ([]count, error) {
	if isNone(value) {
		return nil, nil
	}
	if !isList(value) {
		return nil, fault.New(fault.Usage, "%s is not a list of numbers", text.Quoted(text.Cut(scan.Span(value), 40)))
	}
	last := value[len(value)-1]
	if len(last.Inner) == 1 && last.Inner[0].Open != 0 {
		last = last.Inner[0]
	}
	return counts(last.Text)
}

func (r *reading) setSizes(value []scan.Term) (err error) {
	r.sizes, err = list(value)
	return err
}

func (r *reading) setStrides(value []scan.Term) (err error) {
	r.strides, err = list(value)
	return err
}

func (r *reading) setByteStrides(value []scan.Term) error {
	r.inBytes = true
	return r.setStrides(value)
}

func (r *reading) setOffset(value []scan.Term) (err error) {
	r.offset, err = countOf(scan.Span(value))
	return err
}

func (r *reading) setElement(value []scan.Term) error {
	word := scan.Span(value)
	quoted := value[len(value)-1]
	for len(quoted.Inner) > 0 {
		word = quoted.Content()
		quoted = quoted.Inner[0]
	}
	parse := dtype.ParsePrinted
	if strings.ContainsAny(word[:min(1, len(word))], "<>=|") {
		parse = dtype.ParseTyped
	}
	d, err := parse(word)
	r.element = &d
	return err
}

// setTypestr reads the type of NumPy's interface, whose strides are bytes.
func (r *reading) setTypestr(value []scan.Term) error {
	r.inBytes = true
	return r.setElement(value)
}

// claimed reads True or false.
func claimed(value []scan.Term) claim {
	switch strings.ToLower(scan.Span(value)) {
	case "true", "1":
		return yes
	case "false", "0":
		return no
	default:
		return unsaid
	}
}

func (r *reading) setC(value []scan.Term) error { r.isC = claimed(value); return nil }

func (r *reading) setF(value []scan.Term) error { r.isF = claimed(value); return nil }

// setOrder reads a memory order: ndarray's flags Cc (0x5), of which C and F are contiguity, and names that have one.
func (r *reading) setOrder(value []scan.Term) error {
	word := value[0].Text
	isFlags := len(value) == 2 && strings.HasPrefix(value[1].Text, "(0x")
	if isFlags && word != "Custom" {
		r.isC = claimOf(strings.Contains(word, "C"))
		r.isF = claimOf(strings.Contains(word, "F"))
	}
	if isFlags || isNone(value) {
		return nil
	}
	if word == "torch.contiguous_format" {
		r.isC = yes
	}
	if !strings.HasPrefix(word, "torch.") {
		r.notes = append(r.notes, "not read: "+text.Cut("layout="+scan.Span(value), 40))
	}
	return nil
}

func claimOf(is bool) claim {
	if is {
		return yes
	}
	return no
}

// setMask reads the mask of a view of tinygrad, outside of which elements are 0 and not in memory.
func (r *reading) setMask(value []scan.Term) error {
	if !isNone(value) {
		r.isMasked = true
		r.notes = append(r.notes, "elements outside of the mask "+text.Cut(scan.Span(value), 40)+" are zeros, not in memory")
	}
	return nil
}

// setViews reads the only view of a list of them.
func (r *reading) setViews(value []scan.Term) error {
	last := value[len(value)-1]
	parts := scan.Split(last.Inner)
	_, err := r.fields(&cursor{terms: last.Inner}, false)
	if err == nil && len(parts) > 1 && len(value) == 1 {
		return fault.New(fault.Unsupported, "%s, one of the elements of the other, are no strides", text.Count(len(parts), "view")).WithHint("paste one View(…)")
	}
	return err
}
