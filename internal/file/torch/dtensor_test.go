//go:build !js

package torch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// made is an object of a class with attributes.
func made(class string, pairs ...string) string {
	return global(class) + ")\x81" + dict(pairs...) + "b"
}

const placed = "torch.distributed.tensor.placement_types."

func shard(dim int64) string { return made(placed+"Shard", str("dim"), num(dim)) }

// mesh is that of a version: 2.15 has axes, older ones a tensor of ranks.
func mesh(at string, sizes ...int64) string {
	axes := make([]string, len(sizes))
	for i, n := range sizes {
		axes[i] = made("torch.distributed._mesh_layout._FlatLayout", str("shape"), nums(n), str("stride"), nums(1))
	}
	return made("torch.distributed.device_mesh.DeviceMesh", str("_layout"), made("torch.distributed._mesh_layout._MeshLayout", str("axes"), tuple(axes...)),
		str("_coordinate_on_dim"), at)
}

// dtensor is a DTensor of a global size, whose local part is simple, of two elements.
func dtensor(size, mesh string, placements string, more ...string) string {
	spec := made("torch.distributed.tensor._dtensor_spec.DTensorSpec", append([]string{str("mesh"), mesh, str("placements"), placements}, more...)...)
	state := tuple("N", dict(str("_local_tensor"), simple, str("_spec"), spec))
	args := tuple(global("torch.distributed.tensor.DTensor"), global("torch.float32"), size, nums(1), num(0))
	return call("torch._tensor._rebuild_from_type_v2", global("torch._utils._rebuild_wrapper_subclass"), global("torch.distributed.tensor.DTensor"), args, state)
}

// TestDTensor: the part of a DTensor is a tensor with its place in the whole; what is not known to be a part is refused with the reason.
func TestDTensor(t *testing.T) {
	replicate := made(placed + "Replicate")
	order := func(dims ...int64) string {
		entry := global("torch.distributed.tensor._dtensor_spec.ShardOrderEntry") + tuple(num(0), nums(dims...)) + "\x81"
		return tuple(entry)
	}
	old := made("torch.distributed.device_mesh.DeviceMesh", str("mesh"), v2(pers("torch.FloatStorage", "0", 2), 0, nums(2), nums(1)), str("_coordinate_on_dim"), "]("+num(1)+"e")
	for what, c := range map[string]struct{ object, want string }{
		"rows":           {dtensor(nums(4), mesh(nums(1), 2), tuple(shard(0))), "[2] [4] Shard(dim=0)"},
		"an older mesh":  {dtensor(nums(4), old, tuple(shard(0))), "[2] [4] Shard(dim=0)"},
		"the rest":       {dtensor(nums(5), mesh(nums(1), 2), tuple(shard(0))), "[3] [5] Shard(dim=0)"},
		"a short rest":   {dtensor(nums(8), mesh(nums(2), 3), tuple(shard(0))), "[6] [8] Shard(dim=0)"},
		"twice":          {dtensor(nums(7), mesh(nums(1, 0), 2, 2), tuple(shard(0), shard(0))), "[4] [7] Shard(dim=0), Shard(dim=0)"},
		"replicas":       {dtensor(nums(2), mesh(nums(1), 2), tuple(replicate)), "[0] [2] Replicate()"},
		"of one":         {dtensor(nums(2), mesh(nums(0), 1), tuple(shard(0))), "[0] [2] Shard(dim=0)"},
		"in order":       {dtensor(nums(7), mesh(nums(1, 0), 2, 2), tuple(shard(0), shard(0)), str("shard_order"), order(0, 1)), "[4] [7] Shard(dim=0), Shard(dim=0)"},
		"right to left":  {dtensor(nums(7), mesh(nums(1, 0), 2, 2), tuple(shard(0), shard(0)), str("shard_order"), order(1, 0)), "from right to left"},
		"strided":        {dtensor(nums(4), mesh(nums(1), 2), tuple(made(placed+"_StridedShard", str("dim"), num(0)))), `the placement "_StridedShard"`},
		"partial":        {dtensor(nums(2), mesh(nums(1), 2), tuple(made(placed+"Partial", str("reduce_op"), str("sum")))), `the placement "Partial"`},
		"another size":   {dtensor(nums(40), mesh(nums(1), 2), tuple(shard(0))), "a local tensor of (2,), which is not that of rank (1,) of a mesh of (2,) with Shard(dim=0)"},
		"another dim":    {dtensor(nums(4), mesh(nums(1), 2), tuple(shard(1))), "which is not that of rank"},
		"a negative dim": {dtensor(nums(4), mesh(nums(1), 2), tuple(shard(-1))), "a Shard without a dim"},
		"outside":        {dtensor(nums(4), mesh(nums(2), 2), tuple(shard(0))), "at (2,) in a mesh of (2,)"},
		"not in it":      {dtensor(nums(4), mesh("N", 2), tuple(shard(0))), "whose rank is not in its mesh"},
		"more places":    {dtensor(nums(4), mesh(nums(1), 2), tuple(shard(0), shard(0))), "not those of a known version of PyTorch"},
		"no ranks":       {dtensor(nums(4), mesh(nums(0), 0), tuple(shard(0))), "not those of a known version of PyTorch"},
		"no attributes":  {call("torch._tensor._rebuild_from_type_v2", global("torch._utils._rebuild_wrapper_subclass"), "N", tuple(global("torch.distributed.tensor.DTensor"), "N", nums(2)), "N"), "without _local_tensor"},
	} {
		c2, err := openBytes(saved(dict(str("w"), c.object)))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got := ""
		for _, x := range c2.Tensors {
			got += fmt.Sprint(c2.Locals[x.Name].Offsets, c2.Locals[x.Name].Shape, " ", c2.Locals[x.Name].Placements)
		}
		for _, r := range c2.Refused {
			got += r.Why
		}
		if !strings.HasSuffix(got, c.want) && !(len(c2.Refused) == 1 && strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, expected %q", what, got, c.want)
		}
	}
}

// TestPart: the parts of a dim are those of torch.chunk, which splits n elements into parts of ceil(n / parts) and a rest, and then none: a dim of the
// mesh splits what those before it have left.
func TestPart(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		a := rapid.IntRange(1, 7).Draw(t, "first")
		b := rapid.IntRange(1, 7).Draw(t, "second")
		var got, want [][2]int
		for _, outer := range chunks(0, n, a) {
			want = append(want, chunks(outer[0], outer[1], b)...)
		}
		for i := range a {
			for j := range b {
				d := distribution{mesh: []int{a, b}, at: []int{i, j}, dims: []int{0, 0}}
				offsets, sizes, _ := d.part([]int{n})
				got = append(got, [2]int{offsets[0], offsets[0] + sizes[0]})
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d in %d and %d: %v, expected %v", n, a, b, got, want)
		}
	})
}

// chunks deals the elements from one to another out to parts, one by one.
func chunks(from, to, parts int) (all [][2]int) {
	each := 0
	for each*parts < to-from {
		each++
	}
	for range parts {
		end := from
		for end < to && end-from < each {
			end++
		}
		all = append(all, [2]int{from, end})
		from = end
	}
	return all
}
