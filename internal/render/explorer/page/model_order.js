// Memory orders (packages notation and convert): layouts that they make of sizes, in blocks and with padding.
{
	const {exact, natural, must, count, ceilDiv, last, layout, span} = model;

	// physicalShape is the extents of an order's axes for logical sizes.
	const physicalShape = (order, sizes) => {
		must(sizes.length === order.names.length, `an order of ${order.names.length} dims, a shape of ${sizes.length}`);
		const size = (dim) => natural(sizes[dim], `the size of ${order.names[dim]}`);
		const shape = order.axes.map((a) => a.extent || ceilDiv(size(a.dim), a.div));
		count(shape);
		return shape;
	};

	// bind is the packed layout of an order: physical axes in row-major order, the last dim rounded up to whole blocks. A
	// size of 0 counts as 1 in the strides around it.
	const bind = (order, sizes) => {
		const shape = physicalShape(order, sizes), strides = [];
		let run = 1;
		for (const extent of shape.toReversed()) {
			strides.unshift(run);
			run = exact(run * (extent || 1), "the storage");
		}
		return place(order, sizes, shape, strides, count(shape));
	};

	// place is the layout of an order whose axes have the given extents and strides.
	const place = (order, sizes, extents, strides, alloc) => {
		const digitsOf = (dim) => order.axes
			.map((a, k) => ({...a, k}))
			.filter((a) => a.dim === dim)
			.sort((a, b) => a.div - b.div || (a.extent || Infinity) - (b.extent || Infinity))
			.map(({div, k}) => ({div, extent: extents[k], stride: strides[k]}));
		return layout(order.names.map((name, dim) => ({name, size: sizes[dim], digits: digitsOf(dim)})), 0, alloc);
	};

	// strided is the layout of one stride a dim. Its elements lie within the storage, which without alloc ends with the last.
	const strided = (names, sizes, strides, offset, alloc) => {
		must(sizes.length === names.length && strides.length === names.length,
			`${sizes.length} sizes and ${strides.length} strides for ${names.length} dims`);
		const dims = names.map((name, i) => ({name, size: sizes[i], digits: [{div: 1, extent: sizes[i], stride: strides[i]}]}));
		const l = layout(dims, offset, alloc), s = span(l);
		must(s === null || s.low >= 0, `an element lies at offset ${s?.low}, before the storage`);
		must(s === null || s.high < l.alloc, `an element lies at offset ${s?.high}, behind a storage of ${l.alloc}`);
		return l;
	};

	// innermost is the least significant axis of each dim that is split, in logical order.
	const innermost = (order) => order.names.flatMap((_, dim) => {
		const axes = order.axes.filter((a) => a.dim === dim && a.extent > 0);
		axes.sort((a, b) => a.div - b.div || a.extent - b.extent);
		return axes.slice(0, 1);
	});

	// blocks is the size of the innermost block of each dim that is split: [4] of NCHW4c, [8, 8] of OIHW8i8o.
	const blocks = (order) => innermost(order).map((a) => a.extent);

	// withBlock is the order with these blocks of another size: NCHW4c with 8 is NCHW8c.
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

	// rowDim is the dim with which a row ends: of the last two dims, which are drawn as rows and columns, the one whose
	// steps lie closer together.
	const rowDim = (order) => last(order.axes.filter((a) => a.extent === 0 && a.dim >= order.names.length - 2))?.dim;

	// pad is bind with padding: pitches [{dim: "W", align: 16}] round the step over the whole of W up to a multiple of 16
	// elements. A number does so for rows: the H-stride of NCHW, NHWC and NCHW4c.
	const pad = (order, sizes, pitches) => {
		const shape = physicalShape(order, sizes), strides = [];
		if (shape.includes(0) || order.names.length === 0) return bind(order, sizes);
		const all = Array.isArray(pitches) ? pitches : [{dim: order.names[rowDim(order)], align: pitches}];
		for (const p of all) {
			must(order.names.includes(p.dim), `pitch ${p.dim}: there is no dim of this name`);
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
		return place(order, sizes, shape, strides, run);
	};

	Object.assign(model, {physicalShape, bind, pad, strided, blocks, withBlock, rowDim});
}
