"use strict";

// The page: a question in the box and in the address (#…), and its answer.

const byId = id => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
	const node = Object.assign(document.createElement(name), properties);
	node.append(...children);
	return node;
};
const say = text => { byId("status").textContent = text; };

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

let commands = []; // their names
let written = []; // files that the program wrote
let asked = 0; // number of the last question
let shown = {line: "", args: []}; // the question whose answer is shown

// Loading.

const total = Number(document.documentElement.dataset.bytes); // of the program, decompressed; make web writes it

const listeners = {
	loaded(bytes) {
		const bar = byId("loading");
		bar.max = Math.max(total, bytes), bar.value = bytes;
	},
	failed(why) {
		byId("loading").hidden = true;
		byId("fields").disabled = true;
		say(`The program does not run: ${why}`);
	},
};

const restart = () => {
	loaded = engine.start(listeners).then(names => {
		if (names) commands = names, byId("loading").hidden = true;
	});
};
let loaded;

// Asking.

const ask = async line => {
	const mine = ++asked;
	byId("examples").hidden = line !== "";
	byId("answer").hidden = byId("steps").hidden = true;
	await loaded;
	const question = {line, args: argumentsOf(line, commands, [...engine.files.keys(), ...written])};
	if (mine !== asked) return;
	if (!question.args.length) return rest("Ready.");
	say("Running …");
	const began = performance.now(), slow = setTimeout(() => { byId("stop").hidden = mine !== asked; }, 1000);
	const answer = await engine.run(question.args, drawingOf(question.args));
	clearTimeout(slow);
	if (mine !== asked || !answer) return;
	rest(`${meaning[answer.code] ?? `Exit code ${answer.code}`} · ${Math.round(performance.now() - began)} ms`);
	show(question, answer);
	if (question.args[0] === "trace" && answer.code < 2) stepper.load(question.args, mine);
};

// rest says that nothing runs.
const rest = text => {
	byId("stop").hidden = true;
	say(text);
};

byId("stop").addEventListener("click", () => {
	asked++;
	rest(written.length ? "Stopped. Files that the program wrote are lost." : "Stopped.");
	written = [];
	listFiles();
	restart(); // only a new thread ends a run
	byId("box").focus();
});

// meaning of the exit codes, as tlayout help exit-codes has them.
const meaning = {0: "Done", 1: "The answer is no (exit code 1)", 2: "Wrong usage (exit code 2)", 3: "Malformed input (exit code 3)",
	4: "Unsupported (exit code 4)", 5: "A file cannot be read or written (exit code 5)", "-1": "A fault of the program: please report it"};

const ownOutput = arg => /^(-o|--output|--as|-f|--format|--json|--help|-h|-q|--quiet)\b/.test(arg);
const isTensor = ([first]) => first === "inspect" || !commands.includes(first);

// drawingOf returns the arguments that draw what a command line asks about; null if it has an output or a format of its own.
const drawingOf = args => {
	if (args.some(ownOutput)) return null;
	if (args[0] === "draw" || args[0] === "threads") return args;
	if (args[0].startsWith("#")) return ["threads", ...args];
	return isTensor(args) ? ["draw", ...args.filter(arg => !["inspect", "--all", "--explain"].includes(arg))] : null;
};

// Showing.

const show = (question, {code, out, err, drawing, written: names}) => {
	shown = question, written = names;
	const {args} = question, asksHelp = args[0] === "help" || args.includes("--help") || args.includes("-h");
	byId("answer").hidden = false;
	put(byId("out"), out, !asksHelp);
	put(byId("err"), err, false);
	byId("answer").classList.toggle("drawn", args[0] === "draw" || args[0] === "threads");
	draw(drawing);
	press("all", args.includes("--all"));
	press("json", args.includes("--json"));
	byId("draw").hidden = !drawing || !isTensor(args);
	listFiles();
};

// draw shows the drawing of a page of draw -o x.html, with its pointing: "" or undefined for none, null for one that is too large.
const draw = html => {
	byId("picture").hidden = !html && html !== null;
	byId("picture").replaceChildren();
	if (html === null) byId("picture").textContent = "The drawing is too large for the page: save it with -o x.html, or pass a smaller --limit.";
	if (!html) return;
	const parts = new DOMParser().parseFromString(html, "text/html").querySelectorAll(".drawing, [role=status]");
	byId("picture").append(...[...parts].map(part => document.importNode(part, true)));
	point(byId("picture"));
};

