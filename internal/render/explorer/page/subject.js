// The tensor that the page was made for; subject.go says what stands in it.
const subject = JSON.parse(byId("data").textContent);
const rank = subject.sizes.length;

// lettered tells dims whose names are single letters from those of several characters: d0, d1.
const lettered = subject.dims.every(name => /^[A-Za-z]$/.test(name));

// letter is the index of a dim: c.
const letter = d => subject.dims[d].toLowerCase();

// likeChannels are the dims that stand for channels, the likeliest first: C, I, O, or the one of the planes, of the rows.
const likeChannels = [...["C", "I", "O"].map(name => subject.dims.indexOf(name)), rank - 3, rank - 2, rank - 1].filter(d => d >= 0);
const channelDim = likeChannels[0] ?? 0;

// colourDim is the dim whose elements share a colour at first, as in other pictures: the likeliest of more than one index,
// if possible one that moves the address.
const colourDim = (() => {
	const several = likeChannels.filter(d => subject.sizes[d] > 1);
	const moves = d => subject.fixed[0].layout.dims[d].digits.some(g => g.extent > 1 && g.stride !== 0);
	return several.find(moves) ?? several[0] ?? channelDim;
})();

// stored is what a list has of an element; undefined where it has nothing. Lists belong to the sizes of the source.
const stored = (list, coord) => {
	if (!list || coord.some((i, d) => i >= subject.sizes[d])) return undefined;
	return list[model.index(coord, subject.sizes)];
};

// valueAt is the text of an element's value; empty where there is none.
const valueAt = coord => stored(subject.values, coord) ?? "";

// numberAt is its number; null where there is none, or none that is finite.
const numberAt = coord => stored(subject.numbers, coord) ?? null;
