package trace

// numpySteps are NumPy's operations: methods, and functions of an array.
var numpySteps = []operation{
	{
		Usage:  Usage{Name: "transpose", Example: "transpose(0,2,3,1)"}, // reorder the dims, by default reversed
		params: []param{{name: "axes", kind: variadic, optional: true}},
		run:    State.npTranspose,
	},
	{
		Usage: Usage{Name: "T", Example: "T"}, // reverse the dims
		run:   State.reverse,
	},
	{
		Usage:  Usage{Name: "swapaxes", Example: "swapaxes(0,2)"}, // swap two dims
		params: []param{{name: "axis1"}, {name: "axis2"}},
		run:    State.npSwapaxes,
	},
	{
		Usage:  Usage{Name: "moveaxis", Example: "moveaxis(1,-1)"}, // move dims, the others keep their order
		params: []param{{name: "source", kind: integers}, {name: "destination", kind: integers}},
		run:    State.movedim,
	},

	{
		Usage: Usage{Name: Index, Example: "[::-1, ..., None]"}, // index with ints, slices, ... and None
		run:   State.index,
	},
	{
		Usage:  Usage{Name: "flip", Example: "flip(1)"}, // reverse dims by negative strides
		params: []param{{name: "axis", kind: integers, optional: true}},
		run:    State.npFlip,
	},

	{
		Usage:  Usage{Name: "reshape", Example: "reshape(2,-1)"}, // change the shape, with a copy if necessary
		params: []param{{name: "shape", kind: variadic, alias: "newshape"}, {name: "order", kind: word, optional: true}},
		run:    State.npReshape,
	},
	{
		Usage:  Usage{Name: "ravel", Example: "ravel"}, // merge all dims, copies unless contiguous
		params: []param{{name: "order", kind: word, optional: true}},
		run:    State.npRavel,
	},
	{
		Usage:  Usage{Name: "flatten", Example: "flatten"}, // merge all dims, always copies
		params: []param{{name: "order", kind: word, optional: true}},
		run:    State.npFlatten,
	},
	{
		Usage:  Usage{Name: "squeeze", Example: "squeeze(0)"}, // remove dims of size 1
		params: []param{{name: "axis", kind: integers, optional: true}},
		run:    State.npSqueeze,
	},
	{
		Usage:  Usage{Name: "expand_dims", Example: "expand_dims(0)"}, // insert dims of size 1
		params: []param{{name: "axis", kind: integers}},
		run:    State.npExpandDims,
	},
	{
		Usage:  Usage{Name: "broadcast_to", Example: "broadcast_to((8,3,4))"}, // repeat dims of size 1 by stride 0
		params: []param{{name: "shape", kind: integers}},
		run:    State.npBroadcastTo,
	},
	{
		Usage:  Usage{Name: "view", Example: "view"}, // a new view of the same data, without a shape
		params: []param{{name: "dtype", kind: anyValue, optional: true, alias: "type"}},
		run:    State.npView,
	},

	{
		Usage:  Usage{Name: "sliding_window_view", Example: "sliding_window_view(3,2)"}, // slide windows along dims
		params: []param{{name: "window_shape", kind: integers}, {name: "axis", kind: integers, optional: true}},
		run:    State.npWindows,
	},
	{
		Usage:  Usage{Name: "diagonal", Example: "diagonal(0,2,3)"}, // take the diagonal of two dims
		params: []param{{name: "offset", optional: true}, {name: "axis1", optional: true}, {name: "axis2", optional: true}},
		run:    State.diagonal,
	},
	{
		Usage:  Usage{Name: "as_strided", Example: "as_strided((2,2),(4,8))"}, // set shape and strides, in bytes, inside the storage
		params: []param{{name: "shape", kind: integers, optional: true}, {name: "strides", kind: integers, optional: true}},
		run:    State.npAsStrided,
	},

	{
		Usage:  Usage{Name: "copy", Example: "copy('K')"}, // copy, by default in C order
		params: []param{{name: "order", kind: word, optional: true}},
		run:    State.npCopy,
	},
	{
		Usage:  Usage{Name: "astype", Example: "astype(float64)"}, // copy with another dtype, in the memory order of the array
		params: signature("dtype:word order:word? casting:word? subok:flag? copy:flag?"),
		run:    State.npAstype,
	},
	{
		Usage: Usage{Name: "ascontiguousarray", Example: "ascontiguousarray"}, // copy to C order, unless C-contiguous
		run:   State.npContiguous,
	},
	{
		Usage: Usage{Name: "asarray", Also: []string{"asanyarray"}, Example: "asarray"}, // the array itself
		run:   State.same,
	},
	{
		Usage: Usage{Name: "asfortranarray", Example: "asfortranarray"}, // copy to Fortran order, unless F-contiguous
		run:   State.npFortran,
	},
}
