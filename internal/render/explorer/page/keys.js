// Keys: in the grid they move along dims, in the memory along addresses; some work everywhere.
const keys = (() => {
	const dialog = byId("keys");
	byId("help").addEventListener("click", () => dialog.showModal());

	// moved is the coordinate that a key leads to from another one; undefined for other keys.
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

	// movedOffset does so in the memory.
	const movedOffset = (event, offset, columns, alloc) => {
		const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -8 * columns,
			PageDown: 8 * columns};
		const by = steps[event.key];
		if (by) return Math.max(0, Math.min(alloc - 1, offset + by));
		if (event.key === "Home") return event.ctrlKey ? 0 : offset - offset % columns;
		if (event.key === "End") return event.ctrlKey ? alloc - 1 : Math.min(alloc - 1, offset - offset % columns + columns - 1);
	};

	// typing tells keys that go into a text from those that are commands.
	const typing = event => event.ctrlKey || event.metaKey || event.altKey ||
		event.target.matches("input[type=text], input[type=number], select, dialog *");

	return {moved, movedOffset, typing, help: () => dialog.showModal()};
})();
