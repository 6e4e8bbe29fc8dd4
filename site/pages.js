"use strict";

// Writes a page for each question into SITE/q, with an index, previews, a map of the site and its 404:
//
//	node pages.js PROGRAM SITE ADDRESS
//
// PROGRAM is tlayout, SITE the folder of make site with its documents, ADDRESS the site's on the web. What the program prints of a question is its
// answer; equal programs write equal pages.

const crypto = require("node:crypto"), fs = require("node:fs"), os = require("node:os"), path = require("node:path");
const {web, programIn, each} = require("./program.js");
const questionsOf = require("./questions.js");
const {drawingOf, draw} = require("./drawing.js");
const {read, runs, answered, answerAll} = require("./answers.js");
const {questionPage, indexPage, withFirst} = require("./render.js");

const root = path.join(__dirname, ".."), [program, site] = process.argv.slice(2, 4).map(name => path.resolve(name)), address = process.argv[4];
const write = (name, text) => fs.writeFileSync(path.join(site, name), text);
const htmlIn = folder => fs.readdirSync(path.join(site, folder)).filter(name => name.endsWith(".html")).sort();

// allQuestions returns the questions, each with the name of its file.
const allQuestions = async run => {
	const documents = fs.readdirSync(path.join(root, "docs")).filter(name => name.endsWith(".md")).map(name => read("docs", name));
	const questions = [...questionsOf.documented(read("docs", "questions.md")), ...await questionsOf.messages(run), ...await questionsOf.layouts(run),
		...await questionsOf.atoms(run, documents.join("\n"))];
	const taken = new Set(["index"]);
	for (const question of questions) {
		const slug = question.name.toLowerCase().replace(/[^a-z0-9_]+/g, "-").replace(/^-|-$/g, "").slice(0, 70).replace(/-$/, "");
		let name = slug;
		for (let n = 2; taken.has(name); n++) name = `${slug}-${n}`;
		taken.add(name);
		question.file = `${name}.html`;
	}
	return questions;
};

// relatedTo returns questions with the same memory order, and eight neighbors, those of the same kin first.
const relatedTo = (question, questions) => {
	const at = questions.indexOf(question), others = questions.filter(other => other !== question && other.group === question.group);
	const same = others.filter(({order}) => order && order === question.order);
	const distance = other => Math.abs(questions.indexOf(other) - at) + (other.kin.some(name => question.kin.includes(name)) ? 0 : questions.length);
	const near = others.filter(other => !same.includes(other)).sort((a, b) => distance(a) - distance(b)).slice(0, 8);
	const item = note => other => ({file: other.file, heading: other.called ?? other.heading, note: note(other)});
	return [...same.map(item(({kin}) => `the same memory order, in ${kin.join(", ")}`)), ...near.map(item(({order}) => order))];
};

// preview writes a picture, equal ones once, and returns its address.
const preview = png => {
	const name = `q/picture/${crypto.createHash("sha256").update(png).digest("hex").slice(0, 12)}.png`;
	write(name, png);
	return address + name;
};

// titleOf returns the title of a document's page.
const titleOf = page => /^# (.*)/m.exec(read("docs", page.replace(/\.html.*/, ".md")))[1];

// writeMap writes the map of the site, which lists its pages, and robots.txt, which names the map.
const writeMap = () => {
	const pages = ["docs", "q"].flatMap(folder => htmlIn(folder).map(name => `${folder}/${name === "index.html" ? "" : name}`));
	const urls = ["", ...pages].map(name => `<url><loc>${address}${name}</loc></url>\n`).join("");
	write("sitemap.xml", `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`);
	write("robots.txt", `User-agent: *\nAllow: /\nSitemap: ${address}sitemap.xml\n`);
};

const main = async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tlayout-site"));
	process.on("exit", () => fs.rmSync(folder, {recursive: true}));
	fs.cpSync(path.join(root, "testdata"), folder, {recursive: true});
	fs.rmSync(path.join(site, "q"), {recursive: true, force: true});
	fs.mkdirSync(path.join(site, "q", "picture"), {recursive: true});

	const run = programIn(program, folder), commands = (await run(["__complete", ""])).out.match(/^[a-z]+(?=\t)/gm);
	const questions = await allQuestions(run);
	await answerAll(run, questions, commands);

	const fileOf = new Map(questions.flatMap(({asked, file}) => asked.map(({line}) => [line.toLowerCase(), file])));
	const pageOf = line => fileOf.get(line.toLowerCase());
	const other = preview((await draw(run, folder, ["draw", "--shape", "1,8,2,2", "--layouts", "nchw,nhwc,nchw4"])).png);
	await each(questions, async question => {
		const drawings = [...question.asked, ...question.next].map(({args, documents}) => drawingOf(args, documents, commands)).filter(Boolean);
		for (const args of drawings) question.drawing ??= await draw(run, folder, args);
		const {drawing} = question, picture = drawing ? preview(drawing.png) : other, related = relatedTo(question, questions);
		const page = {drawing, picture, related, documentTitle: titleOf(question.document), runs, pageOf, address: `${address}q/${question.file}`};
		write(`q/${question.file}`, questionPage(question, page));
	});
	write("q/index.html", indexPage(questions, {address: `${address}q/`, picture: other}));
	for (const name of ["ask.js", "point.js", "question.css"]) write(`q/${name}`, read("site", name));
	write("404.html", read("site", "404.html").replaceAll("{{address}}", address));
	writeMap();

	const [[title, line]] = web.examples, first = await answered(run, {line, args: web.argumentsOf(line, commands, [])});
	const drawing = await draw(run, folder, ["draw", ...first.args]);
	write("index.html", withFirst(fs.readFileSync(path.join(site, "index.html"), "utf8"), title, first, drawing));
	console.log(`${questions.length} questions, ${questions.filter(({drawing}) => drawing).length} with a drawing`);
};

main();
