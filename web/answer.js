"use strict";

// An answer as nodes, of which the page makes elements and the site HTML: a text, or [tag, {attributes}, ...nodes]. Links are fragments, which
// hold a question.

// documentsOf returns the documents that --json printed: one, or one in each line. Integers beyond 2⁵³ are texts, so that no digit is lost.
const documentsOf = json => {
	const exact = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, token => /^-?\d{16,}$/.test(token) ? `"${token}"` : token);
	if (!exact.trim()) return [];
	try { return [JSON.parse(exact)]; } catch { return exact.split("\n").filter(Boolean).map(line => JSON.parse(line)); }
};

// answerNodes returns an answer as rows. documents are those of --json, text is what is printed without it, args are the question's.
// Without documents it is the text.
const answerNodes = (documents, text, args) => {
	if (!documents.length) return text ? [textNodes(text)] : [];
	return [headNodes(documents, text), ...documents.length > 1 ? sourcesNodes(documents) : bodyNodes(documents[0]), ...moreNodes(text, args)];
};

// headNodes returns the answer in a sentence or two, with which a text begins, before a table or what is indented.
const headNodes = ([{answer}], text) => {
	const block = text.split(/\n\s*\n/, 1)[0].split("\n"), indented = block.findIndex(line => /^\s/.test(line));
	const lines = indented < 0 ? block : block.slice(0, indented), long = lines.length > 4 || lines.some(line => line.length > 400);
	return ["p", {class: "head"}, ...linked(answer || (long ? "" : lines.join("\n")))];
};

// first are the names that an answer shows at once, by the schema of its document; [name, name] shows both in one table. The others follow under
// "More". A document without a row here shows all at once.
const first = {
	inspect: ["dims", "shape", "strides", "strides_bytes", "memory_order", "formula", "contiguous", "looks_like", "ambiguity", "broadcast_dims", "accepted_by", "names"],
	checkpoint: ["tensors", "unused_bytes", "refused"],
	npz: ["members"],
	formats: ["axes", "frameworks", "same_memory", "ambiguity", "confusions", "code"],
	formats_catalogue: ["well_known"],
	why: ["facts", "fixes", "raised_by", "memory_is_same", "cost", "framework", "commands", "complaints"],
	trace: ["last_value", ["start", "steps"]],
	trace_cute: [["start", "steps"]],
	plan: [["before", "after"], "view_expression", "copy_code", "bytes_read", "bytes_written", "pad_why", "predicted"],
	shared: ["choices", "tma"],
	threads: ["tile", "thread_count", "value_count", "cells"],
	threads_catalogue: ["atoms"],
	offset: ["results"],
	graph: ["changes", "unknown", "gates"],
	guess: ["guesses"],
	check: ["assertions", "skipped_assertions"],
	diff: [["a", "b"], "relation", "differing", "differing_elems", "max_abs_diff"],
	diff_tensors: ["tensors"],
};

// columns are those of a table that is shown at once.
const columns = {
	"tensors": ["name", "dtype", "shape", "strides", "memory_format", "nbytes", "storage_index", "result", "only_in"],
	"members": ["name", "dtype", "shape", "fortran_order", "data_bytes", "method", "error"],
	"axes": ["axis", "size", "stride", "how"],
	"frameworks": ["framework", "spellings"],
	"well_known": ["layout", "memory_order", "spellings_by_framework"],
	"start and steps": ["op", "layout", "shape", "strides", "kind", "why", "error"],
	"before and after": ["", "layout", "dims", "shape", "strides"],
	"a and b": ["", "source", "dtype", "layout", "shape", "strides"],
	"choices": ["kind", "layout", "bytes", "transactions", "degree"],
	"cells": ["coord", "thread", "value_index", "warp", "lane"],
	"results": ["query", "offset", "byte", "file_byte", "coords", "value", "padding"],
	"changes": ["number", "operator", "shape", "from", "to", "bytes", "seconds", "where", "forced", "cure"],
	"guesses": ["score", "dtype", "dims", "shape", "commands"],
};

