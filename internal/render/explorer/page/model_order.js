// Memory orders (packages notation and convert): the layouts they make of sizes, in blocks and with padding. Then the order
// in which a layout has its axes: contiguity, broadcast, sharing, where axes wrap (packages tensor, explain and picture).
{
	const {exact, natural, must, count, ceilDiv, last, layout, span, facts, digitOf, once, at, numel, nested, moving,
		walk} = model;

	// physicalShape returns the extents of an order's axes for logical sizes.
	const physicalShape = (order, sizes) => {
		must(sizes.length === order.names.length, `an order of ${order.names.length} dims, a shape of ${sizes.length}`);
		const size = (dim) => natural(sizes[dim], `the size of ${order.names[dim]}`);
		const shape = order.axes.map((a) => a.extent || ceilDiv(size(a.dim), a.div));
		count(shape);
		return shape;
	};

	// bind returns the packed layout of an order: physical axes in row-major order, the last dim rounded up to whole blocks. A size of 0
	// counts as 1 in the outer strides.
	const bind = (order, sizes) => {
		const shape = physicalShape(order, sizes), strides = [];
		let run = 1;
		for (const extent of shape.toReversed()) {
			strides.unshift(run);
			run = exact(run * (extent || 1), "the storage");
		}
		return arrange(order, sizes, shape, strides, count(shape));
	};

	// arrange makes the layout of an order whose axes have the given extents and strides.
	const arrange = (order, sizes, extents, strides, alloc) => {
		const digitsOf = (dim) => order.axes
			.map((a, k) => ({...a, k}))
			.filter((a) => a.dim === dim)
			.sort((a, b) => a.div - b.div || (a.extent || Infinity) - (b.extent || Infinity))
			.map(({div, k}) => ({div, extent: extents[k], stride: strides[k]}));
		return layout(order.names.map((name, dim) => ({name, size: sizes[dim], digits: digitsOf(dim)})), 0, alloc);
	};

	// strided returns the layout with one stride per dim. Its elements must be within the storage, which without alloc ends with the last.
	const strided = (names, sizes, strides, offset, alloc) => {
		must(sizes.length === names.length && strides.length === names.length,
			`${sizes.length} sizes and ${strides.length} strides for ${names.length} dims`);
		const dims = names.map((name, i) => ({name, size: sizes[i], digits: [{div: 1, extent: sizes[i], stride: strides[i]}]}));
		const l = layout(dims, offset, alloc), s = span(l);
		must(s === null || s.low >= 0, `an element is at offset ${s?.low}, before the storage`);
		must(s === null || s.high < l.alloc, `an element is at offset ${s?.high}, past the end of a storage of ${l.alloc}`);
		return l;
	};

	// innermost returns the least significant axis of each split dim, in logical order.
	const innermost = (order) => order.names.flatMap((_, dim) => {
		const axes = order.axes.filter((a) => a.dim === dim && a.extent > 0);
		axes.sort((a, b) => a.div - b.div || a.extent - b.extent);
		return axes.slice(0, 1);
	});

	// blocks returns the size of the innermost block of each split dim: [4] for NCHW4c, [8, 8] for OIHW8i8o.
	const blocks = (order) => innermost(order).map((a) => a.extent);

	// withBlock returns the order with those blocks resized: NCHW4c with 8 is NCHW8c.
	const withBlock = (order, x) => {
		must(exact(x, "a block") > 0, `a block of ${x}`);
		const inner = innermost(order);
		const resized = (a) => {
			const block = inner.find((b) => b.dim === a.dim);
			if (!block) return a;
			return a === block ? {...a, extent: x} : {...a, div: exact(a.div / block.extent * x, "a block")};
		};
		return {...order, axes: order.axes.map(resized)};
	};

	// rowDim returns the dim along a row: the inner one of the last two dims, which are drawn as rows and columns.
	const rowDim = (order) => last(order.axes.filter((a) => a.extent === 0 && a.dim >= order.names.length - 2))?.dim;

	// pad is bind with padding: pitches [{dim: "W", align: 16}] round the stride outside of W up to a multiple of 16
	// elements. A number does so for rows: the H-stride of NCHW, NHWC and NCHW4c.
	const pad = (order, sizes, pitches) => {
		const shape = physicalShape(order, sizes), strides = [];
		if (shape.includes(0) || order.names.length === 0) return bind(order, sizes);
		const all = Array.isArray(pitches) ? pitches : [{dim: order.names[rowDim(order)], align: pitches}];
		for (const p of all) {
			must(order.names.includes(p.dim), `pitch ${p.dim}: no dim of this name`);
			must(exact(p.align, "a pitch") > 0, `a pitch of ${p.align}`);
		}
		let run = 1;
		order.axes.toReversed().forEach((a, k) => {
			strides.unshift(run);
			run = exact(run * shape[shape.length - 1 - k], "the storage");
			for (const p of all) {
				if (a.extent === 0 && order.names[a.dim] === p.dim) run = exact(ceilDiv(run, p.align) * p.align, "the storage");
			}
		});
		return arrange(order, sizes, shape, strides, run);
	};

	// axis is a digit of a dim's index, or the whole index of a dim that is not split; one step moves the address by stride.
	const axis = (dim, dimName, isLast, {div, extent, stride}) => ({
		dim, dimName, div, extent, stride, last: isLast, whole: isLast && div === 1,
		name: dimName + (div !== 1 ? `//${div}` : "") + (isLast ? "" : `%${extent}`), // C, C//16, C%16
		symbol: !isLast ? String(extent) : div !== 1 ? `⌈${dimName}/${div}⌉` : dimName, // the extent in letters
		letter: dimName.toLowerCase(),
		taken: (div !== 1 ? ` div ${div}` : "") + (isLast ? "" : ` mod ${extent}`), // how it is computed from the index
	});

	// axes lists axes in logical order of the dims, the most significant digit of each first. Unless the layout is blocked,
	// a dim has one axis.
	const axes = once((l) => {
		const {strides} = facts(l);
		return l.dims.flatMap((d, i) => strides
			? axis(i, d.name, true, {div: 1, extent: d.size, stride: strides[i]})
			: digitAxes(l, i));
	});

	const digitAxes = (l, i) => {
		const {name, digits} = l.dims[i];
		return digits.map((g, k) => axis(i, name, k === digits.length - 1, g)).reverse();
	};

	// inMemory lists them from the outermost to the innermost: as the order has them; by decreasing stride if there is no
	// order, or its blocks make no difference. An axis that does not move the address is then outermost.
	const inMemory = (l, order) => {
		const list = axes(l).slice();
		if (!order || facts(l).strides && order.axes.length !== order.names.length) {
			return list.sort((a, b) => {
				const [x, y] = [a, b].map(({stride}) => Math.abs(stride) || Infinity);
				return x === y ? 0 : y - x;
			});
		}
		const rank = (a) => order.axes.findIndex((b) => a.dim === b.dim && a.div === b.div);
		return list.sort((a, b) => rank(a) - rank(b));
	};

	// terms returns what each axis adds to the address of a coordinate: value · stride = product.
	const terms = (l, coord) => axes(l).map((a) => {
		const value = digitOf(coord[a.dim], a.div, a.extent, a.last);
		return {...a, of: coord[a.dim], value, product: exact(value * a.stride, "a product")};
	});

	// packed reports whether the dims of size over 1, innermost first, have the strides of a packed tensor:
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

	// PyTorch's is_contiguous and NumPy's flags; false for blocked layouts.
	const whole = (l) => facts(l).strides !== null;
	const cContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()].reverse()));
	const fContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()]));
	const channelsLast = (l) => l.dims.length === 4 && packed(l, [1, 3, 2, 0]);
	const channelsLast3d = (l) => l.dims.length === 5 && packed(l, [1, 4, 3, 2, 0]);

	// contiguous names the senses in which a layout is contiguous; "" for none, and for an empty tensor.
	const contiguous = (l) => {
		const c = cContiguous(l), last = channelsLast3d(l) ? "channels_last_3d" : channelsLast(l) ? "channels_last" : "";
		if (numel(l) === 0) return "";
		if (c && fContiguous(l)) return "C- and F-contiguous";
		if (c) return last ? `C- and ${last} contiguous` : "C-contiguous";
		return last ? `${last} contiguous` : fContiguous(l) ? "F-contiguous" : "";
	};

	// broadcastDims lists the dims with a digit in use whose stride is 0.
	const broadcastDims = (l) => {
		const repeats = (d) => d.digits.some((g) => g.extent > 1 && d.size > g.div && g.stride === 0);
		return numel(l) === 0 ? [] : [...l.dims.keys()].filter((i) => repeats(l.dims[i]));
	};

	// sharing returns how many elements are at each address in use, if that follows from the strides: those of dims that are not broadcast
	// nest. Otherwise it returns null.
	const sharing = (l) => {
		const {numel, digits} = facts(l);
		const still = digits.filter((p) => p.extent > 1 && p.stride === 0);
		if (numel === 0 || still.some((p) => l.dims[p.dim].digits.length > 1) || !nested(moving(l))) return null;
		return still.reduce((n, p) => n * p.extent, 1);
	};

	// unique returns the number of distinct addresses; -1 if counting needs more than limit elements.
	const unique = (l, limit = 1 << 20) => {
		const n = numel(l), shared = sharing(l);
		if (n === 0 || shared !== null) return n && n / shared;
		if (n > limit) return -1;
		const seen = new Set();
		for (const coord of walk(l, "logical")) seen.add(at(l, coord));
		return seen.size;
	};

	// padding returns the number of storage offsets without an element; -1 if unique does.
	const padding = (l) => {
		const used = unique(l);
		return used < 0 ? -1 : l.alloc - used;
	};

	// edges returns how many axes of the memory order wrap at an address: 0 within a run of the innermost one, 1 at the start of a block, 2
	// and more further out.
	const edges = (l, address) => {
		const s = span(l), strides = nestedStrides(l);
		let rest = s === null ? -1 : address - s.low;
		if (rest < 0) return 0;
		let k = strides.length;
		for (; k > 0 && rest > 0; k--) rest %= strides[k - 1];
		return rest > 0 ? 0 : k;
	};

	// nestedStrides lists, in increasing magnitude, the strides that exceed the reach of all smaller ones.
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

	Object.assign(model, {physicalShape, bind, pad, strided, blocks, withBlock, rowDim, axis, digitAxes, axes, inMemory,
		terms, cContiguous, fContiguous, channelsLast, channelsLast3d, contiguous, broadcastDims, sharing, unique, padding,
		edges});
}
