"use strict";

const assert = require("node:assert"), fs = require("node:fs"), os = require("node:os"), path = require("node:path");
const {Blob} = require("node:buffer"), {promisify} = require("node:util"), {test} = require("node:test");
const {Files, O} = require("./load_test.js")("files.js", "Files", "O");

// folder returns a new Files, and its calls as promises.
const folder = () => {
	const files = new Files(), calls = {}, own = files.fs;
	for (const name of Object.keys(own)) if (typeof own[name] === "function") calls[name] = promisify(own[name]);
	return {files, calls};
};

// tried returns what a call answers, or the code of its error.
const tried = async (f, ...args) => {
	try { return await f(...args); } catch (e) { return e.code; }
};

// any returns one of a list, and below a number less than it; the same ones each time.
let seed = 1;
const below = n => (seed = seed * 48271 % 2147483647) % n;
const any = list => list[below(list.length)];

test("written files have the bytes and the errors of node's own", async () => {
	const real = fs.mkdtempSync(path.join(os.tmpdir(), "tlayout"));
	const disk = {};
	for (const name of ["open", "close", "read", "write", "ftruncate", "truncate", "unlink", "rename", "link"]) {
		disk[name] = async (...args) => { // the number of bytes, where the callback has their buffer too
			const done = await promisify(fs[name])(...args);
			return done?.bytesWritten ?? done?.bytesRead ?? done;
		};
	}
	const {files, calls} = folder(), open = [], names = ["a", "b", "c"];
	const compare = async (name, ours, theirs, what) => {
		const got = await tried(calls[name], ...ours), want = await tried(disk[name], ...theirs);
		const opened = name === "open" && typeof want === "number"; // a descriptor has any number
		assert.deepStrictEqual(opened ? typeof got : got, opened ? "number" : want, what);
		return [got, want];
	};
	for (let i = 0; i < 3000; i++) {
		const name = any(names), to = any(names), at = any([null, null, below(10_000)]), n = below(6000), file = any(open);
		const what = `step ${i}: ${name} ${to} ${at} ${n}`;
		switch (below(9)) {
		case 0: {
			const flags = ["O_RDWR", ...any([[], ["O_CREAT"], ["O_CREAT", "O_EXCL"], ["O_CREAT", "O_TRUNC"], ["O_TRUNC"], ["O_CREAT", "O_APPEND"]])];
			const all = of => flags.reduce((sum, flag) => sum | of[flag], 0);
			const [ours, theirs] = await compare("open", ["/" + name, all(O), 0o644], [path.join(real, name), all(fs.constants), 0o644], what);
			if (typeof theirs === "number") open.push({ours, theirs});
			break;
		}
		case 1: case 2: case 3: if (file) {
			const bytes = new Uint8Array(n).map(() => 1 + below(255));
			await compare("write", [file.ours, bytes, 0, n, at], [file.theirs, bytes, 0, n, at], what);
			break;
		}
		case 4: if (file) {
			const ours = new Uint8Array(n), theirs = new Uint8Array(n);
			await compare("read", [file.ours, ours, 0, n, at], [file.theirs, theirs, 0, n, at], what);
			assert.ok(Buffer.compare(ours, theirs) === 0, what);
			break;
		}
		case 5: if (file) await compare("ftruncate", [file.ours, n], [file.theirs, n], what); break;
		case 6: await compare(...any([["truncate", ["/" + name, n], [path.join(real, name), n], what], ["unlink", ["/" + name], [path.join(real, name)], what]])); break;
		case 7: await compare(any(["rename", "link"]), ["/" + name, "/" + to], [path.join(real, name), path.join(real, to)], what); break;
		default: if (open.length > 4) {
			const [{ours, theirs}] = open.splice(below(open.length), 1);
			await compare("close", [ours], [theirs], what);
		}
		}
		assert.deepStrictEqual(files.written().sort(), fs.readdirSync(real).sort(), what);
		for (const written of files.written()) {
			assert.ok(Buffer.compare(new Uint8Array(await files.content(written).arrayBuffer()), fs.readFileSync(path.join(real, written))) === 0, `${what}: ${written}`);
		}
	}
	for (const {theirs} of open) fs.closeSync(theirs);
	fs.rmSync(real, {recursive: true});
});

test("a file that shrinks and grows has zeros where nothing was written", async () => {
	const {files, calls} = folder();
	const fd = await calls.open("/x", O.O_RDWR | O.O_CREAT, 0o644), bytes = new Uint8Array(100).fill(7);
	await calls.write(fd, bytes, 0, 100, null);
	await calls.ftruncate(fd, 10);
	await calls.write(fd, bytes, 0, 5, 50);
	const want = new Uint8Array(55).fill(7, 0, 10).fill(7, 50);
	assert.deepStrictEqual(new Uint8Array(await files.content("x").arrayBuffer()), want);
});

test("dropped files are read where they are, and not written", async () => {
	const {files, calls} = folder();
	files.drop(new Blob([new Uint8Array([1, 2, 3, 4, 5])]), "d");
	const fd = await calls.open("./d", 0, 0), buffer = new Uint8Array(9);
	assert.strictEqual(await calls.read(fd, buffer, 2, 3, 1), 3);
	assert.deepStrictEqual([...buffer], [0, 0, 2, 3, 4, 0, 0, 0, 0]);
	assert.strictEqual(await calls.read(fd, buffer, 0, 9, 5), 0);
	for (const [name, ...args] of [["open", "/d", O.O_RDWR, 0], ["truncate", "/d", 0], ["unlink", "/d"], ["rename", "/d", "/e"]]) {
		assert.strictEqual(await tried(calls[name], ...args), "EROFS", name);
	}
	assert.strictEqual((await calls.stat("/d")).size, 5);
	assert.deepStrictEqual([files.written(), await calls.readdir("/")], [[], ["d"]]);
});

test("a run's streams are its own: files stay, descriptors and output do not", async () => {
	const {files, calls} = folder(), written = [];
	const fd = await calls.open("/x", O.O_RDWR | O.O_CREAT, 0o644);
	files.restart((fd, bytes) => written.push([fd, ...bytes]));
	assert.strictEqual(await tried(calls.write, fd, new Uint8Array(1), 0, 1, null), "EBADF");
	assert.strictEqual(await calls.read(0, new Uint8Array(4), 0, 4, null), 0);
	await calls.write(1, new Uint8Array([9, 8]), 0, 2, null);
	files.fs.writeSync(2, new Uint8Array([7]));
	assert.deepStrictEqual([written, files.written()], [[[1, 9, 8], [2, 7]], ["x"]]);
});
