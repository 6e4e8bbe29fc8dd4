"use strict";

// Loads a script of the page into this process, for the tests in node: require("./load_test.js")("line.js", "splitLine", "quoted") returns those of
// its names.
const fs = require("node:fs"), path = require("node:path"), vm = require("node:vm");

module.exports = (script, ...names) => {
	vm.runInThisContext(fs.readFileSync(path.join(__dirname, script), "utf8"), {filename: script});
	return Object.fromEntries(names.map(name => [name, vm.runInThisContext(name)]));
};
