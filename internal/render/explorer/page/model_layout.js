// The arithmetic of the page: what packages tensor, notation, explain and picture compute, and a cache. Tests run both and
// compare them.
//
// A layout maps each element of a tensor to an offset in its storage:
//
//	address(i) = offset + Σ over dims Σ over digits ((i_dim div digit.div) mod digit.extent) · digit.stride
//
// It is {dims: [{name, size, digits: [{div, extent, stride}]}], offset, alloc}: the digits of a dim least significant
// first, the last one never wrapped. A memory order is {names, axes: [{dim, div, extent}]}, physical axes outermost first;
// extent 0 is the open end, as large as the dim's size needs. A coordinate has one index per dim, in logical order.
// Strides, offsets and storages count elements. Arguments are never modified, and must not be modified afterwards: results
// are cached.
//
// All numbers are integers within ±(2^53 − 1), where arithmetic is exact. A RangeError refuses a sum or product outside of
// that, and whatever makes no layout.
const model = {};

// Layouts (package tensor): what makes one, where its elements are, and which element is at an address.
{
	const must = (holds, why) => {
		if (!holds) throw new RangeError(why);
	};

	// exact returns n, or throws if it is not an exact integer.
	const exact = (n, what) => {
		if (!Number.isSafeInteger(n)) {
			throw new RangeError(`${what} is ${n}, not an integer within ±(2^53 − 1)`);
		}
		return n + 0; // -0 is 0
	};

	const natural = (n, what) => {
		must(exact(n, what) >= 0, `${what} is ${n}, which is negative`);
		return n;
	};

	// quotient returns a div b, rounded towards 0.
	const quotient = (a, b) => (a - a % b) / b;
	const floorDiv = (a, b) => quotient(a, b) - (a % b < 0 ? 1 : 0);
	const ceilDiv = (a, b) => -floorDiv(-a, b);

	const byFalling = (key) => (a, b) => key(b) - key(a);
	const last = (list) => list[list.length - 1];

	// once returns f with its result cached per object.
	const once = (f) => {
		const known = new WeakMap();
		return (object) => {
			if (!known.has(object)) known.set(object, f(object));
			return known.get(object);
		};
	};

	// count returns the product of sizes, 1 for none. Other sizes must be in range even if one is 0.
	const count = (sizes) => {
		const n = sizes.reduce((n, size) => exact(n * (natural(size, "a size") || 1), "the number of elements"), 1);
		return sizes.includes(0) ? 0 : n;
	};

	// layout makes a layout. Without alloc, the storage ends with the last element.
	const layout = (dims, offset, alloc) => {
		const l = {dims, offset, alloc: alloc ?? 0};
		const {numel, high} = facts(l);
		if (alloc === undefined && numel > 0) l.alloc = Math.max(0, high + 1);
		natural(l.alloc, "the storage");
		return l;
	};

	// facts checks a layout and computes what other functions use repeatedly.
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
		return {sizes, numel, low, high, strides: stridesOf(l), digits: sortedDigits(l)};
	});

	// checkDim checks that the first div is 1, each next one the previous div·extent, and the last extent ⌈size/div⌉.
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

	// checkReach checks that every address is exact, including padding.
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

	// spanOf is the least and the most that a dim adds to the address. Let q be a digit of the last index: either the digit
	// is less than q and all below it are free, or it is q and they are bound by those of the last index:
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

	// stridesOf returns one stride per dim; null for a blocked layout, where a dim has several digits of extent over 1.
	const stridesOf = (l) => {
		const strides = l.dims.map((d) => {
			const moving = d.digits.filter((g, k) => k === 0 || g.extent !== 1 && d.size > 1);
			if (moving.length > 1 && moving[0].extent === 1) moving.shift();
			return moving.length === 1 ? moving[0].stride : null;
		});
		return strides.includes(null) ? null : strides;
	};

	// sortedDigits lists all digits by decreasing magnitude of stride, each with the range of what the following ones can add.
	const sortedDigits = (l) => {
		const all = l.dims.flatMap(({digits}, dim) => digits.map((g, digit) => (
			{...g, dim, digit, last: digit === digits.length - 1, low: 0, high: 0})));
		all.sort(byFalling((p) => Math.abs(p.stride)));
		for (let k = all.length - 2; k >= 0; k--) {
			const p = all[k + 1], reach = (p.extent - 1) * p.stride;
			all[k].low = p.low + Math.min(0, reach);
			all[k].high = p.high + Math.max(0, reach);
		}
		return all;
	};

	// digitOf returns a digit of an index: (i div div) mod extent; the last digit of a dim does not wrap.
	const digitOf = (i, div, extent, isLast) => isLast ? quotient(i, div) : quotient(i, div) % extent;

	// at returns the address of a coordinate.
	const at = (l, coord) => {
		let address = l.offset;
		for (const p of facts(l).digits) address += digitOf(coord[p.dim], p.div, p.extent, p.last) * p.stride;
		return exact(address, "the address");
	};

	const numel = (l) => facts(l).numel;

	// span returns the lowest and highest address in use; null for an empty tensor.
	const span = (l) => {
		const {numel, low, high} = facts(l);
		return numel > 0 ? {low, high} : null;
	};

	// extent returns the number of addresses from the lowest to the highest in use.
	const extent = (l) => {
		const {numel, low, high} = facts(l);
		return numel > 0 ? high - low + 1 : 0;
	};

	// findSteps bounds the work of one find, for layouts whose strides do not nest.
	const findSteps = 1 << 16;

	// find returns the coordinates at an address, at most limit of them: none in padding, several if elements overlap.
	// complete is false if there may be more.
	const find = (l, address, limit = Infinity) => {
		const {numel, sizes, low, high, digits} = facts(l);
		const coords = [], coord = sizes.map(() => 0);
		let steps = findSteps, cut = false;
		if (numel === 0 || address < low || address > high) return {coords, complete: true};

		// search picks values for digit k and all following ones that add up to rest.
		const search = (k, rest) => {
			cut ||= --steps < 0;
			if (cut) return;
			if (k === digits.length) {
				if (rest !== 0) return;
				cut = coords.length === limit;
				if (!cut) coords.push(coord.slice());
				return;
			}
			const p = digits[k], [from, to] = valuesOf(p, rest);
			for (let v = from; v <= to && !cut; v++) {
				coord[p.dim] += v * p.div;
				if (coord[p.dim] < sizes[p.dim]) search(k + 1, rest - v * p.stride);
				coord[p.dim] -= v * p.div;
			}
		};
		search(0, address - l.offset);
		return {coords, complete: !cut};
	};

	// valuesOf returns the range of v with low ≤ rest − v·stride ≤ high, which the following digits can complete.
	const valuesOf = (p, rest) => {
		if (p.stride === 0) return [0, p.extent - 1];
		const [from, to] = p.stride > 0
			? [ceilDiv(rest - p.high, p.stride), floorDiv(rest - p.low, p.stride)]
			: [ceilDiv(p.low - rest, -p.stride), floorDiv(p.high - rest, -p.stride)];
		return [Math.max(from, 0), Math.min(to, p.extent - 1)];
	};

	// nested reports whether each stride, in decreasing magnitude, is larger than the reach of all smaller ones: then an
	// address has one reading, as a number in mixed radix.
	const nested = (digits) => {
		let reach = 0;
		return digits.toReversed().every((p) => {
			const larger = Math.abs(p.stride) > reach;
			reach += (p.extent - 1) * Math.abs(p.stride);
			return larger;
		});
	};

	const moving = (l) => facts(l).digits.filter((p) => p.extent > 1 && p.stride !== 0);

	// divide reads an address by successive division, the largest stride first: {steps: [{dim, digit, stride, value, rest}],
	// coord, rest}. It is null if division cannot find the element: the tensor is empty, a stride is negative, the address
	// is before the offset, or the strides do not nest. No element is at the address if rest is not 0, a value exceeds its
	// digit's extent, or an index of coord its size.
	const divide = (l, address) => {
		const digits = moving(l);
		if (numel(l) === 0 || address < l.offset || digits.some((p) => p.stride < 0) || !nested(digits)) return null;
		const steps = [], coord = l.dims.map(() => 0);
		let rest = address - l.offset;
		for (const p of digits) {
			const value = quotient(rest, p.stride);
			rest %= p.stride;
			steps.push({dim: p.dim, digit: p.digit, stride: p.stride, value, rest});
			coord[p.dim] += value * p.div;
		}
		return {steps, coord, rest};
	};

	Object.assign(model, {exact, natural, must, count, quotient, ceilDiv, last, once, layout, facts, digitOf, at, numel,
		span, extent, find, divide, nested, moving});
}
