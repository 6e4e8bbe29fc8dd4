"use strict";

// stepper draws the tensor after each step of a trace. A cell keeps its number over copies: the storage offset at the start, or the value in
// the file.
const stepper = (() => {
	const most = 4096; // elements whose numbers are kept
	let states = [], question = 0, last = 0, legend = ""; // of the numbers

	const load = async (args, mine) => {
		const plain = args.filter(arg => arg !== "--all" && arg !== "--json");
		const answer = await engine.run([...plain, "--values", "--limit", String(most), "--json"]);
		if (mine !== asked || !answer || answer.code > 1) return;
		const {start, steps = [], dtype, source, made_by: made} = JSON.parse(answer.out);
		legend = source ? "Numbers are values of the file." : "A number is the storage offset that the element had at the start.";
		states = [{op: made || "start", ...start}, ...steps].filter(state => state.strides && state.storage_offset !== undefined).map(state => ({dtype, ...state}));
		question = mine;
		if (states.length < 2) return;
		byId("steps").replaceChildren(...states.map((state, i) => {
			const button = make("button", {type: "button"}, i ? `${i} ${state.op}` : state.op);
			button.addEventListener("click", () => go(i));
			return button;
		}));
		byId("steps").hidden = false;
		go(states.length - 1);
	};

	const go = async at => {
		const mine = ++last;
		[...byId("steps").children].forEach((button, i) => button.setAttribute("aria-pressed", i === at));
		for (const [drawn, note] of [[numbered(states[at], at), legend], [described(states[at]), ""]]) {
			const answer = await drawn?.();
			if (mine !== last || question !== asked) return;
			if (!answer?.drawing) continue;
			draw(answer.drawing);
			byId("note").textContent = note;
			return;
		}
	};

	// described returns what draws a state by its strides.
	const described = ({shape, strides, storage_offset, dtype}) => () =>
		engine.run(null, {draw: ["draw", ...layoutOf(shape, strides, storage_offset), ...dtype ? ["--dtype", dtype] : []]});

	const layoutOf = (shape, strides, offset) => ["--shape", shape.join(), "--strides", strides.join(), "--offset", String(offset)];

	// numbered returns what draws a state with its numbers, from a file of its storage that holds them; null if its type does not hold them all.
	const numbered = ({op, dims, shape, strides, storage_offset, dtype, values}, at) => {
		const count = shape.reduce((a, b) => a * b, 1), extent = shape.reduce((extent, size, i) => extent + (size - 1) * strides[i], storage_offset + 1);
		if (!types[dtype] || values?.length !== count || extent > 4 * most || strides.some(stride => stride < 0)) return null;
		const storage = new types[dtype](extent), number = dtype === "int64" ? BigInt : Number;
		for (const [i, value] of values.entries()) {
			const offset = storage_offset + offsetOf(i, shape, strides);
			storage[offset] = number(value);
			if (/^-?\d+$/.test(value) && String(storage[offset]) !== value) return null;
		}
		const name = plainName(`${at} ${op}`), axes = dims?.length ? ["--dims", namesOf(dims).join()] : [];
		return () => engine.lend(new Blob([storage]), name,
			["draw", `./${name}`, "--raw", "--dtype", dtype, ...layoutOf(shape, strides, storage_offset), ...axes, "--label", "value", "--color-by", "value"]);
	};

	const types = {float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int16: Int16Array, int8: Int8Array, uint8: Uint8Array};

	// namesOf returns the names of dims, with letters for those that have none.
	const namesOf = dims => {
		const free = [..."XYZUVPQRS"].filter(letter => !dims.includes(letter));
		return dims.map(dim => dim || free.shift());
	};

	// offsetOf returns the offset of the i-th element in logical order.
	const offsetOf = (i, shape, strides) => {
		let offset = 0;
		for (let d = shape.length - 1; d >= 0; d--) {
			offset += i % shape[d] * strides[d];
			i = Math.floor(i / shape[d]);
		}
		return offset;
	};

	byId("steps").addEventListener("keydown", event => {
		const to = [...byId("steps").children].indexOf(event.target) + ({ArrowLeft: -1, ArrowRight: 1}[event.key] ?? NaN);
		if (!(to >= 0 && to < states.length)) return;
		byId("steps").children[to].focus();
		go(to);
		event.preventDefault();
	});

	return {load};
})();
