"use strict";

const assert = require("node:assert"), fs = require("node:fs"), {test} = require("node:test");
const load = require("./load_test.js"), {questionIn} = load("line.js", "questionIn");
const {answerNodes, documentsOf, messageNodes, textNodes, serialize, linked, textOf, readingNodes} = load("answer.js",
	"answerNodes", "documentsOf", "messageNodes", "textNodes", "serialize", "linked", "textOf", "readingNodes");

// linksIn returns the questions of the links in a node.
const linksIn = node => typeof node === "string" ? [] : [...node[0] === "a" ? [questionIn(node[1].href)] : [], ...node.slice(2).flatMap(linksIn)];
const all = nodes => ({text: nodes.map(textOf).join("\n"), links: nodes.flatMap(linksIn)});

// leaves lists the texts and numbers of a document, but those that another name says, a picture shows, or the head has.
const unsaid = /^(schema|source|query|ok|picture|descr|why_not|division|layout_from|triton_register)$/;
const leaves = (value, name) => {
	if (unsaid.test(name)) return [];
	if (Array.isArray(value)) return value.slice(0, 100).flatMap(of => leaves(of, name)); // a table has as many rows
	if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([key, of]) => leaves(of, key));
	return typeof value === "string" && value ? [value] : typeof value === "number" ? [value] : [];
};

// answers are those of the program to the questions of web_test.go: {args, json, text}.
const answers = process.env.TLAYOUT_TEST_ANSWERS ? JSON.parse(fs.readFileSync(process.env.TLAYOUT_TEST_ANSWERS, "utf8")) : [];

test("an answer shows everything of its document", {skip: !answers.length && "TLAYOUT_TEST_ANSWERS names no answers"}, () => {
	for (const {args, json, text} of answers) {
		const documents = documentsOf(json), shown = all(answerNodes(documents, text, args)).text.replace(/\s+/g, " ");
		assert.ok(documents.length > 0, args);
		for (const document of documents) {
			for (const leaf of leaves(document, "")) {
				if (typeof leaf === "number" && !Number.isInteger(leaf)) continue; // in another unit
				assert.ok(shown.includes(String(leaf).replace(/\s+/g, " ")), `${args.join(" ")}: ${JSON.stringify(leaf)} is not shown`);
			}
		}
	}
});

test("the first line is the answer, and flags and tensors are links", {skip: !answers.length && "TLAYOUT_TEST_ANSWERS names no answers"}, () => {
	const at = question => {
		const {args, json, text} = answers.find(({args}) => args.join(" ") === question);
		return all(answerNodes(documentsOf(json), text, args));
	};
	const strides = at("--shape 8,3,4,4 --strides 48,1,12,3");
	assert.match(strides.text, /^tensor: float32 \(8, 3, 4, 4\), 1536 B, NHWC, channels_last contiguous\n/);
	assert.deepStrictEqual(strides.links, ["--shape 8,3,4,4 --strides 48,1,12,3 --all", "--shape 8,3,4,4 --strides 48,1,12,3 --explain"]);
	assert.ok(at("../testdata/model.pt").links.includes("../testdata/model.pt:embed.weight"));
	assert.deepStrictEqual(at("../testdata/x.npy ../testdata/photo.npy").links.slice(0, 2), ["../testdata/x.npy", "../testdata/photo.npy"]);
	assert.ok(at("guess ../testdata/dump.bin").links[0].startsWith("inspect ../testdata/dump.bin --raw --dtype uint8 "));
});

test("the head is the text before a table and before what is indented", () => {
	const head = text => textOf(answerNodes([{schema: "tlayout/trace/v1", start: {op: "start"}}], text, [])[0]).trim();
	assert.strictEqual(head("view(2,-1) is refused\n  that needs stride 60\n\nfloat32\n"), "view(2,-1) is refused");
	assert.strictEqual(head("x is a view\n\n step  shape\n"), "x is a view");
	assert.strictEqual(head(" step  shape\n start (2,3)\n"), "");
	assert.strictEqual(head("a\nb\nc\nd\ne\n"), "");
});

test("a trace begins with the call that made its tensor, and a plan says what to write", () => {
	const trace = {schema: "tlayout/trace/v1", start: {shape: [2, 3]}, made_by: "torch.zeros(2,3)", steps: [{op: "t()", shape: [3, 2]}], last_value: "(1, 3)"};
	const shown = all(answerNodes([trace], "", [])).text.replace(/\s+/g, " ");
	assert.match(shown, /last value \(1, 3\).* torch\.zeros\(2,3\) \(2, 3\) t\(\) \(3, 2\)/);
	assert.ok(!/start \(2, 3\)/.test(shown), shown);
	const plan = {schema: "tlayout/plan/v1", before: {layout: "NCHW"}, after: {layout: "NHWC"}, copy_code: [{framework: "PyTorch", make: ["y = x.permute(0, 2, 3, 1).contiguous()"]}]};
	assert.match(all(answerNodes([plan], "", [])).text.replace(/\s+/g, " "), /write .*PyTorch .*y = x\.permute/);
});

