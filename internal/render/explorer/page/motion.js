// Cells move from where they were in memory to where they are now: first and last place are measured, and the way between
// is animated.
const motion = (() => {
	const limit = 600; // cells
	const calm = matchMedia("(prefers-reduced-motion: reduce)");
	let running = [];

	// places are where the elements in sight lie in the memory's panel: index → [x, y]. null where there is nothing to animate.
	const places = scene => {
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

	// move animates the cells that lie elsewhere now.
	const move = (scene, before) => {
		if (!before || memory.nodes.size > limit) return;
		const after = places(scene) ?? new Map();
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

	return {places, move};
})();
