// Why a stride is what it is (package explain).
{
	const {compact, inUnits} = model;

	const countOf = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

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

	Object.assign(model, {strideTexts});
}
