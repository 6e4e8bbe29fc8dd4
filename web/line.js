"use strict";

// A command line as text: what the box, a link and a shell hold.

// splitLine returns the arguments of a line as a POSIX shell would, without variables and patterns; null if a quotation is open.
const splitLine = line => {
	const args = [];
	let arg = null, quote = "";
	for (let i = 0; i < line.length; i++) {
		const c = line[i];
		if (quote) {
			if (c === quote) quote = "";
			else if (c === "\\" && quote === '"' && '"\\$`'.includes(line[i + 1] ?? "\0")) arg += line[++i];
			else arg += c;
		} else if (c === "'" || c === '"') quote = c, arg ??= "";
		else if (c === "\\" && i + 1 < line.length) arg = (arg ?? "") + line[++i];
		else if (/\s/.test(c)) {
			if (arg !== null) args.push(arg);
			arg = null;
		} else arg = (arg ?? "") + c;
	}
	if (quote) return null;
	return arg === null ? args : [...args, arg];
};

// quoted returns an argument as a shell reads it.
const quoted = arg => /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;

// argumentsOf returns the arguments, and the standard input, that a text stands for. It is a command line if it begins with tlayout, a command,
// a flag or one of these files, if its second word is a flag, or if it is one quotation, with flags or without. Otherwise it is one argument,
// as when it was pasted, or standard input of why if it is long.
const argumentsOf = (text, commands, files) => {
	const line = text.trim().replaceAll("\\\n", ""), args = splitLine(line);
	if (/^(\$\s*)?tlayout(\s|$)/.test(line) && args) return {args: args.slice(args.indexOf("tlayout") + 1)};
	const first = args?.[0] ?? "", flag = arg => /^--?[a-zA-Z]/.test(arg);
	const named = commands.includes(first) || files.some(name => first === name || first === "./" + name || first.startsWith(name + ":"));
	if (args && (named || flag(first) || args.length > 1 && flag(args[1]) || /^['"]/.test(line) && args.slice(1).every(flag))) return {args};
	if (line.length > longest) return {args: ["why", "-"], input: line};
	return {args: line ? [line] : []};
};

const longest = 4000; // letters of an argument; Go allows 8 KiB for all

// fragment returns the part of the address that holds a question; questionIn is its inverse.
const fragment = line => "#" + encodeURIComponent(line.toWellFormed());
const questionIn = hash => {
	try { return decodeURIComponent(hash.slice(1)); } catch { return hash.slice(1); }
};

// plainName returns the name of a dropped file as the program sees it: without folders and control characters.
const plainName = name => name.replace(/[\/\p{Cc}]/gu, "_") || "_";

// sourceOf returns a file as a command line that inspects it.
const sourceOf = (name, commands) => commands.includes(name) || /^[-#]/.test(name) ? `inspect ${quoted("./" + name)}` : quoted(name);
