"use strict";

// Questions as HTML.

const {fragment, questionIn, answerNodes, messageNodes, serialize, escapedText: escaped} = require("./program.js").web;

const GROUPS = {questions: "Questions", messages: "Error messages", layouts: "Named layouts", atoms: "Threads of tensor cores"};

// cut shortens a text to whole words.
const cut = (text, length) => {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length <= length ? line : line.slice(0, length).replace(/\s\S*$/, "") + "…";
};

// plain returns Markdown without its marks; inline returns it as HTML, whose links to documents begin in q.
const marks = /`([^`]*)`|\*([^*\s][^*]*)\*|\[([^\]]*)\]\(([\w-]+)\.md(#[^)]*)?\)/g;
const plain = text => text.replace(marks, (_, code, word, link) => code ?? word ?? link);
const inline = text => escaped(text).replace(marks, (_, code, word, link, page, anchor = "") => {
	if (code !== undefined) return `<code>${code}</code>`;
	return word === undefined ? `<a href="../docs/${page}.html${anchor}">${link}</a>` : `<em>${word}</em>`;
});

// head returns what is before the body of a page in a folder below the site.
const head = ({title, description, address, picture, scripts}) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(description)}">
<link rel="canonical" href="${address}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="tlayout">
<meta property="og:url" content="${address}">
<meta property="og:title" content="${escaped(title)}">
<meta property="og:description" content="${escaped(description)}">
<meta property="og:image" content="${picture}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../picture.css">
<link rel="stylesheet" href="../page.css">
<link rel="stylesheet" href="question.css">
${scripts.map(script => `<script src="${script}" defer></script>\n`).join("")}</head>
<body>
<header>
<p class="home"><a href="../">tlayout</a></p>
<nav aria-label="Site"><a href="./">All questions</a> <a href="../docs/">Docs</a> <a href="https://github.com/tlayout/tlayout">Source</a></nav>
</header>
<main>
`;

const foot = `</main>
<footer><p>Printed by tlayout, which also runs <a href="../">in your browser</a> and <a href="../docs/readme.html#install">at a terminal</a>.</p></footer>
</body>
</html>
`;

// questionPage returns the page of a question. runs says whether the page of the program can run a command line; pageOf returns the file of the
// page that a line has, if any.
const questionPage = (question, {drawing, related, documentTitle, runs, pageOf, address, picture}) => {
	const line = question.asked.find(runs)?.line ?? "";
	const figure = figureOf(drawing);
	const [first] = question.asked, early = ["layouts", "atoms"].includes(question.group);
	const several = question.asked.length > 1, shown = {runs, pageOf, early};
	const body = question.parts.map(part => {
		if (!part.line) return `<p>${inline(part)}</p>\n`;
		return (several ? commandOf(part, runs) : "") + answer(part, {...shown, figure: part === first ? figure : ""});
	});
	return head({title: question.title, description: question.description, address, picture,
		scripts: ["../line.js", "ask.js", ...drawing ? ["../pointing.js", "point.js"] : []]}) +
		box(line) + `<h1>${inline(question.heading)}</h1>\n${question.note ? `<p>${inline(question.note)}</p>\n` : ""}` +
		body.join("") + relatedOf(question, related, documentTitle) + foot;
};

// nodesOf returns an answer as nodes, which begin with a sentence: of a refusal, that of the error.
const nodesOf = ({documents, text, err, args}) => {
	const [, error, more] = /^tlayout: error: (.*)\n([^]*)/.exec(err) ?? [];
	if (!text && error) return [["p", {class: "head"}, error], ...more ? [messageNodes(more)] : []];
	const messages = err ? [messageNodes(err)] : [], [head, ...rows] = answerNodes(documents, text, args);
	if (!documents.length) return [...head ? [head] : [], ...messages];
	return [head[2] ? head : ["p", {class: "head"}, text.split("\n", 1)[0]], ...rows, ...messages];
};

const drawnOf = ({svg, status}) => `<div class="drawing">\n${svg}</div>\n${status}\n`;
const figureOf = drawing => drawing ? `<figure class="picture">\n${drawnOf(drawing)}</figure>\n` : "";

const box = line => `<form id="ask">
<label for="box">${line ? "Change the question" : "Ask about yours: a layout, strides, an error message"}: the program loads then, and runs in this browser</label>
<div class="box"><span aria-hidden="true">tlayout</span>
<textarea id="box" rows="${Math.ceil(line.length / 80) || 1}" spellcheck="false" autocapitalize="off" autocomplete="off">${escaped(line)}</textarea>
<a id="run" href="../${line && fragment(line)}">Run</a></div>
</form>
`;

