// Pointing: by mouse, finger or key.

// keys moves along dims in the grid, along addresses in the memory.
const keys = (() => {
	const dialog = byId("keys");
	byId("help").addEventListener("click", () => dialog.showModal());

	// moved is the coordinate after a key press; undefined for other keys.
	const moved = (event, coord, sizes) => {
		const step = (d, by) => d < 0 ? coord : coord.with(d, Math.max(0, Math.min(sizes[d] - 1, coord[d] + by)));
		const row = rank - 2, column = rank - 1, plane = event.shiftKey ? rank - 4 : rank - 3;
		switch (event.key) {
			case "ArrowLeft": return step(column, -1);
			case "ArrowRight": return step(column, 1);
			case "ArrowUp": return step(row, -1);
			case "ArrowDown": return step(row, 1);
			case "PageUp": return step(plane, -1);
			case "PageDown": return step(plane, 1);
			case "Home": return event.ctrlKey ? coord.map(() => 0) : step(column, -Infinity);
			case "End": return event.ctrlKey ? sizes.map(n => n - 1) : step(column, Infinity);
		}
	};

	// movedOffset is the same for the memory.
	const movedOffset = (event, offset, columns, alloc) => {
		const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -8 * columns,
			PageDown: 8 * columns};
		const by = steps[event.key];
		if (by) return Math.max(0, Math.min(alloc - 1, offset + by));
		if (event.key === "Home") return event.ctrlKey ? 0 : offset - offset % columns;
		if (event.key === "End") return event.ctrlKey ? alloc - 1 : Math.min(alloc - 1, offset - offset % columns + columns - 1);
	};

	// typing reports whether a key is input rather than a command.
	const typing = event => event.ctrlKey || event.metaKey || event.altKey ||
		event.target.matches("input[type=text], input[type=number], select, dialog *");

	return {moved, movedOffset, typing, help: () => dialog.showModal()};
})();

let on = []; // highlighted nodes

// roaming holds the panels that the reader has scrolled since the last click on the player: a walk does not scroll them.
const roaming = new Set();

// show highlights an element {coord}, or a cell of memory {offset}, in all panels. from is the panel under the pointer, which is not
// scrolled, or "walk".
const show = (target, from) => {
	unlight();
	if (!target.coord && target.offset === undefined || !scene.numel) return address.show({});
	const offset = target.offset ?? scene.offsetOf(target.coord), owners = scene.owners(offset).indices;
	const coord = target.coord ?? (owners.length ? scene.coordOf(owners[0]) : undefined);
	if (coord) state.at = coord;
	state.cell = coord ? null : offset;
	const here = coord && grid.node(scene.indexOf(coord)), cell = memory.node(offset);
	for (const index of owners) light(grid.node(index), "on");
	light(here, "here"), light(cell, "here"), light(memory.line(scene.lineOf(offset)), "on");
	rove("grid", here), rove("memory", cell);
	address.show({coord, offset});
	for (const [name, panel, node] of [["grid", grid.panel, here], ["memory", memory.panel, cell]]) {
		if (node && from !== name && !(from === "walk" && roaming.has(name))) scrollTo(panel, node);
	}
};

// follow shows an access of a walk; if another element is pinned, it only scrolls to the access.
const follow = ({index, offset}) => {
	if (!state.pinned) return show({coord: scene.coordOf(index)}, "walk");
	for (const [name, panel, node] of [["grid", grid.panel, grid.node(index)], ["memory", memory.panel, memory.nodes.get(offset)]]) {
		if (node && !roaming.has(name)) scrollTo(panel, node);
	}
};
for (const kind of ["click", "input"]) byId("player").addEventListener(kind, () => roaming.clear(), true);

const unlight = () => {
	for (const node of on) node.classList.remove("on", "here");
	on = [];
};

const light = (node, name) => {
	if (!node) return;
	node.classList.add(name);
	on.push(node);
};

