//go:build !js

package torch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/tensor"
)

// A DTensor in a file of one rank has that rank's part of a global tensor, _local_tensor, and how the global one is distributed, _spec: a mesh of
// ranks, and a placement for each dim of the mesh. (torch/distributed/tensor/_dtensor_spec.py, placement_types.py, _utils.py,
// compute_local_shape_and_global_offset; torch/distributed/device_mesh.py, _coordinate_on_dim; of 2.15)

// isDTensor reports whether a function makes a DTensor.
func isDTensor(function string, args []pickle.Value) bool {
	if function != "torch._utils._rebuild_wrapper_subclass" || len(args) < 3 {
		return false
	}
	class, _ := args[0].(*pickle.Global)
	return class != nil && class.Name == "DTensor" && strings.HasPrefix(class.Module, "torch.distributed.")
}

// dtensor returns the local part of a DTensor: args are those of _rebuild_wrapper_subclass, and rest begins with its attributes.
func (r *reader) dtensor(args, rest []pickle.Value) (*rebuilt, error) {
	var parts []pickle.Value
	refused := func(format string, values ...any) (*rebuilt, error) {
		return &rebuilt{why: "it is a DTensor " + fmt.Sprintf(format, values...), uses: r.uses(parts), dtensor: true}, nil
	}
	if len(rest) == 0 {
		return refused("without attributes")
	}
	attributes := &pickle.Call{State: rest[0]}
	if slots := tupleOf(2, rest[0]); slots != nil {
		attributes.State = slots[1] // the first is None: a DTensor has slots
	}
	local, _ := attributes.Attribute("_local_tensor").(*pickle.Call)
	spec, _ := attributes.Attribute("_spec").(*pickle.Call)
	if local == nil || spec == nil {
		return refused("without _local_tensor and _spec")
	}
	parts = []pickle.Value{local}
	if _, ok := dense[name(local.Callable)]; !ok {
		return refused("whose local tensor is made by %s", checkpoint.Quoted(name(local.Callable)))
	}
	part, err := r.rebuild(local)
	if err != nil {
		return nil, err
	}
	if part.why != "" {
		return refused("whose local tensor is not shown: %s", part.why)
	}
	shape, err := Sizes("size", args[2])
	if err != nil {
		return nil, err
	}
	if _, err := tensor.Numel(shape); err != nil {
		return nil, err
	}
	d, why := distributionOf(spec)
	if why != "" {
		return refused("%s", why)
	}
	offsets, sizes, ok := d.part(shape)
	if have := part.tensor.View.Shape; !ok || !slices.Equal(sizes, have) {
		return refused("of %s with a local tensor of %s, which is not that of rank %s of a mesh of %s with %s", tensor.Tuple(shape), tensor.Tuple(have),
			tensor.Tuple(d.at), tensor.Tuple(d.mesh), d.placements())
	}
	made := *part
	made.dtensor = true
	made.local = &checkpoint.Local{Shape: shape, Offsets: offsets, Placements: d.placements()}
	return &made, nil
}

// distribution is how a global tensor is distributed over a mesh.
type distribution struct {
	mesh, at []int // the mesh's sizes, and the rank's position in it
	dims     []int // for each dim of the mesh, the dim of the tensor that it splits; negative: it has replicas
}

// placements returns the placements as PyTorch prints them.
func (d distribution) placements() string {
	all := make([]string, len(d.dims))
	for i, dim := range d.dims {
		all[i] = fmt.Sprintf("Shard(dim=%d)", dim)
		if dim < 0 {
			all[i] = "Replicate()"
		}
	}
	return strings.Join(all, ", ")
}

