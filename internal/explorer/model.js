// The arithmetic of the page: what the packages tensor, notation, explain and picture compute, and a cache. The tests run
// both and compare them.
//
// A layout says where each element of a tensor lies in its storage:
//
//	address(i) = offset + Σ over dims Σ over digits ((i_dim div digit.div) mod digit.extent) · digit.stride
//
// It is {dims: [{name, size, digits: [{div, extent, stride}]}], offset, alloc}: the digits of a dim least significant
// first, the last one never wrapped. A memory order is {names, axes: [{dim, div, extent}]}, physical axes outermost first;
// extent 0 is the open end, which runs on until the dim's size is used up. A coordinate is one index a dim, in logical
// order. Strides, offsets and storages count elements. What was handed in is never changed, and must not be afterwards.
//
// All numbers are whole and within ±(2^53 − 1), where arithmetic is exact: a sum or product that rounds is larger. What
// is not throws a RangeError, and so does whatever makes no layout.
const model = (() => {
	"use strict";

	// exact returns n if it is exact.
	const exact = (n, what) => {
		if (!Number.isSafeInteger(n)) {
			throw new RangeError(`${what} is ${n}, which is no whole number within ±(2^53 − 1)`);
		}
		return n + 0; // -0 is 0
	};

	const natural = (n, what) => {
		must(exact(n, what) >= 0, `${what} is ${n}, which is negative`);
		return n;
	};

	const must = (holds, why) => {
		if (!holds) throw new RangeError(why);
	};

	// quotient is a div b, rounded towards 0.
	const quotient = (a, b) => (a - a % b) / b;
	const floorDiv = (a, b) => quotient(a, b) - (a % b < 0 ? 1 : 0);
	const ceilDiv = (a, b) => -floorDiv(-a, b);

	const byFalling = (key) => (a, b) => key(b) - key(a);
	const last = (list) => list[list.length - 1];

	// once is f, which is asked once for each object.
	const once = (f) => {
		const known = new WeakMap();
		return (object) => {
			if (!known.has(object)) known.set(object, f(object));
			return known.get(object);
		};
	};

	// ---- Layouts (package tensor)

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
		const strides = stridesOf(l);
		return {sizes, numel, low, high, strides, places: placesOf(l), axes: axesOf(l, strides)};
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

	// count is the product of sizes, 1 for none. One of 0 does not keep the others from being too large.
	const count = (sizes) => {
		const n = sizes.reduce((n, size) => exact(n * (natural(size, "a size") || 1), "the number of elements"), 1);
		return sizes.includes(0) ? 0 : n;
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

	// ---- Facts

	// packed walks the dims in an order, innermost first, and asks each of a size other than 1 for the packed stride:
	//
	//	expect = 1; for d in order: if size_d ≠ 1 { need stride_d = expect; expect *= size_d }
	const packed = (l, order) => {
		const {strides, sizes} = facts(l);
		let expect = 1;
		return strides !== null && order.filter((d) => sizes[d] !== 1).every((d) => {
			const holds = strides[d] === expect;
			expect *= sizes[d];
			return holds;
		});
	};

	// What PyTorch's is_contiguous and NumPy's flags say; no where one stride a dim does not say where elements lie.
	const whole = (l) => facts(l).strides !== null;
	const cContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()].reverse()));
	const fContiguous = (l) => whole(l) && (numel(l) === 0 || packed(l, [...l.dims.keys()]));
	const channelsLast = (l) => l.dims.length === 4 && packed(l, [1, 3, 2, 0]);
	const channelsLast3d = (l) => l.dims.length === 5 && packed(l, [1, 4, 3, 2, 0]);

	// broadcastDims lists the dims along which the address does not move: a digit that counts has a stride of 0.
	const broadcastDims = (l) => {
		const repeats = (d) => d.digits.some((g) => g.extent > 1 && d.size > g.div && g.stride === 0);
		return numel(l) === 0 ? [] : [...l.dims.keys()].filter((i) => repeats(l.dims[i]));
	};

	// paddedShape is each dim's size rounded up to the end of its last digit.
	const paddedShape = (l) => l.dims.map(({digits}) => last(digits).div * last(digits).extent);

	// sharing is how many elements lie at each address in use, where the strides tell: they nest, but for those of
	// broadcast dims. It is null elsewhere.
	const sharing = (l) => {
		const {numel, places} = facts(l);
		const still = places.filter((p) => p.extent > 1 && p.stride === 0);
		if (numel === 0 || still.some((p) => l.dims[p.dim].digits.length > 1) || !nested(moving(l))) return null;
		return still.reduce((n, p) => n * p.extent, 1);
	};

	// unique is the number of distinct addresses; -1 where only counting more than limit elements would tell.
	const unique = (l, limit = 1 << 20) => {
		const n = numel(l), shared = sharing(l);
		if (n === 0 || shared !== null) return n && n / shared;
		if (n > limit) return -1;
		const seen = new Set();
		for (const coord of walk(l, "logical")) seen.add(at(l, coord));
		return seen.size;
	};

	// padding is the number of places of the storage that hold no element; -1 where unique is.
	const padding = (l) => {
		const used = unique(l);
		return used < 0 ? -1 : l.alloc - used;
	};

	// edges is how many axes of the memory order begin anew at an address: 0 within a run of the innermost one, 1 where a
	// block does, 2 and more further out.
	const edges = (l, address) => {
		const s = span(l), strides = nestedStrides(l);
		let rest = s === null ? -1 : address - s.low;
		if (rest < 0) return 0;
		let k = strides.length;
		for (; k > 0 && rest > 0; k--) rest %= strides[k - 1];
		return rest > 0 ? 0 : k;
	};

	// nestedStrides lists, by rising size, the strides that lead past everything that smaller ones reach.
	const nestedStrides = once((l) => {
		const strides = [];
		let reach = 0;
		const digits = l.dims.flatMap((dim) => dim.digits).filter((g) => g.extent > 1 && g.stride !== 0);
		digits.sort((a, b) => Math.abs(a.stride) - Math.abs(b.stride));
		for (const g of digits) {
			const stride = Math.abs(g.stride);
			if (stride > reach) strides.push(stride);
			reach += (g.extent - 1) * stride;
		}
		return strides;
	});

	// ---- Memory orders (package notation)

	// physicalShape is the extents of an order's axes for logical sizes.
	const physicalShape = (order, sizes) => {
		must(sizes.length === order.names.length, `an order of ${order.names.length} dims, a shape of ${sizes.length}`);
		const size = (dim) => natural(sizes[dim], `the size of ${order.names[dim]}`);
		const shape = order.axes.map((a) => a.extent || ceilDiv(size(a.dim), a.div));
		count(shape);
		return shape;
	};

	// bind is the packed layout of an order: physical axes in row-major order, the last dim rounded up to whole blocks. A
	// size of 0 counts as 1 in the strides around it.
	const bind = (order, sizes) => {
		const shape = physicalShape(order, sizes), strides = [];
		let run = 1;
		for (const extent of shape.toReversed()) {
			strides.unshift(run);
			run = exact(run * (extent || 1), "the storage");
		}
		return place(order, sizes, shape, strides, count(shape));
	};

	// place is the layout of an order whose axes have the given extents and strides.
	const place = (order, sizes, extents, strides, alloc) => {
		const digitsOf = (dim) => order.axes
			.map((a, k) => ({...a, k}))
			.filter((a) => a.dim === dim)
			.sort((a, b) => a.div - b.div || (a.extent || Infinity) - (b.extent || Infinity))
			.map(({div, k}) => ({div, extent: extents[k], stride: strides[k]}));
		return layout(order.names.map((name, dim) => ({name, size: sizes[dim], digits: digitsOf(dim)})), 0, alloc);
	};

	// strided is the layout of one stride a dim. Its elements lie within the storage, which without alloc ends with the last.
	const strided = (names, sizes, strides, offset, alloc) => {
		must(sizes.length === names.length && strides.length === names.length,
			`${sizes.length} sizes and ${strides.length} strides for ${names.length} dims`);
		const dims = names.map((name, i) => ({name, size: sizes[i], digits: [{div: 1, extent: sizes[i], stride: strides[i]}]}));
		const l = layout(dims, offset, alloc), s = span(l);
		must(s === null || s.low >= 0, `an element lies at offset ${s?.low}, before the storage`);
		must(s === null || s.high < l.alloc, `an element lies at offset ${s?.high}, behind a storage of ${l.alloc}`);
		return l;
	};

	// innermost is the least significant axis of each dim that is split, in logical order.
	const innermost = (order) => order.names.flatMap((_, dim) => {
		const axes = order.axes.filter((a) => a.dim === dim && a.extent > 0);
		axes.sort((a, b) => a.div - b.div || a.extent - b.extent);
		return axes.slice(0, 1);
	});

	// blocks is the size of the innermost block of each dim that is split: [4] of NCHW4c, [8, 8] of OIHW8i8o.
	const blocks = (order) => innermost(order).map((a) => a.extent);

	// withBlock is the order with these blocks of another size: NCHW4c with 8 is NCHW8c.
	const withBlock = (order, x) => {
		must(exact(x, "a block") > 0, `a block of ${x}`);
		const inner = innermost(order);
		const resized = (a) => {
			const block = inner.find((b) => b.dim === a.dim);
			if (!block) return a;
			return a === block ? {...a, extent: x} : {...a, div: exact(a.div / block.extent * x, "a block")};
		};
		return {...order, axes: order.axes.map(resized)};
	};

	// rowDim is the dim with which a row ends: of the last two dims, which are drawn as rows and columns, the one whose
	// steps lie closer together.
	const rowDim = (order) => last(order.axes.filter((a) => a.extent === 0 && a.dim >= order.names.length - 2))?.dim;

	// pad is bind with padding: pitches [{dim: "W", align: 16}] round the step over the whole of W up to a multiple of 16
	// elements. A number does so for rows: the H-stride of NCHW, NHWC and NCHW4c.
	const pad = (order, sizes, pitches) => {
		const shape = physicalShape(order, sizes), strides = [];
		if (shape.includes(0) || order.names.length === 0) return bind(order, sizes);
		const all = Array.isArray(pitches) ? pitches : [{dim: order.names[rowDim(order)], align: pitches}];
		for (const p of all) {
			must(order.names.includes(p.dim), `pitch ${p.dim}: there is no dim of this name`);
			must(exact(p.align, "a pitch") > 0, `a pitch of ${p.align}`);
		}
		let run = 1;
		order.axes.toReversed().forEach((a, k) => {
			strides.unshift(run);
			run = exact(run * shape[shape.length - 1 - k], "the storage");
			for (const p of all) {
				if (a.extent === 0 && order.names[a.dim] === p.dim) run = exact(ceilDiv(run, p.align) * p.align, "the storage");
			}
		});
		return place(order, sizes, shape, strides, run);
	};

	// ---- Axes and addresses in words (package explain)

	// axis is a digit of a dim's index, or the whole index of one that is not split; one step moves the address by stride.
	const axis = (dim, dimName, isLast, {div, extent, stride}) => ({
		dim, dimName, div, extent, stride, last: isLast, whole: isLast && div === 1,
		name: dimName + (div !== 1 ? `//${div}` : "") + (isLast ? "" : `%${extent}`), // C, C//16, C%16
		symbol: !isLast ? String(extent) : div !== 1 ? `⌈${dimName}/${div}⌉` : dimName, // the extent in letters
		letter: dimName.toLowerCase(),
		taken: (div !== 1 ? ` div ${div}` : "") + (isLast ? "" : ` mod ${extent}`), // how it is taken from the index
	});

	// axesOf lists axes in logical order of the dims, the most significant digit of each first. Where one stride a dim says
	// it all, a dim has one axis.
	const axesOf = (l, strides) => l.dims.flatMap((d, i) => strides
		? axis(i, d.name, true, {div: 1, extent: d.size, stride: strides[i]})
		: digitAxes(l, i));

	const digitAxes = (l, i) => {
		const {name, digits} = l.dims[i];
		return digits.map((g, k) => axis(i, name, k === digits.length - 1, g)).reverse();
	};

	const axes = (l) => facts(l).axes;

	// inMemory lists them from the outermost to the innermost: as the order has them; by falling stride without one, or where
	// it has blocks of which one stride a dim says as much. An axis that does not move the address lies outside of all then.
	const inMemory = (l, order) => {
		const list = axes(l).slice();
		if (!order || facts(l).strides && order.axes.length !== order.names.length) {
			return list.sort((a, b) => {
				const [x, y] = [a, b].map(({stride}) => Math.abs(stride) || Infinity);
				return x === y ? 0 : y - x;
			});
		}
		const rank = (a) => order.axes.findIndex((b) => a.dim === b.dim && a.div === b.div);
		return list.sort((a, b) => rank(a) - rank(b));
	};

	// terms is what each axis adds to the address of a coordinate: value · stride = product.
	const terms = (l, coord) => axes(l).map((a) => {
		const value = digitOf(coord[a.dim], a.div, a.extent, a.last);
		return {...a, of: coord[a.dim], value, product: exact(value * a.stride, "a product")};
	});

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

	// formula writes the address of any element: offset(n,c) = n·48 + (c div 4)·24 + (c mod 4)·1 + 3.
	const formula = (l) => {
		const sum = axes(l).map((a) => (a.whole ? a.letter : `(${a.letter}${a.taken})`) + `·${a.stride}`);
		if (l.offset !== 0 || sum.length === 0) sum.push(String(l.offset));
		return `offset(${l.dims.map((d) => d.name.toLowerCase()).join(",")}) = ${sum.join(" + ")}`;
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

	// ---- Sentences (package explain)

	const countOf = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
	const and = (list) => list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${last(list)}`;

	// strideTexts tells of each axis, outermost first, how its stride comes about from those inside it:
	//
	//	C-stride = H · W = 5 · 4 = 20
	const strideTexts = (list) => list.map((a, i) => `${a.name}-stride = ${strideText(a, list.slice(i + 1))}`);

	const strideText = (a, inner) => {
		const step = Math.abs(a.stride), next = inner.find((b) => b.extent > 1 && b.stride !== 0);
		const reach = next ? next.extent * Math.abs(next.stride) : 1;
		const product = inner.reduce((n, b) => n * (b.extent || 1), 1), text = productText(inner, product);
		const backwards = a.stride < 0 ? ", run backwards: index 0 lies last" : "";
		if (a.extent === 1) {
			const unused = "never used: its index is always 0";
			return a.stride === product ? `${text}, ${unused}` : `${a.stride}, ${unused}; packed it would be ${text}`;
		}
		if (a.stride === 0) return `0: broadcast, all ${a.extent} indices lead to the same elements`;
		if (a.stride === product && inner.length > 0) return text;
		if (!next && step === 1) return `${a.stride}: neighbours lie side by side${backwards}`;
		if (!next && step !== product) {
			const gap = countOf(step - 1, "element");
			return `${a.stride}: neighbours lie ${step} apart, with ${gap} of padding between${backwards}`;
		}
		if (step === product) return `${a.stride}: ${text}${backwards}`;
		const inside = insideText(next);
		if (step === reach) return a.stride > 0 ? inside : `${a.stride}: ${inside}${backwards}`;
		if (step > reach) return `${a.stride}: ${inside} and ${countOf(step - reach, "element")} of padding${backwards}`;
		return `${a.stride}: less than ${inside}, so its steps fall among those of ${next.name}${backwards}`;
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

	// insideText writes how far all steps of an axis lead: H · H-stride = 3 · 16 = 48, W · 1 = 3.
	const insideText = ({symbol, name, extent, stride}) => {
		const step = Math.abs(stride);
		if (step === 1) return `${symbol} · 1 = ${extent}`;
		return `${symbol} · ${name}-stride = ${extent} · ${step} = ${inUnits(extent, step)}`;
	};

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

	// ---- Ways through a tensor

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
	//	memory    in the order of addresses; where several elements lie at one, in logical order
	//	logical   loops over the dims as they are, the last one fastest
	function walk(l, pattern) {
		const {sizes} = facts(l), all = [...sizes.keys()];
		const named = (name) => all.filter((d) => l.dims[d].name === name);
		const images = named("N"), channels = named("C"), pixels = all.filter((d) => ![...images, ...channels].includes(d));
		if (pattern === "logical") return loops(sizes, all);
		if (pattern === "memory") return byAddress(l);
		const names = l.dims.map((d) => d.name).join(", ");
		must(channels.length > 0 && pixels.length > 0,
			`channel-wise and spatial access need a dim C and one of pixels, the dims are ${names}`);
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

	// byAddress walks digits by falling size of stride, where those nest, and those of stride 0 innermost. Otherwise it
	// sorts all elements.
	function* byAddress(l) {
		const {sizes, numel, places} = facts(l), steps = moving(l);
		if (numel === 0) return;
		if (!nested(steps)) {
			const list = [...loops(sizes, [...sizes.keys()])].map((coord) => ({coord, address: at(l, coord)}));
			yield* list.sort((a, b) => a.address - b.address).map((e) => e.coord);
			return;
		}
		const still = places.filter((p) => p.extent > 1 && p.stride === 0).sort((a, b) => a.dim - b.dim || b.div - a.div);
		const all = [...steps, ...still];
		for (const values of loops(all.map((p) => p.extent), [...all.keys()])) {
			const coord = sizes.map(() => 0);
			all.forEach((p, k) => { coord[p.dim] += p.div * (p.stride < 0 ? p.extent - 1 - values[k] : values[k]); });
			if (coord.every((i, d) => i < sizes[d])) yield coord;
		}
	}

	// Cache keeps so many lines of so many bytes. Any line may stand anywhere; the one that was asked for longest ago goes
	// first. It begins empty.
	class Cache {
		#kept = new Map(); // line → which of its bytes were used since it came; the one asked for longest ago is first
		#known = new Set(); // lines that were here before

		constructor(lineBytes, lines) {
			const some = natural(lineBytes, "a line") > 0 && natural(lines, "the cache") > 0;
			must(some, `a cache of ${lines} lines of ${lineBytes} B`);
			this.lineBytes = lineBytes;
			this.lines = lines;
			// reuses counts lines that were there when they were asked for; bytesUsed those of bytesFetched that were read.
			this.counts = {accesses: 0, fetches: 0, reuses: 0, bytesFetched: 0, bytesUsed: 0};
		}

		// access reads size bytes, the first at byte: {line, lines, hit, fetched, again, evicted}. line is the first line that
		// they lie in, lines all; hit says that none was fetched; fetched lists those that were, again those of them that had
		// been here before, evicted those that went.
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

		// resident lists the lines that are here, the one asked for last first.
		resident() { return [...this.#kept.keys()].reverse(); }
	}

	return {
		layout, bind, place, strided, pad, physicalShape, blocks, withBlock, rowDim,
		at, numel, span, extent, find, divide, edges, index, coordOf, walk, Cache,
		axes, inMemory, terms, addressText, digitLines, formula, layoutText, strideTexts, paddingText,
		cContiguous, fContiguous, channelsLast, channelsLast3d, broadcastDims, paddedShape, sharing, unique, padding,
	};
})();
