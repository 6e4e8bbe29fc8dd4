// The page: settings become a scene, which all panels draw.
let state, scene = null;

// arrange draws a state. If the state has no valid layout, arrange returns the reason and changes nothing.
const arrange = next => {
	let drawn;
	try {
		drawn = newScene(next);
	} catch (e) {
		if (!(e instanceof RangeError)) throw e;
		if (scene) controls.show(state, scene);
		return e.message[0].toUpperCase() + e.message.slice(1) + ".";
	}
	if (next.cell >= drawn.layout.alloc) next.cell = null;
	if (next.at && !next.pinned) next.at = drawn.near(next.at);
	const before = motion.positions(scene);
	unlight();
	state = next, scene = drawn;
	tints.use(scene.scale);
	const width = grid.draw(scene);
	memory.draw(scene, width);
	address.draw(scene);
	summarize();
	controls.show(state, scene);
	player.draw(scene, state);
	show(state.cell === null ? {coord: state.at} : {offset: state.cell}, "both");
	motion.move(scene, before);
	return "";
};

const summarize = () => {
	const {layout} = scene, rest = others(layout), text = byId("layout-text");
	const extent = model.extent(layout), less = scene.numel && extent !== layout.alloc ? `extent ${grouped(extent)}` : "";
	const still = model.broadcastDims(layout).map(d => subject.dims[d]);
	const repeats = still.length ? `broadcast along ${still.join(" and ")}` : "", {short, long} = notation(layout);
	const said = [scene.words, model.contiguous(layout), repeats, rest, less].filter(Boolean);
	text.replaceChildren(make("strong", {}, scene.name), " ", make("code", {title: long}, model.layoutText(layout)), " ",
		make("small", {className: "quiet", title: long}, short), ` · ${said.join("; ")}`);
	byId("layout-names").textContent = (scene.called ?? []).map(c => `${c.framework} ${c.names.join(", ")}`).join(" · ");
};

// others counts what is stored besides elements: 2 of 12 stored elements are padding, 1 outside of the tensor.
const others = layout => {
	const {from, end} = model.inside(layout), all = model.padding(layout), outside = layout.alloc - (end - from);
	const padding = all - outside, is = n => `${grouped(n)} of ${count(layout.alloc, "stored element")} ${n === 1 ? "is" : "are"}`;
	if (all < 0) return "";
	if (!outside) return padding ? `${is(padding)} padding` : "no padding";
	if (!padding) return `${is(outside)} outside of the tensor`;
	return `${is(padding)} padding, ${grouped(outside)} outside of the tensor`;
};

// notation explains how a layout is written.
const notation = layout => {
	const blocks = layout.dims.some(d => d.digits.length > 1), each = subject.dims.join(", ");
	const long = [rank ? `the size and stride of ${each}, in elements` : "neither sizes nor strides"];
	if (blocks) long.push("nested brackets: the digits of one dim, fastest first; < its size, if they have room for more");
	if (layout.offset) long.push("@ the offset of the first element");
	return {short: "sizes : strides" + (layout.offset ? " @ offset" : ""), long: long.join("; ")};
};

const say = text => {
	const note = byId("note");
	note.textContent = text;
	note.hidden = !text;
};

// remember writes the state into the URL, with a delay if that happens often: browsers refuse more than 100 times in 30 s.
let written = [], resting = 0;
const remember = () => {
	const now = performance.now(), write = () => history.replaceState(null, "", states.write(state));
	clearTimeout(resting);
	written = written.filter(time => now - time < 30_000);
	if (written.length >= 60) return void (resting = setTimeout(write, 1000));
	written.push(now);
	write();
};

// Events.
controls.listen(wanted => {
	const next = {...state, ...wanted, step: 0};
	if (wanted.size) {
		const [d, size] = wanted.size;
		next.sizes = state.sizes.with(d, size);
		delete next.size;
		if (next.layout === "strides") next.strides = state.strides;
	}
	if (wanted.layout === "strides") {
		next.strides = states.strides(scene.layout) ?? state.strides;
		next.offset = scene.layout.offset;
	}
	if (wanted.layout && layouts.find(wanted.layout).layout) next.sizes = [...subject.sizes];
	if (wanted.layout) next.block = 0;
	if ("label" in wanted || "color" in wanted) next.step = state.step;
	say(arrange(states.settle(next).state));
	remember();
});

player.listen(follow, remember, (path, cache) => {
	Object.assign(state, {path, cache, step: 0});
	player.draw(scene, state);
	remember();
});

const shorten = text => text.length > 300 ? text.slice(0, 300) + " …" : text;

// restore shows the URL's state, or the initial one if that has no valid layout.
const restore = () => {
	const {state: wanted, ignored} = states.read(location.hash), wrong = arrange(wanted);
	if (wrong) arrange(states.read("").state);
	pin(state.pinned);
	say([wrong, ignored.length ? `Ignored in the URL: ${shorten(ignored.join(", "))}.` : ""].filter(Boolean).join(" "));
};
window.addEventListener("hashchange", restore);

byId("name").textContent = subject.name;
const shape = subject.dims.map((name, d) => `${name} ${grouped(subject.sizes[d])}`).join(" × ");
byId("about").textContent = [subject.dtype, shape || "a scalar"].filter(Boolean).join(", ");
restore();

// For tests, and for the curious.
window.tlayout = {model, get state() { return state; }, get scene() { return scene; }, get access() { return player.access; }};