// put shows text; of linked text, lines that are commands of tlayout ask them.
const put = (pre, text, linked) => {
	pre.hidden = !text;
	pre.replaceChildren(...text.split(/(?<=(?<!\\)\n)/).map(line => {
		const found = linked && /^tlayout ((?:\\\n|[^#\n])+)/.exec(line);
		return found ? make("a", {href: fragment(found[1].replaceAll("\\\n", "").trim())}, line) : line;
	}));
};

// stepper draws the tensor after each step of a trace.
const stepper = (() => {
	let states = [], question = 0, last = 0;

	const load = async (args, mine) => {
		const answer = await engine.run([...args.filter(arg => arg !== "--all" && arg !== "--json"), "--json"]);
		if (mine !== asked || !answer || answer.code > 1) return;
		const {start, steps = [], dtype} = JSON.parse(answer.out);
		states = [{op: "start", ...start}, ...steps].filter(state => state.strides && state.storage_offset !== undefined).map(state => ({dtype, ...state}));
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
		const mine = ++last, {shape, strides, storage_offset, dtype} = states[at];
		[...byId("steps").children].forEach((button, i) => button.setAttribute("aria-pressed", i === at));
		const answer = await engine.run(null, ["draw", "--shape", shape.join(), "--strides", strides.join(), "--offset", String(storage_offset),
			...(dtype ? ["--dtype", dtype] : [])]);
		if (answer && mine === last && question === asked) draw(answer.drawing);
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

// Buttons, which are about the answer that is shown.

const press = (id, on) => byId(id).setAttribute("aria-pressed", on);
const lineOf = args => args.length === 1 && !commands.includes(args[0]) && !/^['"-]/.test(args[0]) ? args[0] : args.map(quoted).join(" ");
const change = edit => type(lineOf(edit(shown.args)));
const toggled = flag => args => args.includes(flag) ? args.filter(a => a !== flag) : [...args, flag];

byId("all").addEventListener("click", () => change(toggled("--all")));
byId("json").addEventListener("click", () => change(toggled("--json")));
byId("draw").addEventListener("click", () => change(drawingOf));

const copy = async (text, what) => {
	try {
		await navigator.clipboard.writeText(text);
		say(`${what} copied.`);
	} catch {
		say(`The browser does not allow copying. ${what}: ${text}`);
	}
};
byId("link").addEventListener("click", () => copy(location.href.replace(/#.*/s, "") + fragment(shown.line), "Link"));
byId("command").addEventListener("click", () => copy(["tlayout", ...shown.args].map(quoted).join(" "), "Command"));

// The box and the address.

const fit = () => {
	const box = byId("box");
	box.style.height = "auto";
	box.style.height = `${box.scrollHeight}px`;
};

const fill = line => {
	byId("box").value = line;
	fit();
};

// type asks a question as if typed.
const type = line => {
	fill(line);
	if (questionIn(location.hash) !== line) history.pushState(null, "", line ? fragment(line) : location.pathname + location.search);
	return ask(line);
};

const restore = () => {
	fill(questionIn(location.hash));
	return ask(byId("box").value.trim());
};
window.addEventListener("hashchange", restore);

byId("ask").addEventListener("submit", event => {
	event.preventDefault();
	type(byId("box").value.trim());
});
byId("box").addEventListener("input", fit);
byId("box").addEventListener("paste", () => setTimeout(() => byId("ask").requestSubmit()));

// Enter asks, Shift+Enter breaks a line. Phones have no keydown of Enter, but all say what they would insert.
let shift = false;
byId("box").addEventListener("keydown", event => { shift = event.shiftKey; });
byId("box").addEventListener("beforeinput", event => {
	if (event.inputType !== "insertLineBreak" || shift) return;
	event.preventDefault();
	byId("ask").requestSubmit();
});

// Files.

const drop = list => {
	const names = [...list].map(file => {
		const name = plainName(file.name);
		engine.drop(file, name);
		return name;
	});
	listFiles();
	if (names.length) type(sourceOf(names.at(-1), commands));
};

const listFiles = () => {
	const item = (name, title, act) => {
		const button = make("button", {type: "button", title}, name);
		button.addEventListener("click", act);
		return make("li", {}, button);
	};
	const items = [...engine.files.keys()].map(name => item(name, "Inspect", () => type(sourceOf(name, commands))));
	items.push(...written.map(name => item(`Save ${name}`, "Written by the program", async () => save(name, await engine.take(name)))));
	byId("dropped").replaceChildren(...items);
	byId("dropped").hidden = items.length === 0;
};

const save = (name, blob) => {
	if (!blob) return;
	const link = make("a", {href: URL.createObjectURL(blob), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

byId("chooser").addEventListener("change", event => {
	drop(event.target.files);
	event.target.value = ""; // so that the same file can be chosen again
});
const hasFiles = event => event.dataTransfer.types.includes("Files");
document.addEventListener("dragover", event => { if (hasFiles(event)) event.preventDefault(); });
document.addEventListener("drop", event => {
	if (!hasFiles(event)) return;
	event.preventDefault();
	drop(event.dataTransfer.files);
});

// The start.

for (const [text, line] of examples) {
	byId("examples").lastElementChild.append(make("li", {}, make("a", {href: fragment(line)}, text), make("code", {}, line)));
}
if (location.protocol === "file:") {
	listeners.failed("browsers do not run one from a folder. Serve it, for example with python3 -m http.server, and open http://localhost:8000.");
} else {
	restart();
	restore();
}
