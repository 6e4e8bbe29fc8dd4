package convention

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rowOf returns the row of the table with a name.
func rowOf(t *testing.T, name string) convention {
	t.Helper()
	k := slices.IndexFunc(conventions, func(row convention) bool { return row.name == name })
	if k < 0 {
		t.Fatalf("no row %s", name)
	}
	return conventions[k]
}

// listed returns the elements of dims of these sizes in a memory order, as their row-major positions: digits are counted outermost first.
func listed(t *testing.T, order []string, names []string, sizes map[string]int) (positions []int) {
	t.Helper()
	type place map[string]int
	places := []place{{}}
	for _, digit := range order {
		p := parts(digit)
		size, known := sizes[p[1]]
		if !known {
			t.Fatalf("%s has a dim without a size", digit)
		}
		div := 1
		if p[2] != "" {
			div, _ = strconv.Atoi(p[2])
		}
		n := size / div
		if p[3] != "" {
			n, _ = strconv.Atoi(p[3])
		}
		var next []place
		for _, at := range places {
			for k := range n {
				moved := place{}
				for dim, i := range at {
					moved[dim] = i
				}
				moved[p[1]] += k * div
				next = append(next, moved)
			}
		}
		places = next
	}
	for _, at := range places {
		position := 0
		for _, dim := range names {
			position = position*sizes[dim] + at[dim]
		}
		positions = append(positions, position)
	}
	return positions
}

// reordered returns the elements of a tensor with a shape, reshaped and transposed, as NumPy's x.reshape(shape).transpose(dims) does.
func reordered(shape, dims []int) (positions []int) {
	strides := make([]int, len(shape))
	stride := 1
	for d, n := range slices.Backward(shape) {
		strides[d] = stride
		stride *= n
	}
	positions = []int{0}
	for _, d := range dims {
		var next []int
		for _, at := range positions {
			for k := range shape[d] {
				next = append(next, at+k*strides[d])
			}
		}
		positions = next
	}
	return positions
}

// An orderCase is a row of the table that is an order of elements: what its source computes, and an order that says the same.
type orderCase struct {
	row, named string // in the table; as it is printed
	names      string // a dim is a letter
	sizes      map[string]int
	order      string
	shape      []int // x.reshape(shape).transpose(dims) of the source
	dims       []int
	itemSize   int
	tensor     string
	near       []string // orders that it is not
	nearTensor string   // a name for which the numbers say too little; empty: for every name they say enough
}

