// Layouts (package tensor): what makes one, and where its elements lie.
{
	const {exact, natural, must, count, quotient, ceilDiv, byFalling, once} = model;

	// layout makes a layout. Without alloc the storage ends with the last element.
	const layout = (dims, offset, alloc) => {
		const l = {dims, offset, alloc: alloc ?? 0};
		const {numel, high} = facts(l);
		if (alloc === undefined && numel > 0) l.alloc = Math.max(0, high + 1);
		natural(l.alloc, "the storage");
		return l;
	};

	// facts checks a layout, and works out what everything else asks for again and again.
	const facts = once((l) => {
		exact(l.offset, "the offset");
		l.dims.forEach(checkDim);
		const sizes = l.dims.map((d) => d.size);
		const numel = count(sizes);
		if (numel > 0) checkReach(l);
		let [low, high] = [l.offset, l.offset];
		for (const d of numel > 0 ? l.dims : []) {
			const reach = spanOf(d);
			[low, high] = [low + reach.low, high + reach.high];
		}
		return {sizes, numel, low, high, strides: stridesOf(l), places: placesOf(l)};
	});

	// checkDim: the first div is 1, each next one div·extent of the one before, the last extent ⌈size/div⌉.
	const checkDim = ({name, size, digits}) => {
		natural(size, `the size of ${name}`);
		must(digits.length > 0, `dim ${name} has no digits`);
		let div = 1;
		digits.forEach((g, k) => {
			exact(g.stride, `a stride of ${name}`);
			must(g.div === div, `digit ${k} of dim ${name} divides by ${g.div}, expected ${div}`);
			if (k === digits.length - 1) {
				const want = ceilDiv(size, div);
				must(g.extent === want, `dim ${name} of size ${size} needs a last digit of extent ${want}, found ${g.extent}`);
			}
			must(g.extent > 0 || k === digits.length - 1, `block of ${g.extent} in dim ${name} is out of range`);
			div = exact(div * g.extent, `the padded size of ${name}`);
		});
	};

	// checkReach: no address is inexact, not even one in padding.
	const checkReach = (l) => {
		let [low, high] = [l.offset, l.offset];
		for (const d of l.dims) {
			for (const g of d.digits) {
				const reach = exact((g.extent - 1) * g.stride, `the reach of ${d.name}`);
				low = exact(low + Math.min(reach, 0), "the lowest address");
				high = exact(high + Math.max(reach, 0), "the highest address");
			}
		}
		exact(exact(high + 1, "the storage") - low, "the storage");
	};

	// spanOf is the lowest and the highest that a dim moves the address. With a digit q of the last index, either the digit
	// is less and those below it are free, or it is q and they are bound to count no further than the last index does:
	//
	//	bound' = max(bound + q·stride, free + max over v < q of v·stride)
	const spanOf = (d) => {
		let [low, high, freeLow, freeHigh] = [0, 0, 0, 0];
		for (const g of d.digits) {
			const q = quotient(d.size - 1, g.div) % g.extent, end = q * g.stride, reach = (g.extent - 1) * g.stride;
			[low, high] = [low + end, high + end];
			if (q > 0) {
				low = Math.min(low, freeLow + Math.min(0, end - g.stride));
				high = Math.max(high, freeHigh + Math.max(0, end - g.stride));
			}
			[freeLow, freeHigh] = [freeLow + Math.min(0, reach), freeHigh + Math.max(0, reach)];
		}
		return {low, high};
	};

	// stridesOf is one stride a dim, or null where that does not say it: a dim has several digits of extent over 1.
	const stridesOf = (l) => {
		const strides = l.dims.map((d) => {
			const moving = d.digits.filter((g, k) => k === 0 || g.extent !== 1 && d.size > 1);
			if (moving.length > 1 && moving[0].extent === 1) moving.shift();
			return moving.length === 1 ? moving[0].stride : null;
		});
		return strides.includes(null) ? null : strides;
	};

	// placesOf lists all digits by falling size of stride, each with the bounds of what those after it can still add.
	const placesOf = (l) => {
		const places = l.dims.flatMap(({digits}, dim) => digits.map((g, digit) => (
			{...g, dim, digit, last: digit === digits.length - 1, low: 0, high: 0})));
		places.sort(byFalling((p) => Math.abs(p.stride)));
		for (let k = places.length - 2; k >= 0; k--) {
			const p = places[k + 1], reach = (p.extent - 1) * p.stride;
			places[k].low = p.low + Math.min(0, reach);
			places[k].high = p.high + Math.max(0, reach);
		}
		return places;
	};

	// digitOf is a digit of an index: (i div div) mod extent, the last one of a dim not wrapped.
	const digitOf = (i, div, extent, isLast) => isLast ? quotient(i, div) : quotient(i, div) % extent;

	// at is the address of a coordinate.
	const at = (l, coord) => {
		let address = l.offset;
		for (const p of facts(l).places) address += digitOf(coord[p.dim], p.div, p.extent, p.last) * p.stride;
		return exact(address, "the address");
	};

	const numel = (l) => facts(l).numel;

	// span is the lowest and the highest address in use; null for an empty tensor.
	const span = (l) => {
		const {numel, low, high} = facts(l);
		return numel > 0 ? {low, high} : null;
	};

	// extent is the number of addresses from the lowest to the highest in use.
	const extent = (l) => {
		const {numel, low, high} = facts(l);
		return numel > 0 ? high - low + 1 : 0;
	};

	Object.assign(model, {layout, facts, digitOf, at, numel, span, extent});
}
