"use strict";

// The files of a question: those that the reader gives, those that the program wrote, and the samples of the documents.

// samples are files of the site's folder files, which the program has on demand.
const samples = ["x.npy", "photo.npy", "weights.npz", "model.pt"];

// takeSamples gives the program the samples that arguments name, unless the reader gave a file of that name.
const takeSamples = async args => {
	for (const name of samples.filter(name => !engine.files.has(name) && args.some(arg => nameIn(arg) === name))) {
		const response = await fetch(`files/${name}`).catch(() => null); // the program says that the file is missing
		if (response?.ok) engine.drop(new File([await response.blob()], name), name);
	}
};

// nameIn returns the file that an argument names, which may name a tensor in it, or an element.
const nameIn = arg => arg.replace(/^\.\//, "").replace(/[:[].*/s, "");

// give gives the program files, and asks about them: what one holds, how two differ, what several hold.
const give = list => {
	const names = [...list].map(file => {
		const name = plainName(file.name);
		engine.drop(file, name);
		return name;
	});
	listFiles();
	const operands = names.map(name => /^[-#]/.test(name) || commands.includes(name) ? quoted("./" + name) : quoted(name));
	switch (names.length) {
		case 0: return;
		case 1: return type(sourceOf(names[0], commands), `guess ${operands[0]}`);
		case 2: return type(`diff ${operands.join(" ")}`);
		default: return type(`inspect ${operands.join(" ")}`);
	}
};

const listFiles = () => {
	const item = (name, title, act) => {
		const button = make("button", {type: "button", title}, name);
		button.addEventListener("click", act);
		return make("li", {}, button);
	};
	const items = [...engine.files.keys()].map(name => item(name, "Inspect", () => type(sourceOf(name, commands))));
	items.push(...written.map(name => item(`Save ${name}`, "Written by the program", async () => save(name, await engine.take(name)))));
	byId("dropped").replaceChildren(...items);
	byId("dropped").hidden = items.length === 0;
};

// askForFile asks the reader for the file that a question names and nobody gave, as in a link from another machine.
let wanted = "";
const askForFile = err => {
	const [, path] = /cannot open "((?:[^"\\]|\\.)+)": no such file/.exec(err) ?? [];
	wanted = path ? nameIn(path) : "";
	byId("missing").hidden = !wanted;
	if (wanted) byId("missing").firstElementChild.textContent = `This question is about ${wanted}, which is on the machine of whoever asked it first. If you have it:`;
};
byId("missing").lastElementChild.addEventListener("click", () => byId("chooser").click());

byId("chooser").addEventListener("change", event => {
	const files = [...event.target.files];
	event.target.value = ""; // so that the same file can be chosen again
	if (files.length !== 1 || !wanted || byId("answer").hidden) return give(files);
	engine.drop(files[0], wanted);
	ask(shown.line);
});

const hasFiles = event => event.dataTransfer.types.includes("Files");
document.addEventListener("dragover", event => { if (hasFiles(event)) event.preventDefault(); });
document.addEventListener("drop", event => {
	if (!hasFiles(event)) return;
	event.preventDefault();
	const folder = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry?.()).find(entry => entry?.isDirectory);
	if (folder) return say(`${folder.name} is a folder, which the page does not read: drop the files in it. At a terminal, tlayout ${quoted(folder.name)} reads all of it.`);
	give(event.dataTransfer.files);
});
