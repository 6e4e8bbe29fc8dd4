// What can be chosen as a layout: orders of axes for any sizes, layouts that come with sizes, and typed strides.
const layouts = (() => {
	// same compares axes.
	const text = axes => axes.map(a => [a.dim, a.div, a.extent].join()).join(" ");
	const same = (a, b) => text(a) === text(b);

	// find is the order or the fixed layout of a name in any framework; undefined where there is none.
	const find = name => {
		const wanted = name.toLowerCase();
		const is = x => x.toLowerCase() === wanted;
		if (wanted === "strides") return {name: "strides"};
		return subject.fixed.find(f => is(f.name)) ?? subject.orders.find(o => is(o.name)) ??
			subject.orders.find(o => (o.called ?? []).some(c => c.names.some(is)));
	};

	// nameOf is an order's canonical name, as notation.Format has it: NCHW4c, or N C//4 H W C%4 where letters cannot say it.
	const nameOf = order => {
		const known = subject.orders.find(o => same(o.axes, order.axes));
		if (known) return known.name;
		return order.axes.map(a => {
			const dim = order.names[a.dim];
			if (!lettered) return dim + (a.div > 1 ? "//" + a.div : "") + (a.extent ? "%" + a.extent : "");
			return a.extent ? a.extent + dim.toLowerCase() : dim.toUpperCase();
		}).join(lettered ? "" : " ");
	};

	// chosen is what a state shows: its layout, the order where it has one, and the names of that.
	const chosen = state => {
		const found = find(state.layout);
		if (found.name === "strides") {
			return {name: "typed strides", layout: model.strided(subject.dims, state.sizes, state.strides, state.offset)};
		}
		if (found.layout) {
			return found === subject.fixed[0] ? asInFile(found.layout) : found;
		}
		return bound(found, state);
	};

	// asInFile has the name of the source's order where that, without padding, is its layout and its storage.
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

	// rivals are names of orders to compare with: row-major and channels last, or what comes next to them.
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
