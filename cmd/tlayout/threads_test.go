package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/ints"
)

// weight is a tensor of float32 in row-major order.
type weight struct {
	shape   []int
	numbers []float32
}

// weights draws tensors of numbers that do not repeat.
type weights struct{ *rand.Rand }

func (r weights) draw(shape ...int) weight {
	w := weight{shape: shape}
	for range ints.Product(shape) {
		w.numbers = append(w.numbers, float32(r.NormFloat64()))
	}
	return w
}

// each is the number of elements of a slice along dim 0.
func (w weight) each() int { return len(w.numbers) / w.shape[0] }

// rows are the slices from … to−1 along dim 0.
func (w weight) rows(from, to int) weight {
	shape := slices.Clone(w.shape)
	shape[0] = to - from
	return weight{shape, w.numbers[from*w.each() : to*w.each()]}
}

// part is one of n equal parts along dim 0.
func (w weight) part(k, n int) weight {
	size := w.shape[0] / n
	return w.rows(k*size, k*size+size)
}

// at is a slice along dim 0, without it.
func (w weight) at(k int) weight { return weight{w.shape[1:], w.rows(k, k+1).numbers} }

// inOrder has rows of dim 0 in an order.
func (w weight) inOrder(rows []int) weight {
	var parts []weight
	for _, k := range rows {
		parts = append(parts, w.rows(k, k+1))
	}
	return joined(parts...)
}

// joined are tensors one after the other along dim 0.
func joined(parts ...weight) weight {
	w := weight{shape: slices.Clone(parts[0].shape)}
	w.shape[0] = 0
	for _, p := range parts {
		w.shape[0] += p.shape[0]
		w.numbers = append(w.numbers, p.numbers...)
	}
	return w
}

// stacked are tensors of one shape as the slices of a new dim 0.
func stacked(parts ...weight) weight {
	w := joined(parts...)
	w.shape = append([]int{len(parts)}, parts[0].shape...)
	return w
}

// transposed exchanges the last two dims.
func (w weight) transposed() weight {
	if len(w.shape) > 2 {
		var parts []weight
		for k := range w.shape[0] {
			parts = append(parts, w.at(k).transposed())
		}
		return stacked(parts...)
	}
	t := weight{shape: []int{w.shape[1], w.shape[0]}}
	for column := range w.shape[1] {
		for row := range w.shape[0] {
			t.numbers = append(t.numbers, w.numbers[row*w.shape[1]+column])
		}
	}
	return t
}

// eachExpert changes the slices of dim 0.
func (w weight) eachExpert(change func(weight) weight) weight {
	var parts []weight
	for k := range w.shape[0] {
		parts = append(parts, change(w.at(k)))
	}
	return stacked(parts...)
}

// evenThenOdd has the rows 0, 2, 4, … and then 1, 3, 5, ….
func evenThenOdd(w weight) weight {
	var rows []int
	for first := range 2 {
		for k := first; k < w.shape[0]; k += 2 {
			rows = append(rows, k)
		}
	}
	return w.inOrder(rows)
}

// pairsAsHalves has the rows of each head with rotary pairs made halves: row 2j + s of a head becomes row s·size/2 + j.
func pairsAsHalves(w weight, size int) weight {
	var heads []weight
	for k := range w.shape[0] / size {
		heads = append(heads, evenThenOdd(w.rows(k*size, k*size+size)))
	}
	return joined(heads...)
}

// model is the tensors of a file by their names.
type model map[string]weight

