// The colours of cells. Elements of a colour have a class t0, t1, …, whose colours stand in a style sheet of its own.
const tints = (() => {
	const sheet = new CSSStyleSheet();
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	const {hues, turn, ramp} = subject.palette;

	// pair is the light and the dark colour of tint i of n.
	const pair = (kind, i, n) => {
		return kind === "ramp" ? ramp[n > 1 ? Math.round(i * (ramp.length - 1) / (n - 1)) : 0] : hues[n - 1][i];
	};

	// scale is how many tints a colouring needs, of which kind, and which one an element has.
	const scale = (state, layout) => {
		const d = subject.dims.indexOf(state.colour);
		if (d >= 0) {
			const size = Math.max(1, state.sizes[d]), n = size <= hues.length ? size : turn;
			const name = cut.noun(d) + (n < size ? ` mod ${n}` : ""), index = n < size ? "" : `${letter(d)}=`;
			return {n, kind: "hues", name, low: index + 0, high: index + (n - 1), of: coord => coord[d] % n};
		}
		if (state.colour === "none") return {n: 0, of: () => -1};
		if (state.colour === "value") return byValue;
		const {low, high} = model.span(layout) ?? {low: 0, high: 0}, each = Math.floor((high - low) / ramp.length) + 1;
		const n = Math.floor((high - low) / each) + 1;
		return {n, kind: "ramp", name: "place in memory", low: `offset ${grouped(low)}`, high: `offset ${grouped(high)}`,
			of: (coord, offset) => Math.floor((offset - low) / each)};
	};

	// byValue goes from the least to the greatest of the source's numbers, as in other pictures:
	//
	//	tint = ⌊(x − least) / (greatest − least) · n⌋, at most n − 1
	const byValue = (() => {
		let low = null, high = null;
		(subject.numbers ?? []).forEach((x, i) => {
			if (x === null) return;
			const text = subject.values[i];
			if (!low || x < low.x || x === low.x && text < low.text) low = {x, text};
			if (!high || x > high.x || x === high.x && text > high.text) high = {x, text};
		});
		if (!low) return null;
		const n = high.x > low.x ? ramp.length : 1, name = subject.numbers.includes(null) ? "value, if finite" : "value";
		const part = x => n > 1 ? (x / 2 - low.x / 2) / (high.x / 2 - low.x / 2) : 0; // halves, for the difference may not be finite
		const tint = x => Math.min(Math.floor(part(x) * n), n - 1);
		return {n, kind: "ramp", name, low: low.text, high: high.text, of: coord => {
			const x = numberAt(coord);
			return x === null ? -1 : tint(x);
		}};
	})();

	// use gives the classes the colours of a scale.
	let used = "";
	const use = ({kind, n}) => {
		if (used === kind + n) return; // a sheet that changes makes all cells ask for their colour again
		used = kind + n;
		const rules = scheme => Array.from({length: n}, (_, i) => `.t${i}{--tint:${pair(kind, i, n)[scheme]}}`).join("\n");
		sheet.replaceSync(`${rules(0)}\n@media screen and (prefers-color-scheme: dark) {${rules(1)}}`);
	};

	return {scale, use};
})();
