//go:build !js

package zarr

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// array is the metadata of an array. Its axes are in memory order, the outermost first; order has the dims that they are.
type array struct {
	path  string // of its folder; "." is the root
	item  dtype.Type
	order []int
	sizes []int // of axes
	level level // of the chunks in files
	key   func(chunk []string) string
	dims  []string        // names of dims; nil without valid ones
	fill  json.RawMessage // the value of elements that no file has
	codec error           // why data cannot be read; nil if they can
}

// level is a grid of chunks: those in files, or those in a shard.
type level struct {
	chunk  []int // sizes of axes
	count  []int // the axes in which keys and indexes count
	codecs []codec
	inner  *level // the chunks of a shard; nil: a chunk is elements
	front  bool   // a shard's index is at its start
	index  []codec
}

// named is an object of version 3 with a name and a configuration, or its name alone.
type named struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration"`
}

func (n *named) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &n.Name)
	}
	type plain named
	return json.Unmarshal(text, (*plain)(n))
}

// configuration has the fields of all configurations that are read.
type configuration struct {
	ChunkShape []int   `json:"chunk_shape"`
	Separator  string  `json:"separator"`
	Endian     string  `json:"endian"`
	Order      []int   `json:"order"`
	Codecs     []named `json:"codecs"`
	Index      []named `json:"index_codecs"`
	Location   string  `json:"index_location"`
}

func (n named) read() (c configuration, err error) {
	if len(n.Configuration) > 0 {
		err = json.Unmarshal(n.Configuration, &c)
	}
	return c, malformed("the configuration of "+strconv.Quote(n.Name), err)
}

// malformed is the error for JSON that is not the format's.
func malformed(what string, err error) error {
	if err == nil {
		return nil
	}
	return damaged("%s: %v", what, err)
}

// version2 is a .zarray. (Zarr storage specification version 2, Arrays)
type version2 struct {
	Format     int                   `json:"zarr_format"`
	Shape      []int                 `json:"shape"`
	Chunks     []int                 `json:"chunks"`
	DType      json.RawMessage       `json:"dtype"`
	Fill       json.RawMessage       `json:"fill_value"`
	Order      string                `json:"order"`
	Separator  string                `json:"dimension_separator"`
	Compressor *struct{ ID string }  `json:"compressor"`
	Filters    []struct{ ID string } `json:"filters"`
}

func parse2(path string, text []byte) (*array, error) {
	var m version2
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, malformed("not metadata of Zarr", err)
	}
	var name string
	if err := json.Unmarshal(m.DType, &name); err != nil {
		return nil, fault.New(fault.Unsupported, "its elements are records")
	}
	a := &array{path: path, fill: m.Fill}
	var err error
	a.item, err = element(name)
	if err != nil {
		return nil, err
	}
	order := ints.Range(len(m.Shape))
	switch m.Order {
	case "C":
	case "F":
		slices.Reverse(order)
	default:
		return nil, damaged("the order is %q, not C or F", m.Order)
	}
	if m.Compressor != nil {
		a.level.codecs = append(a.level.codecs, a.codecOf(m.Compressor.ID))
	}
	for _, f := range m.Filters {
		a.refuse(f.ID, "filter")
	}
	a.level.chunk = m.Chunks
	a.key = keyOf(m.Separator, ".", "")
	return a, a.arrange(m.Shape, order)
}

// version3 is a zarr.json of an array. (Zarr core specification version 3, Array metadata)
type version3 struct {
	Shape        []int           `json:"shape"`
	DataType     named           `json:"data_type"`
	Grid         named           `json:"chunk_grid"`
	Keys         named           `json:"chunk_key_encoding"`
	Fill         json.RawMessage `json:"fill_value"`
	Codecs       []named         `json:"codecs"`
	Dims         []*string       `json:"dimension_names"`
	Transformers []named         `json:"storage_transformers"`
}

func parse3(path string, text []byte) (*array, error) {
	var m version3
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, malformed("not metadata of Zarr", err)
	}
	if m.Grid.Name != "regular" {
		return nil, fault.New(fault.Unsupported, "its chunks are a grid called %q, not a regular one", m.Grid.Name)
	}
	if len(m.Transformers) > 0 {
		return nil, fault.New(fault.Unsupported, "it has a storage transformer called %q", m.Transformers[0].Name)
	}
	a := &array{path: path, fill: m.Fill, dims: dimNames(m.Dims)}
	var err error
	a.item, err = element(m.DataType.Name)
	if err != nil {
		return nil, err
	}
	grid, err := m.Grid.read()
	if err != nil {
		return nil, err
	}
	keys, err := m.Keys.read()
	if err != nil {
		return nil, err
	}
	switch m.Keys.Name {
	case "default":
		a.key = keyOf(keys.Separator, "/", "c")
	case "v2":
		a.key = keyOf(keys.Separator, ".", "")
	default:
		return nil, fault.New(fault.Unsupported, "its chunks have keys called %q", m.Keys.Name)
	}
	order := ints.Range(len(m.Shape))
	if err := a.chain(&a.level, grid.ChunkShape, m.Codecs, &order, 0); err != nil {
		return nil, err
	}
	return a, a.arrange(m.Shape, order)
}

// maxNested bounds shards in shards.
const maxNested = 4

