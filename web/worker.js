"use strict";

// The thread that runs the program, so that the page stays alive. In: {drop, name}, {forget}, {number, args, json, draw} and
// {number, take}. Out: {loaded}, {failed} and {number, answer}.
importScripts("files.js", "program.js", "wasm_exec.js");

const files = new Files();
const load = self.fetch.bind(self);

// From here on nothing can be sent: the page's policy does not bind a thread.
for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "Worker", "importScripts"]) {
	Object.defineProperty(self, name, {value: undefined});
}

const ready = (async () => {
	const response = await load("tlayout.wasm");
	if (!response.ok) throw new Error(`tlayout.wasm: ${response.status} ${response.statusText}`);
	let loaded = 0; // bytes, decompressed
	const counted = response.body.pipeThrough(new TransformStream({
		transform(chunk, controller) {
			postMessage({loaded: loaded += chunk.length});
			controller.enqueue(chunk);
		},
	}));
	const module = await WebAssembly.compileStreaming(new Response(counted, {headers: {"Content-Type": "application/wasm"}}));
	return new Program(module, files);
})();

const largest = 2 << 20; // bytes of a drawing that a page shows at once

// drawing returns the page or the SVG that arguments draw; "" if they draw nothing, and null if it is too large.
const drawing = async args => {
	const picture = args[0] === "graph" ? ".picture.svg" : ".picture.html";
	const {code} = await (await ready).run([...args, "--output", picture, "--force"]);
	const drawn = files.content(picture);
	files.remove(picture);
	if (code !== 0 || drawn.size === 0) return "";
	return drawn.size > largest ? null : drawn.text();
};

const answer = async ({args, json, draw, take}) => {
	if (take) return files.content(take);
	const result = args ? await (await ready).run(args) : {code: 0};
	if (json && result.code <= 1) result.json = (await (await ready).run(json)).out;
	if (draw && result.code === 0) result.drawing = await drawing(draw);
	return {...result, written: files.written()};
};

const crashed = error => ({code: -1, out: "", err: `The program crashed: ${error.message}\n`, written: []});

// A run begins when the one before has ended. A program that does not load answers nothing.
let last = ready.catch(error => {
	postMessage({failed: error.message});
	return new Promise(() => {});
});

onmessage = ({data}) => {
	if (data.drop) return void files.drop(data.drop, data.name);
	if (data.forget) return void (last = last.then(() => files.remove(data.forget)));
	last = last.then(() => answer(data)).catch(crashed);
	last.then(result => postMessage({number: data.number, answer: result}));
};
