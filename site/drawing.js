"use strict";

// The drawing of an answer.

const fs = require("node:fs"), path = require("node:path");

const LIMIT = "128"; // elements, and cells of each memory: a page stays below 200 KB without compression

// drawingOf returns the arguments that draw what a command is about, or null: the tensor that it describes, the last one of a trace, a named
// layout beside row-major order. documents are those of the command's --json.
const drawingOf = (args, [document = {}], commands) => {
	const command = commands.includes(args[0]) ? args[0] : "inspect", rest = command === args[0] ? args.slice(1) : args;
	switch (command) {
	case "draw": return rest.some(arg => /^-o|^--output/.test(arg)) ? null : args;
	case "threads": return [...args, "--limit", "256"];
	case "trace": return stateDrawing(document);
	case "formats": return rest[0].startsWith("-") ? tensorDrawing(rest) : layoutDrawing(rest[0], rest, document);
	case "plan": return tensorDrawing(rest, ["--layouts", ["own", ...valueOf(rest, "--to")].join()]);
	case "inspect": return document.strides ? tensorDrawing(rest) : null;
	case "check": case "offset": return tensorDrawing(rest);
	}
	return null;
};

// valueOf returns the value of a flag, or nothing.
const valueOf = (args, flag) => {
	const at = args.findIndex(arg => arg === flag || arg.startsWith(`${flag}=`));
	return at < 0 ? [] : [args[at].includes("=") ? args[at].slice(flag.length + 1) : args[at + 1]];
};

const DESCRIBE = ["--shape", "--strides", "--offset", "--from", "--dtype"];

// tensorDrawing draws the source of a command, a file or flags.
const tensorDrawing = (args, more = []) => {
	const source = args[0].startsWith("-") ? [] : [args[0]];
	const flags = DESCRIBE.flatMap(flag => valueOf(args, flag).map(value => `${flag}=${value}`));
	return source.length + flags.length ? ["draw", ...source, ...flags, ...more, "--limit", LIMIT] : null;
};

// layoutDrawing draws a layout in the sizes given, or in small ones: two blocks of each dim that has blocks, or one of more than 16. N, which
// is outermost in most layouts, has one image there.
const layoutDrawing = (name, args, {dims = [], memory_order: order = "", shape}) => {
	if (!order) return null;
	if (args.includes("--shape")) return tensorDrawing(args.slice(1), [`--from=${name}`]);
	if (shape) return ["draw", "--from", name];
	const blocks = Object.fromEntries([...order.matchAll(/(\S+)\/\/(\d+)(?=\s|$)/g)].map(([, dim, block]) => [dim, Number(block)]));
	const sizeOf = dim => {
		const block = blocks[dim] ?? 0;
		if (block) return block > 16 ? block : 2 * block;
		if (dim === "N" && dims.length > 3 && order.startsWith("N ")) return 1;
		return dim === "C" ? 4 : 2;
	};
	const memories = order === dims.join(" ") ? name : `c,${name}`;
	return ["draw", "--shape", dims.map(dim => `${dim}=${sizeOf(dim)}`).join(), "--layouts", memories, "--limit", LIMIT];
};

// stateDrawing draws a trace's last tensor whose strides are known.
const stateDrawing = ({start, steps = [], dtype}) => {
	const last = [start, ...steps].findLast(state => state?.strides && state.storage_offset !== undefined);
	if (!last) return null;
	const {shape, strides, storage_offset: offset} = last, type = dtype ? ["--dtype", dtype] : [];
	return ["draw", "--shape", shape.join(), `--strides=${strides.join()}`, "--offset", String(offset), ...type, "--limit", LIMIT];
};

let drawn = 0;

// draw returns a drawing as {svg, status, png}, as a page of draw -o x.html has it, the PNG with fewer elements; null if it cannot be drawn. The
// program runs in a folder.
const draw = async (run, folder, args) => {
	const file = path.join(folder, `drawing-${++drawn}`);
	if ((await run([...args, "-o", `${file}.html`])).code !== 0) return null;
	const fewer = args.map((arg, i) => args[i - 1] === "--limit" && arg === LIMIT ? "48" : arg);
	const picture = await run([...fewer, "-o", `${file}.png`, ...args[0] === "draw" ? ["--scale", "1"] : []]);
	if (picture.code !== 0) throw new Error(picture.err);
	const page = fs.readFileSync(`${file}.html`, "utf8"), png = fs.readFileSync(`${file}.png`);
	const [, svg] = /<div class="drawing">\n([^]*?)<\/div>\n<p role="status">/.exec(page), [status] = /<p role="status">.*<\/p>/.exec(page);
	return {svg, status, png};
};

module.exports = {drawingOf, draw};
