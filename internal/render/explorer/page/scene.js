// What is drawn: the elements of the grid, the lines of the memory, and who lives where.
const newScene = state => {
	const choice = layouts.chosen(state), {layout} = choice, sizes = state.sizes;
	const numel = model.numel(layout), scale = tints.scale(state, layout);
	const offsetOf = coord => model.at(layout, coord), inside = model.inside(layout);
	const cutTo = cut.shown(sizes), many = 1 << 15; // up to so many elements their places are looked up

	// lookup tells the elements at each offset, as indices.
	const lookup = () => {
		const places = new Map();
		let index = 0;
		for (const coord of model.walk(layout, "logical")) {
			const offset = offsetOf(coord), at = places.get(offset);
			if (at) at.push(index++); else places.set(offset, [index++]);
		}
		return places;
	};
	let places;

	// owners are the indices of the elements at an offset, at most so many of them. complete is false where there may be
	// more: some are left out, or the search gave up.
	const owners = (offset, most = cut.limit) => {
		if (numel <= many) {
			const all = (places ??= lookup()).get(offset) ?? [];
			return {indices: all.slice(0, most), complete: all.length <= most};
		}
		const {coords, complete} = model.find(layout, offset, most);
		return {indices: coords.map(coord => model.index(coord, sizes)), complete};
	};

	const width = String(Math.max(0, numel - 1)).length;

	// label is what stands on an element's cell.
	const label = (coord, offset) => {
		switch (state.label) {
			case "index": return String(model.index(coord, sizes)).padStart(width, "0");
			case "coord": return coord.join(",");
			case "value": return valueAt(coord);
			case "offset": return String(offset);
		}
		return "";
	};

	return {
		...choice, sizes, numel, scale, offsetOf, owners, label, item: state.item, line: state.line,
		coordOf: index => model.coordOf(index, sizes), indexOf: coord => model.index(coord, sizes),
		outside: offset => offset < inside.from || offset >= inside.end, // of the tensor, where no element lies
		lineOf: offset => Math.floor(offset * state.item / state.line),
		cells: n => cut.cellsOf(n, layout.alloc, state.item, state.line),
		perLine: Math.max(1, Math.floor(state.line / state.item)),
		shown: cutTo, drawnLines: cut.lines(layout.alloc, state.item, state.line),
		near: coord => coord.map((i, d) => cutTo[d].find(j => j >= i) ?? cutTo[d].at(-1)), // what is drawn of it or behind it
		coordName: coord => coord.map((i, d) => `${letter(d)}=${i}`).join(" ") || "the only element",
	};
};
