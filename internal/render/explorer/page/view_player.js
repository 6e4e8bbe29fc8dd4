// The walk as it is seen: what plays it, the lines that it fetches, and its counts.
const player = (() => {
	const about = {channel: "for every pixel, all its channels", spatial: "for every channel, all its pixels",
		logical: "the last dim fastest", memory: "address by address"};
	const imaged = subject.dims.includes("C") && subject.dims.some(name => name !== "N" && name !== "C");
	const possible = imaged ? states.patterns : ["logical", "memory"];

	let state, access, marked = [], current = [], touched = new Set(), timer = 0; // touched are lines, marked and current cells
	let changed = () => {}, paused = () => {};

	// option offers a walk, or says why it is none here.
	const option = p => {
		const can = possible.includes(p);
		return make("option", {value: p, disabled: !can}, `${rivals.words[p]}: ${can ? about[p] : "needs a dim C and one of pixels"}`);
	};

	const button = (id, text, label, click) =>
		make("button", {type: "button", id, onclick: click, "aria-label": label, title: label}, text);
	const pattern = make("select", {id: "path", "aria-label": "Order of access"},
		...[...possible, ...states.patterns.filter(p => !possible.includes(p))].map(option));
	const size = make("select", {id: "cache"}, ...[1, 2, 4, 8, 16, 32, 64].map(n => make("option", {value: n}, String(n))));
	const slider = make("input", {type: "range", id: "step", min: 0, value: 0, "aria-label": "Accesses made"});
	const speed = make("input", {type: "range", id: "speed", min: 0, max: 10, step: 0.5, value: 4, "aria-label": "Speed"});
	const play = button("play", "▶", "Play", () => toggle());
	const counter = make("output", {id: "counter"});

	byId("player").append(
		make("div", {className: "fields"}, pattern, make("label", {}, "a cache of ", size, " lines")),
		make("div", {className: "transport"}, button("reset", "↺", "Back to the beginning", () => go(0)),
			button("back", "−1", "One access back", () => back()), play,
			button("forward", "+1", "One access", () => step()), slider, counter,
			make("label", {className: "speed"}, "speed ", speed)));

	// draw begins the walk of a state anew, and goes to its step.
	const draw = (scene, nextState) => {
		pause();
		state = nextState, marked = [], current = [];
		if (!possible.includes(state.path)) state.path = possible[0];
		pattern.value = state.path, size.value = state.cache;
		access = newAccess(scene, state.path, state.cache);
		slider.max = access.total;
		rivals.draw(scene, state);
		go(state.step);
	};

	// go shows the walk after so many accesses.
	const go = to => {
		const last = access.seek(Math.max(0, Math.min(to, access.total)));
		for (const node of marked) node.classList.remove("seen", "now");
		marked = [];
		for (let k = 0; k < access.step; k++) mark(access.visit(k), "seen");
		if (last) now(last);
		for (const line of touched) paintLine(line);
		for (const line of access.fetches.keys()) paintLine(line);
		touched = new Set(access.fetches.keys());
		settle();
	};

	const mark = ({index, offset}, name) => {
		for (const node of [grid.node(index), memory.nodes.get(offset)]) {
			if (!node) continue;
			node.classList.add(name);
			marked.push(node);
		}
	};

	const now = visit => {
		for (const node of current) node.classList.remove("now");
		current = [grid.node(visit.index), memory.node(visit.offset, state.pinned ? "walked" : "pointed")].filter(Boolean);
		for (const node of current) node.classList.add("now", "seen");
		marked.push(...current);
		changed(visit);
	};

	// paintLine shows whether a line is in the cache, was there, and how often it was fetched.
	const paintLine = line => {
		const row = memory.lines.get(line), times = access.fetches.get(line) ?? 0;
		if (!row) return;
		row.classList.toggle("resident", access.resident(line));
		row.classList.toggle("evicted", times > 0 && !access.resident(line));
		row.classList.toggle("again", times > 1);
		row.firstChild.lastChild.textContent = times > 1 ? `${times}×` : "";
	};

	// step makes so many accesses, and shows the last one.
	const step = (times = 1) => {
		const lines = new Set();
		let last = null;
		for (let made; times > 0 && (made = access.forward()); times--) {
			mark(made, "seen");
			for (const line of [...made.lines, ...made.evicted]) touched.add(line), lines.add(line);
			last = made;
		}
		if (last) now(last);
		for (const line of lines) paintLine(line);
		settle();
		if (access.step >= access.total) pause();
	};

	const settle = () => {
		state.step = access.step;
		slider.value = access.step;
		counter.textContent = `${grouped(access.step)} of ${grouped(access.total)}`;
		showCounts();
		rivals.show(access);
	};

	const showCounts = () => {
		const c = access.counts, share = c.bytesFetched ? Math.round(100 * c.bytesUsed / c.bytesFetched) : 0;
		const used = grouped(c.bytesUsed) + (c.bytesFetched ? ` (${share} %)` : "");
		const facts = {"accesses": grouped(c.accesses), "lines fetched": grouped(c.fetches),
			"found in the cache": grouped(c.reuses), "bytes fetched": grouped(c.bytesFetched), "of them used": used};
		byId("counts").replaceChildren(...Object.entries(facts).map(([name, n]) =>
			make("div", {}, make("dt", {}, name), make("dd", {}, n))));
	};

	const toggle = () => timer ? pause() : begin();

	const begin = () => {
		if (access.step >= access.total) go(0);
		play.textContent = "❚❚";
		play.setAttribute("aria-label", "Pause");
		aloud("off");
		let due = performance.now();
		const tick = time => {
			const each = 1000 / 2 ** Number(speed.value); // from 1 to 1,024 accesses a second
			const times = Math.floor((time - due) / each);
			if (times > 0) step(Math.min(times, 64));
			due += Math.max(0, times) * each;
			if (timer) timer = requestAnimationFrame(tick);
		};
		timer = requestAnimationFrame(tick);
	};

	// aloud keeps screen readers from reading what changes many times a second.
	const aloud = how => { for (const id of ["address-text", "verdict"]) byId(id).setAttribute("aria-live", how); };

	const pause = () => {
		cancelAnimationFrame(timer);
		play.textContent = "▶";
		play.setAttribute("aria-label", "Play");
		aloud("polite");
		if (timer) paused();
		timer = 0;
	};

	slider.addEventListener("input", () => { pause(); go(Number(slider.value)); });

	// listen hands over what is to be called for each access shown, at the end of playing, and at a change of settings.
	const listen = (onVisit, onPause, onChange) => {
		changed = onVisit, paused = onPause;
		slider.addEventListener("change", onPause);
		for (const node of [pattern, size]) node.addEventListener("change", () => onChange(pattern.value, Number(size.value)));
	};

	const back = () => {
		pause();
		go(access.step - 1);
	};

	return {draw, step, back, toggle, listen, get access() { return access; }};
})();
