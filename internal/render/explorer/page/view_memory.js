// The memory: one row per cache line, wrapped if it is wider than the panel.
const memory = (() => {
	const panel = byId("memory"), nodes = new Map(), lines = new Map(); // offset → its cell; number of a line → its row
	let scene = null, guests = {}, gap = null, cellWidth = 26; // guests are rows out of the gap, pointed at or walked through

	// draw makes the rows of a scene. If storage, item and line have the same sizes as before, the cells are reused.
	const draw = (next, width) => {
		const form = s => s && [s.layout.alloc, s.item, s.line].join();
		const same = form(scene) === form(next) && !Object.keys(guests).length;
		scene = next, cellWidth = width;
		if (same) for (const [offset, node] of nodes) paint(node, offset);
		else build();
		fit();
		byId("linear-about").textContent = about();
	};

	const build = () => {
		nodes.clear(), lines.clear();
		guests = {}, gap = null;
		const rows = document.createDocumentFragment();
		for (const [from, to] of scene.drawnLines) {
			if (from > 0) rows.append(gap = newGap(from));
			for (let n = from; n <= to; n++) {
				const [first, end] = scene.cells(n);
				if (first < end) rows.append(newLine(n)); // no item begins in some lines if items are longer than lines
			}
		}
		panel.replaceChildren(rows);
	};

	const about = () => {
		const {alloc} = scene.layout;
		if (!alloc) return "No memory: the tensor has no elements.";
		const per = scene.perLine, frame = `each frame is a cache line of ${scene.line} B`;
		return `${grouped(alloc)} × ${scene.item} B = ${grouped(alloc * scene.item)} B; ${frame}` +
			(per > 1 ? `, ${per} elements` : "");
	};

	const newGap = from =>
		make("p", {className: "skip"}, `… ${count(from - scene.drawnLines[0][1] - 1, "more line")} of ${scene.line} B`);

	const newLine = n => {
		const [from, to] = scene.cells(n), cells = make("div", {className: "cells", role: "presentation"});
		for (let offset = from; offset < to; offset++) cells.append(newCell(offset));
		const row = make("div", {className: "line", role: "row"},
			make("span", {className: "mark", role: "rowheader"}, String(from), make("span", {className: "times"})), cells);
		row.dataset.line = n;
		lines.set(n, row);
		return row;
	};

	const blank = make("div", {className: "cell", tabIndex: -1, role: "gridcell"});

	const newCell = offset => {
		const node = blank.cloneNode();
		node.dataset.o = offset;
		nodes.set(offset, node);
		paint(node, offset);
		return node;
	};

	// paint sets a cell's color, label and border for its offset.
	const paint = (node, offset) => {
		const {indices, complete} = scene.owners(offset, 2), edge = Math.min(2, model.edges(scene.layout, offset));
		const coord = indices.length ? scene.coordOf(indices[0]) : null;
		const none = !complete ? "t-1" : scene.outside(offset) ? "outside" : "padding";
		const kind = !coord ? none : `t${scene.scale.of(coord, offset)}${indices.length > 1 ? " shared" : ""}`;
		node.className = `cell ${kind} e${edge}`;
		node.textContent = coord ? scene.label(coord, offset) : complete ? "" : "?";
	};

	// fit makes rows of a whole line if it fits, otherwise of the largest power of two of cells that does.
	const fit = () => {
		const per = scene.perLine, mark = Math.max(40, String(scene.layout.alloc).length * 7), room = inner - 26 - mark; // pixels
		let columns = per;
		panel.style.setProperty("--mark", mark + "px");
		if (per * cellWidth > room) for (columns = 1; columns * 2 <= per && columns * 2 * cellWidth <= room;) columns *= 2;
		panel.style.setProperty("--columns", columns);
		panel.style.setProperty("--rows", Math.ceil(per / columns));
		panel.style.setProperty("--w", cellWidth + "px");
		memory.columns = columns;
	};
	let inner = panel.clientWidth; // pixels
	new ResizeObserver(() => {
		inner = panel.clientWidth;
		if (scene) fit();
	}).observe(panel);

	// node returns the cell at an offset. An omitted cell is drawn as a guest in the gap, with its line: at most one line for the pointer and
	// one for the walk.
	const node = (offset, why = "pointed") => {
		if (!nodes.has(offset) && gap && offset >= 0 && offset < scene.layout.alloc) {
			if (guests[why]) forget(guests[why]);
			guests[why] = newLine(scene.lineOf(offset));
			guests[why].classList.add("guest");
			gap.after(guests[why]);
		} else if (why === "pointed" && guests.walked?.contains(nodes.get(offset) ?? null)) {
			if (guests.pointed) forget(guests.pointed);
			guests = {pointed: guests.walked};
		}
		return nodes.get(offset);
	};

	const forget = row => {
		for (const cell of row.querySelectorAll(".cell")) nodes.delete(offsetOf(cell));
		lines.delete(Number(row.dataset.line));
		row.remove();
	};

	const offsetOf = node => Number(node.dataset.o);

	return {panel, draw, node, offsetOf, line: n => lines.get(n), nodes, lines, columns: 1};
})();

// motion animates cells from their previous position in memory to the new one, measuring both.
const motion = (() => {
	const limit = 600; // cells
	const calm = matchMedia("(prefers-reduced-motion: reduce)");
	let running = [];

	// positions returns the drawn elements' boxes in the memory's panel, by index; null if there is nothing to animate.
	const positions = scene => {
		stop();
		if (!scene || calm.matches || document.hidden || memory.nodes.size > limit) return null;
		const found = new Map();
		for (const [offset, node] of memory.nodes) {
			const [index] = scene.owners(offset, 1).indices;
			if (index !== undefined) found.set(index, node.getBoundingClientRect());
		}
		return found;
	};

	const stop = () => {
		for (const a of running) a.finish();
		running = [];
		memory.panel.classList.remove("moving");
	};

	// move animates the cells whose position has changed.
	const move = (scene, before) => {
		if (!before || memory.nodes.size > limit) return;
		const after = positions(scene) ?? new Map();
		memory.panel.classList.add("moving");
		for (const [index, to] of after) {
			const from = before.get(index);
			if (!from || from.x === to.x && from.y === to.y) continue;
			const node = memory.node(scene.offsetOf(scene.coordOf(index)));
			const way = [{transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)`}, {transform: "none"}];
			const delay = index / after.size * 150; // ms: the first elements go first
			running.push(node.animate(way, {duration: 650, easing: "cubic-bezier(.3, 0, .15, 1)", delay, fill: "backwards"}));
		}
		const mine = running;
		Promise.allSettled(running.map(a => a.finished)).then(() => {
			if (mine === running) memory.panel.classList.remove("moving");
		});
	};

	return {positions, move};
})();