var orderCases = []orderCase{
	{row: "rotary halves as pairs, heads of {D}: expected for GGUF and Meta's code", named: "rotary halves as pairs, heads of 8: expected for GGUF and Meta's code",
		// weights.reshape(n_head, 2, rows // n_head // 2, columns).swapaxes(1, 2)
		names: "HW", sizes: map[string]int{"H": 24, "W": 5}, order: "H//8 H%4 H//4%2 W", shape: []int{3, 2, 4, 5}, dims: []int{0, 2, 1, 3},
		tensor: "blk.0.attn_q.weight", near: []string{"H//8 H%2 H//2%2 H//4%2 W", "H//8 H%4 H//4%2 W//1 W%5", "W H//8 H%4 H//4%2%2", "H//16 H%4 H//4%4 W"},
		nearTensor: "blk.0.ffn_norm.weight"},
	{row: "rotary pairs as halves, heads of {D}: expected for Hugging Face", named: "rotary pairs as halves, heads of 8: expected for Hugging Face",
		// w.view(n_heads, dim1 // n_heads // 2, 2, dim2).transpose(1, 2)
		names: "HW", sizes: map[string]int{"H": 24, "W": 5}, order: "H//8 H%2 H//2%4 W", shape: []int{3, 4, 2, 5}, dims: []int{0, 2, 1, 3},
		tensor: "layers.0.attention.wk.weight", near: []string{"H//8 H%3 H//3%4 W", "H//8 H%2 H//2%3 W", "H//8 W H%2 H//2%4"},
		nearTensor: "layers.0.norm.weight"},
	{row: "q, k, v of each head of {D} as [q, k, v]", named: "q, k, v of each head of 4 as [q, k, v]",
		// qkv_weights.reshape((n_head, 3, n_embed // n_head, n_embed)), and the three of them concatenated
		names: "HW", sizes: map[string]int{"H": 36, "W": 5}, order: "H//4%3 H//12 H%4 W", shape: []int{3, 3, 4, 5}, dims: []int{1, 0, 2, 3},
		tensor: "h.0.self_attention.query_key_value.weight", near: []string{"H//4%2 H//8 H%4 W", "H//4%3 H//12 H%2 W", "W//4%3 W//12 W%4 H//1"},
		nearTensor: "h.0.dense.weight"},
	{row: "gate and up in turn, as [gate, up]", named: "gate and up in turn, as [gate, up]",
		// gate_up[..., ::2], gate_up[..., 1::2]
		names: "EHW", sizes: map[string]int{"E": 3, "H": 5, "W": 8}, order: "E H W%2 W//2", shape: []int{3, 5, 4, 2}, dims: []int{0, 1, 3, 2},
		tensor: "mlp.experts.gate_up_proj", near: []string{"E H W%3 W//3", "E W%2 H W//2", "E H W%2 W//4 W//2%2"}, nearTensor: "conv.scale"},
	{row: "[gate, up] with their rows in turn: expected for gpt-oss and SonicMoE", named: "[gate, up] with their rows in turn: expected for gpt-oss and SonicMoE",
		// torch.stack(w.chunk(2, 1), 2).flatten(1, 2)
		names: "EHW", sizes: map[string]int{"E": 3, "H": 12, "W": 5}, order: "E H%6 H//6 W", shape: []int{3, 2, 6, 5}, dims: []int{0, 2, 1, 3},
		tensor: "experts.w13", near: []string{"E H%6 W H//6", "E H%6 H//3 W"}, nearTensor: "attn.scale"},
	{row: "TILE of Tenstorrent, tiles of 32×32 of faces of 16×16", named: "TILE of Tenstorrent, tiles of 32×32 of faces of 16×16",
		names: "HW", sizes: map[string]int{"H": 64, "W": 96}, order: "H//32 W//32 H//16%2 W//16%2 H%16 W%16", shape: []int{2, 2, 16, 3, 2, 16},
		dims: []int{0, 3, 1, 4, 2, 5}, tensor: "t", near: []string{"H//32 W//32 H//16%2 W//16%2 W%16 H%16", "H//32 W//32 W//16%2 H//16%2 H%16 W%16",
			"H//64 W//64 H//32%2 W//32%2 H%32 W%32"}},
	{row: "shuffle_weight of AITER, 16 rows and 16 bytes", named: "shuffle_weight of AITER, 16 rows and 16 bytes",
		// x.view(-1, N // 16, 16, K // 32, 4, 8).permute(0, 1, 3, 4, 2, 5), of bfloat16
		names: "HW", sizes: map[string]int{"H": 64, "W": 64}, order: "H//16 W//8 H%16 W%8", shape: []int{4, 16, 2, 4, 8}, dims: []int{0, 2, 3, 1, 4},
		itemSize: 2, tensor: "t", near: []string{"H//16 W//4 H%16 W%4", "H//16 W//16 H%16 W%16", "H//8 W//8 H%8 W%8"}},
	{row: "BlockMajorK, blocks of {K} columns: expected for FlashInfer and TensorRT-LLM", named: "BlockMajorK, blocks of 64 columns: expected for FlashInfer and TensorRT-LLM",
		// input_tensor.view(M, K // 64, 64).permute(1, 0, 2)
		names: "HW", sizes: map[string]int{"H": 6, "W": 128}, order: "W//64 H W%64", shape: []int{6, 2, 64}, dims: []int{1, 0, 2}, tensor: "experts.w13",
		near: []string{"W//64 W%64 H", "W//64 H W%32"}, nearTensor: "attn.o_proj"},
}

// TestOrders: the order by which a source moves elements has its row's name, orders beside it have not, and neither has the order of a tensor whose
// own name is that of something else, unless the numbers say enough.
func TestOrders(t *testing.T) {
	for _, c := range orderCases {
		rowOf(t, c.row)
		order := strings.Fields(c.order)
		ours := listed(t, order, strings.Split(c.names, ""), c.sizes)
		theirs := reordered(c.shape, c.dims)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%s: %s is not what the source computes", c.row, c.order)
		}
		change := Change{Names: []string{c.tensor, "b"}, ItemSize: c.itemSize, Order: order, Sizes: c.sizes}
		if got := change.Name(); got != c.named {
			t.Errorf("%s: %q", c.named, got)
		}
		change.Names = []string{"b", c.tensor}
		if got := change.Name(); got != c.named {
			t.Errorf("%s, by the name of the other tensor: %q", c.named, got)
		}
		for _, near := range c.near {
			change.Order = strings.Fields(near)
			if got := change.Name(); got == c.named {
				t.Errorf("%s is %s", near, got)
			}
		}
		change.Order = order
		change.Names = []string{c.nearTensor, "x"}
		got := change.Name()
		if c.nearTensor == "" && got != c.named {
			t.Errorf("%s without a name that says it: %q", c.row, got)
		}
		if c.nearTensor != "" && got != "" {
			t.Errorf("%s of %s: %q", c.row, c.nearTensor, got)
		}
	}
}

