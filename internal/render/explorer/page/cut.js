// What is drawn of a tensor that is too large to be drawn whole.
const cut = (() => {
	const limit = 4096; // cells of the grid, and of the memory

	// shown are the indices of each dim that are drawn: all, or the first ones and the last one. Planes stay whole as long
	// as two are left, then rows and columns are left out.
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

	// pick is n of the indices below size.
	const pick = (n, size) => {
		const list = Array.from({length: n}, (_, i) => i);
		if (n < size) list[n - 1] = size - 1;
		return list;
	};

	// lines are the memory's lines that are drawn, as [first, last] with gaps between. A line has the cells whose first byte
	// lies in it.
	const lines = (alloc, item, line) => {
		const last = alloc ? Math.floor((alloc - 1) * item / line) : -1;
		const most = Math.max(2, Math.floor(limit * item / line));
		return last < most ? [[0, last]] : [[0, most - 2], [last, last]];
	};

	// cellsOf is the first offset of a line and the one behind its last.
	const cellsOf = (n, alloc, item, line) => [Math.ceil(n * line / item), Math.min(alloc, Math.ceil((n + 1) * line / item))];

	const nouns = {N: "image", B: "image", C: "channel", D: "slice", H: "row", W: "column", T: "step",
		O: "output channel", I: "input channel", G: "group"};

	// noun is what people call an index of a dim, or else the dim's name.
	const noun = d => Object.hasOwn(nouns, subject.dims[d]) ? nouns[subject.dims[d]] : subject.dims[d];

	// left says what is left out of a dim: "… 59 more channels".
	const left = (n, d) =>
		Object.hasOwn(nouns, subject.dims[d]) ? `… ${count(n, "more " + noun(d))}` : `… ${grouped(n)} more of ${subject.dims[d]}`;

	return {shown, lines, cellsOf, left, noun, limit};
})();
