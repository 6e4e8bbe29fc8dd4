// Axes (package explain): the digits of which an address is the sum.
{
	const {exact, facts, digitOf, once} = model;

	// axis is a digit of a dim's index, or the whole index of one that is not split; one step moves the address by stride.
	const axis = (dim, dimName, isLast, {div, extent, stride}) => ({
		dim, dimName, div, extent, stride, last: isLast, whole: isLast && div === 1,
		name: dimName + (div !== 1 ? `//${div}` : "") + (isLast ? "" : `%${extent}`), // C, C//16, C%16
		symbol: !isLast ? String(extent) : div !== 1 ? `⌈${dimName}/${div}⌉` : dimName, // the extent in letters
		letter: dimName.toLowerCase(),
		taken: (div !== 1 ? ` div ${div}` : "") + (isLast ? "" : ` mod ${extent}`), // how it is taken from the index
	});

	// axes lists axes in logical order of the dims, the most significant digit of each first. Where one stride a dim says
	// it all, a dim has one axis.
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

	// inMemory lists them from the outermost to the innermost: as the order has them; by falling stride without one, or where
	// it has blocks of which one stride a dim says as much. An axis that does not move the address lies outside of all then.
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

	// terms is what each axis adds to the address of a coordinate: value · stride = product.
	const terms = (l, coord) => axes(l).map((a) => {
		const value = digitOf(coord[a.dim], a.div, a.extent, a.last);
		return {...a, of: coord[a.dim], value, product: exact(value * a.stride, "a product")};
	});

	Object.assign(model, {axis, digitAxes, axes, inMemory, terms});
}
