// Whole numbers that are exact, and what is worked out once.
{
	const must = (holds, why) => {
		if (!holds) throw new RangeError(why);
	};

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

	// count is the product of sizes, 1 for none. One of 0 does not keep the others from being too large.
	const count = (sizes) => {
		const n = sizes.reduce((n, size) => exact(n * (natural(size, "a size") || 1), "the number of elements"), 1);
		return sizes.includes(0) ? 0 : n;
	};

	Object.assign(model, {exact, natural, must, count, quotient, floorDiv, ceilDiv, byFalling, last, once});
}