// commandOf returns a command line above its answer, with which it runs where it can.
const commandOf = (part, runs) => {
	const code = `<code>tlayout ${escaped(part.line)}</code>`;
	return `<p class="command">${runs(part) ? `<a href="../${fragment(part.line)}">${code}</a>` : code}</p>\n`;
};

// answer returns a command line and its answer, in rows and as printed. A figure follows the rows, or early the sentence above them.
const answer = (part, {runs, pageOf, figure, early}) => {
	const {line, args, text, err} = part, command = `tlayout ${args.length === 1 && args[0] === line ? quotedLine(line) : line}`;
	const [sentence, ...rows] = nodesOf(part).map(node => linked(serialize([node], "../"), pageOf));
	const testdata = '<a href="https://github.com/tlayout/tlayout/tree/main/testdata">testdata</a>';
	const note = runs(part) ? "" : `<p class="quiet">It reads or writes files, or measures: run it in ${testdata} at a terminal.</p>\n`;
	const printed = text + err;
	const panel = (...html) => html.join("") ? `<div class="answer">\n${html.join("\n")}\n</div>\n` : "";
	return (early && figure ? panel(sentence) + figure + panel(...rows) : panel(sentence, ...rows) + figure) + note +
		`<details class="printed"><summary>At a terminal</summary><pre tabindex="0"><b>$ ${escaped(command)}</b>\n${escaped(printed)}</pre></details>\n`;
};

// withFirst returns the page of the program with the answer to its first example where the program's own will be, and a link to all questions.
const withFirst = (html, title, answer, drawing) => {
	const [sentence, ...rows] = nodesOf(answer).map(node => serialize([node]));
	const parts = {
		'<section id="answer" aria-labelledby="asked" hidden>': '<section id="answer" aria-labelledby="asked">',
		'<h2 id="asked"></h2>': `<h2 id="asked">${escaped(title)}</h2>`,
		'<div id="head"></div>': `<div id="head">${sentence}</div>`,
		'<figure id="picture" class="picture" hidden></figure>': `<figure id="picture" class="picture">${drawnOf(drawing)}</figure>`,
		'<div id="rows"></div>': `<div id="rows">${rows.join("")}</div>`,
		'<a href="docs/">Docs</a>': '<a href="q/">Questions</a> <a href="docs/">Docs</a>',
	};
	for (const [empty, filled] of Object.entries(parts)) {
		if (!html.includes(empty)) throw new Error(`web/index.html has no ${empty}`);
		html = html.replace(empty, () => filled);
	}
	return html;
};

// linked returns HTML whose links to questions lead to their pages, where they have one.
const linked = (html, pageOf) => html.replace(/ href="\.\.\/(#[^"]*)"/g, (link, hash) => {
	const page = pageOf(questionIn(hash.replaceAll("&amp;", "&")));
	return page ? ` href="${page}"` : link;
});

const quotedLine = line => `'${line.replaceAll("'", "'\\''")}'`;

// item returns a line of a list of questions.
const item = ({file, heading, note}) => `<li><a href="${file}">${inline(heading)}</a>${note ? ` <span class="quiet">${escaped(note)}</span>` : ""}</li>\n`;

const relatedOf = (question, related, documentTitle) => `<section class="related" aria-labelledby="related">
<h2 id="related">Related</h2>
<ul>
${related.map(other => item({...other, heading: cut(other.heading, 120)})).join("")}<li>In the documents: <a href="../docs/${question.document}">${escaped(documentTitle)}</a></li>
</ul>
</section>
`;

// indexPage returns the page that lists all questions.
const indexPage = (questions, {address, picture}) => {
	const description = `${questions.length} questions about memory layouts of tensors: error messages, NCHW and NHWC, names in frameworks, threads of tensor cores.`;
	const listOf = list => `<ul>\n${list.map(({file, heading, called = heading, order}) => item({file, heading: called, note: order})).join("")}</ul>\n`;
	const lists = Object.entries(GROUPS).map(([group, title]) => {
		const list = questions.filter(question => question.group === group), kins = [...new Set(list.map(({kin: [first]}) => first))];
		const partOf = kin => `<h3>${kin === "kind" ? "Any framework" : escaped(kin)}</h3>\n${listOf(list.filter(({kin: [first]}) => first === kin))}`;
		return `<h2 id="${group}">${title}</h2>\n${kins.length > 1 ? kins.map(partOf).join("") : listOf(list)}`;
	});
	const links = Object.entries(GROUPS).map(([group, title]) => `<a href="#${group}">${title}</a>`).join(" · ");
	return head({title: "Questions about memory layouts of tensors", description, address, picture, scripts: []}) +
		`<h1>Questions about memory layouts</h1>\n<p>${links}</p>\n<div class="index">\n${lists.join("")}</div>\n` + foot;
};

module.exports = {questionPage, withFirst, indexPage, cut, plain};
