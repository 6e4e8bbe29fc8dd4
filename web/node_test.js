"use strict";

// Runs command lines in the program as a page does, for web_test.go: node node_test.js SITE FOLDER <LINES. LINES is a JSON list of texts as
// typed; the files of FOLDER are dropped first. Prints a JSON list of {args, code, out, err}.
const fs = require("fs"), path = require("path"), vm = require("vm"), {Blob} = require("buffer");
const [site, folder] = process.argv.slice(2), print = process.stdout.write.bind(process.stdout), end = process.exit;

const load = name => vm.runInThisContext(fs.readFileSync(path.join(site, name), "utf8"), {filename: name});
load("files.js");
load("line.js");
const files = new Files();
for (const name of fs.readdirSync(folder)) {
	if (fs.statSync(path.join(folder, name)).isFile()) files.drop(new Blob([fs.readFileSync(path.join(folder, name))]), name);
}
const lines = JSON.parse(fs.readFileSync(0, "utf8")), wasm = fs.readFileSync(path.join(site, "tlayout.wasm"));
const node = {fs: globalThis.fs, process: globalThis.process};
load("program.js");

(async () => {
	const program = new Program(await WebAssembly.compile(wasm), files);
	load("wasm_exec.js");
	const answers = [];
	for (const line of lines) {
		const args = vm.runInThisContext("argumentsOf")(line, [], []);
		answers.push({args, ...await program.run(args)});
	}
	globalThis.process = node.process;
	print(JSON.stringify(answers), () => end(0));
})();
