// A walk through the tensor, access by access, and the cache lines that it fetches.
const newAccess = (scene, pattern, cacheLines) => {
	const limit = 1 << 16; // accesses that are followed
	const sorted = pattern === "memory" && model.sharing(scene.layout) === null; // it takes all elements to know the first
	const total = sorted && scene.numel > 16 * limit ? 0 : Math.min(scene.numel, limit);
	const coords = scene.numel && scene.layout.alloc ? model.walk(scene.layout, pattern) : [].values();
	const visited = []; // index and offset of each access so far asked for
	let cache = new model.Cache(scene.line, cacheLines), step = 0;
	const fetches = new Map(); // line → how often it was fetched

	// visit is access k, from 0 on.
	const visit = k => {
		while (visited.length <= k) {
			const coord = coords.next().value;
			visited.push({index: scene.indexOf(coord), offset: scene.offsetOf(coord)});
		}
		return visited[k];
	};

	// forward makes one access: what it touched, or null at the end.
	const forward = () => {
		if (step >= total) return null;
		const {index, offset} = visit(step++), result = cache.access(offset * scene.item, scene.item);
		for (const line of result.fetched) fetches.set(line, (fetches.get(line) ?? 0) + 1);
		return {index, offset, ...result};
	};

	const reset = () => {
		cache = new model.Cache(scene.line, cacheLines), step = 0;
		fetches.clear();
	};

	// seek goes to a step; back is the way from the beginning.
	const seek = to => {
		if (to < step) reset();
		let last = null;
		while (step < Math.min(to, total)) last = forward();
		return last ?? (step ? visit(step - 1) : null);
	};

	return {
		total, forward, seek, visit, fetches, pattern,
		get step() { return step; }, get counts() { return cache.counts; },
		resident: line => cache.has(line),
	};
};
