// The page's state, as the URL's fragment: #layout=nhwc&shape=1,64,5,4&at=0,1,0,0. Default values are omitted.
const states = (() => {
	const withOwn = (list, own) => [...new Set([...list, own])].sort((a, b) => a - b);
	const items = withOwn([1, 2, 4, 8, 16], subject.item), lines = withOwn([32, 64, 128], subject.line); // bytes
	const patterns = ["channel", "spatial", "logical", "memory"];
	const labels = ["index", "coord", ...(subject.values ? ["value"] : []), "offset", "none"];
	const colors = [...subject.dims, "memory", ...(subject.numbers ? ["value"] : []), "none"];
	const largest = 1 << 16; // typed size

	const first = () => ({
		layout: subject.begin?.[0] ?? subject.fixed[0].name,
		sizes: [...subject.sizes],
		strides: strides(subject.fixed[0].layout) ?? strides(model.bind(subject.orders[0], subject.sizes)),
		offset: subject.fixed[0].layout.offset,
		block: 0, // that of the order
		pitch: 0, // elements; none
		item: subject.item, line: subject.line,
		label: subject.label,
		color: rank ? subject.dims[colorDim] : "none",
		at: subject.at, cell: null, pinned: false, // the element, or the offset of a cell without one
		path: "channel", step: 0, cache: cacheFor(subject.fixed[0].layout), // lines
	});

	// cacheFor returns at most half as many lines as a layout's storage has, so that access orders differ from the start.
	const cacheFor = ({alloc}) => {
		const lines = alloc * subject.item / subject.line;
		return [8, 4, 2].find(n => 2 * n <= lines) ?? 1;
	};

	// strides is one stride per dim; null for a blocked layout.
	const strides = layout => model.facts(layout).strides;

	const whole = text => /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
	const within = (low, high) => text => { const n = whole(text); return n >= low && n <= high ? n : undefined; };
	const oneOf = list => text => list.find(x => String(x).toLowerCase() === text.toLowerCase()); // text or numbers
	const listOf = one => text => {
		const parts = text === "" ? [] : text.split(",").map(one);
		return parts.length === rank && !parts.includes(undefined) ? parts : undefined;
	};

	// fields are the names in the fragment, the state's properties, and how texts are parsed: undefined if invalid.
	const fields = {
		layout: ["layout", text => layouts.find(text)?.name],
		shape: ["sizes", listOf(within(0, largest))],
		strides: ["strides", listOf(within(-1e12, 1e12))],
		offset: ["offset", within(0, 1e12)],
		block: ["block", within(0, 256)],
		pitch: ["pitch", within(0, 4096)],
		item: ["item", oneOf(items)],
		line: ["line", oneOf(lines)],
		label: ["label", oneOf(labels)],
		color: ["color", oneOf(colors)],
		at: ["at", listOf(within(0, largest))],
		cell: ["cell", within(0, 1e12)],
		path: ["path", oneOf(patterns)],
		step: ["step", within(0, 1e6)],
		cache: ["cache", within(1, 64)],
	};

	// read parses a fragment into a state, and returns the parts that it ignored.
	const read = hash => {
		const state = first(), ignored = [];
		for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
			const [name, text] = split(part);
			const value = Object.hasOwn(fields, name) ? fields[name][1](text) : undefined;
			if (value === undefined) ignored.push(`${name}=${text}`);
			else state[fields[name][0]] = value;
			if (name === "at" || name === "cell") state.pinned = value !== undefined;
		}
		return settle(state, ignored);
	};

	const split = part => {
		const [name, ...rest] = part.split("=");
		try { return [name, decodeURIComponent(rest.join("="))]; } catch { return [name, rest.join("=")]; }
	};

	// settle makes the state consistent: a layout with its own sizes requires those, and the element must exist.
	const settle = (state, ignored) => {
		const fixed = layouts.find(state.layout).layout;
		if (fixed && fixed.dims.some((d, i) => d.size !== state.sizes[i])) state.layout = freeLayout();
		if (state.sizes.includes(0)) state.at = null;
		else if (!state.at || state.at.some((i, d) => i >= state.sizes[d])) {
			if (state.at && state.pinned && ignored) ignored.push(`at=${state.at}`);
			state.at = state.sizes.map((size, d) => Math.min(state.at?.[d] ?? 0, size - 1));
		}
		return {state, ignored};
	};

	// freeLayout returns the order that replaces the source's layout for other sizes.
	const freeLayout = () => subject.own || subject.orders[0].name;

	// write formats a state as a fragment.
	const write = state => {
		const begin = first(), parts = [];
		for (const [name, [key]] of Object.entries(fields)) {
			if (name === "at" && (!state.pinned || state.cell !== null) || name === "cell" && !state.pinned) continue;
			if ((name === "strides" || name === "offset") && state.layout !== "strides") continue;
			const value = state[key], differs = String(value) !== String(begin[key]);
			if (value !== null && (differs || name === "at" || name === "layout")) {
				const text = name === "layout" ? value.toLowerCase() : String(value);
				parts.push(`${name}=${encodeURIComponent(text).replaceAll("%2C", ",")}`);
			}
		}
		return "#" + parts.join("&");
	};

	return {read, write, settle, strides, items, lines, labels, colors, patterns, largest};
})();
