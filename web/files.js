"use strict";

// Files is the folder that the program sees, in the form of Node's fs, which Go's syscall package calls. Dropped files are read by ranges
// where they lie; written ones are kept in memory. There is one folder, /, and nothing below it.
class Files {
	constructor() {
		this.nodes = new Map(); // name → {blob} of a dropped file or {bytes, size} of a written one
		this.restart(() => {});
	}

	// restart closes what a run left open and takes a function of descriptor 1 or 2 and the bytes written to it; standard input is empty. The
	// files stay.
	restart(write) {
		this.open = new Map([[0, {node: {bytes: new Uint8Array(), size: 0, stream: true}, position: 0}]]); // descriptor → {node, position, flags}
		this.write = write;
		this.next = 3;
	}

	// drop adds a file of the reader's.
	drop(blob, name) { this.nodes.set(name, {blob, time: blob.lastModified ?? 0}); }

	// written lists the files that the program wrote.
	written() { return [...this.nodes].filter(([, node]) => !node.blob).map(([name]) => name); }

	remove(name) { this.nodes.delete(name); }

	// content returns a file as a Blob.
	content(name) {
		const node = this.nodes.get(name);
		return node?.blob ?? new Blob(node ? [node.bytes.subarray(0, node.size)] : []);
	}

	// process is what Go asks of Node's process.
	get process() {
		return {pid: 1, ppid: 0, getuid: () => 0, geteuid: () => 0, getgid: () => 0, getegid: () => 0, getgroups: () => [], umask: () => 0o22,
			cwd: () => "/", chdir: () => { throw failure("ENOTSUP"); }};
	}

	// fs is what Go asks of Node's fs.
	get fs() {
		const calls = {
			open: (path, flags) => {
				const name = nameOf(path), made = {bytes: new Uint8Array(1 << 12), size: 0, time: Date.now()};
				const writes = flags & (O.O_WRONLY | O.O_RDWR);
				let node = name === "" ? {folder: true} : this.nodes.get(name);
				if (node && flags & O.O_CREAT && flags & O.O_EXCL) throw failure("EEXIST");
				if (!node && !(flags & O.O_CREAT) || name.includes("/")) throw failure("ENOENT");
				if (node?.folder && writes) throw failure("EISDIR");
				if (node?.blob && writes) throw failure("EROFS");
				if (!node) this.nodes.set(name, node = made);
				if (flags & O.O_TRUNC) resize(node, 0);
				this.open.set(this.next, {node, position: 0, flags});
				return this.next++;
			},
			close: fd => void this.open.delete(fd),
			read: async (fd, buffer, offset, length, position) => {
				const file = this.file(fd), from = position ?? file.position, size = sizeOf(file.node);
				const end = Math.max(from, Math.min(size, from + length));
				if (file.node.folder) throw failure("EISDIR");
				const bytes = file.node.blob ? await range(file.node.blob, from, end) : file.node.bytes.subarray(from, end);
				buffer.set(bytes, offset);
				if (position === null) file.position = end;
				return bytes.length;
			},
			write: (fd, buffer, offset, length, position) => {
				const bytes = buffer.subarray(offset, offset + length);
				if (fd === 1 || fd === 2) {
					this.write(fd, bytes.slice());
					return length;
				}
				const file = this.file(fd), at = file.flags & O.O_APPEND ? file.node.size : position ?? file.position;
				if (!(file.flags & (O.O_WRONLY | O.O_RDWR))) throw failure("EBADF");
				resize(file.node, Math.max(file.node.size, at + length));
				file.node.bytes.set(bytes, at);
				if (position === null) file.position = at + length;
				return length;
			},
			ftruncate: (fd, length) => resize(this.file(fd).node, length),
			truncate: (path, length) => resize(this.node(path), length),
			fstat: fd => fd === 1 || fd === 2 ? stat({stream: true}) : stat(this.file(fd).node),
			stat: path => stat(this.node(path)),
			lstat: path => stat(this.node(path)),
			readdir: path => this.node(path).folder ? [...this.nodes.keys()] : fail("ENOTDIR"),
			unlink: path => {
				if (this.node(path).blob) throw failure("EROFS");
				this.nodes.delete(nameOf(path));
			},
			rename: (from, to) => {
				const node = this.node(from), name = nameOf(to);
				if (node.blob || this.nodes.get(name)?.blob) throw failure("EROFS");
				if (name === "" || name.includes("/")) throw failure("ENOENT");
				if (this.nodes.get(name) === node) return; // POSIX: both names stay
				this.nodes.delete(nameOf(from));
				this.nodes.set(name, node);
			},
			link: (from, to) => {
				const node = this.node(from);
				if (this.nodes.has(nameOf(to))) throw failure("EEXIST");
				this.nodes.set(nameOf(to), node);
			},
			fsync: () => {}, chmod: () => {}, fchmod: () => {}, utimes: () => {},
		};
		const fs = {constants: O, writeSync: (fd, bytes) => calls.write(fd, bytes, 0, bytes.length, null)};
		for (const name of Object.keys(calls)) fs[name] = answering(calls[name]);
		for (const name of ["mkdir", "rmdir", "symlink", "readlink", "chown", "fchown", "lchown"]) fs[name] = answering(() => fail("ENOTSUP"));
		return fs;
	}

	file(fd) { return this.open.get(fd) ?? fail("EBADF"); }

	node(path) {
		const name = nameOf(path);
		return name === "" ? {folder: true} : this.nodes.get(name) ?? fail("ENOENT");
	}
}

const O = {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};

const failure = code => Object.assign(new Error(code), {code});
const fail = code => { throw failure(code); };

// answering calls back with an error or with what f returns, which may be a promise.
const answering = f => async (...args) => {
	const callback = args.pop();
	let result, error = null;
	try { result = await f(...args); } catch (e) { error = typeof e.code === "string" ? e : failure("EIO"); }
	callback(error, result);
};

const nameOf = path => path.replace(/^(\.?\/)+/, "").replace(/^\.$/, "");

const sizeOf = node => node.blob ? node.blob.size : node.size ?? 0;

const range = async (blob, from, end) => new Uint8Array(await blob.slice(from, end).arrayBuffer());

// resize gives a written file another size; it grows by doubling, filled with zeros.
const resize = (node, size) => {
	if (!node.bytes) fail("EROFS");
	if (size > node.bytes.length) {
		const bytes = new Uint8Array(Math.max(size, 2 * node.bytes.length));
		bytes.set(node.bytes.subarray(0, node.size));
		node.bytes = bytes;
	} else if (size < node.size) node.bytes.fill(0, size, node.size);
	node.size = size;
};

// numbers gives each node the number that the program knows it by.
const numbers = new WeakMap();
let lastNumber = 0;

const stat = node => {
	if (!numbers.has(node)) numbers.set(node, node.folder ? 0 : ++lastNumber);
	const kind = node.folder ? 0o40755 : node.stream ? 0o10600 : node.blob ? 0o100444 : 0o100644, size = sizeOf(node);
	return {dev: 1, ino: numbers.get(node), mode: kind, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
		atimeMs: node.time ?? 0, mtimeMs: node.time ?? 0, ctimeMs: node.time ?? 0, isDirectory: () => Boolean(node.folder)};
};

globalThis.Files = Files;