// Names that no row shows: those of the document, what a picture shows, and what another name says.
const silent = ["schema", "source", "made_by", "answer", "query", "source_base64", "ok", "picture", "descr", "grid", "memories", "triton_register", "why_not", "division", "layout_from"];

// bodyNodes returns what comes first of a document, briefly, and then the rest.
const bodyNodes = document => {
	const [, kind] = /^tlayout\/(\w+)/.exec(document.schema) ?? [], at = own(first, kind) ?? [], all = {source: document.source, whole: true};
	const shown = Object.fromEntries(["warnings", "notes", ...at].map(name => entry(document, name)));
	const rest = Object.entries(document).filter(([name]) => !Object.hasOwn(shown, name) && !at.flat().includes(name));
	if (!at.length) return [rowsNodes(document, all)];
	const brief = Object.entries(shown).filter(([name, value]) => isBrief(name, value));
	const more = rowsNodes(Object.fromEntries([...rest, ...brief]), all);
	return [rowsNodes(shown, {...all, whole: false}), ...more.length > 2 ? [["details", {}, ["summary", {}, "Details"], more]] : []];
};

// isBrief reports whether something of a value is left out at first.
const isBrief = (name, value) => isObject(value) && (isFlags(value) || Object.values(value).some(isVerdict)) ||
	Array.isArray(value) && own(columns, name) && value.map(merged).some(row => Object.keys(row).some(key => !columns[name].includes(key) && !silent.includes(key) && !isEmpty(row[key])));

// entry returns a name and its value; of several names, what they hold as one list.
const entry = (document, name) => typeof name === "string" ? [name, document[name]] :
	[name.join(" and "), name.flatMap(part => Array.isArray(document[part]) ? document[part] : document[part] ? {"": part, op: document.made_by || part, ...document[part]} : [])];

// sourcesNodes returns a table of several sources, and the rows of each.
const sourcesNodes = documents => {
	const summary = ({source, answer, result, dtype, shape, strides, layout, nbytes, tensor_bytes}) => ({source, answer, result, dtype, shape, strides, layout, nbytes, tensor_bytes});
	const each = documents.map(document => ["details", {}, ["summary", {}, document.source], ...bodyNodes(document)]);
	return [tableNodes("", documents.map(summary), {whole: true}), ...each];
};

// rowsNodes returns "term — value" for each name of an object that says something. Lists of one element per dim are a table of dims.
const rowsNodes = (object, context) => {
	const rows = [], dims = perDim(object);
	if (dims) rows.push(row("dims", [tableNodes("dims", dims, context)]));
	for (const [name, value] of Object.entries(object)) {
		if (dims && perDimNames.includes(name) || silent.includes(name) || isEmpty(value)) continue;
		rows.push(row(label(name), valueNodes(name, value, context)));
	}
	return ["dl", {class: "rows"}, ...rows];
};

const row = (term, nodes) => ["div", {}, ["dt", {}, term], ["dd", {}, ...nodes]];

const ofDim = {dims: "dim", shape: "size", strides: "stride", strides_bytes: "bytes"}, perDimNames = Object.keys(ofDim);
const perDim = object => {
	const {dims} = object, lists = perDimNames.filter(name => Array.isArray(object[name]) && object[name].length === dims?.length);
	if (!dims?.length || lists.length < 2) return null;
	return dims.map((dim, i) => Object.fromEntries(lists.map(name => [ofDim[name], object[name][i]])));
};

const own = (table, name) => Object.hasOwn(table, name) ? table[name] : undefined; // names of a document may be any
const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value);
const isEmpty = value => value === null || value === undefined || value === "" || typeof value === "object" && Object.values(value).every(isEmpty);

// A verdict is yes or no, and why; flags are names that hold or not.
const isVerdict = value => isObject(value) && typeof value.why === "string" && "result" in value;
const isFlags = value => isObject(value) && Object.entries(value).every(([name, on]) => typeof on === "boolean" || name === "why_not");
const verdict = ({result, why}, {whole}) => `${result}${why ? `: ${whole ? why : clause(why)}` : ""}`;
const clause = why => why.split("; ", 1)[0];

