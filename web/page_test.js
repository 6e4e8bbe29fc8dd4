"use strict";

const assert = require("node:assert"), {test} = require("node:test");

// The page's elements, of which only what a test looks at matters.
const element = () => ({
	listeners: {}, style: {}, dataset: {bytes: "1"}, value: "", textContent: "", classList: {toggle() {}}, children: [],
	addEventListener(kind, act) { this.listeners[kind] = act; },
	append() {}, setAttribute() {}, focus() {}, querySelector: () => null, querySelectorAll: () => [],
	replaceChildren(...children) { this.children = children; },
	get lastElementChild() { return element(); },
});
const elements = {};
globalThis.document = Object.assign(element(), {
	documentElement: element(), createElement: element,
	getElementById: id => elements[id] ??= element(),
});
globalThis.window = element();
globalThis.location = {protocol: "http:", hash: "", pathname: "/", search: "", href: "http://localhost/"};
globalThis.history = {pushState() {}};

const load = require("./load_test.js");
load("line.js");
load("answer.js");
load("examples.js");
Object.assign(globalThis, {samples: [], takeSamples: async () => {}, listFiles() {}, askForFile() {}});

// runs are the questions that the program has been given, in their order: answer(…) ends one.
const runs = [];
globalThis.engine = {
	files: new Map(), start: async () => ["inspect", "formats"],
	run: args => new Promise(answer => runs.push({args, answer: out => answer(out && {code: 0, out, err: "", written: []})})),
};
const {ask, restart} = load("page.js", "ask", "restart");
restart();
const settled = () => new Promise(done => setTimeout(done, 10));
const shown = () => document.getElementById("out").children.join("");

test("of questions that are asked at once, only the last is run", async () => {
	const asked = [ask("formats older"), ask("formats newer")];
	await settled();
	assert.deepStrictEqual(runs.map(run => run.args), [["formats", "newer"]]);
	runs[0].answer("newer");
	await Promise.all(asked);
	assert.strictEqual(shown(), "newer");
});

test("while a newer question runs or is answered, the answer to an older one is not shown", async () => {
	for (const order of [[0, 1], [1, 0]]) {
		runs.length = 0;
		document.getElementById("out").replaceChildren();
		const first = ask("formats older");
		await settled();
		const second = ask("formats newer");
		await settled();
		for (const k of order) {
			runs[k].answer(["older", "newer"][k]);
			await settled();
			assert.notStrictEqual(shown(), "older");
		}
		await Promise.all([first, second]);
		assert.strictEqual(shown(), "newer");
	}
});
