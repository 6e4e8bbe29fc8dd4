// Walks through a tensor, and the cache that serves them.
{
	const {exact, must, quotient, facts, at, nested, moving, natural} = model;

	// index numbers a coordinate in logical order, the last dim fastest; coordOf is its inverse.
	const index = (coord, sizes) => coord.reduce((n, i, d) => exact(n * sizes[d] + i, "an index"), 0);
	const coordOf = (index, sizes) => sizes.toReversed().map((size) => {
		const i = index % size;
		index = quotient(index, size);
		return i;
	}).reverse();

	// walk yields every coordinate once. Patterns are
	//
	//	channel   for every pixel of an image, all its channels: loops over N, all other dims, C
	//	spatial   for every channel of an image, all its pixels: loops over N, C, all other dims
	//	memory    by address; elements that share one, in logical order
	//	logical   loops over the dims in their order, the last one fastest
	function walk(l, pattern) {
		const {sizes} = facts(l), all = [...sizes.keys()];
		const named = (name) => all.filter((d) => l.dims[d].name === name);
		const images = named("N"), channels = named("C"), pixels = all.filter((d) => ![...images, ...channels].includes(d));
		if (pattern === "logical") return loops(sizes, all);
		if (pattern === "memory") return byAddress(l);
		const names = l.dims.map((d) => d.name).join(", ");
		must(channels.length > 0 && pixels.length > 0,
			`channel-wise and spatial access need a dim C and a spatial dim; the dims are ${names}`);
		if (pattern === "channel") return loops(sizes, [...images, ...pixels, ...channels]);
		must(pattern === "spatial", `unknown pattern ${pattern}`);
		return loops(sizes, [...images, ...channels, ...pixels]);
	}

	// loops nests dims, outermost first.
	function* loops(sizes, dims) {
		const coord = sizes.map(() => 0);
		if (sizes.includes(0)) return;
		for (let k = 0; k >= 0;) {
			yield coord.slice();
			for (k = dims.length - 1; k >= 0 && ++coord[dims[k]] === sizes[dims[k]]; k--) coord[dims[k]] = 0;
		}
	}

	// byAddress walks digits by decreasing magnitude of stride if those nest, those of stride 0 innermost. Otherwise it
	// sorts all elements.
	function* byAddress(l) {
		const {sizes, numel, digits} = facts(l), steps = moving(l);
		if (numel === 0) return;
		if (!nested(steps)) {
			const list = [...loops(sizes, [...sizes.keys()])].map((coord) => ({coord, address: at(l, coord)}));
			yield* list.sort((a, b) => a.address - b.address).map((e) => e.coord);
			return;
		}
		const still = digits.filter((p) => p.extent > 1 && p.stride === 0).sort((a, b) => a.dim - b.dim || b.div - a.div);
		const all = [...steps, ...still];
		for (const values of loops(all.map((p) => p.extent), [...all.keys()])) {
			const coord = sizes.map(() => 0);
			all.forEach((p, k) => { coord[p.dim] += p.div * (p.stride < 0 ? p.extent - 1 - values[k] : values[k]); });
			if (coord.every((i, d) => i < sizes[d])) yield coord;
		}
	}

	// Cache is fully associative and replaces the least recently used line. It starts empty.
	class Cache {
		#kept = new Map(); // line → its bytes used since it was fetched; the least recently used one is first
		#known = new Set(); // lines that were fetched before

		constructor(lineBytes, lines) {
			const some = natural(lineBytes, "a line") > 0 && natural(lines, "the cache") > 0;
			must(some, `a cache of ${lines} lines of ${lineBytes} B`);
			this.lineBytes = lineBytes;
			this.lines = lines;
			// reuses counts hits, line by line; bytesUsed counts those of bytesFetched that were read.
			this.counts = {accesses: 0, fetches: 0, reuses: 0, bytesFetched: 0, bytesUsed: 0};
		}

		// access reads size bytes from byte on: {line, lines, hit, fetched, again, evicted}. line is the first line touched,
		// lines are all; hit says that none was fetched; fetched lists those that were, again those of them that were fetched
		// before, evicted the lines that were replaced.
		access(byte, size) {
			const first = quotient(natural(byte, "an address"), this.lineBytes);
			const end = quotient(exact(byte + size - 1, "an address"), this.lineBytes);
			const result = {line: first, lines: [], hit: true, fetched: [], again: [], evicted: []};
			this.counts.accesses++;
			for (let line = first; line <= end; line++) {
				result.lines.push(line);
				this.#touch(line, result);
				this.#use(line, byte - line * this.lineBytes, size);
			}
			result.hit = result.fetched.length === 0;
			return result;
		}

		#touch(line, result) {
			const used = this.#kept.get(line);
			this.#kept.delete(line);
			this.#kept.set(line, used ?? new Uint8Array(this.lineBytes));
			if (used) {
				this.counts.reuses++;
				return;
			}
			this.counts.fetches++;
			this.counts.bytesFetched += this.lineBytes;
			result.fetched.push(line);
			if (this.#known.has(line)) result.again.push(line);
			this.#known.add(line);
			if (this.#kept.size > this.lines) {
				const oldest = this.#kept.keys().next().value;
				this.#kept.delete(oldest);
				result.evicted.push(oldest);
			}
		}

		#use(line, from, size) {
			const used = this.#kept.get(line);
			for (let b = Math.max(from, 0); b < Math.min(from + size, this.lineBytes); b++) {
				this.counts.bytesUsed += 1 - used[b];
				used[b] = 1;
			}
		}

		has(line) { return this.#kept.has(line); }

		// resident lists the lines in the cache, the most recently used first.
		resident() { return [...this.#kept.keys()].reverse(); }
	}

	Object.assign(model, {index, coordOf, walk, Cache});
}