// part returns the part of a tensor that the rank has. A dim is split as by torch.chunk, into parts of one size and a smaller rest, by each dim of
// the mesh in order.
func (d distribution) part(shape []int) (offsets, sizes []int, ok bool) {
	offsets = make([]int, len(shape))
	sizes = slices.Clone(shape)
	for i, dim := range d.dims {
		if dim < 0 {
			continue
		}
		if dim >= len(shape) {
			return nil, nil, false
		}
		n := sizes[dim]
		chunk := (n-1)/d.mesh[i] + 1
		if n == 0 {
			chunk = 0
		}
		from := n
		if chunk == 0 || d.at[i] <= n/chunk {
			from = min(n, d.at[i]*chunk)
		}
		offsets[dim] += from
		sizes[dim] = min(chunk, n-from)
	}
	return offsets, sizes, true
}

// distributionOf reads a DTensorSpec; why says that it is not supported.
func distributionOf(spec *pickle.Call) (d distribution, why string) {
	mesh, _ := spec.Attribute("mesh").(*pickle.Call)
	if mesh == nil {
		return d, "without a mesh"
	}
	var err error
	d.at, err = Sizes("position", mesh.Attribute("_coordinate_on_dim"))
	if err != nil {
		return d, "whose rank is not in its mesh"
	}
	d.mesh = meshSizes(mesh)
	placements, _ := spec.Attribute("placements").(*pickle.Tuple)
	if placements == nil || len(placements.Items) != len(d.mesh) || len(d.at) != len(d.mesh) {
		return d, "whose mesh and placements are not those of a known version of PyTorch"
	}
	for i, n := range d.mesh {
		if d.at[i] >= n {
			return d, fmt.Sprintf("at %s in a mesh of %s", tensor.Tuple(d.at), tensor.Tuple(d.mesh))
		}
		dim, why := splitBy(placements.Items[i])
		if why != "" {
			return d, why
		}
		d.dims = append(d.dims, dim)
	}
	if !inOrder(spec.Attribute("shard_order")) {
		return d, "whose mesh splits a dim from right to left"
	}
	return d, ""
}

// splitBy returns the dim that a placement splits; negative for replicas.
func splitBy(v pickle.Value) (dim int, why string) {
	p, _ := v.(*pickle.Call)
	if p == nil {
		return 0, "with a placement that is not an object"
	}
	switch p.Class() {
	case "Replicate":
		return -1, ""
	case "Shard":
		dim, err := whole("dim", p.Attribute("dim"))
		if err != nil {
			return 0, "with a Shard without a dim"
		}
		return dim, ""
	}
	return 0, "with the placement " + checkpoint.Quoted(p.Class()) + ", of which only PyTorch knows the parts"
}

// meshSizes returns the sizes of a mesh: of its layout, or before 2.9 of its tensor of ranks; nil if they are unknown.
func meshSizes(mesh *pickle.Call) (sizes []int) {
	if ranks, _ := mesh.Attribute("mesh").(*pickle.Call); ranks != nil && len(ranks.Args.Items) > 2 {
		sizes, err := Sizes("size", ranks.Args.Items[2])
		if err != nil {
			return nil
		}
		return sizes
	}
	layout, _ := mesh.Attribute("_layout").(*pickle.Call)
	if layout == nil {
		return nil
	}
	axes, _ := layout.Attribute("axes").(*pickle.Tuple)
	if axes == nil {
		return nil
	}
	for _, item := range axes.Items {
		axis, _ := item.(*pickle.Call)
		if axis == nil {
			return nil
		}
		parts, err := Sizes("size", axis.Attribute("shape"))
		if err != nil {
			return nil
		}
		n, err := tensor.Numel(parts)
		if err != nil || n == 0 {
			return nil
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// inOrder reports whether each dim that several dims of the mesh split is split by them in order, as part assumes; nil says nothing else.
func inOrder(order pickle.Value) bool {
	entries, _ := order.(*pickle.Tuple)
	if entries == nil {
		return true
	}
	for _, item := range entries.Items {
		entry, _ := item.(*pickle.Call)
		if entry == nil || len(entry.Args.Items) != 2 {
			return false
		}
		dims, err := Sizes("dim", entry.Args.Items[1])
		if err != nil || !slices.IsSorted(dims) {
			return false
		}
	}
	return true
}