// TestShuffleOfBytes: 16 bytes are as many elements as fit.
func TestShuffleOfBytes(t *testing.T) {
	for itemSize, columns := range map[int]string{1: "16", 2: "8", 4: "4"} {
		c := Change{ItemSize: itemSize, Order: strings.Fields("H//16 W//" + columns + " H%16 W%" + columns)}
		if got := c.Name(); got != "shuffle_weight of AITER, 16 rows and 16 bytes" {
			t.Errorf("elements of %d bytes: %q", itemSize, got)
		}
		c.ItemSize = 2 * itemSize
		if got := c.Name(); got != "" {
			t.Errorf("elements of %d bytes: %q", c.ItemSize, got)
		}
	}
}

// TestPartsInTurn: the rows of gate and up are in turn if there are two parts, and not eight.
func TestPartsInTurn(t *testing.T) {
	c := Change{Names: []string{"mlp.experts.w13"}, Order: strings.Fields("H%4 H//4 W"), Sizes: map[string]int{"H": 8, "W": 5}}
	if got := c.Name(); got == "" {
		t.Error("two parts in turn have no name")
	}
	t.Run("eight", func(t *testing.T) {
		c.Sizes["H"] = 32
		if got := c.Name(); got != "" {
			t.Errorf("eight parts in turn: %q", got)
		}
	})
}

// A dimsCase is a row that is an order of dims, by the letters of both.
type dimsCase struct{ row, from, to, tensor, nearTensor string }

var dimsCases = []dimsCase{
	{"HWIO → OIHW (transposed convolution: HWOI → IOHW)", "HWIO", "OIHW", "conv.kernel", "conv.bias"},
	{"OIHW → HWIO (transposed convolution: IOHW → HWOI)", "OIHW", "HWIO", "conv.weight", "activations"},
	{"depthwise OIHW ↔ HWCM", "OIHW", "HWOI", "stem.depthwise.x", "stem.pointwise.x"},
	{"OHWI → OIHW", "OHWI", "OIHW", "conv.w", "image"},
	{"OIHW → OHWI", "OIHW", "OHWI", "conv.filter", "image"},
	{"IOHW → OHWI of a transposed convolution", "IOHW", "OHWI", "up.weight", "up.image"},
	{"DHWIO → OIDHW", "DHWIO", "OIDHW", "conv3d.kernel", "video"},
	{"OIDHW → DHWIO", "OIDHW", "DHWIO", "conv3d.weight", "video"},
}

// permutation returns the order of letters, as transpose takes it.
func permutation(from, to string) (order []int) {
	for _, letter := range to {
		order = append(order, strings.IndexRune(from, letter))
	}
	return order
}

// TestDims: the transposition that the letters of a row say has its name, one with two dims exchanged has not, and neither has that of a tensor whose
// name is not a weight's.
func TestDims(t *testing.T) {
	for _, c := range dimsCases {
		dims := permutation(c.from, c.to)
		if row := rowOf(t, c.row); !slices.Equal(row.dims, dims) {
			t.Errorf("%s: %v, the letters say %v", c.row, row.dims, dims)
		}
		if got := (Change{Names: []string{c.tensor}, Dims: dims}).Name(); got != c.row {
			t.Errorf("%s: %q", c.row, got)
		}
		if got := (Change{Names: []string{c.nearTensor}, Dims: dims}).Name(); got != "" {
			t.Errorf("%s of %s: %q", c.row, c.nearTensor, got)
		}
		near := slices.Clone(dims)
		slices.Reverse(near[:2])
		if got := (Change{Names: []string{c.tensor}, Dims: near}).Name(); got == c.row {
			t.Errorf("%v is %s", near, got)
		}
	}
}

// A blocksCase is a row that is an order of gates, by the letters of both.
type blocksCase struct{ row, from, to, tensor string }

// g of PyTorch is the c of ONNX and Keras, and the j of TensorFlow 1; n is their h.
var blocksCases = []blocksCase{
	{"gates i f g o of PyTorch as i o f c of ONNX", "ifgo", "iofg", "lstm.weight_hh_l0"},
	{"gates i o f c of ONNX as i f g o of PyTorch", "iofg", "ifgo", "lstm.weight_hh_l0"},
	{"gates i j f o of TensorFlow 1 and i f g o of PyTorch and Keras", "igfo", "ifgo", "lstm.kernel"},
	{"gates i j f o of TensorFlow 1 as i o f c of ONNX", "igfo", "iofg", "lstm.W"},
	{"gates r z n of PyTorch and z r h of Keras and ONNX", "rzn", "zrn", "gru.weight_ih_l0"},
	{"[gate, up] and [up, gate] exchanged: FlashInfer expects [up, gate]", "gu", "ug", "mlp.experts.w13"},
}

