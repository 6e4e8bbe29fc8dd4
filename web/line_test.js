"use strict";

const assert = require("node:assert"), {execFileSync} = require("node:child_process"), {test} = require("node:test");
const {splitLine, quoted, argumentsOf, sourceOf, plainName, fragment, questionIn} = require("./load_test.js")("line.js",
	"splitLine", "quoted", "argumentsOf", "sourceOf", "plainName", "fragment", "questionIn");

// shell returns the arguments that sh reads in each of some lines.
const shell = lines => {
	const script = lines.map(line => `printf '%s\\0' x ${line}\nprintf '\\1'`).join("\n");
	return execFileSync("sh", ["-c", script], {encoding: "utf8"}).split("\u0001").slice(0, -1).map(line => line.split("\0").slice(1, -1));
};

// any returns one of a list, the same ones each time.
let seed = 1;
const any = list => list[(seed = seed * 48271 % 2147483647) % list.length];

test("a line has the arguments that a shell reads", () => {
	const lines = [String.raw`a b`, String.raw` a  b `, String.raw`'a b' "c d"`, String.raw`"a \$b" \$c`, String.raw`"a \"b\" \\ \q"`, String.raw`'a\b' a\ b a\\b`, "''", `""`, `a''b "c"'d'`,
		String.raw`"\`a\`"`, "a\\\nb 'c\\\nd' \"e\\\nf\"", "a\tb", String.raw`'it'\''s'`, String.raw`-o 'x y.svg' --at 0,1`, String.raw`"''" '""'`];
	const parts = ["a", "x.npy", " ", "\t", "'$b \\ \"'", `"c 'd'"`, String.raw`"\$e \\ \" \f"`, String.raw`\ `, String.raw`\"`, String.raw`\\`, String.raw`\$`, "\\\n", "''"];
	for (let i = 0; i < 300; i++) lines.push(Array.from({length: 1 + i % 7}, () => any(parts)).join("") + "z");
	shell(lines).forEach((args, i) => assert.deepStrictEqual(splitLine(lines[i]), args, JSON.stringify(lines[i])));
	for (const open of ["'a", `"a`, `a 'b" c`, String.raw`"a\"`]) assert.strictEqual(splitLine(open), null, open);
});

test("a quoted argument is one argument of a shell, and of a line", () => {
	const args = ["", "a", "a b", "it's", `"`, "$HOME", "`a`", "a\\", "*", "#x", "~", "-x", "a\nb", "ü", "!", "(2,3):(3,1)", "=x", "&", "x;y"];
	const line = args.map(quoted).join(" ");
	assert.deepStrictEqual(splitLine(line), args);
	assert.deepStrictEqual(shell([line])[0], args);
});

test("a text is a command line, or one argument", () => {
	const commands = ["inspect", "draw", "why"], files = ["x.npy", "a b.pt"];
	for (const [line, args] of [
		["", []], ["  ", []], ["tlayout", []], ["tlayout draw x", ["draw", "x"]], ["$ tlayout --shape 2,3", ["--shape", "2,3"]], ["draw --shape 2,3", ["draw", "--shape", "2,3"]],
		["--shape 2,3", ["--shape", "2,3"]], ["-h", ["-h"]], ["-1 is no flag", ["-1 is no flag"]], ["nhwc --all", ["nhwc", "--all"]],
		["x.npy", ["x.npy"]], ["./x.npy --all", ["./x.npy", "--all"]], ["x.npy:w y", ["x.npy:w", "y"]], ["'a b.pt'", ["a b.pt"]], ["'a b.pt' --all", ["a b.pt", "--all"]],
		["other.npy y", ["other.npy y"]], ["torch.Size([2, 3])", ["torch.Size([2, 3])"]], ["why 'view size' is", ["why", "view size", "is"]],
		["can't view", ["can't view"]], ["'a' b", ["'a' b"]], [`"a \\$b"`, ["a $b"]], ["tlayout's", ["tlayout's"]], ["draw \\\n x", ["draw", "x"]],
		["x".repeat(20_000), ["x".repeat(20_000)]],
	]) assert.deepStrictEqual(argumentsOf(line, commands, files), args, line.slice(0, 40));
});

test("the question that inspects a file asks about it, whatever its name", () => {
	const commands = ["inspect", "draw"];
	for (const name of ["x.npy", "a b'.npy", "-x.npy", "--all", "#x", "#x.npy", "draw", "inspect", `q".pt`, "$HOME", "<img>.npy"]) {
		const [first, second, ...rest] = argumentsOf(sourceOf(name, commands), commands, [name]);
		assert.deepStrictEqual(first === "inspect" ? [second, ...rest] : [first, ...rest], [first === "inspect" ? "./" + name : name], name);
		assert.strictEqual(first === "inspect", /^[-#]/.test(name) || commands.includes(name), name);
	}
	assert.strictEqual(plainName("a/b\0c\n"), "a_b_c_");
	assert.strictEqual(plainName(""), "_");
});

test("the address holds any question", {skip: !"".toWellFormed && "node before 20 lacks toWellFormed"}, () => {
	for (const line of ["", "why 'x y'", "100 % #&?", "ü\n\u{1f600}", "%zz"]) assert.strictEqual(questionIn(fragment(line)), line);
	assert.strictEqual(questionIn(fragment("\ud800")), "\ufffd");
	assert.strictEqual(questionIn("#%zz"), "%zz");
});
