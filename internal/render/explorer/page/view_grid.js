// The logical view: bands from top to bottom, of planes side by side, of rows of cells.
const grid = (() => {
	const panel = byId("grid"), nodes = new Map(); // index of an element → its cell
	let scene;

	// draw makes the cells of a scene. If only layout, labels or colors changed, the cells are reused.
	const draw = next => {
		const before = scene;
		scene = next;
		if (!before || String(before.shown) !== String(scene.shown) || String(before.sizes) !== String(scene.sizes)) build();
		const width = label();
		panel.style.setProperty("--w", width + "px");
		byId("logical-about").textContent = about();
		return width;
	};

	const about = () => {
		if (!scene.numel) return "A size is 0: the tensor has no elements.";
		const drawn = scene.shown.reduce((n, list) => n * list.length, 1);
		return `x[${subject.dims.map((_, d) => letter(d)).join(", ")}]: ${count(scene.numel, "element")}` +
			(drawn < scene.numel ? `, ${grouped(drawn)} of them drawn` : "");
	};

	const build = () => {
		nodes.clear();
		const bands = make("div", {className: "bands", role: "presentation"});
		if (scene.numel) for (const band of outer(scene.shown.slice(0, -3), 0)) bands.append(newBand(band));
		const less = scene.shown.slice(0, -3).findIndex((list, d) => list.length < scene.sizes[d]);
		if (less >= 0) bands.append(gap(less));
		panel.replaceChildren(bands);
		panel.style.setProperty("--columns", columns().length);
		panel.style.setProperty("--rows", rows().length);
	};

	// gap counts the omitted indices of dim d.
	const gap = d => make("p", {className: "skip"}, cut.left(scene.sizes[d] - scene.shown[d].length, d));

	// outer lists the coordinates of dims d, d+1, … of the bands.
	const outer = (lists, d) => d >= lists.length ? [[]] : lists[d].flatMap(i => outer(lists, d + 1).map(rest => [i, ...rest]));

	const rows = () => rank > 1 ? gapped(rank - 2) : [0];
	const columns = () => rank > 0 ? gapped(rank - 1) : [0];

	// gapped returns the drawn indices of a dim, with null where some are omitted.
	const gapped = d => scene.shown[d].flatMap((i, k, list) => k > 0 && i > list[k - 1] + 1 ? [null, i] : [i]);

	const newBand = coord => {
		const planes = make("div", {className: "planes", role: "presentation"});
		for (const c of rank > 2 ? gapped(rank - 3) : [undefined]) {
			planes.append(c === null ? gap(rank - 3) : newPlane(c === undefined ? coord : [...coord, c]));
		}
		const name = coord.map((i, d) => `${letter(d)}=${i}`).join(" "), alone = scene.sizes.slice(0, -3).every(n => n === 1);
		const title = name && !alone ? make("h3", {}, name) : "";
		return make("section", {className: "band", role: "rowgroup", "aria-label": name || "all"}, title, planes);
	};

	const newPlane = coord => {
		const cells = make("div", {className: "cells", role: "presentation"}), r = rank - 2, c = rank - 1;
		cells.append(make("span", {className: "corner"}));
		for (const i of columns()) cells.append(axisMark(i, c, i === 0 && rank > 0));
		for (const h of rows()) {
			const row = make("div", {className: "row", role: "row"}, rank > 1 ? axisMark(h, r, h === 0) : make("span"));
			for (const w of columns()) row.append(newCell(rank > 1 ? [...coord, h, w] : rank ? [w] : []));
			cells.append(row);
		}
		const name = rank > 2 ? make("h4", {}, `${letter(rank - 3)}=${coord[rank - 3]}`) : "";
		return make("div", {className: "plane", role: "presentation"}, name, cells);
	};

	const axisMark = (i, d, named) =>
		make("span", {className: "mark", "aria-hidden": "true"}, !rank || i === null ? "" : (named ? letter(d) + "=" : "") + i);

	const blank = make("div", {className: "cell", tabIndex: -1, role: "gridcell"});

	const newCell = coord => {
		const omitted = coord.at(-1) === null ? "…" : "⋮";
		if (coord.includes(null)) return make("span", {className: "omitted", "aria-hidden": "true"}, omitted);
		const node = blank.cloneNode(), index = scene.indexOf(coord);
		node.dataset.i = index;
		nodes.set(index, node);
		return node;
	};

	// label labels all cells, and returns their width in pixels.
	const label = () => {
		let longest = 0;
		for (const [index, node] of nodes) {
			const coord = scene.coordOf(index), offset = scene.offsetOf(coord), text = scene.label(coord, offset);
			longest = Math.max(longest, text.length);
			if (node.textContent !== text) node.textContent = text;
			const shared = scene.layout.alloc < scene.numel && scene.owners(offset, 2).indices.length > 1;
			const name = `cell t${scene.scale.of(coord, offset)}${shared ? " shared" : ""}`;
			if (node.className !== name) node.className = name;
		}
		const few = scene.numel <= 64;
		document.body.classList.toggle("few", few);
		const [min, max, character] = few ? [32, 120, 8.2] : [26, 96, 6.65];
		return Math.max(min, Math.min(max, Math.ceil(longest * character + 6)));
	};

	// indexOf returns the element of a cell.
	const indexOf = node => Number(node.dataset.i);

	return {panel, draw, indexOf, node: index => nodes.get(index)};
})();