// TestBlocks: the order of blocks that the gates of a row say has its name, whether it is said in blocks or in digits; the reverse order has not.
func TestBlocks(t *testing.T) {
	for _, c := range blocksCases {
		blocks := permutation(c.from, c.to)
		if row := rowOf(t, c.row); !slices.Equal(row.blocks, blocks) {
			t.Errorf("%s: %v, the letters say %v", c.row, row.blocks, blocks)
		}
		if got := (Change{Names: []string{c.tensor}, Blocks: blocks}).Name(); got != c.row {
			t.Errorf("%s: %q", c.row, got)
		}
		if got := (Change{Names: []string{"mlp.scale"}, Blocks: blocks}).Name(); got != "" {
			t.Errorf("%s of mlp.scale: %q", c.row, got)
		}
		near := slices.Clone(blocks)
		slices.Reverse(near)
		if got := (Change{Names: []string{c.tensor}, Blocks: near}).Name(); got != "" {
			t.Errorf("%v is %s", near, got)
		}
	}
	digits := Change{Names: []string{"lstm.kernel"}, Order: strings.Fields("H H2//8%2 H2//16 H2%8"), Sizes: map[string]int{"H": 5, "H2": 32}}
	want := "gates i j f o of TensorFlow 1 and i f g o of PyTorch and Keras"
	if got := digits.Name(); got != want {
		t.Errorf("blocks as digits: %q", got)
	}
	for _, order := range []string{"W//8%2 H//16 H%8", "H//8%2 H//16", "H//8%2 H//16 H%8 W//2", "H//64 H//32%2 H//1%32"} {
		c := Change{Names: []string{"lstm.kernel"}, Order: strings.Fields(order), Sizes: map[string]int{"H": 128, "W": 4}}
		if got := c.Name(); got == want {
			t.Errorf("%s is %s", order, got)
		}
	}
}

// TestTable: each row is one of the cases above, has a source, and has exactly one kind of change.
func TestTable(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range orderCases {
		tested[c.row] = true
	}
	for _, c := range dimsCases {
		tested[c.row] = true
	}
	for _, c := range blocksCases {
		tested[c.row] = true
	}
	for _, row := range conventions {
		if !tested[row.name] {
			t.Errorf("no test reaches %s", row.name)
		}
		if row.source == "" {
			t.Errorf("%s has no source", row.name)
		}
		kinds := 0
		for _, has := range []bool{row.order != "", row.dims != nil, row.blocks != nil} {
			if has {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s has %d kinds of change", row.name, kinds)
		}
	}
}

// TestWords: each word of each list, alone as a tensor's name or within one, names a change of a row with that list; as a part of a word it does not.
func TestWords(t *testing.T) {
	first := map[string]Change{ // a change whose first row has the list
		"convolutions": {Dims: []int{3, 2, 0, 1}},
		"depthwise":    {Dims: []int{2, 3, 0, 1}},
		"queries":      {Order: strings.Fields("H//8 H%2 H//2%4 W")},
		"gates":        {Order: strings.Fields("H%2 H//2 W")},
		"recurrent":    {Blocks: []int{1, 0, 2}},
	}
	lists := map[string][]string{"convolutions": convolutions, "depthwise": depthwise, "queries": queries, "gates": gates, "recurrent": recurrent}
	for list, words := range lists {
		isUsed := slices.ContainsFunc(conventions, func(row convention) bool { return slices.Equal(row.words, words) })
		if !isUsed {
			t.Errorf("no row has the list %s", list)
		}
		for _, word := range words {
			for _, name := range []string{word, "model.0." + strings.ToUpper(word) + "/x"} {
				c := first[list]
				c.Names = []string{name}
				if c.Name() == "" {
					t.Errorf("%s of %s says nothing", name, list)
				}
			}
			c := first[list]
			c.Names = []string{"qq" + word + "qq"}
			if got := c.Name(); got != "" {
				t.Errorf("qq%sqq: %q", word, got)
			}
		}
	}
}

// TestWordsAreWords: a name is cut at what is no letter and no digit, so that a word with a separator would be none of any name.
func TestWordsAreWords(t *testing.T) {
	for _, row := range conventions {
		for _, word := range row.words {
			if word != strings.ToLower(word) || separators.Get().MatchString(word) {
				t.Errorf("%s: %s is no word of a name", row.name, word)
			}
		}
	}
}
