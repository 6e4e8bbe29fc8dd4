package trace

// pytorchSteps are PyTorch's operations.
//
// To add an operation: a row here or in the table of another family, and its draw in this package's random calls (call_draw_test.go); the chain
// tests compare it with the framework.
var pytorchSteps = []operation{
	{
		Usage:  Usage{Name: "transpose", Also: []string{"swapaxes", "swapdims"}, Example: "transpose(0,2)"}, // swap two dims
		params: []param{{name: "dim0", alias: "axis0"}, {name: "dim1", alias: "axis1"}},
		run:    State.transpose,
	},
	{
		Usage:  Usage{Name: "permute", Example: "permute(0,2,3,1)"}, // reorder the dims
		params: []param{{name: "dims", kind: variadic}},
		run:    State.permute,
	},
	{
		Usage:  Usage{Name: "movedim", Also: []string{"moveaxis"}, Example: "movedim(1,-1)"}, // move dims, the others keep their order
		params: []param{{name: "source", kind: integers}, {name: "destination", kind: integers}},
		run:    State.movedim,
	},
	{
		Usage: Usage{Name: "T", Example: "T"}, // reverse the dims
		run:   State.reverse,
	},
	{
		Usage: Usage{Name: "mT", Also: []string{"mH", "adjoint"}, Example: "mT"}, // swap the last two dims
		run:   State.matrixTranspose,
	},
	{
		Usage: Usage{Name: "view_as_real", Also: []string{"view_as_complex"}, Example: "view_as_real"}, // complex numbers as pairs
		run:   State.viewAsReal,
	},
	{
		Usage: Usage{Name: "t", Example: "t"}, // transpose a matrix
		run:   State.t,
	},

	{
		Usage: Usage{Name: Index, Example: "[1:3, ..., None]"}, // index with ints, slices, ... and None
		run:   State.index,
	},
	{
		Usage:  Usage{Name: "select", Example: "select(1,0)"}, // take one index of a dim and remove the dim
		params: []param{{name: "dim"}, {name: "index"}},
		run:    State.selectIndex,
	},
	{
		Usage:  Usage{Name: "narrow", Example: "narrow(2,1,3)"}, // take a range of a dim
		params: []param{{name: "dim"}, {name: "start"}, {name: "length"}},
		run:    State.narrow,
	},

	{
		Usage:  Usage{Name: "view", Example: "view(2,-1)"}, // change the shape or the dtype without a copy, or fail
		params: []param{{name: "size", kind: variadic, alias: "shape"}, {name: "dtype", kind: word, optional: true}},
		run:    State.torchView,
	},
	{
		Usage:  Usage{Name: "reshape", Example: "reshape(2,-1)"}, // change the shape, with a copy if necessary
		params: []param{{name: "shape", kind: variadic}},
		run:    State.reshape,
	},
	{
		Usage:  Usage{Name: "flatten", Example: "flatten(1)"}, // merge consecutive dims
		params: []param{{name: "start_dim", optional: true}, {name: "end_dim", optional: true}},
		run:    State.flatten,
	},
	{
		Usage:  Usage{Name: "unflatten", Example: "unflatten(1,(4,-1))"}, // split a dim
		params: []param{{name: "dim"}, {name: "sizes", kind: integers}},
		run:    State.unflatten,
	},
	{
		Usage: Usage{Name: "ravel", Example: "ravel"}, // merge all dims, copies unless contiguous
		run:   State.ravel,
	},
	{
		Usage:  Usage{Name: "squeeze", Example: "squeeze(0)"}, // remove dims of size 1
		params: []param{{name: "dim", kind: integers, optional: true}},
		run:    State.squeeze,
	},
	{
		Usage:  Usage{Name: "unsqueeze", Example: "unsqueeze(0)"}, // insert a dim of size 1
		params: []param{{name: "dim"}},
		run:    State.unsqueeze,
	},
	{
		Usage:  Usage{Name: "expand", Example: "expand(8,-1,-1)"}, // repeat dims of size 1 by stride 0
		params: []param{{name: "size", kind: variadic}},
		run:    State.expand,
	},
	{
		Usage:  Usage{Name: "broadcast_to", Example: "broadcast_to(8,3,4)"}, // same as expand
		params: []param{{name: "size", kind: variadic, alias: "shape"}},
		run:    State.expand,
	},

	{
		Usage:  Usage{Name: "unfold", Example: "unfold(2,3,1)"}, // slide windows along a dim
		params: []param{{name: "dimension", alias: "dim"}, {name: "size"}, {name: "step"}},
		run:    State.unfold,
	},
	{
		Usage:  Usage{Name: "diagonal", Example: "diagonal(0,2,3)"}, // take the diagonal of two dims
		params: []param{{name: "offset", optional: true}, {name: "dim1", optional: true}, {name: "dim2", optional: true}},
		run:    State.diagonal,
	},
	{
		Usage:  Usage{Name: "as_strided", Example: "as_strided((2,2),(1,2),0)"}, // set shape and strides, in elements, inside the storage
		params: []param{{name: "size", kind: integers}, {name: "stride", kind: integers}, {name: "storage_offset", optional: true, alias: "offset"}},
		run:    State.asStrided,
	},

	{
		Usage:  Usage{Name: "flip", Example: "flip(1)"}, // reverse dims, always copies
		params: []param{{name: "dims", kind: variadic}},
		run:    State.flip,
	},
	{
		Usage:  Usage{Name: "contiguous", Example: "contiguous(channels_last)"}, // copy to a memory format, unless already contiguous in it
		params: []param{{name: "memory_format", kind: word, optional: true}},
		run:    State.contiguous,
	},
	{
		Usage:  Usage{Name: "clone", Example: "clone"}, // copy, in the same memory order if dense
		params: []param{{name: "memory_format", kind: word, optional: true}},
		run:    State.clone,
	},
	{
		Usage:  Usage{Name: "to", Example: "to(channels_last)"}, // copy to a memory format, unless suggest_memory_format is that, or a dtype
		params: signature("first:any? second:any? third:any? dtype:any? device:any? memory_format:word? non_blocking:any? copy:flag?"),
		run:    State.to,
	},
	{
		Usage: Usage{Name: "detach", Also: []string{"data"}, Example: "detach"}, // another tensor of the same storage
		run:   State.alias,
	},
	{
		Usage: Usage{Name: "cpu", Also: []string{"detach_", "share_memory_", "resolve_conj", "resolve_neg", "positive", "requires_grad_"}, Example: "cpu"}, // the tensor itself
		run:   State.same,
		free:  true,
	},
	{
		Usage: Usage{Name: "real", Also: []string{"imag", "conj"}, Example: "real"}, // parts of complex numbers
		run:   State.part,
	},
	{
		Usage: Usage{Name: "atleast_1d", Also: []string{"atleast_2d", "atleast_3d"}, Example: "atleast_1d"}, // with dims of size 1 if it has fewer
		run:   State.atLeast,
	},
	{
		Usage: Usage{Name: "numpy", Example: "numpy"}, // an array of the same storage
		run:   State.toNumPy,
		free:  true,
	},
	{
		Usage:  Usage{Name: "expand_as", Also: []string{"view_as", "reshape_as"}, Example: "view_as(x)"}, // with the sizes of the other
		params: signature("other:tensor"),
		run:    State.shapedAs,
	},
	{
		Usage: Usage{Name: "fliplr", Also: []string{"flipud"}, Example: "fliplr"}, // reverse dim 1, or 0
		run:   State.flipSide,
	},
	{
		Usage:  Usage{Name: "cuda", Example: "cuda"}, // copy to a device, in the same memory order if dense
		params: []param{{name: "device", kind: anyValue, optional: true}},
		run:    State.toDevice,
	},
}