// rove makes a cell its panel's tab stop.
const roving = {};
const rove = (panel, node) => {
	if (!node || roving[panel] === node) return;
	if (roving[panel]) roving[panel].tabIndex = -1;
	node.tabIndex = 0;
	const {coord, offset} = targetOf(node);
	node.setAttribute("aria-label", coord ? scene.coordName(coord) : `offset ${offset}`);
	roving[panel] = node;
};

// scrollTo scrolls a cell into view within its panel, and nothing else.
const scrollTo = (panel, node) => {
	const box = panel.getBoundingClientRect(), cell = node.getBoundingClientRect();
	const down = cell.top < box.top + 24 || cell.bottom > box.bottom - 8;
	const across = cell.left < box.left + 40 || cell.right > box.right - 8;
	if (down) panel.scrollTop += cell.top - box.top - (box.height - cell.height) / 2;
	if (across) panel.scrollLeft += cell.left - box.left - (box.width - cell.width) / 2;
};

const pin = pinned => {
	state.pinned = pinned;
	const button = byId("pin");
	button.setAttribute("aria-pressed", pinned);
	button.textContent = pinned ? "Pinned: release" : "Pin";
	remember();
};

// targetOf returns the element or the offset of a cell.
const targetOf = node =>
	node.dataset.i === undefined ? {offset: memory.offsetOf(node)} : {coord: scene.coordOf(grid.indexOf(node))};

for (const [name, panel] of [["grid", grid.panel], ["memory", memory.panel]]) {
	panel.addEventListener("pointerover", event => {
		const cell = event.target.closest(".cell");
		if (cell && event.pointerType !== "touch" && !state.pinned) show(targetOf(cell), name);
	});
	panel.addEventListener("click", event => {
		const cell = event.target.closest(".cell");
		if (!cell) return;
		cell.focus({preventScroll: true});
		show(targetOf(cell), name);
		pin(true);
	});
	panel.addEventListener("focusin", event => {
		const cell = event.target.closest(".cell");
		if (cell && event.target.matches(":focus-visible")) show(targetOf(cell), name);
	});
	panel.addEventListener("keydown", event => onKey(event, name));
	for (const kind of ["wheel", "touchmove"]) panel.addEventListener(kind, () => roaming.add(name), {passive: true});
	panel.addEventListener("pointerdown", event => { if (event.target === panel) roaming.add(name); }); // its scrollbar
}

const onKey = (event, name) => {
	if (keys.typing(event) && !event.ctrlKey || !event.target.closest(".cell")) return;
	let target;
	if (name === "grid") {
		const coord = keys.moved(event, state.at, scene.sizes);
		target = coord && {coord: nearest(coord)};
	} else {
		const offset = keys.movedOffset(event, memory.offsetOf(event.target), memory.columns, scene.layout.alloc);
		target = offset === undefined ? undefined : {offset};
	}
	if (target) {
		show(target, "both");
		(name === "grid" ? grid.node(scene.indexOf(target.coord)) : memory.node(target.offset))?.focus({preventScroll: true});
		if (state.pinned) remember();
	} else if (event.key === "Enter" || event.key === " ") pin(!state.pinned);
	else return;
	event.preventDefault();
};

// nearest returns the next drawn coordinate in the direction of movement.
const nearest = coord => coord.map((i, d) => {
	const list = scene.shown[d];
	if (list.includes(i)) return i;
	return i > state.at[d] ? list.find(j => j > i) : list.findLast(j => j < i);
});

document.addEventListener("keydown", event => {
	if (event.key === "Escape" && state.pinned && !event.target.closest("dialog")) pin(false);
	if (keys.typing(event)) return;
	const acts = {".": player.step, ",": player.back, p: player.toggle, "?": keys.help};
	if (!Object.hasOwn(acts, event.key)) return;
	roaming.clear();
	acts[event.key]();
	event.preventDefault();
});

byId("pin").addEventListener("click", () => pin(!state.pinned));