// valueNodes returns what a row or a cell of a table shows of a value.
const valueNodes = (name, value, context) => {
	if (Array.isArray(value)) return listNodes(name, value, context);
	if (!isObject(value)) return scalarNodes(name, value, context);
	if (isVerdict(value)) return linked(verdict(value, context));
	if (isFlags(value)) return [rowsNodes(reasons(value, context), context)];
	const inner = Object.values(value).filter(inner => !isEmpty(inner));
	if (inner.every(isVerdict)) return [rowsNodes(verdicts(value, context), context)];
	if (inner.length > 1 && inner.every(isObject)) return [tableNodes(name, Object.entries(value).map(([key, of]) => ({"": label(key), ...of})), context)];
	return [rowsNodes(value, context)];
};

const reasons = ({why_not: why = {}, ...flags}, {whole}) => Object.fromEntries(Object.entries(flags)
	.filter(([name]) => whole || name !== "c_strict" && !/^defined for/.test(own(why, name)?.why))
	.map(([name, on]) => [name, on ? "yes" : own(why, name)?.why ? `no: ${why[name].why}` : "no"]));

// verdicts returns first who says yes without conditions, as one row.
const verdicts = (value, context) => {
	const texts = Object.entries(value).filter(([, value]) => !isEmpty(value)).map(([name, value]) => [name, verdict(value, context)]);
	return {yes: texts.filter(([, text]) => text === "yes").map(([name]) => label(name)).join(", "), ...Object.fromEntries(texts.filter(([, text]) => text !== "yes"))};
};

const listNodes = (name, list, context) => {
	if (list.every(isObject)) return [tableNodes(name, list, context)];
	if (code.includes(name)) return [["pre", {tabindex: "0"}, list.join("\n")]];
	if (list.length > 1 && list.some(value => typeof value === "string" && value.length > 24)) return [["ul", {}, ...list.map(value => ["li", {}, ...scalarNodes(name, value, context)])]];
	if (list.every(value => typeof value === "string") && !/shape|dims|symbols/.test(name)) return linked(list.join(", "));
	return [tuple(list)];
};

const code = ["fixes", "make", "back"]; // names of lines of programs
const tuple = list => `(${list.map(value => Array.isArray(value) ? tuple(value) : isObject(value) ? tuple(Object.values(value)) : String(value)).join(", ")}${list.length === 1 ? "," : ""})`;

const scalarNodes = (name, value, context) => {
	if (typeof value === "boolean") return [value ? "yes" : "no"];
	if (typeof value === "string" && !quantity.test(value)) return linked(value);
	const unit = Object.keys(units).find(unit => name === unit || name.endsWith("_" + unit) || name.startsWith(unit + "_"));
	return [unit ? units[unit](value) : String(value)];
};

const quantity = /^-?\d{16,}$/; // an integer beyond 2⁵³
const bytes = value => value < 10_000 || typeof value === "string" ? `${value} B` : `${value} B (${scaled(value, 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"])})`;
const scaled = (value, base, names) => {
	const power = Math.min(names.length, Math.floor(Math.log(value) / Math.log(base)));
	return `${Number((value / base ** power).toPrecision(4))} ${names[power - 1]}`;
};
const seconds = value => {
	const [scale, unit] = [[1, "s"], [1e3, "ms"], [1e6, "µs"]].find(([scale]) => value * scale >= 1) ?? [1e9, "ns"];
	return `${Number((value * scale).toPrecision(3))} ${unit}`;
};
const units = {bytes, nbytes: bytes, itemsize: bytes, seconds, gbps: value => `${Number(value).toPrecision(3)} GB/s`, elems: value => `${value} elements`, bits: value => `${value} bits`,
	score: value => value.toFixed(2), share: value => `${(100 * value).toFixed(1)}%`};

