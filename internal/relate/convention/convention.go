// Package convention names what turned one weight into another, where frameworks, kernels and file formats have a name for it.
//
// An order of elements has a name only if its numbers, and where these do not tell, the tensor's own name, say so: rotary embeddings and
// other kernels exchange rows in the same way.
package convention

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Change is what is known of two tensors: b holds a's elements in another order.
type Change struct {
	Names    []string       // of both tensors
	ItemSize int            // bytes of an element
	Order    []string       // b's memory order, outermost first: H//8 H%2 H//2%4 W
	Sizes    map[string]int // of a's dims, by their names in Order
	Dims     []int          // b = a.transpose(Dims); nil if it is no transposition
	Blocks   []int          // b has a's rows in so many blocks, in this order; nil if it has not
}

// convention is a row: a change that has a name.
type convention struct {
	name string // with {D}, a variable of the pattern
	// order is a pattern of Change.Order, for dims r and c: r//D r%2 r//2%h. Capitals are any number, h is half of D; dims before and after, which
	// are whole, do not matter. dims and blocks are the others.
	order  string
	dims   []int
	blocks []int
	halves bool     // the dim r has two values of r//D
	words  []string // one of them must be a word of a tensor's name; none: the numbers say enough
	// source is where the convention is defined, for who doubts it.
	source string
}

// The words of names.
var (
	convolutions = []string{"weight", "kernel", "w", "filter"}
	depthwise    = []string{"depthwise", "dw", "dwconv"}
	queries      = []string{"q", "k", "wq", "wk", "query", "key", "qkv", "wqkv", "qk"}
	gates        = []string{"gate", "up", "gateup", "w1", "w3", "w13", "wi"}
	recurrent    = []string{"lstm", "gru", "rnn", "ih", "hh", "recurrent", "cell"}
)

