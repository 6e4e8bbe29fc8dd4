"use strict";

// What the program answers to the command lines of questions.

const fs = require("node:fs"), path = require("node:path");
const {web, each} = require("./program.js");
const {cut, plain} = require("./render.js");
const {argumentsOf, documentsOf} = web;

const root = path.join(__dirname, "..");
const read = (...names) => fs.readFileSync(path.join(root, ...names), "utf8");

// Command lines that the page of the program cannot run, and files that it lacks: it has samples.
const {words, files} = JSON.parse(read("site", "beyond.json")), beyond = new RegExp(words), ofFiles = new RegExp(files);
const samples = JSON.parse(/^const samples = (\[.*\]);/m.exec(read("web", "given.js"))[1]);
const sample = new RegExp(`(?<![\\w./-])(${samples.map(name => name.replace(".", "\\.")).join("|")})`, "g");

// runs says whether the page of the program runs a command line, as run of hooks.py does. A pasted text is one argument.
const runs = ({line, args}) => {
	if (args[0] === line) return true;
	return !ofFiles.test(line.replace(sample, "")) && !beyond.test(line.replace(/'[^']*'|"[^"]*"/g, ""));
};

// What a machine measures, and pages leave out, as they do a plan's "predicted".
const measured = /, about \S+ (?:ns|µs|ms|s)\b/g;

// answered adds to a command line what the program prints: text and err, and the documents of --json.
const answered = async (run, part) => {
	const [command] = part.args;
	if (command === "bench") return {...part, text: part.documented, err: "", documents: []};
	const {out, err} = await run(part.args), once = ["convert", "draw"].includes(command); // it writes a file, or has a picture
	const json = once ? "" : (await run([...part.args, "--json"])).out;
	const documents = documentsOf(json).map(({predicted, cells, ...document}) => document); // the drawing shows cells
	return {...part, text: out.replace(measured, ""), err, documents};
};

// answerAll adds the answers to questions. A command of a document may read what an earlier one wrote, so these run one after the other. next are
// the answers to the commands that a first answer names.
const answerAll = async (run, questions, commands) => {
	const answer = async question => {
		const parts = [];
		for (const part of question.parts) parts.push(part.line ? await answered(run, part) : part);
		question.parts = parts;
		question.asked = parts.filter(part => part.line);
		const lines = (question.asked[0].documents[0]?.commands ?? []).map(line => line.replace(/ +# .*/, ""));
		question.next = await Promise.all(lines.map(line => answered(run, {line, args: argumentsOf(line, commands, samples)})));
		question.description = sentenceOf(question);
	};
	for (const question of questions.filter(({group}) => group === "questions")) await answer(question);
	await each(questions.filter(({group}) => group !== "questions"), answer);

	for (const {line, args} of questions.flatMap(({asked}) => asked).filter(runs)) {
		const again = argumentsOf(line, commands, samples);
		if (again.join("\n") !== args.join("\n")) throw new Error(`the page of the program reads ${line} as ${again}`);
	}
};

// sentenceOf returns the answer in a sentence, for a description: of a document's question, its first paragraph.
const sentenceOf = ({parts: [first], asked: [{documents, text, err}]}) => {
	const prose = typeof first === "string" ? plain(first) : "", [top = "", second = ""] = text.split("\n").filter(Boolean);
	const refusal = err.replace(/^tlayout: \w+: /gm, "").trim().replaceAll("\n", "; ");
	return cut(prose || documents[0]?.answer || [top, second].filter(Boolean).join("; ") || refusal, 160);
};

module.exports = {read, runs, answered, answerAll};
