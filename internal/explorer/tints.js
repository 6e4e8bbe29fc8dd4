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
			const low = n < size ? `${letter(d)} mod ${n} = 0` : `${letter(d)}=0`, high = n < size ? String(n - 1) : `${letter(d)}=${n - 1}`;
			return {n, kind: "hues", low, high, of: coord => coord[d] % n};
		}
		if (state.colour === "none") return {n: 0, of: () => -1};
		const {low, high} = model.span(layout) ?? {low: 0, high: 0}, each = Math.floor((high - low) / ramp.length) + 1;
		const n = Math.floor((high - low) / each) + 1;
		return {n, kind: "ramp", low: `offset ${grouped(low)}`, high: `offset ${grouped(high)}`,
			of: (coord, offset) => Math.floor((offset - low) / each)};
	};

	// use gives the classes the colours of a scale.
	let used = "";
	const use = ({kind, n}) => {
		if (used === kind + n) return; // a sheet that changes makes all cells ask for their colour again
		used = kind + n;
		const rules = scheme => Array.from({length: n}, (_, i) => `.t${i}{--tint:${pair(kind, i, n)[scheme]}}`).join("\n");
		sheet.replaceSync(`${rules(0)}\n@media screen and (prefers-color-scheme: dark) {${rules(1)}}`);
	};

	return {scale, use, pair};
})();
