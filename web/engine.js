"use strict";

// engine is the program in its thread, worker.js, which answers one question after the other.
const engine = (() => {
	const waiting = new Map(); // number of a question → what takes its answer
	const files = new Map(); // the reader's, for a thread that starts anew
	let worker, number = 0, listening = {};

	const send = message => new Promise(resolve => {
		waiting.set(++number, resolve);
		worker.postMessage({...message, number});
	});

	// run answers {code, out, err, json, drawing, written} for arguments, or for none; json and draw are arguments too, of what prints JSON and of what
	// draws. It answers nothing if the run is stopped.
	const run = (args, {json, draw} = {}) => send({args, json, draw});

	const receive = ({loaded, failed, number, answer}) => {
		if (loaded) return listening.loaded(loaded);
		if (failed) return listening.failed(failed);
		waiting.get(number)?.(answer);
		waiting.delete(number);
	};

	// start starts the thread, again to stop what runs, and resolves to the names of the commands once it can answer.
	const start = listeners => {
		listening = listeners;
		worker?.terminate();
		for (const resolve of waiting.values()) resolve();
		waiting.clear();
		worker = new Worker("worker.js");
		worker.onmessage = ({data}) => receive(data);
		worker.onerror = event => listening.failed(event.message ?? "worker.js does not load");
		for (const [name, file] of files) worker.postMessage({drop: file, name});
		return run(["__complete", ""]).then(answer => answer && [...answer.out.matchAll(/^[a-z]+/gm), ["help"]].map(([name]) => name));
	};

	// drop gives the program a file of the reader's, instead of an earlier one of that name.
	const drop = (file, name) => {
		files.set(name, file);
		worker.postMessage({drop: file, name});
	};

	// lend gives the program a file for one drawing, of which the reader does not know.
	const lend = (file, name, draw) => {
		worker.postMessage({drop: file, name});
		const answer = run(null, {draw});
		worker.postMessage({forget: name});
		return answer;
	};

	return {start, run, drop, lend, take: name => send({take: name}), files};
})();