// write writes a safetensors file, with the tensors in the order of their names.
func (c model) write(t *testing.T, path string) {
	t.Helper()
	header := map[string]any{}
	var data []byte
	var names []string
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		start := len(data)
		for _, x := range c[name].numbers {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": c[name].shape, "data_offsets": []int{start, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	file := slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
	err = os.WriteFile(path, file, 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// A thread is a public thread in which a whole and its parts were confused, with the two checkpoints of its situation.
type thread struct {
	name  string
	make  func(weights) (a, b model)
	lines string // the first ones of tlayout diff
}

// The facts are those of the threads; the sizes are small, and the numbers drawn.
var threads = []thread{
	// qkv_proj is q, k, v of each head in turn, (h 3 d), and not [q, k, v]; fc1 has its halves exchanged.
	{"MiniMax-AI/MiniMax-H3#48", func(r weights) (a, b model) {
		q := r.draw(56, 24)
		k := r.draw(56, 24)
		v := r.draw(56, 24)
		gate := r.draw(40, 24)
		value := r.draw(40, 24)
		var heads []weight
		for h := range 7 {
			heads = append(heads, q.part(h, 7), k.part(h, 7), v.part(h, 7))
		}
		a = model{"blocks.0.attn.qkv_proj.weight": joined(heads...), "blocks.0.mlp.fc1.weight": joined(gate, value)}
		b = model{"transformer_blocks.0.attn.to_q.weight": q, "transformer_blocks.0.attn.to_k.weight": k, "transformer_blocks.0.attn.to_v.weight": v,
			"transformer_blocks.0.ff.net.0.proj.weight": joined(value, gate)}
		return a, b
	}, `
a.safetensors and b.safetensors differ: 1 rearranged, 1 made of rows
blocks.0.mlp.fc1.weight: is transformer_blocks.0.ff.net.0.proj.weight in b, same elements with the halves exchanged
blocks.0.attn.qkv_proj.weight: is b's [transformer_blocks.0.attn.to_q.weight, …to_k.weight, …to_v.weight] by head of 8 rows
`},
	// The fused weight of Falcon is q q k v of each group of heads.
	{"tenstorrent/tt-metal#6243", func(r weights) (a, b model) {
		q := r.draw(64, 32)
		k := r.draw(32, 32)
		v := r.draw(32, 32)
		var groups []weight
		for g := range 4 {
			groups = append(groups, q.part(g, 4), k.part(g, 4), v.part(g, 4))
		}
		return model{"query_key_value.weight": joined(groups...)}, model{"q.weight": q, "k.weight": k, "v.weight": v}
	}, `
a.safetensors and b.safetensors differ: 1 made of rows
query_key_value.weight: is b's [q.weight, k.weight, v.weight] by group: 2 of q.weight, 1 of k.weight, 1 of v.weight, 8 rows each
`},
	// A fused weight that is sharded contiguously must be stored per shard.
	{"tenstorrent/tt-metal pull 52818", func(r weights) (a, b model) {
		q := r.draw(32, 32)
		k := r.draw(16, 32)
		v := r.draw(16, 32)
		gate := r.draw(48, 32)
		up := r.draw(48, 32)
		var qkv, gateUp []weight
		for s := range 2 {
			qkv = append(qkv, q.part(s, 2), k.part(s, 2), v.part(s, 2))
			gateUp = append(gateUp, gate.part(s, 2), up.part(s, 2))
		}
		a = model{"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v, "gate_proj.weight": gate, "up_proj.weight": up}
		return a, model{"qkv_linear.weight": joined(qkv...), "w_gate_up.weight": joined(gateUp...)}
	}, `
a.safetensors and b.safetensors differ: 2 made of rows
qkv_linear.weight: is a's [q_proj.weight, k_proj.weight, v_proj.weight] by group: 2 of q_proj.weight, 1 of k_proj.weight, 1 of v_proj.weight, 8 rows each
w_gate_up.weight: is a's [gate_proj.weight, up_proj.weight] in turn of 24 rows
`},
	// Whether the legacy layout of experts is transposed was decided by shape, which a square one does not show.
	{"huggingface/transformers#47031", func(r weights) (a, b model) {
		gateUp := r.draw(3, 32, 32)
		down := r.draw(3, 32, 16)
		const experts = "model.layers.0.mlp.experts."
		a = model{experts + "gate_up_proj": gateUp, experts + "down_proj": down}
		return a, model{experts + "gate_up_proj": gateUp.transposed(), experts + "down_proj": down}
	}, `
a.safetensors and b.safetensors differ: 1 rearranged
model.layers.0.mlp.experts.gate_up_proj: permuted (0, 2, 1)
`},
	// Tensors of each expert become two of all.
	{"ByteDance-Seed/VeOmni pull 1147", func(r weights) (a, b model) {
		const experts = "model.layers.0.mlp.experts."
		a = model{}
		var gatesAndUps, downs []weight
		for e := range 4 {
			gate := r.draw(24, 32)
			up := r.draw(24, 32)
			down := r.draw(32, 24)
			a[fmt.Sprint(experts, e, ".gate_proj.weight")] = gate
			a[fmt.Sprint(experts, e, ".up_proj.weight")] = up
			a[fmt.Sprint(experts, e, ".down_proj.weight")] = down
			gatesAndUps = append(gatesAndUps, joined(gate, up))
			downs = append(downs, down)
		}
		return a, model{experts + "gate_up_proj": stacked(gatesAndUps...), experts + "down_proj": stacked(downs...)}
	}, `
a.safetensors and b.safetensors differ: 2 made of rows
model.layers.0.mlp.experts.down_proj: is a's […0.down_proj.weight, …1.down_proj.weight, …2.down_proj.weight, …3.down_proj.weight] along dim 0
model.layers.0.mlp.experts.gate_up_proj: is a's […e.gate_proj.weight, …e.up_proj.weight] along dim 1, for each e of dim 0
`},
	// gpt-oss has gate and up in alternate columns, (E, H, 2I); vLLM's kernel wants halves of rows, (E, 2I, H).
	{"vllm-project/vllm pull 27024", func(r weights) (a, b model) {
		gateUp := r.draw(3, 32, 48)
		bias := r.draw(3, 48, 1)
		down := r.draw(3, 24, 32)
		const experts = "model.layers.0.mlp.experts."
		halves := bias.eachExpert(evenThenOdd)
		bias.shape = []int{3, 48}
		halves.shape = []int{3, 48}
		a = model{experts + "gate_up_proj": gateUp, experts + "gate_up_proj_bias": bias, experts + "down_proj": down}
		b = model{experts + "w13_weight": gateUp.transposed().eachExpert(evenThenOdd), experts + "w13_bias": halves, experts + "w2_weight": down.transposed()}
		return a, b
	}, `
a.safetensors and b.safetensors differ: 3 rearranged
model.layers.0.mlp.experts.down_proj: is model.layers.0.mlp.experts.w2_weight in b, permuted (0, 2, 1)
model.layers.0.mlp.experts.gate_up_proj: is model.layers.0.mlp.experts.w13_weight in b, same elements in memory order C W%2 W//2 H: gate and up in turn, as [gate, up]
model.layers.0.mlp.experts.gate_up_proj_bias: is model.layers.0.mlp.experts.w13_bias in b, same elements in memory order H W%2 W//2: gate and up in turn, as [gate, up]
`},
	// Megatron cuts the fused weight by rows, so that most ranks have rows of q only.
	{"ai-dynamo/modelexpress pull 650", func(r weights) (a, b model) { return shardsOfGroups(r, 4) }, `
a.safetensors and b.safetensors differ: 3 made of rows
k_proj.weight: is b's [rank1.linear_qkv.weight[4:8], rank3.linear_qkv.weight[4:8]] along dim 0
q_proj.weight: is b's [rank0.linear_qkv.weight, rank1.linear_qkv.weight[0:4], rank2.linear_qkv.weight, rank3.linear_qkv.weight[0:4]] along dim 0
v_proj.weight: is b's [rank1.linear_qkv.weight[8:12], rank3.linear_qkv.weight[8:12]] along dim 0
`},
	// Of 8 ranks, the boundary is within a head.
	{"ai-dynamo/modelexpress pull 650, 8 ranks", func(r weights) (a, b model) { return shardsOfGroups(r, 8) }, `
a.safetensors and b.safetensors differ: 6 made of rows
k_proj.weight: is b's [rank2.linear_qkv.weight[4:6], rank3.linear_qkv.weight[0:2], rank6.linear_qkv.weight[4:6], rank7.linear_qkv.weight[0:2]] along dim 0
v_proj.weight: is b's [rank3.linear_qkv.weight[2:6], rank7.linear_qkv.weight[2:6]] along dim 0
rank0.linear_qkv.weight: is a's q_proj.weight[0:6]
rank1.linear_qkv.weight: is a's q_proj.weight[6:12]
rank4.linear_qkv.weight: is a's q_proj.weight[16:22]
rank5.linear_qkv.weight: is a's q_proj.weight[22:28]
`},
	// A rank needs its part of q, of k and of v.
	{"pytorch/pytorch#140069", func(r weights) (a, b model) {
		q := r.draw(32, 32)
		k := r.draw(16, 32)
		v := r.draw(16, 32)
		b = model{}
		for rank := range 2 {
			b[fmt.Sprint("rank", rank, ".attention.wqkv.weight")] = joined(q.part(rank, 2), k.part(rank, 2), v.part(rank, 2))
		}
		return model{"attention.wqkv.weight": joined(q, k, v)}, b
	}, `
a.safetensors and b.safetensors differ: 2 made of rows
rank0.attention.wqkv.weight: is a's attention.wqkv.weight, rows 0:16, 32:40, 48:56
rank1.attention.wqkv.weight: is a's attention.wqkv.weight, rows 16:32, 40:48, 56:64
`},
	// The gates of Keras are z r h in columns, those of PyTorch r z n in rows.
	{"keras-team/keras#8720", func(r weights) (a, b model) {
		a = model{"kernel": r.draw(6, 24), "recurrent_kernel": r.draw(8, 24)}
		rows := func(w weight) weight {
			gates := w.transposed()
			return joined(gates.part(1, 3), gates.part(0, 3), gates.part(2, 3))
		}
		return a, model{"weight_ih_l0": rows(a["kernel"]), "weight_hh_l0": rows(a["recurrent_kernel"])}
	}, `
a.safetensors and b.safetensors differ: 2 rearranged
kernel: is weight_ih_l0 in b, in blocks of 8 rows, 1 0 2: gates r z n of PyTorch and z r h of Keras and ONNX, transposed
recurrent_kernel: is weight_hh_l0 in b, in blocks of 8 rows, 1 0 2: gates r z n of PyTorch and z r h of Keras and ONNX, transposed
`},
	// The converter permutes q and k, although the model's rotary embedding is not interleaved.
	{"huggingface/nanotron#241", func(r weights) (a, b model) {
		q := r.draw(32, 32)
		k := r.draw(16, 32)
		v := r.draw(16, 32)
		a = model{"self_attn.q_proj.weight": q, "self_attn.k_proj.weight": k, "self_attn.v_proj.weight": v}
		b = model{"self_attn.q_proj.weight": pairsAsHalves(q, 8), "self_attn.k_proj.weight": pairsAsHalves(k, 8), "self_attn.v_proj.weight": v}
		return a, b
	}, `
a.safetensors and b.safetensors differ: 2 rearranged
self_attn.k_proj.weight: same elements in memory order H//8 H%2 H//2%4 W: rotary pairs as halves, heads of 8: expected for Hugging Face
self_attn.q_proj.weight: same elements in memory order H//8 H%2 H//2%4 W: rotary pairs as halves, heads of 8: expected for Hugging Face
`},
}

// shardsOfGroups are q, k and v, 2 groups of 4 heads of 4 rows, and the shards of their fusion by group.
func shardsOfGroups(r weights, ranks int) (a, b model) {
	q := r.draw(32, 32)
	k := r.draw(8, 32)
	v := r.draw(8, 32)
	var groups []weight
	for g := range 2 {
		groups = append(groups, q.part(g, 2), k.part(g, 2), v.part(g, 2))
	}
	b = model{}
	for rank := range ranks {
		b[fmt.Sprint("rank", rank, ".linear_qkv.weight")] = joined(groups...).part(rank, ranks)
	}
	return model{"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v}, b
}

// TestThreads: the first command says what happened in each thread. The recipe that it writes explains every tensor of b: the checkpoint that convert makes
// of a by it has b's bytes, and diff says so.
func TestThreads(t *testing.T) {
	for _, c := range threads {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			a, b := c.make(weights{rand.New(rand.NewPCG(2026, 48))})
			a.write(t, "a.safetensors")
			b.write(t, "b.safetensors")
			o := runIn(t, nil, "diff", "a.safetensors", "b.safetensors")
			want := strings.TrimPrefix(c.lines, "\n")
			lines := strings.SplitAfter(o.out, "\n")
			got := strings.Join(lines[:min(len(lines), strings.Count(want, "\n"))], "")
			if difference := cmp.Diff(want, got); difference != "" {
				t.Errorf("(-want +got)\n%s", difference)
			}
			if o.code != 1 {
				t.Errorf("exit code %d\n%s", o.code, o.err)
			}
			compareMade(t, len(b))
		})
	}
}

// compareMade makes b by a recipe, and compares it with b's tensors.
func compareMade(t *testing.T, tensors int) {
	t.Helper()
	out := tlayout(t, "diff", "a.safetensors", "b.safetensors", "--recipe", "r.json")
	says := fmt.Sprintf("wrote r.json: it explains %d of %s of b\n", tensors, counted(tensors))
	if !strings.Contains(out, says) {
		t.Fatalf("want %s\n%s", says, out)
	}
	tlayout(t, "check", "b.safetensors", "--recipe", "r.json", "a.safetensors")
	tlayout(t, "convert", "a.safetensors", "--recipe", "r.json", "-o", "made.safetensors")
	out = tlayout(t, "diff", "made.safetensors", "b.safetensors")
	says = fmt.Sprintf("made.safetensors and b.safetensors hold the same %s\n", counted(tensors))
	if out != says {
		t.Errorf("want %s\n%s", says, out)
	}
}

// counted is a number of tensors.
func counted(n int) string {
	if n == 1 {
		return "1 tensor"
	}
	return fmt.Sprint(n, " tensors")
}
