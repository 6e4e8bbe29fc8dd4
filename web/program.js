"use strict";

// Program runs tlayout: the executable as WebAssembly, a new instance for each run, on the files of a Files.
class Program {
	// module is a compiled WebAssembly.Module.
	constructor(module, files) {
		this.module = module;
		this.files = files;
		globalThis.fs = files.fs;
		globalThis.process = files.process;
		globalThis.path = {resolve: (...parts) => parts.join("/")};
	}

	// run returns the exit code and the texts written to standard output and error, for arguments; standard input is empty. A run must have
	// ended before the next begins.
	async run(args) {
		const written = {1: [], 2: []}, go = new Go();
		this.files.restart((fd, bytes) => written[fd].push(bytes));
		go.argv = ["tlayout"];
		globalThis.tlayoutArguments = args; // go.argv has 8 KiB, with the environment
		go.env = {LANG: "C.UTF-8", HOME: "/"};
		let code = 2;
		go.exit = c => { code = c; };
		await go.run(await WebAssembly.instantiate(this.module, go.importObject));
		for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // they would wake a program that has ended
		return {code, out: await text(written[1]), err: await text(written[2])};
	}
}

const text = parts => new Blob(parts).text();

globalThis.Program = Program;
