"use strict";

// The page: a question in the box and in the address (#…), and its answer.

const byId = id => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
	const node = Object.assign(document.createElement(name), properties);
	node.append(...children);
	return node;
};
const say = text => { byId("status").textContent = text; };

let commands = []; // their names
let written = []; // files that the program wrote
let asked = 0; // number of the last question
let shown = {line: "", args: []}; // the question whose answer is shown, with its documents, its texts and what it draws

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

// ask answers a line; of an empty one, the first example. orElse is the line to ask instead if the file in the line is of no known format.
const ask = async (line, orElse = "") => {
	const mine = ++asked, example = line ? "" : examples[0][1];
	document.title = line ? `${line.length > 80 ? line.slice(0, 79) + "…" : line} · tlayout` : "tlayout: the memory layout of a tensor";
	if (shown.line !== (line || example)) byId("answer").hidden = true;
	await loaded;
	if (mine !== asked) return;
	const question = {line, args: argumentsOf(line || example, commands, [...engine.files.keys(), ...samples, ...written])};
	if (example && shown.line === example && shown.documents) return rest("Ready.");
	say("Running …");
	await takeSamples(question.args);
	const readings = await readingsOf(question.args), meant = readings.length ? [...readings[0].args, ...question.args.slice(1)] : question.args;
	const began = performance.now(), slow = setTimeout(() => { byId("stop").hidden = mine !== asked; }, 1000);
	const answer = await engine.run(question.args, {json: jsonOf(meant) && [...question.args, "--json"], draw: drawingOf(meant)});
	clearTimeout(slow);
	if (mine !== asked || !answer) return;
	if (orElse && answer.code === 3 && /not a \S+ file: it starts with/.test(answer.err)) return type(orElse, "", true);
	rest(example ? "Ready." : `${meaning[answer.code]} · ${Math.round(performance.now() - began)} ms`);
	show({...question, readings, meant, line: line || example}, answer, example ? examples[0][0] : "");
	if (meant[0] === "trace" && answer.code < 2) stepper.load(meant, mine);
};