test("integers beyond 2⁵³ keep their digits", () => {
	const [document] = documentsOf(`{"schema": "tlayout/x/v1", "nbytes": 9223372036854775807, "s": "a: 9223372036854775807, \\"", "share": 0.1234567890123456789, "few": 12}`);
	assert.deepStrictEqual(document, {schema: "tlayout/x/v1", nbytes: "9223372036854775807", s: `a: 9223372036854775807, "`, share: 0.12345678901234568, few: 12});
	assert.match(all(answerNodes([document], "", [])).text, /9223372036854775807 B/);
	assert.deepStrictEqual(documentsOf(`{"a":1}\n{"a":2}\n`), [{a: 1}, {a: 2}]);
	assert.deepStrictEqual(documentsOf(""), []);
});

test("a command in a sentence is a link, without the sentence", () => {
	for (const [sentence, ...want] of [
		["tlayout check --help --all lists the flags", "check --help --all"], ["tlayout --help lists the commands", "--help"], ["use --from nhwc"],
		["list them with tlayout inspect model.pt", "inspect model.pt"], ["tlayout help json lists the documents", "help json"], ["tlayout help layouts lists the names", "help layouts"], ["tlayout formats nhwc", "formats nhwc"],
		["tlayout trace x.npy 'transpose(0,1)' 'reshape(-1)'; tlayout trace --help lists the steps", "trace x.npy 'transpose(0,1)' 'reshape(-1)'", "trace --help"],
		["a type is a source: tlayout 'f32[8,4]{0,1}'", "'f32[8,4]{0,1}'"], ["tlayout plan x.npy --to nhwc, or -o x.nhwc.npy", "plan x.npy --to nhwc"],
		["tlayout trace --shape 2,3,4 'view(8,3)'  # with your sizes", "trace --shape 2,3,4 'view(8,3)'"], ["tail -n 50 log | tlayout why -"], ["what tlayout does"], ["pass a file: tlayout x.npy; tlayout 'nchw to nhwc'; or so", "x.npy", "'nchw to nhwc'"], ["tlayout formats lists the known names"],
	]) assert.deepStrictEqual(all(linked(sentence)).links, want, sentence);
	assert.deepStrictEqual(all([textNodes("Next\ntlayout trace \\\n  --shape 2,3 T # names\nx\n")]).links, ["trace   --shape 2,3 T"]);
});

test("errors are rows, and hints for a shell are not shown", () => {
	const {text, links} = all([messageNodes("tlayout: error: unknown command \"x\"\ntlayout: hint: tlayout --help lists the commands\ntlayout: hint: pass - for standard input\n")]);
	assert.strictEqual(text.replace(/\s+/g, " "), 'error unknown command "x" hint tlayout --help lists the commands');
	assert.deepStrictEqual(links, ["--help"]);
});

test("a text says what it was read as, with links to the other readings", () => {
	const shape = {as: "a shape", args: ["inspect", "--shape", "60,1"], assumed: ""}, strides = {as: "strides", args: ["inspect", "--strides", "60,1"], assumed: "the shape (2, 3)"};
	const {text, links} = all(readingNodes([shape, strides]));
	assert.strictEqual(text.replace(/\s+/g, " "), "Read as a shape ; or as strides , with the shape (2, 3)");
	assert.deepStrictEqual(links, ["inspect --shape 60,1", "inspect --strides 60,1"]);
	for (const plain of [[], [shape]]) assert.deepStrictEqual(readingNodes(plain), []);
	assert.deepStrictEqual(all(readingNodes([{as: "an error message", args: ["why", "a b"], assumed: ""}])).links, ["why 'a b'"]);
});

test("nodes are HTML whose texts are no markup", () => {
	const nodes = [["p", {class: `"><script>`}, "<img src=x> & ", ["a", {href: "#a%20b"}, "a b"]], "</p>"];
	assert.strictEqual(serialize(nodes, "../"), '<p class="&quot;&gt;&lt;script&gt;">&lt;img src=x&gt; &amp; <a href="../#a%20b">a b</a></p>&lt;/p&gt;');
	const hostile = all(answerNodes([{schema: "tlayout/inspect/v1", source: "<b>", constructor: "c", __proto__: null, toString: "t", hasOwnProperty: "h", names: {"": ["<i>"]}}], "<u>\n\nrest", []));
	for (const text of ["<u>", "<i>"]) assert.ok(hostile.text.includes(text), text);
});
