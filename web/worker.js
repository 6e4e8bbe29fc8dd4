"use strict";

// The thread that runs the program, so that the page answers meanwhile. Messages in: {drop, name}, {run, args, draw}, {take}; out: {loaded},
// {ready}, {failed}, {run, code, out, err, written, drawing}, {take, blob}.
importScripts("files.js", "program.js", "wasm_exec.js");

const files = new Files();

const ready = (async () => {
	const answer = await fetch("tlayout.wasm");
	if (!answer.ok) throw new Error(`tlayout.wasm: ${answer.status} ${answer.statusText}`);
	let loaded = 0; // bytes, decompressed
	const counted = answer.body.pipeThrough(new TransformStream({
		transform(chunk, controller) {
			postMessage({loaded: loaded += chunk.length});
			controller.enqueue(chunk);
		},
	}));
	const module = await WebAssembly.compileStreaming(new Response(counted, {headers: {"Content-Type": "application/wasm"}}));
	return new Program(module, files);
})();
ready.then(() => postMessage({ready: true}), error => postMessage({failed: error.message}));

let last = ready; // each run begins when the one before has ended

onmessage = ({data}) => {
	if (data.drop) return void files.drop(data.drop, data.name);
	if (data.take) return void postMessage({take: data.take, blob: files.content(data.take)});
	last = last.then(() => run(data)).catch(error => postMessage({run: data.run, code: 5, out: "", err: `${error}\n`, written: []}));
};

// run answers a question. draw are the arguments that also write its picture; the page of one has the drawing and its pointing.
const run = async ({run, args, draw}) => {
	const program = await ready, answer = await program.run(args);
	let drawing = "";
	if (draw && answer.code < 2) {
		const {code} = await program.run([...draw, "--output", picture, "--force"]);
		if (code === 0) drawing = await files.content(picture).text();
		files.remove(picture);
	}
	postMessage({run, ...answer, drawing, written: files.written()});
};

const picture = ".picture.html";
