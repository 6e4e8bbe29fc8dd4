// Layouts and addresses in words (packages tensor and explain).
{
	const {facts, at, terms} = model;

	const compact = (list) => list.filter((x, i) => x !== list[i - 1]);

	// inUnits is a number of elements in units of so many bytes, however large.
	const inUnits = (n, unit) => String(BigInt(n) * BigInt(unit));

	// addressText writes the sum, in elements or in bytes of items of unit bytes:
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

	// digitLines write out the digits of every index that is split, a line each:
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

	Object.assign(model, {compact, inUnits, addressText, digitLines, layoutText});
}
