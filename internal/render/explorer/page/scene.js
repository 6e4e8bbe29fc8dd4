// What is drawn: the indices and cache lines of a large tensor, the colors of cells, and which elements are where.

// cut selects what to draw of a large tensor.
const cut = (() => {
	const limit = 4096; // cells of the grid, and of the memory

	// shown returns the drawn indices of each dim: all, or the first ones and the last. Planes are dropped first, down to two, then rows and
	// columns.
	const shown = sizes => {
		const counts = [...sizes], product = () => counts.reduce((a, b) => a * b, 1);
		const outer = counts.map((_, d) => d).slice(0, -2), inner = counts.map((_, d) => d).slice(-2);
		for (const dims of [outer, inner]) {
			while (product() > limit) {
				const d = dims.reduce((a, b) => counts[b] > counts[a] ? b : a, dims[0]);
				if (d === undefined || counts[d] <= 2) break;
				const others = product() / counts[d];
				const fits = Math.max(2, Math.floor(limit / others)), half = Math.ceil(counts[d] / 2);
				counts[d] = Math.min(counts[d] - 1, Math.max(fits, half));
			}
		}
		return counts.map((n, d) => pick(n, sizes[d]));
	};

	// pick returns n of the indices below size.
	const pick = (n, size) => {
		const list = Array.from({length: n}, (_, i) => i);
		if (n < size) list[n - 1] = size - 1;
		return list;
	};

	// lines are the drawn cache lines, as [first, last] with gaps between. A cell belongs to the line of its first byte.
	const lines = (alloc, item, line) => {
		const last = alloc ? Math.floor((alloc - 1) * item / line) : -1;
		const maxLines = Math.max(2, Math.floor(limit * item / line));
		return last < maxLines ? [[0, last]] : [[0, maxLines - 2], [last, last]];
	};

	// cellsOf returns the offsets of a line, [first, end).
	const cellsOf = (n, alloc, item, line) => [Math.ceil(n * line / item), Math.min(alloc, Math.ceil((n + 1) * line / item))];

	// noun is the name of an index of a dim, or the dim's name.
	const noun = d => subject.nouns[d] || subject.dims[d];

	// left counts the omitted indices of a dim: "… 59 more channels".
	const left = (n, d) =>
		subject.nouns[d] ? `… ${count(n, "more " + noun(d))}` : `… ${grouped(n)} more of ${subject.dims[d]}`;

	return {shown, lines, cellsOf, left, noun, limit};
})();

// tints are the colors of cells. Elements of tint i have the class ti; a separate style sheet has the colors.
const tints = (() => {
	const sheet = new CSSStyleSheet();
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	const {hues, turn, ramp, diverging} = subject.palette;

	// pair returns the light and dark color of tint i of n.
	const pair = (kind, i, n) => {
		if (kind === "diverging") return diverging[i];
		return kind === "ramp" ? ramp[n > 1 ? Math.round(i * (ramp.length - 1) / (n - 1)) : 0] : hues[n - 1][i];
	};

	// scale is the number of tints that a coloring needs, their kind, and the tint of an element.
	const scale = (state, layout) => {
		const d = subject.dims.indexOf(state.color);
		if (d >= 0) {
			const size = Math.max(1, state.sizes[d]), n = size <= hues.length ? size : turn;
			const name = cut.noun(d) + (n < size ? ` mod ${n}` : ""), index = n < size ? "" : `${letter(d)}=`;
			return {n, kind: "hues", name, low: index + 0, high: index + (n - 1), of: coord => coord[d] % n};
		}
		if (state.color === "none") return {n: 0, of: () => -1};
		if (state.color === "value") return byValue;
		const {low, high} = model.span(layout) ?? {low: 0, high: 0}, each = Math.floor((high - low) / ramp.length) + 1;
		const n = Math.floor((high - low) / each) + 1;
		return {n, kind: "ramp", name: "position in memory", low: `offset ${grouped(low)}`, high: `offset ${grouped(high)}`,
			of: (coord, offset) => Math.floor((offset - low) / each)};
	};

	// byValue goes from the minimum to the maximum of the source's finite numbers, as in other pictures; if they have both signs,
	// from the larger magnitude's negative to itself, far, with 0 in the middle:
	//
	//	tint = ⌊(x − min) / (max − min) · n⌋, at most n − 1        one sign
	//	tint = ⌊(x / far + 1) / 2 · (n − 1) + ½⌋                  both
	const byValue = (() => {
		let low = null, high = null;
		(subject.numbers ?? []).forEach((x, i) => {
			if (x === null) return;
			const text = subject.values[i];
			if (!low || x < low.x || x === low.x && text < low.text) low = {x, i, text};
			if (!high || x > high.x || x === high.x && text > high.text) high = {x, i, text};
		});
		if (!low) return null;
		const complex = /j\)?$/.test(low.text + high.text);
		const shown = end => complex ? String(Number(end.x.toPrecision(3))) : (subject.shown ?? subject.values)[end.i];
		const name = (complex ? "real part" : "value") + (subject.numbers.includes(null) ? ", if finite" : "");
		const scale = (kind, n, low, high, tint) => ({kind, n, name, low, high, of: coord => {
			const x = numberAt(coord);
			return x === null ? -1 : Math.min(Math.floor(tint(x)), n - 1);
		}});
		if (low.x < 0 && high.x > 0) {
			const far = Math.max(-low.x, high.x), n = diverging.length;
			const text = far === high.x ? shown(high) : shown(low).replace(/^-/, "");
			return scale("diverging", n, "-" + text, text, x => (x / far + 1) / 2 * (n - 1) + 0.5);
		}
		const n = high.x > low.x ? ramp.length : 1; // halves, because the difference may overflow
		return scale("ramp", n, shown(low), shown(high), x => n > 1 ? (x / 2 - low.x / 2) / (high.x / 2 - low.x / 2) * n : 0);
	})();

	// use assigns a scale's colors to the classes.
	let used = "";
	const use = ({kind, n}) => {
		if (used === kind + n) return; // changing the sheet restyles all cells
		used = kind + n;
		const rules = scheme => Array.from({length: n}, (_, i) => `.t${i}{--tint:${pair(kind, i, n)[scheme]}}`).join("\n");
		sheet.replaceSync(`${rules(0)}\n@media screen and (prefers-color-scheme: dark) {${rules(1)}}`);
	};

	return {scale, use};
})();