// chain reads the codecs of a level, whose chunks have these sizes in the order of dims so far; count and chunk of the level are by dim until
// arrange. It transposes the order. (Zarr core specification version 3, Chunk encoding; codecs/transpose, codecs/sharding-indexed)
func (a *array) chain(l *level, chunk []int, codecs []named, order *[]int, depth int) error {
	if depth > maxNested {
		return fault.New(fault.Unsupported, "shards are nested deeper than %d", maxNested)
	}
	if len(chunk) != len(*order) {
		return damaged("a chunk has %d sizes, the array %d", len(chunk), len(*order))
	}
	l.count = slices.Clone(*order)
	l.chunk = make([]int, len(chunk))
	for i, dim := range *order {
		l.chunk[dim] = chunk[i]
	}
	isBytes := false
	for _, n := range codecs {
		c, err := n.read()
		if err != nil {
			return err
		}
		switch n.Name {
		case "transpose":
			if isBytes {
				return damaged("a transpose follows the codec that writes bytes")
			}
			turned, err := permuted(*order, c.Order)
			if err != nil {
				return err
			}
			*order = turned
		case "bytes":
			isBytes = true
			if c.Endian == "big" {
				a.item = a.item.OtherOrder()
			}
		case "sharding_indexed":
			isBytes = true
			l.inner = &level{}
			l.front = c.Location == "start"
			l.index = a.indexCodecs(c.Index)
			if err := a.chain(l.inner, c.ChunkShape, c.Codecs, order, depth+1); err != nil {
				return err
			}
		default:
			if !isBytes {
				return fault.New(fault.Unsupported, "its codec %q changes elements", n.Name)
			}
			l.codecs = append(l.codecs, a.codecOf(n.Name))
		}
	}
	if !isBytes {
		return damaged("no codec writes bytes")
	}
	return nil
}

// indexCodecs returns the codecs of a shard's index behind its bytes, which must be little-endian.
func (a *array) indexCodecs(codecs []named) (all []codec) {
	for _, n := range codecs {
		c, err := n.read()
		if err != nil || c.Endian == "big" {
			a.refuse(n.Name, "index codec")
			continue
		}
		if n.Name != "bytes" {
			all = append(all, a.codecOf(n.Name))
		}
	}
	return all
}

// arrange turns sizes by dim into sizes by axis, the axes being the dims in this order, and checks them.
func (a *array) arrange(shape, order []int) error {
	a.order = order
	if a.level.count == nil {
		a.level.count = ints.Range(len(shape))
	}
	if _, err := tensor.Packed(shape); err != nil {
		return damaged("%v", err)
	}
	axis := make([]int, len(order))
	for i, dim := range order {
		axis[dim] = i
	}
	var shard []int
	for l := &a.level; l != nil; l = l.inner {
		if len(l.chunk) != len(shape) {
			return damaged("a chunk has %d sizes, the array %d", len(l.chunk), len(shape))
		}
		l.chunk = pick(l.chunk, order)
		l.count = pick(axis, l.count)
		if err := checkChunk(l.chunk, shard); err != nil {
			return err
		}
		shard = l.chunk
	}
	a.sizes = pick(shape, order)
	return nil
}

// checkChunk checks the sizes of a chunk in a shard, which is nil for a chunk in a file.
func checkChunk(chunk, shard []int) error {
	if slices.ContainsFunc(chunk, func(n int) bool { return n <= 0 }) {
		return damaged("the sizes of a chunk are %v", chunk)
	}
	if _, err := tensor.Numel(chunk); err != nil {
		return damaged("a chunk: %v", err)
	}
	for i, n := range shard {
		if n%chunk[i] != 0 {
			return damaged("chunks of %v do not divide shards of %v", chunk, shard)
		}
	}
	return nil
}

// pick returns values[i] for each i.
func pick(values, indices []int) []int {
	picked := make([]int, len(indices))
	for k, i := range indices {
		picked[k] = values[i]
	}
	return picked
}

// permuted returns values[i] for each i of a permutation.
func permuted(values, order []int) ([]int, error) {
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	if !slices.Equal(sorted, ints.Range(len(values))) {
		return nil, damaged("the order of a transpose is %v, no permutation of %d axes", order, len(values))
	}
	return pick(values, order), nil
}

// keyOf returns the key of a chunk: its numbers, joined, behind a prefix. Without numbers it is the prefix, or 0.
func keyOf(separator, usual, prefix string) func(chunk []string) string {
	if separator != "." && separator != "/" {
		separator = usual
	}
	return func(chunk []string) string {
		if prefix != "" {
			chunk = append([]string{prefix}, chunk...)
		}
		if len(chunk) == 0 {
			return "0"
		}
		return strings.Join(chunk, separator)
	}
}

// element returns the type of a name: a typestr of NumPy in version 2, bfloat16 or r24 in version 3.
func element(name string) (d dtype.Type, err error) {
	bits, isRaw := strings.CutPrefix(name, "r")
	n, bad := strconv.Atoi(bits)
	if isRaw && bad == nil {
		d, err = dtype.Parse("V" + strconv.Itoa(n/8))
	} else {
		d, err = dtype.Parse(name)
	}
	isNumber := err == nil && strings.ContainsRune("biufcV", rune(d.Kind()))
	if !isNumber || d.Packed() || d.ItemSize() == 0 {
		return d, fault.New(fault.Unsupported, "its elements are of type %s", strconv.Quote(name))
	}
	if strings.HasPrefix(name, "|") || strings.HasPrefix(name, "<") || strings.HasPrefix(name, ">") {
		return d, nil
	}
	return d.LittleEndian(), nil
}

// dimNames returns the names of all dims; nil if one has none, or they cannot name dims.
func dimNames(given []*string) []string {
	if len(given) == 0 {
		return nil
	}
	var names []string
	for _, n := range given {
		if n == nil {
			return nil
		}
		names = append(names, *n)
	}
	dims, err := notation.NamedDims(names)
	if err != nil {
		return nil
	}
	return dims
}

// damaged is the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the folder again, or write it again")
}
