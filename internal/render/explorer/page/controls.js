// The settings: layout, sizes, block, padding, items, labels and colors.
const controls = (() => {
	let change = () => {};

	const select = (id, options) => make("select", {id}, ...options.map(([value, text]) => make("option", {value}, text)));
	const field = (name, node, hint = "") => make("label", {className: "field", title: hint}, make("span", {}, name), node);

	const group = (label, names) => make("optgroup", {label}, ...names.map(o => {
		const also = o.called?.find(c => c.framework === "PyTorch")?.names[0].replace("_format", "");
		return make("option", {value: o.name}, o.name + (also ? ` (${also})` : ""));
	}));

	const plain = subject.orders.filter(o => o.axes.length === rank), blocked = subject.orders.filter(o => o.axes.length > rank);
	const own = layouts.own();
	const layout = make("select", {id: "layout"}, make("option", {value: "own"}, own.exact ? `as stored: ${own.name}` : "as stored"),
		...subject.fixed.slice(1).map(f => make("option", {value: f.name}, f.name)));
	if (plain.length) layout.append(group("One stride per dim", plain));
	if (blocked.length) layout.append(group("Blocked", blocked));
	layout.append(make("option", {value: "strides"}, "custom strides …"));

	const strides = make("input", {id: "strides-typed", type: "text", inputMode: "text", spellcheck: false, autocomplete: "off"});
	const offset = make("input", {id: "offset", type: "number", min: 0, step: 1});
	const block = select("block", [[0, "default"], ...[2, 4, 8, 16, 32, 64].map(n => [n, n])]);
	const pitch = select("pitch", [[0, "none"]]);
	const item = select("item", states.items.map(n => [n, `${n} B`]));
	const line = select("line", states.lines.map(n => [n, `${n} B`]));
	const label = select("label", states.labels.map(n => [n, n]));
	const color = select("color", states.colors.map(name => [name, name === "memory" ? "position in memory" : name]));
	const legend = byId("legend");

	byId("choice").append(field("Layout", layout), field("Strides", strides, "0 repeats an element, a gap is padding"),
		field("Offset", offset), field("Block", block));
	byId("settings").append(field("Rows padded to", pitch, "rows start at multiples of this many elements"), field("Item", item),
		field("Cache line", line), field("Labels", label), field("Colors", color));

	const sizes = subject.dims.map((name, d) => {
		const said = {"aria-label": `Size of ${name}`}, size = subject.sizes[d];
		const max = Math.max(16, Math.min(256, 2 * size), Math.min(size, 1024));
		const range = make("input", {type: "range", min: 1, max, id: `size-${d}`, ...said});
		const number = make("input", {type: "number", min: 0, max: states.largest, id: `number-${d}`, ...said});
		byId("sizes").append(make("div", {className: "size"}, make("span", {"aria-hidden": "true"}, name), range, number));
		return {range, number};
	});
	if (!rank) byId("sizes").hidden = true;

	// show sets the controls to a state.
	const show = (state, scene) => {
		layout.value = state.layout;
		const typed = state.layout === "strides", found = layouts.find(state.layout);
		const blocks = found.axes ? model.blocks(found) : [];
		for (const node of [strides, offset]) node.parentNode.hidden = !typed;
		if (document.activeElement !== strides) strides.value = state.strides.join(", ");
		if (document.activeElement !== offset) offset.value = state.offset;
		block.parentNode.hidden = !blocks.length;
		block.value = state.block;
		if (block.selectedIndex < 0) block.value = 0;
		pitch.replaceChildren(...[0, 2, 4, 8, 16, 32, 64, 128].map(n =>
			make("option", {value: n}, n ? `${count(n, "element")} (${n * state.item} B)` : "none")));
		pitch.value = state.pitch;
		pitch.parentNode.hidden = !found.axes;
		item.value = state.item, line.value = state.line, label.value = state.label, color.value = state.color;
		sizes.forEach(({range, number}, d) => {
			range.value = state.sizes[d];
			if (document.activeElement !== number) number.value = state.sizes[d];
		});
		showLegend(scene.scale);
	};

	const showLegend = ({n, name, low, high}) => {
		legend.replaceChildren();
		if (!n) return;
		const strip = make("span", {className: "strip"}, ...Array.from({length: n}, (_, i) => make("i", {className: `t${i}`})));
		legend.append(make("span", {title: name}, name + ":"), make("span", {title: low}, low), strip);
		if (n > 1) legend.append(make("span", {title: high}, high));
	};

	// strideNumbers parses "576, 9, 3, 1"; null unless it has one integer per dim.
	const strideNumbers = text => {
		const parts = text.trim().split(/[\s,]+/).filter(Boolean).map(Number);
		return parts.length === rank && parts.every(Number.isSafeInteger) ? parts : null;
	};

	const on = (node, read) => node.addEventListener(node.tagName === "INPUT" ? "input" : "change", () => {
		const wanted = read(node.value);
		node.toggleAttribute("aria-invalid", !wanted);
		if (wanted) change(wanted);
	});
	on(layout, name => ({layout: name}));
	on(strides, text => strideNumbers(text) && {strides: strideNumbers(text)});
	on(offset, text => /^\d{1,9}$/.test(text) && {offset: Number(text)});
	for (const [key, node] of Object.entries({block, pitch, item, line})) on(node, n => ({[key]: Number(n)}));
	on(label, name => ({label: name}));
	on(color, name => ({color: name}));
	sizes.forEach(({range, number}, d) => {
		for (const node of [range, number]) {
			on(node, text => /^\d{1,5}$/.test(text) && Number(text) <= states.largest && {size: [d, Number(text)]});
		}
	});

	return {show, listen: f => { change = f; }};
})();
