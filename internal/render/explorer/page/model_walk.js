// Ways through a tensor.
{
	const {exact, must, quotient, facts, at, nested, moving} = model;

	// index numbers a coordinate in logical order, the last dim fastest; coordOf is its inverse.
	const index = (coord, sizes) => coord.reduce((n, i, d) => exact(n * sizes[d] + i, "an index"), 0);
	const coordOf = (index, sizes) => sizes.toReversed().map((size) => {
		const i = index % size;
		index = quotient(index, size);
		return i;
	}).reverse();

	// walk yields every coordinate once. Patterns are
	//
	//	channel   for every pixel of an image, all its channels: loops over N, all other dims, C
	//	spatial   for every channel of an image, all its pixels: loops over N, C, all other dims
	//	memory    in the order of addresses; where several elements lie at one, in logical order
	//	logical   loops over the dims as they are, the last one fastest
	function walk(l, pattern) {
		const {sizes} = facts(l), all = [...sizes.keys()];
		const named = (name) => all.filter((d) => l.dims[d].name === name);
		const images = named("N"), channels = named("C"), pixels = all.filter((d) => ![...images, ...channels].includes(d));
		if (pattern === "logical") return loops(sizes, all);
		if (pattern === "memory") return byAddress(l);
		const names = l.dims.map((d) => d.name).join(", ");
		must(channels.length > 0 && pixels.length > 0,
			`channel-wise and spatial access need a dim C and one of pixels, the dims are ${names}`);
		if (pattern === "channel") return loops(sizes, [...images, ...pixels, ...channels]);
		must(pattern === "spatial", `unknown pattern ${pattern}`);
		return loops(sizes, [...images, ...channels, ...pixels]);
	}

	// loops nests dims, outermost first.
	function* loops(sizes, dims) {
		const coord = sizes.map(() => 0);
		if (sizes.includes(0)) return;
		for (let k = 0; k >= 0;) {
			yield coord.slice();
			for (k = dims.length - 1; k >= 0 && ++coord[dims[k]] === sizes[dims[k]]; k--) coord[dims[k]] = 0;
		}
	}

	// byAddress walks digits by falling size of stride, where those nest, and those of stride 0 innermost. Otherwise it
	// sorts all elements.
	function* byAddress(l) {
		const {sizes, numel, places} = facts(l), steps = moving(l);
		if (numel === 0) return;
		if (!nested(steps)) {
			const list = [...loops(sizes, [...sizes.keys()])].map((coord) => ({coord, address: at(l, coord)}));
			yield* list.sort((a, b) => a.address - b.address).map((e) => e.coord);
			return;
		}
		const still = places.filter((p) => p.extent > 1 && p.stride === 0).sort((a, b) => a.dim - b.dim || b.div - a.div);
		const all = [...steps, ...still];
		for (const values of loops(all.map((p) => p.extent), [...all.keys()])) {
			const coord = sizes.map(() => 0);
			all.forEach((p, k) => { coord[p.dim] += p.div * (p.stride < 0 ? p.extent - 1 - values[k] : values[k]); });
			if (coord.every((i, d) => i < sizes[d])) yield coord;
		}
	}

	Object.assign(model, {index, coordOf, walk});
}