// label returns a name as people write it.
const label = name => own(spellings, name) ?? name.replace(/_(bytes|elems)$/, "").replaceAll("_", " ");
const spellings = {pytorch: "PyTorch", numpy: "NumPy", dlpack: "DLPack", jax: "JAX", onednn: "oneDNN", cudnn: "cuDNN", tensorrt: "TensorRT", megengine: "MegEngine", directml: "DirectML",
	tensorflow: "TensorFlow", onnxruntime: "ONNX Runtime", tma: "TMA", cute: "CuTe", tvm: "TVM", xla: "XLA", openvino: "OpenVINO", executorch: "ExecuTorch", ggml: "GGML", mlx: "MLX", cann: "CANN",
	c: "C", f: "F", channels_last: "channels_last", channels_last_3d: "channels_last_3d", accepted_by: "zero-copy", nbytes: "size", numel: "elements", dtype: "type",
	memory_is_same: "same bytes", fixes: "write", copy_code: "write", make: "statements", commands: "next", "start and steps": "steps", "before and after": "layouts", "a and b": "sources", gbps: "throughput", seconds: "time"};

// tableNodes returns a table, a row for each object, or cards with the names of the columns in them, as on narrow pages.
const tableNodes = (name, list, context) => {
	const cut = list.slice(0, longest).map(merged), chosen = context.whole ? undefined : own(columns, name);
	const shown = (chosen ?? [...new Set(cut.flatMap(Object.keys))].filter(column => column === "source" || !silent.includes(column)))
		.filter(column => cut.some(row => !isEmpty(row[column])));
	const rows = chosen ? cut.filter(row => shown.slice(1).some(column => !isEmpty(row[column]))) : cut;
	const cell = (row, column) => ["td", {"data-term": label(column)}, ...cellNodes(column, row, context)];
	const body = rows.map(row => ["tr", {}, ...shown.map(column => isEmpty(row[column]) ? ["td", {class: "empty"}] : cell(row, column))]);
	const left = list.length - cut.length;
	const kind = form(shown, body), scrolls = !kind && !JSON.stringify(body).includes('"href"'); // or its links have the keyboard's focus
	return ["div", {class: `table${kind}`, ...scrolls ? {tabindex: "0"} : {}},
		["table", {}, ["thead", {}, ["tr", {}, ...shown.map(column => ["th", {scope: "col"}, label(column)])]], ["tbody", {}, ...body]],
		...left > 0 ? [["p", {}, `… and ${left} more: JSON has all`]] : []];
};

// form says how a table is shown: "small" as a table everywhere, "cards" as cards everywhere.
const form = (shown, body) => {
	if (shown.length > widest || shown.some(column => code.includes(column))) return " cards";
	const width = column => Math.max(label(shown[column]).length, ...body.map(([,, ...cells]) => textOf(cells[column]).length));
	return shown.reduce((sum, _, column) => sum + width(column) + 2, 0) < phone ? " small" : "";
};
const widest = 9, phone = 40; // columns of a table, and characters of a line
const textOf = node => typeof node === "string" ? node : node.slice(2).map(textOf).join(" ");
const longest = 100; // rows of a table

// merged returns an object with what lists of one object in it say.
const merged = object => Object.fromEntries(Object.entries(object).flatMap(([name, value]) =>
	Array.isArray(value) && value.length === 1 && isObject(value[0]) ? Object.entries(value[0]) : [[name, value]]));

// cellNodes returns a cell: the name of a tensor, or of a source, inspects it.
const cellNodes = (column, row, context) => {
	const value = row[column];
	if (column === "source" && value) return [link(value, quoted(value))];
	if (column === "name" && context.source && row.dtype) return [link(value, quoted(`${context.source}:${value}`))];
	if (column === "why" && !context.whole && value) return linked(clause(value));
	if (isFlags(value)) return [Object.keys(value).filter(name => value[name] === true).map(label).join(", ") || "no"];
	return valueNodes(column, value, context);
};

// moreNodes returns the text's line "more: --all, …", whose flags ask the same question with them.
const moreNodes = (text, args) => {
	const [, line] = /^more: (.*(?:\n  .*)*)/m.exec(text) ?? [];
	if (!line) return [];
	const parts = line.replace(/\n\s+/g, " ").split(/([,;] (?=--|-o|tlayout|\S+ assumed))/);
	const more = part => /^--?[a-z]/.test(part) && !/\b[A-Z]{2,}|N,/.test(part) ? [link(part, [...args.map(quoted), part].join(" "))] : linked(part);
	return [["p", {class: "more"}, "more: ", ...parts.flatMap(more)]];
};

