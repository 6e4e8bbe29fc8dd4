// What lies at an address (package tensor).
{
	const {quotient, floorDiv, ceilDiv, numel, facts} = model;

	// findSteps bounds the work of one find on layouts whose strides give no order to search in.
	const findSteps = 1 << 16;

	// find returns the coordinates that lie at an address, at most limit of them: none in padding, several where elements
	// overlap. complete is false where there may be more.
	const find = (l, address, limit = Infinity) => {
		const {numel, sizes, low, high, places} = facts(l);
		const coords = [], coord = sizes.map(() => 0);
		let steps = findSteps, cut = false;
		if (numel === 0 || address < low || address > high) return {coords, complete: true};

		// search chooses a value for place k and all after it, such that they move the address by rest.
		const search = (k, rest) => {
			cut ||= --steps < 0;
			if (cut) return;
			if (k === places.length) {
				if (rest !== 0) return;
				cut = coords.length === limit;
				if (!cut) coords.push(coord.slice());
				return;
			}
			const p = places[k], [from, to] = valuesOf(p, rest);
			for (let v = from; v <= to && !cut; v++) {
				coord[p.dim] += v * p.div;
				if (coord[p.dim] < sizes[p.dim]) search(k + 1, rest - v * p.stride);
				coord[p.dim] -= v * p.div;
			}
		};
		search(0, address - l.offset);
		return {coords, complete: !cut};
	};

	// valuesOf is the range of v with low ≤ rest − v·stride ≤ high: those that the places after this one can complete.
	const valuesOf = (p, rest) => {
		if (p.stride === 0) return [0, p.extent - 1];
		const [from, to] = p.stride > 0
			? [ceilDiv(rest - p.high, p.stride), floorDiv(rest - p.low, p.stride)]
			: [ceilDiv(p.low - rest, -p.stride), floorDiv(p.high - rest, -p.stride)];
		return [Math.max(from, 0), Math.min(to, p.extent - 1)];
	};

	// nested reports whether each of the places, by falling size of stride, is larger than all that the smaller ones reach:
	// then an address has one reading, like a number in mixed radix.
	const nested = (places) => {
		let reach = 0;
		return places.toReversed().every((p) => {
			const larger = Math.abs(p.stride) > reach;
			reach += (p.extent - 1) * Math.abs(p.stride);
			return larger;
		});
	};

	const moving = (l) => facts(l).places.filter((p) => p.extent > 1 && p.stride !== 0);

	// divide reads an address by successive division, the largest stride first: {steps: [{dim, digit, stride, value, rest}],
	// coord, rest}. It is null where that does not find what lies there: the tensor is empty, a stride is negative, the
	// address lies before the offset, or the strides do not nest. A value may run past its digit's extent, an index of coord
	// past its size: then no element lies there, as where something is left over.
	const divide = (l, address) => {
		const places = moving(l);
		if (numel(l) === 0 || address < l.offset || places.some((p) => p.stride < 0) || !nested(places)) return null;
		const steps = [], coord = l.dims.map(() => 0);
		let rest = address - l.offset;
		for (const p of places) {
			const value = quotient(rest, p.stride);
			rest %= p.stride;
			steps.push({dim: p.dim, digit: p.digit, stride: p.stride, value, rest});
			coord[p.dim] += value * p.div;
		}
		return {steps, coord, rest};
	};

	Object.assign(model, {find, divide, nested, moving});
}
