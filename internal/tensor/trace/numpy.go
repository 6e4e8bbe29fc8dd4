package trace

// numpySteps are NumPy's operations: methods, and functions of an array.
var numpySteps = []operation{
	{Usage{"transpose", nil, "", "transpose(0,2,3,1)", "the dims in another order, reversed if none is given"},
		[]param{{"axes", spread, true, ""}}, State.npTranspose},
	{Usage{"T", nil, "", "T", "the dims in reverse order"}, nil, State.reverse},
	{Usage{"swapaxes", nil, "", "swapaxes(0,2)", "two dims change places"},
		[]param{{"axis1", one, false, ""}, {"axis2", one, false, ""}}, State.npSwapaxes},
	{Usage{"moveaxis", nil, "", "moveaxis(1,-1)", "dims move to other places, the rest keep their order"},
		[]param{{"source", many, false, ""}, {"destination", many, false, ""}}, State.movedim},

	{Usage{Index, nil, "", "[::-1, ..., None]", "ints, slices, ... and None, as Python indexes"}, nil, State.index},
	{Usage{"flip", nil, "", "flip(1)", "dims backwards, by negative strides"}, []param{{"axis", many, true, ""}}, State.npFlip},

	{Usage{"reshape", nil, "", "reshape(2,-1)", "another shape, by a copy where it has to be"},
		[]param{{"shape", spread, false, "newshape"}, {"order", word, true, ""}}, State.npReshape},
	{Usage{"ravel", nil, "", "ravel", "all dims as one, by a copy unless contiguous"},
		[]param{{"order", word, true, ""}}, State.npRavel},
	{Usage{"flatten", nil, "", "flatten", "all dims as one, always by a copy"}, []param{{"order", word, true, ""}}, State.npFlatten},
	{Usage{"squeeze", nil, "", "squeeze(0)", "dims of size 1 go"}, []param{{"axis", many, true, ""}}, State.npSqueeze},
	{Usage{"expand_dims", nil, "", "expand_dims(0)", "dims of size 1 come"}, []param{{"axis", many, false, ""}}, State.npExpandDims},
	{Usage{"broadcast_to", nil, "", "broadcast_to((8,3,4))", "dims of size 1 repeat, by stride 0"},
		[]param{{"shape", many, false, ""}}, State.npBroadcastTo},
	{Usage{"view", nil, "", "view", "another look at the same; not for shapes"},
		[]param{{"dtype", anything, true, "type"}}, State.npView},

	{Usage{"sliding_window_view", nil, "", "sliding_window_view(3,2)", "windows that slide along dims"},
		[]param{{"window_shape", many, false, ""}, {"axis", many, true, ""}}, State.npWindows},
	{Usage{"diagonal", nil, "", "diagonal(0,2,3)", "the diagonal of two dims"},
		[]param{{"offset", one, true, ""}, {"axis1", one, true, ""}, {"axis2", one, true, ""}}, State.diagonal},
	{Usage{"as_strided", nil, "", "as_strided((2,2),(4,8))", "any shape and strides in bytes inside the storage"},
		[]param{{"shape", many, true, ""}, {"strides", many, true, ""}}, State.npAsStrided},

	{Usage{"copy", nil, "", "copy('K')", "a copy, in rows unless told"}, []param{{"order", word, true, ""}}, State.npCopy},
	{Usage{"ascontiguousarray", nil, "", "ascontiguousarray", "a copy in rows, unless it is"}, nil, State.npContiguous},
	{Usage{"asfortranarray", nil, "", "asfortranarray", "a copy in columns, unless it is"}, nil, State.npFortran},
}
