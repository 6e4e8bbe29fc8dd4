"use strict";

const assert = require("node:assert"), {test} = require("node:test");

// threads are the workers that the page has started: what each was sent, and whether it was ended.
const threads = [];
globalThis.Worker = class {
	constructor() {
		this.sent = [], this.ended = false;
		threads.push(this);
	}
	postMessage(message) { this.sent.push(message); }
	terminate() { this.ended = true; }

	// answer answers the last question that has these first arguments.
	answer(args, answer) {
		const {number} = this.sent.findLast(message => message.args?.[0] === args);
		this.onmessage({data: {number, answer}});
	}
};
const {engine} = require("./load_test.js")("engine.js", "engine");

test("a thread that starts anew has the reader's files, and the old one answers nothing", async () => {
	const started = engine.start({});
	threads[0].answer("__complete", {out: "inspect\tx\ndraw\ty\n:4\n"});
	assert.deepStrictEqual(await started, ["inspect", "draw", "help"]);
	engine.drop("first", "a"), engine.drop("second", "b"), engine.drop("third", "a");
	const asked = engine.run(["inspect", "a"]);
	const again = engine.start({});
	assert.strictEqual(await asked, undefined);
	assert.ok(threads[0].ended && threads.length === 2);
	assert.deepStrictEqual(threads[1].sent.filter(message => message.drop), [{drop: "third", name: "a"}, {drop: "second", name: "b"}]);
	threads[1].answer("__complete", {out: "inspect\tx\n"});
	assert.deepStrictEqual(await again, ["inspect", "help"]);
	const answered = engine.run(["inspect", "b"]);
	threads[1].answer("inspect", {code: 0});
	assert.deepStrictEqual(await answered, {code: 0});
});
