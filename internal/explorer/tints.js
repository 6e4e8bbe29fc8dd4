// The colours of cells. Elements of a colour have a class t0, t1, …, whose colours stand in a style sheet of its own.
const tints = (() => {
	const sheet = new CSSStyleSheet();
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	const {hues, circle, ramp} = subject.palette;

	// pair is the light and the dark colour of tint i of n.
	const pair = (kind, i, n) => {
		if (kind === "ramp") return ramp[n > 1 ? Math.round(i * (ramp.length - 1) / (n - 1)) : 0];
		return n <= hues.length ? hues[n - 1][i] : circle[Math.floor(i * circle.length / n)];
	};

	// scale is how many tints a colouring needs, of which kind, and which one an element has.
	const scale = (state, layout) => {
		const d = subject.dims.indexOf(state.colour);
		if (d >= 0) {
			const n = Math.max(1, Math.min(state.sizes[d], circle.length));
			return {n, kind: "hues", low: `${letter(d)}=0`, high: `${letter(d)}=${state.sizes[d] - 1}`,
				of: coord => Math.floor(coord[d] * n / state.sizes[d])};
		}
		if (state.colour === "none") return {n: 0, of: () => -1};
		const n = Math.max(1, Math.min(layout.alloc, ramp.length));
		return {n, kind: "ramp", low: "offset 0", high: `offset ${grouped(layout.alloc - 1)}`,
			of: (coord, offset) => Math.min(n - 1, Math.floor(offset * n / layout.alloc))};
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
