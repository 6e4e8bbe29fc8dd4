"use strict";

// The questions that have a page, from the program's catalogues and the documents. A question is
//
//	{group, name, title, heading, called, note, kin, document, parts}
//
// name is what its file is named after; title is what people type into a search engine; called is its text in lists, if not the heading; kin are
// names that related questions have in common; document is the address of a page of docs. parts are texts of Markdown, and command lines
// {line, args, documented}: line is what the box holds, documented the output that the document has.

const {splitLine, quoted} = require("./program.js").web;

const asked = (...args) => ({line: args.map(quoted).join(" "), args});

const catalogue = async (run, ...args) => JSON.parse((await run([...args, "--json"])).out);

// messages returns the messages of why, and an example of each kind of complaint.
const messages = async run => {
	const {complaints, known} = await catalogue(run, "why");
	const about = ({example, message = example, framework, about = "", complaint = ""}) => ({
		group: "messages", name: message.slice(0, 60), title: framework ? `${message} (${framework})` : message, heading: message,
		kin: framework ? [framework] : ["kind"], note: complaint && `A complaint about ${about}: other numbers, names and words are answered too.`,
		document: "why.html", parts: [{line: message, args: [message]}],
	});
	return [...known, ...complaints].map(about);
};

// documented returns the questions of docs/questions.md, whose list at the top groups them.
const documented = text => text.split(/^## (?=\d+\. )/m).slice(1).map(section => {
	const [, number, heading] = /^(\d+)\. (.*)/.exec(section), blocks = section.split(/^```\n?/m);
	const [kin] = text.slice(0, text.indexOf(`[${heading}]`)).match(/(?<=^- ).*/gm).slice(-1);
	const parts = blocks.flatMap((block, i) => i % 2 ? commandsOf(block) : paragraphsOf(i ? block : block.replace(/.*\n/, "")));
	const plain = heading.replace(/[“”`]/g, "");
	const anchor = `${number}. ${heading}`.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
	return {group: "questions", name: plain, title: plain, heading, kin: [kin], document: `questions.html#${anchor}`, parts};
});

const paragraphsOf = text => text.split(/\n\n+/).map(paragraph => paragraph.trim()).filter(Boolean);

// commandsOf returns the commands of a block, with their outputs.
const commandsOf = block => block.split(/^\$ /m).slice(1).map(text => {
	const [command] = /^(?:.*\\\n)*.*/.exec(text), line = command.replace(/\\\n\s*/g, "").replace(/^tlayout /, "");
	return {line, args: splitLine(line), documented: text.slice(command.length + 1)};
});

// layouts returns the named layouts of all frameworks, names that differ in case only as one.
const layouts = async run => {
	const {entries} = await catalogue(run, "formats"), key = ({name}) => name.toLowerCase();
	return [...new Set(entries.map(key))].map(same => {
		const group = entries.filter(entry => key(entry) === same);
		const [{name, framework, memory_order: order, kind}] = group, kin = [...new Set(group.map(({framework}) => framework))];
		const unnamed = !/[a-z].*[a-z]/i.test(name) || name.length < 3; // such as {3,2,1,0}, c
		return {group: "layouts", name: unnamed ? `${framework} ${name}` : name, heading: `What is ${name}?`, called: name, kin, order, kind,
			title: `What is ${name}? ${order ? `Memory layout ${order}` : "A memory layout"} (${kin.join(", ")})`,
			document: "layouts.html", parts: [asked("formats", name)]};
	});
};

// atoms returns the operands of the atoms of threads that documents name.
const atoms = async (run, documents) => {
	const {atoms} = await catalogue(run, "threads"), words = new Set(documents.match(/[\w.:]+\w/g));
	const named = atoms.filter(({name, atom_parts: parts}) => [name, ...parts.map(part => `${name}:${part}`)].some(word => words.has(word)));
	return named.flatMap(({name, atom_parts: parts}) => (parts.length ? parts : [""]).map(part => {
		const spelled = part ? `${name}:${part}` : name, holder = /^t(mem|cgen05)/.test(name) ? "lane and column hold" : "thread holds";
		const title = `Which ${holder} which element of ${part ? `${part} in ` : ""}${name}?`;
		return {group: "atoms", name: spelled, called: spelled, title, heading: title, kin: ["atoms"], document: "threads.html", parts: [asked("threads", spelled)]};
	}));
};

module.exports = {messages, documented, layouts, atoms};