// conventions are the rows. The first one that fits names a change.
var conventions = []convention{
	{name: "HWIO → OIHW (transposed convolution: HWOI → IOHW)", dims: []int{3, 2, 0, 1}, words: convolutions,
		source: "keras/src/layers/convolutional/base_conv.py, base_conv_transpose.py 3.15, torch/nn/modules/conv.py 2.15"},
	{name: "OIHW → HWIO (transposed convolution: IOHW → HWOI)", dims: []int{2, 3, 1, 0}, words: convolutions,
		source: "torch/nn/modules/conv.py 2.15, keras/src/layers/convolutional/base_conv.py, base_conv_transpose.py 3.15"},
	{name: "depthwise OIHW ↔ HWCM", dims: []int{2, 3, 0, 1}, words: depthwise, source: "keras/src/layers/convolutional/base_depthwise_conv.py 3.15"},
	{name: "OHWI → OIHW", dims: []int{0, 3, 1, 2}, words: convolutions, source: "mlx/nn/layers/convolution.py 0.32"},
	{name: "OIHW → OHWI", dims: []int{0, 2, 3, 1}, words: convolutions, source: "mlx/nn/layers/convolution.py 0.32"},
	{name: "IOHW → OHWI of a transposed convolution", dims: []int{1, 2, 3, 0}, words: convolutions, source: "mlx/nn/layers/convolution_transpose.py 0.32"},
	{name: "DHWIO → OIDHW", dims: []int{4, 3, 0, 1, 2}, words: convolutions, source: "keras/src/layers/convolutional/base_conv.py 3.15"},
	{name: "OIDHW → DHWIO", dims: []int{2, 3, 4, 1, 0}, words: convolutions, source: "keras/src/layers/convolutional/base_conv.py 3.15"},

	{name: "rotary halves as pairs, heads of {D}: expected for GGUF and Meta's code", order: "r//D r%h r//h%2", words: queries,
		source: "llama.cpp convert_hf_to_gguf.py, LlamaModel.permute"},
	{name: "rotary pairs as halves, heads of {D}: expected for Hugging Face", order: "r//D r%2 r//2%h", words: queries,
		source: "transformers 5.24, models/llama/convert_llama_weights_to_hf.py, permute"},
	{name: "q, k, v of each head of {D} as [q, k, v]", order: "r//D%3 r//T r%D", words: queries, source: "llama.cpp convert_hf_to_gguf.py, BloomModel"},

	{name: "gate and up in turn, as [gate, up]", order: "r%2 r//2", words: gates, source: "transformers 5.24, models/gpt_oss/modeling_gpt_oss.py, GptOssExperts"},
	{name: "[gate, up] with their rows in turn: expected for gpt-oss and SonicMoE", order: "r%D r//D", halves: true, words: gates,
		source: "transformers 5.24, models/gpt_oss/modeling_gpt_oss.py, GptOssExperts"},

	{name: "TILE of Tenstorrent, tiles of 32×32 of faces of 16×16", order: "r//32 c//32 r//16%2 c//16%2 r%16 c%16",
		source: "tt-metal tech_reports/tensor_layouts/tensor_layouts.md"},
	{name: "shuffle_weight of AITER, 16 rows and 16 bytes", order: "r//16 c//K r%16 c%K", source: "aiter/ops/shuffle.py, shuffle_weight"},
	{name: "BlockMajorK, blocks of {K} columns: expected for FlashInfer and TensorRT-LLM", order: "c//K r c%K", words: gates,
		source: "flashinfer 0.7, fused_moe/core.py, convert_to_block_layout"},

	{name: "[gate, up] and [up, gate] exchanged: FlashInfer expects [up, gate]", blocks: []int{1, 0}, words: gates,
		source: "flashinfer fb28d724, flashinfer/fused_moe/api.py"},

	{name: "gates i f g o of PyTorch as i o f c of ONNX", blocks: []int{0, 3, 1, 2}, words: recurrent, source: "onnx 1.23, docs/Operators.md, LSTM"},
	{name: "gates i o f c of ONNX as i f g o of PyTorch", blocks: []int{0, 2, 3, 1}, words: recurrent, source: "onnx 1.23, docs/Operators.md, LSTM"},
	{name: "gates i j f o of TensorFlow 1 and i f g o of PyTorch and Keras", blocks: []int{0, 2, 1, 3}, words: recurrent,
		source: "tensorflow 2.21, python/keras/layers/legacy_rnn/rnn_cell_impl.py, BasicLSTMCell"},
	{name: "gates i j f o of TensorFlow 1 as i o f c of ONNX", blocks: []int{0, 3, 2, 1}, words: recurrent,
		source: "tensorflow 2.21, python/keras/layers/legacy_rnn/rnn_cell_impl.py, BasicLSTMCell; onnx 1.23, docs/Operators.md, LSTM"},
	{name: "gates r z n of PyTorch and z r h of Keras and ONNX", blocks: []int{1, 0, 2}, words: recurrent,
		source: "torch/nn/modules/rnn.py 2.15, keras/src/layers/rnn/gru.py 3.15"},
}

// Name returns the name of a change; empty if it has none.
func (c Change) Name() string {
	if c.Blocks == nil {
		c.Blocks = c.blocksOfOrder()
	}
	for _, row := range conventions {
		if len(row.words) > 0 && !c.isNamed(row.words) {
			continue
		}
		name, fits := row.fits(c)
		if fits {
			return name
		}
	}
	return c.cataloguedName()
}

var separators = lazy.Regexp(`[^a-z0-9]+`)

// isNamed reports whether one of the tensors has one of some words in its name.
func (c Change) isNamed(words []string) bool {
	for _, name := range c.Names {
		own := separators.Get().Split(strings.ToLower(name), -1)
		if slices.ContainsFunc(own, func(word string) bool { return slices.Contains(words, word) }) {
			return true
		}
	}
	return false
}

