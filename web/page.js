"use strict";

// The page: a question in the box and in the address (#…), its answer below. The program runs in worker.js.

const byId = id => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
	const node = Object.assign(document.createElement(name), properties);
	node.append(...children);
	return node;
};
const say = text => { byId("state").firstElementChild.textContent = text; };

const examples = [
	["Is this tensor NCHW or channels_last?", "--shape 8,3,4,4 --strides 48,1,12,3"],
	["Why did view() fail?", "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead."],
	["Which operation copies?", "trace --shape 2,3,4,5 'permute(0,2,3,1)' 'reshape(2,60)'"],
	["Where are the elements?", "draw --shape 1,3,4,4 --layouts nchw,nhwc,nchw4"],
	["What do frameworks call it?", "formats nhwc"],
	["What does XLA store?", "f32[8,100]{0,1:T(8,128)}"],
	["Which thread holds what?", "threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5"],
	["Which swizzle avoids bank conflicts?", "plan --shared --shape 64,32 --dtype fp16 --read ldmatrix --write w:16"],
];

const dropped = new Map(); // name → File, for a worker that starts anew
let worker, commands = [], asked = 0, began = 0, slow = 0;

// The worker.

const start = () => {
	worker?.terminate();
	worker = new Worker("worker.js");
	worker.onmessage = ({data}) => receive(data);
	worker.onerror = event => failed(event.message ?? "worker.js does not load");
	for (const [name, file] of dropped) worker.postMessage({drop: file, name});
};

const total = Number(document.documentElement.dataset.bytes ?? 0); // of the program, decompressed; make web writes it

const receive = data => {
	if (data.loaded) {
		const {loaded} = data, bar = byId("loading");
		if (total) bar.max = total, bar.value = loaded;
		say(`Loading the program: ${(loaded / 1e6).toFixed(0)}${total ? ` of ${(total / 1e6).toFixed(0)}` : ""} MB`);
	} else if (data.ready) {
		worker.postMessage({run: 0, args: ["__complete", ""]});
	} else if (data.failed) failed(data.failed);
	else if (data.take) save(data.take, data.blob);
	else if (data.run === 0) {
		commands = data.out.split("\n").map(line => line.split("\t")[0]).filter(word => /^[a-z]/.test(word));
		commands.push("help");
		byId("loading").hidden = true;
		if (asked) say("Stopped.");
		else restore();
	} else if (data.run === "steps") stepper.receive(data);
	else if (data.run === "step") draw(data.drawing);
	else if (data.run === asked) show(data);
};

const failed = why => {
	byId("loading").hidden = true;
	say(why ? `The program does not run: ${why}`
		: "Browsers do not run a program from a folder. Serve it, for example with python3 -m http.server, and open http://localhost:8000.");
};

// Asking.

const args = () => argumentsOf(byId("box").value, commands, [...dropped.keys(), ...written]);

const ask = () => {
	const line = byId("box").value.trim(), list = args();
	byId("examples").hidden = line !== "";
	byId("answer").hidden = list.length === 0;
	stepper.hide();
	if (!list.length) return say("Ready.");
	byId("answer").setAttribute("aria-busy", "true");
	say("Running …");
	began = performance.now();
	clearTimeout(slow);
	slow = setTimeout(() => { byId("stop").hidden = false; }, 1000);
	worker.postMessage({run: ++asked, args: list, draw: drawn(list)});
};

// rest shows that nothing runs.
const rest = () => {
	clearTimeout(slow);
	byId("stop").hidden = true;
	byId("answer").removeAttribute("aria-busy");
};

byId("stop").addEventListener("click", () => {
	asked++;
	rest();
	start(); // only a new worker ends a run; files that the program wrote are lost
});

// drawn returns the arguments that also draw what a command line asks for: those of draw and threads, unless they name a file or a format.
const drawn = list => {
	const draws = ["draw", "threads"].includes(list[0]) || list[0]?.startsWith("#ttg.");
	if (!draws || list.some(arg => /^(-o|--output|--as|-f|--format|--json|--help|-h)/.test(arg))) return null;
	return list[0].startsWith("#") ? ["threads", ...list] : list;
};

let written = []; // files that the program wrote

const show = ({code, out, err, drawing, written: names}) => {
	written = names;
	rest();
	say(`${meaning[code] ?? `Exit code ${code}`} · ${Math.round(performance.now() - began)} ms`);
	put(byId("out"), out);
	put(byId("err"), err);
	draw(drawing);
	const list = args();
	press("all", list.includes("--all"));
	press("json", list.includes("--json"));
	byId("draw").hidden = !drawable(list);
	if (list[0] === "trace" && code < 2 && !list.includes("--json")) stepper.load(list);
	listFiles();
};

// draw shows the drawing of a page of draw -o x.html, with its pointing; "" hides it.
const draw = html => {
	byId("picture").hidden = !html;
	byId("picture").replaceChildren();
	if (!html) return;
	const parts = new DOMParser().parseFromString(html, "text/html").querySelectorAll(".drawing, [role=status]");
	byId("picture").append(...[...parts].map(part => document.importNode(part, true)));
	point(byId("picture"));
};

