// Layouts, addresses, strides and padding in words (packages tensor, explain and picture).
{
	const {facts, at, terms, once, must, last, span, divide, axis, digitAxes, digitOf} = model;

	const compact = (list) => list.filter((x, i) => x !== list[i - 1]);

	// inUnits returns n · unit, however large.
	const inUnits = (n, unit) => String(BigInt(n) * BigInt(unit));

	// addressText writes the sum, in elements, or in bytes for elements of unit bytes:
	//
	//	{1,0,1} · {6,3,1} = 1·6 + 0·3 + 1·1 = 7
	//	N·48 + C//4·24 + C%4·1 = 1·48 + 0·24 + 3·1 = 51
	const addressText = (l, coord, unit = 1) => {
		const all = terms(l, coord), strides = all.map((t) => inUnits(t.stride, unit));
		const left = facts(l).strides
			? [`{${all.map((t) => t.value).join(",")}} · {${strides.join(",")}}`]
			: [all.map((t, i) => `${t.name}·${strides[i]}`).join(" + ")];
		const products = all.map((t, i) => `${t.value}·${strides[i]}`);
		if (l.offset !== 0 && unit !== 0 || all.length === 0) {
			left.push(inUnits(l.offset, unit));
			products.push(inUnits(l.offset, unit));
		}
		return compact([left.join(" + "), products.join(" + "), inUnits(at(l, coord), unit)]).join(" = ");
	};

	// digitLines write out the digits of each split index, one line per dim:
	//
	//	c=17 -> C//16 = 17 div 16 = 1, C%16 = 17 mod 16 = 1
	const digitLines = (l, coord) => {
		const split = terms(l, coord).filter((t) => !t.whole);
		return [...new Set(split.map((t) => t.dim))].map((dim) => {
			const digits = split.filter((t) => t.dim === dim);
			const parts = digits.map((t) => `${t.name} = ${t.of}${t.taken} = ${t.value}`);
			return `${digits[0].letter}=${digits[0].of} -> ${parts.join(", ")}`;
		});
	};

	// layoutText writes shape:strides@offset, digits as nested tuples: (2,(4,2)<5,2,3):(48,(1,24),12,4).
	const layoutText = (l) => {
		const shape = l.dims.map(({size, digits}) => {
			if (digits.length === 1) return String(size);
			const padded = digits.reduce((n, g) => n * g.extent, 1);
			return `(${digits.map((g) => g.extent).join(",")})` + (padded === size ? "" : `<${size}`);
		});
		const strides = l.dims.map(({digits}) => {
			const list = digits.map((g) => g.stride).join(",");
			return digits.length === 1 ? list : `(${list})`;
		});
		return `(${shape.join(",")}):(${strides.join(",")})` + (l.offset === 0 ? "" : `@${l.offset}`);
	};

	const countOf = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

	// strideTexts derives the stride of each axis, outermost first, from the axes inside it:
	//
	//	C-stride = H · W = 5 · 4 = 20
	const strideTexts = (list) => list.map((a, i) => `${a.name}-stride = ${strideText(a, list.slice(i + 1))}`);

	const strideText = (a, inner) => {
		const step = Math.abs(a.stride), next = inner.find((b) => b.extent > 1 && b.stride !== 0);
		const reach = next ? next.extent * Math.abs(next.stride) : 1;
		const product = inner.reduce((n, b) => n * (b.extent || 1), 1), text = productText(inner, product);
		const backwards = a.stride < 0 ? ", reversed: index 0 is last" : "";
		if (a.extent === 1) {
			const unused = "never used: its index is always 0";
			return a.stride === product ? `${text}, ${unused}` : `${a.stride}, ${unused}; dense it would be ${text}`;
		}
		if (a.stride === 0) return `0: broadcast, all ${a.extent} indices share the same elements`;
		if (a.stride === product && inner.length > 0) return text;
		if (!next && step === 1) return `${a.stride}: neighbors are adjacent${backwards}`;
		if (!next && step !== product) {
			const gap = countOf(step - 1, "element");
			return `${a.stride}: neighbors are ${step} apart, with ${gap} of padding between${backwards}`;
		}
		if (step === product) return `${a.stride}: ${text}${backwards}`;
		const inside = insideText(next);
		if (step === reach) return a.stride > 0 ? inside : `${a.stride}: ${inside}${backwards}`;
		if (step > reach) return `${a.stride}: ${inside} and ${countOf(step - reach, "element")} of padding${backwards}`;
		return `${a.stride}: less than ${inside}, so its steps interleave with those of ${next.name}${backwards}`;
	};

	// productText writes the product of extents in letters and in numbers: H · W = 5 · 4 = 20, W = 4, 16.
	const productText = (inner, product) => {
		const letters = inner.map((b) => b.symbol).join(" · ");
		switch (inner.length) {
		case 0: return String(product);
		case 1: return compact([letters, String(inner[0].extent)]).join(" = ");
		}
		return compact([letters, inner.map((b) => b.extent).join(" · "), String(product)]).join(" = ");
	};

	// insideText writes the extent of an axis times its stride: H · H-stride = 3 · 16 = 48, W · 1 = 3.
	const insideText = ({symbol, name, extent, stride}) => {
		const step = Math.abs(stride);
		if (step === 1) return `${symbol} · 1 = ${extent}`;
		return `${symbol} · ${name}-stride = ${extent} · ${step} = ${inUnits(extent, step)}`;
	};

	const and = (list) => list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${last(list)}`;

	// paddingText explains why no element is at an address, as a continuation of "padding":
	//
	//	between two rows: w would be 3, but W is 3
	const paddingText = (l, address) => {
		const s = span(l), r = divide(l, address);
		if (s === null) return "because the tensor has no elements";
		if (address < s.low) return `before the first element, which is at offset ${s.low}`;
		const runs = (step) => step.value >= l.dims[step.dim].digits[step.digit].extent;
		if (r !== null && r.steps.length > 0 && !runs(r.steps[0])) return overText(l, address, s, r, r.steps.findIndex(runs));
		if (address > s.high) return `after the last element, which is at offset ${s.high}`;
		return "between elements: no coordinate has this offset";
	};

	// inside is the part of a storage in which an offset without an element is padding: from the first element to the end of
	// the last one's row, block or pitch. All of an empty tensor's storage is padding.
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

	// hasRows reports whether a dim H is the rows of images: the others are dims of images or weights too, W among them.
	const hasRows = (l) => {
		const names = l.dims.map(d => d.name), only = (family) => names.every(name => family.includes(name));
		return names.includes("W") && (only("GNOICDHW") || only("BCDHW") && names.includes("B") && names.includes("C"));
	};

	// overText names the digit of a divided address that exceeds its extent, step k; or what is left over; or the index that
	// would exceed its dim's size.
	const overText = (l, address, s, r, k) => {
		const between = (step) => {
			const {name} = stepAxis(l, step);
			return name === "H" && hasRows(l) ? "between two rows" : `between two steps of ${name}`;
		};
		if (k >= 0) {
			const where = address > s.high ? "after the last element" : between(r.steps[k - 1]);
			return `${where}: ${pastText(l, r, r.steps[k])}`;
		}
		const inner = last(r.steps);
		if (r.rest !== 0) return `${between(inner)}: a step is ${inner.stride} elements, remainder ${r.rest}`;
		const d = r.coord.findIndex((i, d) => i >= l.dims[d].size), i = r.coord[d];
		must(d >= 0, `an element is at offset ${address}`);
		const {name, size} = l.dims[d];
		const digits = digitAxes(l, d).map((a) => `${a.name} = ${digitOf(i, a.div, a.extent, a.last)}`);
		return `in a block of ${name}: ${and(digits)} would be ${name.toLowerCase()} = ${i}, but ${name} is ${size}`;
	};

	const pastText = (l, r, step) => {
		const a = stepAxis(l, step), {size} = l.dims[a.dim];
		if (!a.last) return `${a.name} would be ${step.value}, but ranges from 0 to ${a.extent - 1}`;
		if (r.rest !== 0) return `past the last ${a.letter} = ${size - 1}`;
		return `${a.letter} would be ${r.coord[a.dim]}, but ${a.dimName} is ${size}`;
	};

	Object.assign(model, {addressText, digitLines, layoutText, strideTexts, paddingText, inside});
}
