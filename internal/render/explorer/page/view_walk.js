// Walks: a tensor accessed element by element, and the cache lines fetched, here and in other layouts.

// newAccess is a walk through a scene with a cache.
const newAccess = (scene, pattern, cacheLines) => {
	const limit = 1 << 16; // accesses
	const sorted = pattern === "memory" && model.sharing(scene.layout) === null; // the first element is known only after sorting all
	const total = sorted && scene.numel > 16 * limit ? 0 : Math.min(scene.numel, limit);
	const coords = scene.numel && scene.layout.alloc ? model.walk(scene.layout, pattern) : [].values();
	const visited = []; // index and offset of each access so far
	let cache = new model.Cache(scene.line, cacheLines), step = 0;
	const fetches = new Map(); // line → how often it was fetched

	// visit is access k, from 0.
	const visit = k => {
		while (visited.length <= k) {
			const coord = coords.next().value;
			visited.push({index: scene.indexOf(coord), offset: scene.offsetOf(coord)});
		}
		return visited[k];
	};

	// forward makes one access, and returns what it touched, or null at the end.
	const forward = () => {
		if (step >= total) return null;
		const {index, offset} = visit(step++), result = cache.access(offset * scene.item, scene.item);
		for (const line of result.fetched) fetches.set(line, (fetches.get(line) ?? 0) + 1);
		return {index, offset, ...result};
	};

	const reset = () => {
		cache = new model.Cache(scene.line, cacheLines), step = 0;
		fetches.clear();
	};

	// seek goes to a step, restarting to go back.
	const seek = to => {
		if (to < step) reset();
		let last = null;
		while (step < Math.min(to, total)) last = forward();
		return last ?? (step ? visit(step - 1) : null);
	};

	return {
		total, forward, seek, visit, fetches, pattern,
		get step() { return step; }, get counts() { return cache.counts; },
		resident: line => cache.has(line),
	};
};

// rivals shows the cost of the same walk in other layouts: bars and a sentence.
const rivals = (() => {
	const words = {channel: "channel-wise", spatial: "spatial", logical: "in logical order", memory: "in memory order"};
	let scene, state, others = [], waiting = 0, whole = null;

	// draw picks up to two other layouts: row-major and channels last, unless the scene shows them.
	const draw = (nextScene, nextState) => {
		scene = nextScene, state = nextState, whole = null;
		others = layouts.rivals().filter(name => name !== scene.name).slice(0, 2).map(name => {
			const other = newScene({...state, layout: name, block: 0, pitch: 0, label: "none", color: "none"});
			return {name, access: newAccess(other, state.path, state.cache)};
		});
	};

	// show compares the cost of the same number of accesses, or of all before the first one. It updates the rest of the page first, and calls
	// counted with the counts here.
	const show = (access, counted) => {
		clearTimeout(waiting);
		if (access.step) compare(access, counted);
		else waiting = setTimeout(compare, 0, access, counted);
	};

	const compare = (access, counted) => {
		const steps = access.step || access.total, own = access.step ? access.counts : all();
		counted(own);
		const rows = [{name: scene.name, fetches: own.fetches, here: true}];
		for (const other of others) {
			other.access.seek(steps);
			rows.push({name: other.name, fetches: other.access.counts.fetches});
		}
		const max = Math.max(1, ...rows.map(r => r.fetches));
		const caption = make("p", {className: "quiet"}, `lines fetched by ${which(access, steps)}`);
		byId("rivals").replaceChildren(caption, make("div", {className: "bars"}, ...rows.flatMap(r => bar(r, max))));
		byId("verdict").textContent = steps ? verdict(rows, which(access, steps)) : "";
	};

	// all returns the counts of the whole walk, cached.
	const all = () => {
		if (whole) return whole;
		const access = newAccess(scene, state.path, state.cache);
		access.seek(access.total);
		return whole = access.counts;
	};

	const which = (access, steps) => {
		const first = access.step ? "" : access.total === scene.numel ? "all " : "the first ";
		return first + count(steps, "access", "accesses");
	};

	const bar = ({name, fetches, here}, max) => {
		const fill = make("span", {className: "bar"}), className = here ? "here" : "";
		fill.style.width = `${100 * fetches / max}%`;
		return [make("span", {className: `who ${className}`}, name), make("span", {className: `track ${className}`}, fill),
			make("span", {className: `number ${className}`}, grouped(fetches))];
	};

	// verdict is "channel-wise in NCHW: 64 accesses fetch 64 lines; in NHWC: 4".
	const verdict = ([own, ...rest], accesses) =>
		`${words[state.path]} in ${own.name}: ${accesses} fetch ${count(own.fetches, "line")}` +
		rest.map(r => `; in ${r.name}: ${grouped(r.fetches)}`).join("") + ".";

	return {draw, show, words};
})();

// player plays the walk, and shows its cache lines and counts.
const player = (() => {
	const about = {channel: "for every pixel, all its channels", spatial: "for every channel, all its pixels",
		logical: "the last dim fastest", memory: "address by address"};
	const imaged = subject.dims.includes("C") && subject.dims.some(name => name !== "N" && name !== "C");
	const possible = imaged ? states.patterns : ["logical", "memory"];

	let state, access, marked = [], current = [], touched = new Set(), timer = 0; // touched are lines; marked and current are cells
	let changed = () => {}, paused = () => {};

	// option offers a walk, disabled with a reason if the tensor's dims do not allow it.
	const option = p => {
		const can = possible.includes(p);
		return make("option", {value: p, disabled: !can}, `${rivals.words[p]}: ${can ? about[p] : "needs a dim C and a spatial dim"}`);
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

	// draw restarts the walk of a state, and goes to its step.
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

	// go shows the walk after to accesses.
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

	// paintLine shows whether a line is in the cache or was evicted, and how often it was fetched.
	const paintLine = line => {
		const row = memory.lines.get(line), times = access.fetches.get(line) ?? 0;
		if (!row) return;
		row.classList.toggle("resident", access.resident(line));
		row.classList.toggle("evicted", times > 0 && !access.resident(line));
		row.classList.toggle("again", times > 1);
		row.firstChild.lastChild.textContent = times > 1 ? `${times}×` : "";
	};

	// step makes accesses, and shows the last one.
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
		rivals.show(access, showCounts);
	};

	// showCounts shows the counts of the accesses made, or of all before the first one.
	const showCounts = c => {
		const share = c.bytesFetched ? Math.round(100 * c.bytesUsed / c.bytesFetched) : 0;
		const used = grouped(c.bytesUsed) + (c.bytesFetched ? ` (${share} %)` : "");
		const facts = {"accesses": grouped(c.accesses), "lines fetched": grouped(c.fetches),
			"cache hits": grouped(c.reuses), "bytes fetched": grouped(c.bytesFetched), "bytes used": used};
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
			const each = 1000 / 2 ** Number(speed.value); // ms; from 1 to 1,024 accesses per second
			const times = Math.floor((time - due) / each);
			if (times > 0) step(Math.min(times, 64));
			due += Math.max(0, times) * each;
			if (timer) timer = requestAnimationFrame(tick);
		};
		timer = requestAnimationFrame(tick);
	};

	// aloud turns screen readers off for fast changes, and on again.
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

	// listen sets the callbacks: for each access shown, when playing ends, when order or cache change.
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
