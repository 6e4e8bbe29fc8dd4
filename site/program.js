"use strict";

// The program, run natively, and the scripts of web, in this process.

const childProcess = require("node:child_process"), fs = require("node:fs"), os = require("node:os"), path = require("node:path"), vm = require("node:vm");

// web has functions of the page's scripts.
const web = {}, names = ["splitLine", "quoted", "argumentsOf", "fragment", "questionIn", "documentsOf", "answerNodes", "messageNodes", "serialize",
	"escapedText", "examples"];
for (const script of ["line.js", "answer.js", "examples.js"]) {
	vm.runInThisContext(fs.readFileSync(path.join(__dirname, "../web", script), "utf8"), {filename: script});
}
for (const name of names) web[name] = vm.runInThisContext(name);

// programIn returns a function that runs the program with arguments in a folder. Its output is text, or a Buffer as "buffer".
const programIn = (program, folder) => (args, encoding = "utf8") => new Promise((resolve, reject) => {
	const env = {PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8", TLAYOUT_CPU: "generic"};
	childProcess.execFile(program, args, {cwd: folder, env, encoding, maxBuffer: 1 << 28}, (error, out, err) => {
		if (error && typeof error.code !== "number") return reject(error);
		resolve({code: error ? error.code : 0, out, err: String(err)});
	});
});

// each does work for all of a list, several at once, and returns the results in order.
const each = async (list, work) => {
	const results = [];
	let next = 0;
	const worker = async () => {
		while (next < list.length) {
			const i = next++;
			results[i] = await work(list[i], i);
		}
	};
	await Promise.all(Array.from({length: 2 * os.availableParallelism()}, worker));
	return results;
};

module.exports = {web, programIn, each};