// fits returns the name of a row for a change that it describes.
func (row convention) fits(c Change) (name string, fits bool) {
	if row.dims != nil {
		return row.name, slices.Equal(row.dims, c.Dims)
	}
	if row.blocks != nil {
		return row.name, slices.Equal(row.blocks, c.Blocks)
	}
	bound, fits := match(strings.Fields(row.order), c.Order)
	if !fits {
		return "", false
	}
	numbers := bound.numbers
	if row.halves && c.Sizes[bound.dims["r"]] != 2*numbers["D"] {
		return "", false
	}
	isBytes := numbers["K"] == 0 || !strings.Contains(row.name, "bytes") || numbers["K"]*c.ItemSize == 16
	name = row.name
	for letter, n := range numbers {
		name = strings.ReplaceAll(name, "{"+letter+"}", strconv.Itoa(n))
	}
	return name, isBytes
}

// blocksOfOrder returns the order of blocks that an order is, if all of its digits but the innermost are of one dim: 0 2 1 3 of H//8%2 H//16 H%8, for
// 32 rows.
func (c Change) blocksOfOrder() (blocks []int) {
	const maxBlocks = 16
	dim := ""
	blocks = []int{0}
	unit := 0
	for _, digit := range c.Order {
		if isWhole(digit) {
			continue
		}
		p := parts(digit)
		if p == nil || dim != "" && p[1] != dim {
			return nil
		}
		dim = p[1]
		div, _ := strconv.Atoi(cmp.Or(p[2], "1"))
		extent, _ := strconv.Atoi(cmp.Or(p[3], "0"))
		if extent == 0 {
			extent = c.Sizes[dim] / div
		}
		if div == 1 {
			unit = extent
			continue
		}
		var more []int
		for _, at := range blocks {
			for k := range extent {
				more = append(more, at+k*div)
			}
		}
		blocks = more
		if len(blocks) > maxBlocks || unit > 0 {
			return nil
		}
	}
	if unit == 0 {
		return nil
	}
	for k := range blocks {
		blocks[k] /= unit
	}
	return blocks
}

// match binds the variables of a pattern to the numbers of an order, whose first and last digits may be whole dims of which the pattern has none.
func match(pattern, order []string) (bound binding, fits bool) {
	for from := 0; from+len(pattern) <= len(order); from++ {
		if from > 0 && !isWhole(order[from-1]) {
			return bound, false
		}
		after := order[from+len(pattern):]
		if slices.ContainsFunc(after, func(digit string) bool { return !isWhole(digit) }) {
			continue
		}
		b := binding{dims: map[string]string{}, numbers: map[string]int{}}
		if b.bindAll(pattern, order[from:]) {
			return b, true
		}
	}
	return bound, false
}

func isWhole(digit string) bool { return !strings.ContainsAny(digit, "/%") }

// binding is what letters of a pattern stand for.
type binding struct {
	dims    map[string]string
	numbers map[string]int
}

// digits have a dim, a divisor and a modulus: H//2%4.
var digit = lazy.Regexp(`^([^/%]+)(?://(\w+))?(?:%(\w+))?$`)

func (b *binding) bindAll(pattern, order []string) bool {
	for k, p := range pattern {
		want := parts(p)
		have := parts(order[k])
		if want == nil || have == nil || !b.bindDim(want[1], have[1]) {
			return false
		}
		if !b.bindNumber(want[2], have[2]) || !b.bindNumber(want[3], have[3]) {
			return false
		}
	}
	return true
}

func parts(s string) []string { return (*regexp.Regexp)(digit.Get()).FindStringSubmatch(s) }

func (b *binding) bindDim(letter, dim string) bool {
	bound, known := b.dims[letter]
	if !known {
		b.dims[letter] = dim
		return true
	}
	return bound == dim
}

// bindNumber binds a number of a pattern: a literal, a capital, or h, which is half of D.
func (b *binding) bindNumber(letter, number string) bool {
	if letter == "" || number == "" {
		return letter == number
	}
	have, _ := strconv.Atoi(number)
	literal, err := strconv.Atoi(letter)
	if err == nil {
		return have == literal
	}
	if letter == "h" {
		letter = "D"
		have *= 2
	}
	bound, known := b.numbers[letter]
	if !known {
		b.numbers[letter] = have
		return true
	}
	return bound == have
}