// newScene makes a state ready to draw.
const newScene = state => {
	const choice = layouts.chosen(state), {layout} = choice, sizes = state.sizes;
	const numel = model.numel(layout), scale = tints.scale(state, layout);
	const offsetOf = coord => model.at(layout, coord), inside = model.inside(layout);
	const cutTo = cut.shown(sizes), many = 1 << 15; // elements; up to so many there is a table of offsets

	// lookup maps each offset to its elements, as indices.
	const lookup = () => {
		const found = new Map();
		let index = 0;
		for (const coord of model.walk(layout, "logical")) {
			const offset = offsetOf(coord), at = found.get(offset);
			if (at) at.push(index++); else found.set(offset, [index++]);
		}
		return found;
	};
	let table;

	// owners returns the indices of the elements at an offset, at most max. complete is false if there may be more.
	const owners = (offset, max = cut.limit) => {
		if (numel <= many) {
			const all = (table ??= lookup()).get(offset) ?? [];
			return {indices: all.slice(0, max), complete: all.length <= max};
		}
		const {coords, complete} = model.find(layout, offset, max);
		return {indices: coords.map(coord => model.index(coord, sizes)), complete};
	};

	const width = String(Math.max(0, numel - 1)).length;

	// label returns the text of an element's cell.
	const label = (coord, offset) => {
		switch (state.label) {
			case "index": return String(model.index(coord, sizes)).padStart(width, "\u00a0");
			case "coord": return coord.join(",");
			case "value": return shownAt(coord);
			case "offset": return String(offset);
		}
		return "";
	};

	return {
		...choice, sizes, numel, scale, offsetOf, owners, label, item: state.item, line: state.line,
		coordOf: index => model.coordOf(index, sizes), indexOf: coord => model.index(coord, sizes),
		outside: offset => offset < inside.from || offset >= inside.end, // of the tensor, for offsets without an element
		lineOf: offset => Math.floor(offset * state.item / state.line),
		cells: n => cut.cellsOf(n, layout.alloc, state.item, state.line),
		perLine: Math.max(1, Math.floor(state.line / state.item)),
		shown: cutTo, drawnLines: cut.lines(layout.alloc, state.item, state.line),
		near: coord => coord.map((i, d) => cutTo[d].find(j => j >= i) ?? cutTo[d].at(-1)), // the next coordinate that is drawn
		coordName: coord => coord.map((i, d) => `${letter(d)}=${i}`).join(" ") || "the only element",
	};
};