// readingsOf returns what the program reads a text as, the best first: [{as, args, assumed}]; none for a command.
const readingsOf = async ([text, ...flags]) => {
	if (commands.includes(text) || text.startsWith("-") || flags.some(flag => !flag.startsWith("-"))) return [];
	const answer = await engine.run(["__readings", text]);
	return answer?.code === 0 ? JSON.parse(answer.out) : [];
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

// meaning of the exit codes, which tlayout help exit-codes has for a shell.
const meaning = {0: "Done", 1: "The answer is no", 2: "Not understood", 3: "Malformed", 4: "Not supported", 5: "A file is missing, or cannot be read or written",
	"-1": "A fault of the program: please report it"};

const ownOutput = arg => /^(-o|--output|--as|-f|--format|--json|--help|-h|-q|--quiet)\b/.test(arg);
const isTensor = ([first]) => first === "inspect" || !commands.includes(first);

// jsonOf returns the arguments that print what a command line asks as JSON; null if its text says it better, or it writes files.
const jsonOf = args => {
	const better = ["help", "convert", "draw", "bench", "completion", "version"].includes(args[0]) || args.some(arg => ["--explain", "--values", "--code"].includes(arg));
	return better || args.some(ownOutput) ? null : [...args, "--json"];
};

// drawingOf returns the arguments that draw what a command line asks about; null if it has an output or a format of its own.
const drawingOf = args => {
	if (args.some(ownOutput)) return null;
	if (args[0] === "threads") return withoutFlags(args, ["--thread", "--value", "--at", "--lane", "--column"]);
	if (args[0] === "draw" || args[0] === "graph") return args;
	if (args[0].startsWith("#")) return ["threads", ...args];
	return isTensor(args) ? ["draw", ...args.filter(arg => !["inspect", "--all", "--explain"].includes(arg))] : null;
};

// withoutFlags returns arguments without some flags and their values.
const withoutFlags = (args, flags) => args.filter((arg, i) => !flags.includes(args[i - 1]) && !flags.includes(arg.split("=")[0]));

// otherDrawing returns the arguments that draw the layouts which an answer names, if it has no drawing itself; null if it names none.
const otherDrawing = ([{schema, dims, layout, before, after, guesses} = {}]) => {
	if (guesses?.length) return drawingOf(argumentsOf(guesses[0].commands[0], commands, []));
	if (schema === "tlayout/formats/v1" && layout && dims?.length) {
		return ["draw", "--shape", dims.map(dim => `${dim}=${{N: 1, C: 8, O: 8, I: 8}[dim] ?? 3}`).join(), "--layouts", layout];
	}
	if (schema !== "tlayout/plan/v1" || !before?.layout || !after?.layout) return null;
	return ["draw", "--shape", before.shape.map((size, i) => `${before.dims[i]}=${size}`).join(), "--layouts", `${before.layout},${after.layout}`];
};

// Showing.

let view = "rows"; // or text or json

const show = (question, {code, out, err, json = "", drawing, written: names}, title) => {
	const documents = json ? documentsOf(json) : [], {args, meant} = question;
	shown = {...question, out, err, json, documents}, written = names;
	byId("answer").hidden = false;
	byId("asked").replaceChildren(title || make("code", {}, `tlayout ${args.map(quoted).join(" ")}`.slice(0, 400)));
	byId("steps").hidden = true;
	byId("note").textContent = "";
	byId("out").replaceChildren(...elements(textNodes(out).slice(2)));
	byId("err").textContent = err;
	const [head, ...rows] = documents.length ? answerNodes(documents, out, args) : [["div", {}], ...meant[0] === "draw" && drawing ? [] : answerNodes([], out, args)];
	byId("head").replaceChildren(...elements([...readingNodes(question.readings), head]));
	byId("rows").replaceChildren(...elements([...messages(err, documents), ...rows]));
	for (const details of byId("rows").querySelectorAll("details")) details.open ||= args.includes("--all");
	draw(drawing, documents);
	press("all", args.includes("--all"));
	byId("draw").hidden = Boolean(drawing) || !otherDrawing(documents);
	look(view);
	listFiles();
	askForFile(err);
};

// messages returns the errors and hints, and the warnings that no document has; readings are shown above.
const messages = (err, documents) => {
	const said = documents.flatMap(({warnings = [], notes = []}) => [...warnings, ...notes]);
	const left = err.split(/^(?=tlayout: )/m).filter(message => !/^tlayout: (read|or) as /.test(message) && !said.some(text => message.includes(text))).join("");
	return left ? [messageNodes(left)] : [];
};

// look shows the answer as rows, as text or as JSON.
const look = as => {
	view = as;
	const whole = as === "json" && shown.json || as !== "rows" || /--(json|format|as)\b|-f\b/.test(shown.args.join(" "));
	byId("rows").hidden = byId("head").hidden = Boolean(whole);
	byId("out").hidden = !whole;
	byId("err").hidden = !whole || !shown.err;
	byId("out").replaceChildren(...as === "json" && shown.json ? [shown.json] : elements(textNodes(shown.out).slice(2)));
	press("text", as === "text");
	press("json", as === "json");
	byId("json").hidden = !shown.json;
};

// elements returns nodes of answer.js as elements.
const elements = nodes => nodes.map(node => {
	if (typeof node === "string") return node;
	const [tag, attributes, ...children] = node, element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
	element.append(...elements(children));
	return element;
});

// draw shows a drawing of worker.js, with its pointing: "" or undefined for none, null for one that is too large.
const draw = (drawn, documents = []) => {
	const figure = byId("picture"), parts = drawn ? partsOf(drawn) : [];
	figure.hidden = !parts.length && drawn !== null;
	figure.replaceChildren(...parts);
	if (drawn === null) figure.textContent = "The drawing is too large for the page: save it with -o x.html, or pass a smaller --limit.";
	shown.drawn = drawn;
	byId("svg").hidden = byId("png").hidden = !figure.querySelector("svg");
	if (!figure.querySelector("[role=status]")) return;
	point(figure);
	if (shown.args.includes("--thread")) pinFirst(figure, documents);
};

// pinFirst pins the first element of a thread, which outlines all of them.
const pinFirst = (figure, [{cells = []} = {}]) => {
	const start = `(${cells[0]?.coord.join(", ")}):`, labeled = [...figure.querySelectorAll("g[aria-label]")];
	labeled.find(cell => cell.getAttribute("aria-label").includes(start))?.dispatchEvent(new MouseEvent("click", {bubbles: true}));
};

// partsOf returns what a page or an SVG draws, and the line that says what is pointed at.
const partsOf = drawn => {
	const isSVG = drawn.startsWith("<svg"), parsed = new DOMParser().parseFromString(drawn, isSVG ? "image/svg+xml" : "text/html");
	if (isSVG) return [make("div", {className: "drawing", tabIndex: 0}, document.importNode(parsed.documentElement, true))];
	return [...parsed.querySelectorAll(".drawing, [role=status]")].map(part => document.importNode(part, true));
};

// Buttons, which are about the answer that is shown.

const press = (id, on) => byId(id).setAttribute("aria-pressed", on);
const lineOf = args => args.length === 1 && !commands.includes(args[0]) && !/^['"-]/.test(args[0]) ? args[0] : args.map(quoted).join(" ");
const toggled = flag => args => args.includes(flag) ? args.filter(a => a !== flag) : [...args, flag];

byId("all").addEventListener("click", () => type(lineOf(toggled("--all")(shown.args))));
byId("draw").addEventListener("click", () => type(lineOf(otherDrawing(shown.documents))));
for (const as of ["text", "json"]) byId(as).addEventListener("click", () => look(view === as ? "rows" : as));

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

// type asks a question as if typed; again, instead of the one before.
const type = (line, orElse = "", again = false) => {
	fill(line);
	const address = line ? fragment(line) : location.pathname + location.search;
	if (again) history.replaceState(null, "", address);
	else if (questionIn(location.hash) !== line) history.pushState(null, "", address);
	return ask(line, orElse);
};

const restore = () => {
	fill(questionIn(location.hash));
	return ask(byId("box").value.trim());
};
window.addEventListener("hashchange", restore);
window.addEventListener("popstate", () => { if (!location.hash) restore(); });

byId("ask").addEventListener("submit", event => {
	event.preventDefault();
	type(byId("box").value.trim());
});
byId("box").addEventListener("input", fit);

// A text that is pasted is asked, unless it is a part of a line.
byId("box").addEventListener("paste", ({target: {value, selectionStart, selectionEnd}}) => {
	const rest = value.slice(0, selectionStart) + value.slice(selectionEnd);
	if (!rest.trim()) setTimeout(() => byId("ask").requestSubmit());
});
byId("home").addEventListener("click", event => {
	event.preventDefault();
	type("");
	byId("box").focus();
});

// Enter asks, Shift+Enter breaks a line. Phones have no keydown of Enter, but all say what they would insert.
let shift = false;
byId("box").addEventListener("keydown", event => { shift = event.shiftKey; });
byId("box").addEventListener("beforeinput", event => {
	if (event.inputType !== "insertLineBreak" || shift) return;
	event.preventDefault();
	byId("ask").requestSubmit();
});
