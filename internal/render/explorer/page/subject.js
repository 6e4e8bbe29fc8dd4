// The tensor that the page was made for, see data in subject.go, and the layouts to choose from.
const subject = JSON.parse(byId("data").textContent);
const rank = subject.sizes.length;

// lettered reports whether all dims are named by single letters, and not d0, d1.
const lettered = subject.dims.every(name => /^[A-Za-z]$/.test(name));

// letter returns the index name of a dim: c.
const letter = d => subject.dims[d].toLowerCase();

// likeChannels lists the dims that may be channels, likeliest first: the one named so, output channels last, or the third, second, first
// from the end.
const likeChannels = [...["channel", "input channel", "output channel"].map(noun => subject.nouns.indexOf(noun)),
	rank - 3, rank - 2, rank - 1].filter(d => d >= 0);
const channelDim = likeChannels[0] ?? 0;

// colorDim returns the dim that colors elements initially, as in other pictures: the likeliest of size over 1, preferably one that is not
// broadcast.
const colorDim = (() => {
	const several = likeChannels.filter(d => subject.sizes[d] > 1);
	const moves = d => subject.fixed[0].layout.dims[d].digits.some(g => g.extent > 1 && g.stride !== 0);
	return several.find(moves) ?? several[0] ?? channelDim;
})();

// stored returns a list's entry for an element, or undefined. Lists have the source's sizes.
const stored = (list, coord) => {
	if (!list || coord.some((i, d) => i >= subject.sizes[d])) return undefined;
	return list[model.index(coord, subject.sizes)];
};

// valueAt returns the text of an element's value, or "".
const valueAt = coord => stored(subject.values, coord) ?? "";

// shownAt is the same, shortened for cells.
const shownAt = coord => stored(subject.shown ?? subject.values, coord) ?? "";

// numberAt returns its finite number, or null.
const numberAt = coord => stored(subject.numbers, coord) ?? null;

// Layouts to choose from: memory orders for any sizes, layouts with sizes of their own, and typed strides.
const layouts = (() => {
	// same compares axes.
	const text = axes => axes.map(a => [a.dim, a.div, a.extent].join()).join(" ");
	const same = (a, b) => text(a) === text(b);

	// find returns the order or the fixed layout with a name in any framework, or undefined.
	const find = name => {
		const wanted = name.toLowerCase();
		const is = x => x.toLowerCase() === wanted;
		if (wanted === "strides") return {name: "strides"};
		return subject.fixed.find(f => is(f.name)) ?? subject.orders.find(o => is(o.name)) ??
			subject.orders.find(o => (o.called ?? []).some(c => c.names.some(is)));
	};

	// nameOf returns an order's canonical name, as notation.Format does: NCHW4c, or N C//4 H W C%4 if dims are not letters.
	const nameOf = order => {
		const known = subject.orders.find(o => same(o.axes, order.axes));
		if (known) return known.name;
		return order.axes.map(a => {
			const dim = order.names[a.dim];
			if (!lettered) return dim + (a.div > 1 ? "//" + a.div : "") + (a.extent ? "%" + a.extent : "");
			return a.extent ? a.extent + dim.toLowerCase() : dim.toUpperCase();
		}).join(lettered ? "" : " ");
	};

	// chosen returns the layout of a state, the order if it has one, and the order's names.
	const chosen = state => {
		const found = find(state.layout);
		if (found.name === "strides") {
			return {name: "custom strides", layout: model.strided(subject.dims, state.sizes, state.strides, state.offset)};
		}
		if (found.layout) {
			return found === subject.fixed[0] ? asInFile(found.layout) : found;
		}
		return bound(found, state);
	};

	// asInFile returns the source's layout. It has its order's name if that order, packed, has the same layout and storage.
	const asInFile = layout => {
		const order = subject.own ? find(subject.own) : null;
		const packed = order && model.bind(order, subject.sizes);
		const exact = packed && packed.alloc === layout.alloc && model.layoutText(packed) === model.layoutText(layout);
		return {name: exact ? order.name : "its own layout", exact, layout, order, called: order?.called, words: order?.words};
	};

	const bound = (found, state) => {
		const order = state.block && model.blocks(found).length ? model.withBlock(found, state.block) : found;
		const layout = state.pitch ? model.pad(order, state.sizes, state.pitch) : model.bind(order, state.sizes);
		const known = subject.orders.find(o => same(o.axes, order.axes));
		return {name: nameOf(order), order, layout, called: known?.called, words: known?.words};
	};

	// rivals names two orders to compare with: row-major and channels last, or the last order if there is none.
	const rivals = () => {
		const rowMajor = subject.orders[0];
		const isLast = o => o.axes.length === rank && o.axes.at(-1)?.dim === channelDim;
		const last = subject.orders.find(isLast) ?? subject.orders.at(-1);
		return [...new Set([rowMajor.name, last.name])];
	};

	// own is the source's own layout.
	const own = () => asInFile(subject.fixed[0].layout);

	return {find, own, chosen, rivals};
})();
