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
			else if (c === "\\" && quote === '"' && '"\\$`\n'.includes(line[i + 1] ?? "\0")) arg += escaped(line[++i]);
			else arg += c;
		} else if (c === "\\" && line[i + 1] === "\n") i++; // a line that continues
		else if (c === "'" || c === '"') quote = c, arg ??= "";
		else if (c === "\\" && i + 1 < line.length) arg = (arg ?? "") + line[++i];
		else if (/\s/.test(c)) {
			if (arg !== null) args.push(arg);
			arg = null;
		} else arg = (arg ?? "") + c;
	}
	if (quote) return null;
	return arg === null ? args : [...args, arg];
};

// escaped returns what a character stands for behind a backslash in double quotes: a line break for nothing.
const escaped = c => c === "\n" ? "" : c;

// quoted returns an argument as a shell reads it.
const quoted = arg => /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;

// argumentsOf returns the arguments that a text stands for. It is a command line if it begins with tlayout, a command, a flag or one of these
// files, if its second word is a flag, or if it is one quotation, with flags or without. Otherwise it is one argument, as when it was pasted.
const argumentsOf = (text, commands, files) => {
	const line = text.trim(), args = splitLine(line);
	if (/^(\$\s+)?tlayout(\s|$)/.test(line) && args) return args.slice(args.indexOf("tlayout") + 1);
	const first = args?.[0] ?? "", flag = arg => /^--?[a-zA-Z]/.test(arg);
	const named = commands.includes(first) || files.some(name => first === name || first === "./" + name || first.startsWith(name + ":"));
	if (args && (named || flag(first) || args.length > 1 && flag(args[1]) || /^['"]/.test(line) && args.slice(1).every(flag))) return args;
	return line ? [line] : [];
};

// fragment returns the part of the address that holds a question; questionIn is its inverse.
const fragment = line => "#" + encodeURIComponent(line.toWellFormed());
const questionIn = hash => {
	try { return decodeURIComponent(hash.slice(1)); } catch { return hash.slice(1); }
};

// plainName returns the name of a dropped file as the program sees it: without folders and control characters.
const plainName = name => name.replace(/[\/\p{Cc}]/gu, "_") || "_";

// sourceOf returns a file as a command line that inspects it.
const sourceOf = (name, commands) => commands.includes(name) || /^[-#]/.test(name) ? `inspect ${quoted("./" + name)}` : quoted(name);
