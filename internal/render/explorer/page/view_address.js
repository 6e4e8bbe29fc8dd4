// The address of an element: the sum, a table of its terms, and other facts of the offset.
const address = (() => {
	const title = byId("address-title"), text = byId("address-text"), table = byId("strides"), brief = byId("brief");
	let scene, rows = [];

	// draw makes the table of a scene: a row per axis; show fills in index and product.
	const draw = next => {
		scene = next;
		const all = model.inMemory(scene.layout, scene.order);
		rows = [];
		table.replaceChildren(make("thead", {}, heads()), body(all, model.strideTexts(all)));
	};

	const names = ["axis", "size", "index", "stride", "product", "bytes", "why this stride"];
	const heads = () => make("tr", {}, ...names.map((name, i) =>
		make("th", {scope: "col", className: i > 0 && i < names.length - 1 ? "number" : ""}, name)));

	// body has the axes in logical order; all and texts are in memory order.
	const body = (all, texts) => make("tbody", {}, ...model.axes(scene.layout).map(axis => {
		const at = all.findIndex(b => b.name === axis.name && b.dim === axis.dim), a = all[at];
		const reason = texts[at].slice(`${a.name}-stride = `.length);
		const index = make("td", {className: "number now"}), product = make("td", {className: "number now"});
		rows.push({index, product});
		return make("tr", {}, make("th", {scope: "row"}, a.name), number(a.extent), index, number(a.stride), product,
			number(a.stride * scene.item), make("td", {}, reason === "1" ? "innermost: 1" : reason));
	}));

	const number = n => make("td", {className: "number"}, grouped(n).replace("-", "−"));

	// show describes an element, or an offset without one.
	const show = target => {
		if (!scene.numel && target.offset === undefined) return empty();
		if (target.coord) element(target.coord); else hole(target.offset);
	};

	const empty = () => {
		title.textContent = "No element";
		brief.replaceChildren();
		text.replaceChildren(make("p", {}, "A size is 0: there is no address to compute."));
	};

	const element = coord => {
		const offset = scene.offsetOf(coord), terms = model.terms(scene.layout, coord);
		const unseen = grid.node(scene.indexOf(coord)) ? "" : make("span", {className: "quiet"}, ", not drawn above");
		title.replaceChildren("Address of ", make("code", {}, `x[${coord.join(", ")}]`), unseen);
		terms.forEach((term, i) => {
			rows[i].index.textContent = term.value;
			rows[i].product.textContent = grouped(term.product).replace("-", "−");
		});
		const owners = scene.owners(offset), digits = model.digitLines(scene.layout, coord);
		const sum = model.addressText(scene.layout, coord, 1);
		putBrief(coord, sum);
		text.replaceChildren(
			make("p", {className: "sum", id: "sum"}, ...equation(sum)),
			...digits.map(line => make("p", {className: "digits"}, line.replace("->", "→"))),
			facts(offset, valueAt(coord)),
			...shared(owners).map(line => make("p", {className: "sharing"}, line)));
	};

	// putBrief writes the sum on one line: x[0,2,1,1] is at 0·576 + 2·9 + 1·3 + 1·1 = 22. Its end stays visible.
	const putBrief = (coord, sum) => {
		const [result, numbers] = sum.split(" = ").reverse(), here = make("code", {}, `x[${coord}]`);
		brief.replaceChildren(make("span", {}, here, " is at"), ...(numbers ? [make("code", {}, numbers), "="] : []), make("strong", {}, result));
	};

	// equation emphasizes the result.
	const equation = sum => {
		const at = sum.lastIndexOf(" = ");
		return at < 0 ? [make("strong", {}, sum)] : [sum.slice(0, at + 3), make("strong", {}, sum.slice(at + 3))];
	};

	const facts = (offset, value) => {
		const byte = offset * scene.item, n = scene.lineOf(offset), rest = byte - n * scene.line;
		return make("dl", {className: "facts"},
			...fact("offset", grouped(offset)), ...fact("byte", `${grouped(offset)} · ${scene.item} = ${grouped(byte)}`),
			...fact("cache line", `${grouped(n)}, byte ${rest} of it`), ...(value ? fact("value", value) : []));
	};

	const fact = (name, value) => [make("div", {}, make("dt", {}, name), make("dd", {}, value))];

	// shared lists the elements at one offset, and says whether there may be more.
	const shared = ({indices, complete}) => {
		if (indices.length < 2) return complete ? [] : ["The search for other elements at this offset was cut short."];
		const names = indices.slice(0, 8).map(i => `[${scene.coordOf(i).join(", ")}]`).join(" "), n = grouped(indices.length);
		return [`${complete ? n : `At least ${n}`} elements share this offset: ${names}${indices.length > 8 ? " …" : ""}`];
	};

	const hole = offset => {
		const {complete} = scene.owners(offset), [is, comma] = scene.outside(offset) ? ["outside of the tensor", ","] : ["padding", ""];
		brief.textContent = title.textContent = `Offset ${grouped(offset)}${complete ? ` is ${is}` : ""}`;
		for (const {index, product} of rows) index.textContent = product.textContent = "";
		const why = complete ? `No element is here: this is ${is}${comma} ${model.paddingText(scene.layout, offset)}.`
			: "The search for elements at this offset was cut short.";
		text.replaceChildren(make("p", {className: "why", id: "sum"}, why), facts(offset, ""));
	};

	return {draw, show};
})();
