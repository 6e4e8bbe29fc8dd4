// What is to be said of a layout (packages tensor and picture).
{
	const {once, at, numel, span, facts, nested, moving, walk} = model;

	// packed walks the dims in an order, innermost first, and asks each of a size other than 1 for the packed stride:
	//
	//	expect = 1; for d in order: if size_d ≠ 1 { need stride_d = expect; expect *= size_d }
	const packed = (l, order) => {
		const {strides, sizes} = facts(l);
		let expect = 1;
		return strides !== null && order.filter((d) => sizes[d] !== 1).every((d) => {
			const holds = strides[d] === expect;
			expect *= sizes[d];
			return holds;
		});
	};

	// What PyTorch's is_contiguous and NumPy's flags say; no where one stride a dim does not say where elements lie.
	const whole = (l) => facts(l).strides !== null;
	const cContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()].reverse()));
	const fContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()]));
	const channelsLast = (l) => l.dims.length === 4 && packed(l, [1, 3, 2, 0]);
	const channelsLast3d = (l) => l.dims.length === 5 && packed(l, [1, 4, 3, 2, 0]);

	// contiguous says in which of these senses a layout is contiguous; empty for none, and without elements.
	const contiguous = (l) => {
		const c = cContiguous(l), last = channelsLast3d(l) ? "channels_last_3d" : channelsLast(l) ? "channels_last" : "";
		if (numel(l) === 0) return "";
		if (c && fContiguous(l)) return "C- and F-contiguous";
		if (c) return last ? `C- and ${last} contiguous` : "C-contiguous";
		return last ? `${last} contiguous` : fContiguous(l) ? "F-contiguous" : "";
	};

	// broadcastDims lists the dims along which the address does not move: a digit that counts has a stride of 0.
	const broadcastDims = (l) => {
		const repeats = (d) => d.digits.some((g) => g.extent > 1 && d.size > g.div && g.stride === 0);
		return numel(l) === 0 ? [] : [...l.dims.keys()].filter((i) => repeats(l.dims[i]));
	};

	// sharing is how many elements lie at each address in use, where the strides tell: they nest, but for those of
	// broadcast dims. It is null elsewhere.
	const sharing = (l) => {
		const {numel, places} = facts(l);
		const still = places.filter((p) => p.extent > 1 && p.stride === 0);
		if (numel === 0 || still.some((p) => l.dims[p.dim].digits.length > 1) || !nested(moving(l))) return null;
		return still.reduce((n, p) => n * p.extent, 1);
	};

	// unique is the number of distinct addresses; -1 where only counting more than limit elements would tell.
	const unique = (l, limit = 1 << 20) => {
		const n = numel(l), shared = sharing(l);
		if (n === 0 || shared !== null) return n && n / shared;
		if (n > limit) return -1;
		const seen = new Set();
		for (const coord of walk(l, "logical")) seen.add(at(l, coord));
		return seen.size;
	};

	// padding is the number of places of the storage that hold no element; -1 where unique is.
	const padding = (l) => {
		const used = unique(l);
		return used < 0 ? -1 : l.alloc - used;
	};

	// edges is how many axes of the memory order begin anew at an address: 0 within a run of the innermost one, 1 where a
	// block does, 2 and more further out.
	const edges = (l, address) => {
		const s = span(l), strides = nestedStrides(l);
		let rest = s === null ? -1 : address - s.low;
		if (rest < 0) return 0;
		let k = strides.length;
		for (; k > 0 && rest > 0; k--) rest %= strides[k - 1];
		return rest > 0 ? 0 : k;
	};

	// nestedStrides lists, by rising size, the strides that lead past everything that smaller ones reach.
	const nestedStrides = once((l) => {
		const strides = [];
		let reach = 0;
		const digits = l.dims.flatMap((dim) => dim.digits).filter((g) => g.extent > 1 && g.stride !== 0);
		digits.sort((a, b) => Math.abs(a.stride) - Math.abs(b.stride));
		for (const g of digits) {
			const stride = Math.abs(g.stride);
			if (stride > reach) strides.push(stride);
			reach += (g.extent - 1) * stride;
		}
		return strides;
	});

	Object.assign(model, {
		cContiguous, fContiguous, channelsLast, channelsLast3d, contiguous, broadcastDims, sharing, unique, padding, edges});
}
