// Why a place is padding (package explain), or outside of the tensor (package picture).
{
	const {once, must, last, span, divide, axis, digitAxes, digitOf} = model;

	const and = (list) => list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${last(list)}`;

	// paddingText says why no element lies at an address, as it goes on behind "is padding":
	//
	//	between two rows: w would be 3, but W is 3
	const paddingText = (l, address) => {
		const s = span(l), r = divide(l, address);
		if (s === null) return "for the tensor has no elements";
		if (address < s.low) return `before the first element, which is at offset ${s.low}`;
		const runs = (step) => step.value >= l.dims[step.dim].digits[step.digit].extent;
		if (r !== null && r.steps.length > 0 && !runs(r.steps[0])) return overText(l, address, s, r, r.steps.findIndex(runs));
		if (address > s.high) return `after the last element, which is at offset ${s.high}`;
		return "between elements: no coordinate leads there";
	};

	// inside is the part of a storage in which a place without an element is padding: from the first element to the last, and
	// as far behind that one as its row, its block or its pitch goes. In an empty tensor's storage all is padding.
	//
	//	from = low, end = max(high + 1, offset + extent · stride of the outermost step), both within the storage
	const inside = once((l) => {
		const s = span(l);
		if (s === null) return {from: 0, end: l.alloc};
		const within = (address) => Math.min(Math.max(address, 0), l.alloc), outer = divide(l, s.high)?.steps[0];
		const reach = outer ? l.offset + l.dims[outer.dim].digits[outer.digit].extent * outer.stride : 0;
		return {from: within(s.low), end: within(Math.max(s.high + 1, reach))};
	});

	const stepAxis = (l, step) => axis(step.dim, l.dims[step.dim].name, step.digit === l.dims[step.dim].digits.length - 1,
		l.dims[step.dim].digits[step.digit]);

	// overText tells which digit of a divided address runs past its end, step k, or what is left over, or which index would
	// be past its dim's size.
	const overText = (l, address, s, r, k) => {
		const between = (step) => {
			const {name} = stepAxis(l, step);
			return name === "H" ? "between two rows" : `between two steps of ${name}`;
		};
		if (k >= 0) {
			const where = address > s.high ? "after the last element" : between(r.steps[k - 1]);
			return `${where}: ${pastText(l, r, r.steps[k])}`;
		}
		const least = last(r.steps);
		if (r.rest !== 0) return `${between(least)}: a step is ${least.stride} elements, and ${r.rest} is left over`;
		const d = r.coord.findIndex((i, d) => i >= l.dims[d].size), i = r.coord[d];
		must(d >= 0, `an element lies at offset ${address}`);
		const {name, size} = l.dims[d];
		const digits = digitAxes(l, d).map((a) => `${a.name} = ${digitOf(i, a.div, a.extent, a.last)}`);
		return `in a block of ${name}: ${and(digits)} would be ${name.toLowerCase()} = ${i}, but ${name} is ${size}`;
	};

	const pastText = (l, r, step) => {
		const a = stepAxis(l, step), {size} = l.dims[a.dim];
		if (!a.last) return `${a.name} would be ${step.value}, but runs from 0 to ${a.extent - 1}`;
		if (r.rest !== 0) return `it is past ${a.letter} = ${size - 1}, the last`;
		return `${a.letter} would be ${r.coord[a.dim]}, but ${a.dimName} is ${size}`;
	};

	Object.assign(model, {paddingText, inside});
}
