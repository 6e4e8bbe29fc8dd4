// point makes a drawing answer mouse, finger and keyboard: the cell pointed at is outlined, as are those of the same element in all panels and
// the elements that share its address; their cache lines are underlined; a status line says what the cell is. figure contains the drawing
// and the status line, and is on the page.
function point(figure) {
	"use strict";
	const svg = figure.querySelector("svg"), status = figure.querySelector("[role=status]"), hint = status.textContent;
	const groups = new Map(); // cells by what they have in common: a panel, a cache line, a key
	const cellOf = new Map(); // by element of the drawing
	const stops = new Map(); // the cell of each panel that Tab reaches
	let shown, pinned, focused;

	// named moves the title of an element, which browsers show as a tooltip, to its label, and returns it. The label also has the words that are
	// drawn in the element: speech input finds it by those.
	const named = (element, role, drawn = "") => {
		const title = element.querySelector(":scope > title"), says = title.textContent, said = says.split(/[^\p{L}\p{N}.-]+/u);
		element.setAttribute("role", role);
		element.setAttribute("aria-label", drawn.split(/\s+/).every(word => said.includes(word)) ? says : `${drawn}: ${says}`);
		title.remove();
		return says;
	};

	const join = (name, cell) => {
		if (!groups.has(name)) groups.set(name, []);
		groups.get(name).push(cell);
	};

	const stop = cell => {
		stops.get(cell.panel)?.element.setAttribute("tabindex", -1);
		cell.element.setAttribute("tabindex", 0);
		stops.set(cell.panel, cell);
	};

	// add makes a group of the drawing a cell.
	const names = svg.dataset.panels.split("\n");
	const add = element => {
		const rect = element.querySelector(":scope > rect");
		const [x, y, w, h] = ["x", "y", "width", "height"].map(name => Number(rect.getAttribute(name)));
		const {panel, line, keys} = element.dataset;
		const drawn = [...element.querySelectorAll(":scope > text")].map(text => text.textContent).join(" ");
		const cell = {element, says: named(element, "button", drawn), x, y, w, h, panel: `panel ${panel}`, line: line && `line ${panel} ${line}`,
			keys: keys ? keys.split(" ").map(key => `key ${key}`) : []};
		element.setAttribute("aria-description", names[panel]);
		element.setAttribute("tabindex", -1);
		if (!stops.has(cell.panel)) stop(cell);
		for (const name of [cell.panel, cell.line, ...cell.keys]) if (name) join(name, cell);
		cellOf.set(element, cell);
	};

	named(svg, "group");
	svg.setAttribute("tabindex", -1); // or Chromium takes a drawing that listens to focus for a tab stop
	svg.removeAttribute("aria-labelledby");
	svg.setAttribute("aria-describedby", `${svg.id}-desc`);
	for (const element of svg.querySelectorAll("g[data-panel]:has(> rect)")) add(element);

	// Outlines are above the drawing, so that no neighbor covers them.
	const lit = svg.appendChild(document.createElementNS(svg.namespaceURI, "g"));
	lit.setAttribute("aria-hidden", "true");
	const outline = ({x, y, w, h}, kind) => {
		const box = kind === "line" ? {x, y: y + h - 3, width: w, height: 3} : {x, y, width: w, height: h, rx: 2};
		const rect = document.createElementNS(svg.namespaceURI, "rect");
		rect.setAttribute("class", kind);
		for (const name in box) rect.setAttribute(name, box[name]);
		lit.append(rect);
	};

	// alike returns a cell and those that show the same: with a key in common, and what a cell of memory among them holds in the grid.
	const alike = cell => {
		const holding = cell => cell.keys.flatMap(key => groups.get(key));
		const same = new Set([cell, ...holding(cell)]), grid = ({panel}) => panel === "panel 0";
		for (const memory of [...same].filter(other => !grid(other))) for (const other of holding(memory).filter(grid)) same.add(other);
		return same;
	};

	const show = cell => {
		shown = cell;
		lit.replaceChildren();
		status.textContent = cell ? (pinned ? "pinned: " : "") + cell.says : hint;
		if (!cell) return;
		const same = alike(cell), lines = new Set([...same].flatMap(other => groups.get(other.line) ?? []));
		for (const other of lines) outline(other, "line");
		for (const other of same) outline(other, other === cell ? "here" : "same");
	};

	const pin = cell => {
		pinned?.element.removeAttribute("aria-pressed");
		pinned = cell;
		cell?.element.setAttribute("aria-pressed", "true");
		show(cell ?? focused);
	};

	const focus = cell => {
		stop(cell);
		cell.element.focus();
	};

	// next returns the nearest cell of the panel in a direction; across, in the same row.
	const next = (from, right, down) => {
		const far = cell => {
			const along = right * (cell.x - from.x) + down * (cell.y - from.y);
			const beside = right ? Math.abs(cell.y - from.y) : Math.abs(cell.x + cell.w / 2 - from.x - from.w / 2);
			return along < 1 || right && beside > 1 ? Infinity : along + beside * 4;
		};
		const best = groups.get(from.panel).reduce((a, b) => far(b) < far(a) ? b : a);
		return far(best) < Infinity ? best : from;
	};

	const moved = (key, cell) => {
		switch (key) {
			case "ArrowLeft": return next(cell, -1, 0);
			case "ArrowRight": return next(cell, 1, 0);
			case "ArrowUp": return next(cell, 0, -1);
			case "ArrowDown": return next(cell, 0, 1);
			case "Home": return groups.get(cell.panel)[0];
			case "End": return groups.get(cell.panel).at(-1);
		}
	};

	const at = event => cellOf.get(event.target.closest("g[data-panel]"));
	svg.addEventListener("pointerover", event => {
		const cell = at(event);
		if (cell && cell !== shown && !pinned && event.pointerType !== "touch") show(cell);
	});
	svg.addEventListener("pointerleave", () => {
		if (!pinned) show(focused);
	});
	svg.addEventListener("click", event => {
		const cell = at(event);
		if (!cell) return;
		focus(cell);
		pin(cell === pinned ? undefined : cell);
	});
	svg.addEventListener("focusin", event => {
		focused = at(event);
		if (focused && !pinned) show(focused);
	});
	svg.addEventListener("focusout", () => {
		focused = undefined;
		if (!pinned) show();
	});
	svg.addEventListener("keydown", event => {
		const cell = at(event), to = cell && !event.ctrlKey && !event.metaKey && !event.altKey && moved(event.key, cell);
		if (to) {
			focus(to);
			if (pinned) pin(to);
		} else if (cell && (event.key === "Enter" || event.key === " ")) pin(cell === pinned ? undefined : cell);
		else return;
		event.preventDefault();
	});
	// The figure's listener for Escape, wherever the focus is. Another drawing in the figure takes its place, so that this one can be forgotten.
	document.removeEventListener("keydown", figure.release);
	figure.release = event => {
		if (event.key === "Escape" && pinned) pin();
	};
	document.addEventListener("keydown", figure.release);
}
