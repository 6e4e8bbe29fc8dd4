"use strict";

// The thread that runs the program, so that the page stays alive. In: {drop, name}, {number, args, draw} and {number, take}. Out:
// {loaded}, {failed} and {number, answer}.
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
ready.catch(error => postMessage({failed: error.message}));

const picture = ".picture.html", largest = 2 << 20; // bytes of a drawing that a page shows at once

// drawing returns the page that arguments draw; "" if they draw nothing, and null if it is too large.
const drawing = async args => {
	const {code} = await (await ready).run([...args, "--output", picture, "--force"]);
	if (code !== 0) return "";
	const page = files.content(picture);
	files.remove(picture);
	return page.size > largest ? null : page.text();
};

const answer = async ({args, draw, take}) => {
	if (take) return files.content(take);
	const result = args ? await (await ready).run(args) : {code: 0};
	if (draw && result.code === 0) result.drawing = await drawing(draw);
	return {...result, written: files.written()};
};

let last = ready; // a run begins when the one before has ended

onmessage = ({data}) => {
	if (data.drop) return void files.drop(data.drop, data.name);
	last = last.then(() => answer(data)).catch(error => ({code: -1, out: "", err: `The program crashed: ${error.message}\n`, written: []}));
	last.then(result => postMessage({number: data.number, answer: result}));
};
