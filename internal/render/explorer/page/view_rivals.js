// What the same walk costs in other layouts: bars, and a sentence.
const rivals = (() => {
	const words = {channel: "channel-wise", spatial: "spatial", logical: "in logical order", memory: "in memory order"};
	let scene, state, others = [], waiting = 0, whole = 0;

	// draw takes up to two other layouts for a scene and a state: row-major and channels last, if they are not shown.
	const draw = (nextScene, nextState) => {
		scene = nextScene, state = nextState, whole = 0;
		others = layouts.rivals().filter(name => name !== scene.name).slice(0, 2).map(name => {
			const other = newScene({...state, layout: name, block: 0, pitch: 0, label: "none", colour: "none"});
			return {name, access: newAccess(other, state.path, state.cache)};
		});
	};

	// show compares what as many accesses cost; of none, what all of them do. First the page shows what else is new.
	const show = access => {
		clearTimeout(waiting);
		if (access.step) compare(access);
		else waiting = setTimeout(compare, 0, access);
	};

	const compare = access => {
		const steps = access.step || access.total, own = access.step ? access.counts.fetches : all();
		const rows = [{name: scene.name, fetches: own, here: true}];
		for (const other of others) {
			other.access.seek(steps);
			rows.push({name: other.name, fetches: other.access.counts.fetches});
		}
		const most = Math.max(1, ...rows.map(r => r.fetches));
		const caption = make("p", {className: "quiet"}, `lines fetched by ${which(access, steps)}`);
		byId("rivals").replaceChildren(caption, make("div", {className: "bars"}, ...rows.flatMap(r => bar(r, most))));
		byId("verdict").textContent = steps ? verdict(rows, which(access, steps)) : "";
	};

	// all is what all accesses of the walk shown fetch; it is worked out once.
	const all = () => {
		if (whole) return whole;
		const access = newAccess(scene, state.path, state.cache);
		access.seek(access.total);
		return whole = access.counts.fetches;
	};

	const which = (access, steps) => {
		const first = access.step ? "" : access.total === scene.numel ? "all " : "the first ";
		return first + count(steps, "access", "accesses");
	};

	const bar = ({name, fetches, here}, most) => {
		const fill = make("span", {className: "bar"}), className = here ? "here" : "";
		fill.style.width = `${100 * fetches / most}%`;
		return [make("span", {className: `who ${className}`}, name), make("span", {className: `track ${className}`}, fill),
			make("span", {className: `number ${className}`}, grouped(fetches))];
	};

	// verdict is "channel-wise in NCHW: 64 accesses fetch 64 lines; in NHWC: 4".
	const verdict = ([own, ...rest], accesses) =>
		`${words[state.path]} in ${own.name}: ${accesses} fetch ${count(own.fetches, "line")}` +
		rest.map(r => `; in ${r.name}: ${grouped(r.fetches)}`).join("") + ".";

	return {draw, show, words};
})();
