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

// argumentsOf returns the arguments that a text in the box stands for: those of a command line if its first word is a command, a flag or
// one of these files, or a quotation; otherwise the text is one argument, as when it was pasted.
const argumentsOf = (text, commands, files) => {
	const line = text.trim().replace(/^\$?\s*tlayout\s+/, ""), args = splitLine(line), first = args?.[0] ?? "";
	const names = name => first === name || first.startsWith(name + ":");
	if (args && (commands.includes(first) || files.some(names) || /^-|^['"]/.test(line))) return args;
	if (args && args.some(arg => /^--\w/.test(arg))) return args;
	return line ? [line] : [];
};

// fragment returns the part of the address that holds a question; questionIn is its inverse.
const fragment = line => "#" + encodeURIComponent(line);
const questionIn = hash => {
	try { return decodeURIComponent(hash.slice(1)); } catch { return hash.slice(1); }
};

// plainName returns a file's name without what a shell or tlayout would read as something else.
const plainName = name => name.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^-+/, "");