// put shows text, with each line that is a command of tlayout as a link that asks it.
const put = (pre, text) => {
	pre.hidden = !text;
	pre.replaceChildren(...text.split(/(?<=\n)/).map(line => {
		const found = /^(\s*(?:tlayout: hint: )?)(tlayout (?!SRC)[^\n]*?)(\s*)$/.exec(line);
		if (!found) return line;
		const question = found[2].replace(/^tlayout /, "").replace(/\s+# .*$/, "");
		return make("span", {}, found[1], make("a", {href: fragment(question)}, found[2]), found[3]);
	}));
};

// meaning of the exit codes, as tlayout help exit-codes has them.
const meaning = {0: "Done", 1: "The answer is no (exit code 1)", 2: "Wrong usage (exit code 2)", 3: "Malformed input (exit code 3)",
	4: "Unsupported (exit code 4)", 5: "A file cannot be read or written (exit code 5)"};

// stepper draws the tensor after each step of a trace.
const stepper = (() => {
	let states = [], at = 0;
	const load = list => worker.postMessage({run: "steps", args: [...list.filter(arg => arg !== "--all"), "--json"]});

	const receive = ({code, out}) => {
		if (code > 1 || args()[0] !== "trace") return;
		const {start, steps, dtype} = JSON.parse(out);
		states = [{op: "start", ...start}, ...(steps ?? [])].filter(state => state.strides).map(state => ({dtype, ...state}));
		byId("steps").hidden = states.length < 2;
		go(states.length - 1);
	};

	const go = to => {
		at = Math.max(0, Math.min(states.length - 1, to));
		byId("steps").replaceChildren(...states.map((state, i) => {
			const button = make("button", {type: "button"}, i ? `${i} ${state.op}` : state.op);
			button.setAttribute("aria-pressed", i === at);
			button.addEventListener("click", () => go(i));
			return button;
		}));
		const {shape, strides, offset, dtype} = states[at];
		worker.postMessage({run: "step", args: ["version"], draw: ["draw", "--shape", shape.join(), "--strides", strides.join(), "--offset", String(offset),
			...(dtype ? ["--dtype", dtype] : [])]});
	};

	byId("steps").addEventListener("keydown", event => {
		const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
		if (!by) return;
		go(at + by);
		byId("steps").children[at].focus();
		event.preventDefault();
	});

	return {load, receive, hide: () => { byId("steps").hidden = true; }};
})();

// Buttons.

const press = (id, on) => byId(id).setAttribute("aria-pressed", on);

const change = edit => {
	const list = edit(args());
	type(commands.includes(list[0]) || list.length !== 1 ? list.map(quoted).join(" ") : list[0]);
};

const toggled = flag => list => list.includes(flag) ? list.filter(a => a !== flag) : [...list, flag];
const drawable = ([first = ""]) => first === "inspect" || !commands.includes(first) && !/\s/.test(first);

byId("all").addEventListener("click", () => change(toggled("--all")));
byId("json").addEventListener("click", () => change(toggled("--json")));
byId("draw").addEventListener("click", () => change(list => ["draw", ...list.filter(a => a !== "inspect" && a !== "--all")]));

const copy = async (text, what) => {
	await navigator.clipboard.writeText(text);
	say(`${what} copied.`);
};
byId("link").addEventListener("click", () => copy(location.href, "Link"));
byId("command").addEventListener("click", () => copy(["tlayout", ...args()].map(quoted).join(" "), "Command"));

// The box and the address.

// type asks a question as if typed.
const type = line => {
	byId("box").value = line;
	fit();
	if (location.hash !== fragment(line)) history.pushState(null, "", line ? fragment(line) : location.pathname);
	ask();
};

const fit = () => {
	const box = byId("box");
	box.style.height = "auto";
	box.style.height = `${box.scrollHeight}px`;
};

const restore = () => {
	byId("box").value = questionIn(location.hash);
	fit();
	ask();
};

byId("ask").addEventListener("submit", event => {
	event.preventDefault();
	type(byId("box").value.trim());
});
byId("box").addEventListener("input", fit);
byId("box").addEventListener("paste", () => setTimeout(() => byId("ask").requestSubmit()));
byId("box").addEventListener("keydown", event => {
	if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
	event.preventDefault();
	byId("ask").requestSubmit();
});
window.addEventListener("hashchange", restore);

// Files.

const drop = list => {
	let name;
	for (const file of list) {
		name = plainName(file.name);
		dropped.set(name, file);
		worker.postMessage({drop: file, name});
	}
	listFiles();
	if (name) type(quoted(name));
};

const listFiles = () => {
	const item = (name, title, act) => {
		const button = make("button", {type: "button", title}, name);
		button.addEventListener("click", act);
		return make("li", {}, button);
	};
	const items = [...dropped.keys()].map(name => item(name, "Inspect", () => type(quoted(name))));
	items.push(...written.map(name => item(`Save ${name}`, "Written by the program", () => worker.postMessage({take: name}))));
	byId("dropped").replaceChildren(...items);
	byId("dropped").hidden = items.length === 0;
};

const save = (name, blob) => {
	const link = make("a", {href: URL.createObjectURL(blob), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

byId("chooser").addEventListener("change", event => drop(event.target.files));
document.addEventListener("dragover", event => event.preventDefault());
document.addEventListener("drop", event => {
	event.preventDefault();
	drop(event.dataTransfer.files);
});

// The start.

for (const [text, line] of examples) {
	byId("examples").lastElementChild.append(make("li", {}, make("a", {href: fragment(line)}, text), make("code", {}, line)));
}
if (location.protocol === "file:") failed();
else start();
