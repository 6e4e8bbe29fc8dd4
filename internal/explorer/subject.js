// The tensor that the page was made for; subject.go says what stands in it.
const subject = JSON.parse(byId("data").textContent);
const rank = subject.sizes.length;

// lettered tells dims whose names are single letters from those of several characters: d0, d1.
const lettered = subject.dims.every(name => /^[A-Za-z]$/.test(name));

// letter is the index of a dim: c.
const letter = d => subject.dims[d].toLowerCase();

// channelDim is the dim whose elements share a colour at first: C, I, O, or the one of the planes.
const channelDim = (() => {
	for (const name of ["C", "I", "O"]) {
		const d = subject.dims.indexOf(name);
		if (d >= 0) return d;
	}
	return Math.max(0, rank - 3);
})();

// valueAt is the text of an element's value; empty where there is none. Values belong to the sizes of the source.
const valueAt = (() => {
	const outside = (coord, sizes) => coord.some((i, d) => i >= sizes[d]);
	return coord => {
		if (!subject.values || outside(coord, subject.sizes)) return "";
		return subject.values[model.index(coord, subject.sizes)] ?? "";
	};
})();