// linked returns a text, with a link for each command line in it.
const linked = text => {
	const nodes = [], commands = /tlayout (?=-|[a-z]+ ?|')/g;
	let end = 0;
	for (let found = commands.exec(text); found; found = commands.exec(text)) {
		const line = commandAt(text.slice(found.index).split("\n", 1)[0]);
		if (!line || / -$|[|<>]/.test(line.replace(/'[^']*'/g, ""))) continue; // for a shell
		nodes.push(text.slice(end, found.index), link(line, line.slice("tlayout ".length)));
		commands.lastIndex = end = found.index + line.length;
	}
	return [...nodes, text.slice(end)].filter(Boolean);
};

// commandAt returns the command line with which a text begins: prose may follow it, as in "tlayout inspect --help lists the flags".
const commandAt = text => {
	const words = text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
	let count = 1;
	while (count < words.length && belongs(words, count)) count++;
	const length = words.slice(0, count).reduce((from, word) => text.indexOf(word, from) + word.length, 0);
	return count > 2 || count > 1 && /[^a-z,;:]/.test(words[1]) ? text.slice(0, length).replace(/[,;:]$/, "") : "";
};

const belongs = (words, i) => {
	const before = words[i - 1], prose = /^[a-z]+[,;:]?$|^#/.test(words[i]);
	if (/[,;]$/.test(before)) return false;
	return !prose || i === 1 || ["help", "json", "formats"].includes(before) && !verbs.includes(words[i]) || /^--?[a-z-]+$/.test(before) && !switches.includes(before);
};
const verbs = ["lists", "shows", "explains", "computes", "counts", "has", "says", "and", "or"];
const switches = ["--help", "-h", "--all", "--json", "--explain", "--raw", "--values", "--packed"];

const link = (text, line) => ["a", {href: fragment(line)}, text];

// readingNodes returns what a text was read as, and what else it may be, as links; nothing for a file or a layout, which say it themselves.
const readingNodes = readings => {
	if (readings.length < 2 && (!readings[0] || readings[0].args[0] === "inspect" && !readings[0].assumed)) return [];
	const said = ({as, args, assumed}) => [link(as, args.map(quoted).join(" ")), ...assumed ? [`, with ${assumed}`] : []];
	return [["p", {class: "reading"}, "Read as ", ...readings.flatMap((reading, i) => [...i ? ["; or as "] : [], ...said(reading)])]];
};

// textNodes returns a text as it is printed, where lines that are commands ask them.
const textNodes = text => ["pre", {tabindex: "0"}, ...text.split(/(?<=(?<!\\)\n)/).map(line => {
	const [, command] = /^tlayout ((?:\\\n|[^#\n])+)/.exec(line) ?? [];
	return command ? link(line, command.replaceAll("\\\n", "").trim()) : line;
})];

// messageNodes returns errors, warnings and hints as rows, without hints for a shell.
const messageNodes = text => {
	const messages = text.split(/^tlayout: /m).filter(Boolean).map(message => /^(error|warning|hint|note): ([^]*)/.exec(message) ?? [, "", message]);
	const here = messages.filter(([, kind, message]) => kind !== "hint" || !/standard input|\bshell\b/.test(message));
	return ["dl", {class: "rows"}, ...here.map(([, kind, message]) => row(kind, linked(message.trim())))];
};

// serialize returns nodes as HTML, in a document whose links ask at an address.
const serialize = (nodes, address = "") => nodes.map(node => {
	if (typeof node === "string") return escapedText(node);
	const [tag, attributes, ...children] = node;
	const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapedText(name === "href" && value.startsWith("#") ? address + value : value)}"`);
	return `<${tag}${pairs.join("")}>${serialize(children, address)}</${tag}>`;
}).join("");

const entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
const escapedText = text => text.replace(/[&<>"]/g, c => entities[c]);
