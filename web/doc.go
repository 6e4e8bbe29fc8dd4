// Package web is tlayout's page: the program as WebAssembly, asked in one box. make web builds it, make verify-web tests it.
//
//	page.js     the question in the box and in the address, its answer as rows, text or JSON, its drawing
//	answer.js   an answer as rows with links, made from JSON, for the page and for the pages of the site
//	line.js     a line as text: arguments, quotation, the address
//	stepper.js  the drawing after each step of a trace
//	given.js    files: dropped, chosen, asked for, of the documents, written by the program
//	keep.js     copies, and drawings as files
//	start.js    examples.js, the first answer, the service worker
//	   │ run(args, {json, draw})  ▲ {code, out, err, json, drawing}
//	   ▼                          │
//	engine.js   the program as the page sees it: questions, answers, stopping
//	worker.js   its thread: loads the program, runs one question after the other
//	program.js  one run: a new instance of the executable, with arguments and streams
//	files.js    its files: dropped ones, read by ranges where they lie, and written ones, in memory
//	offline.js  the service worker, which keeps all of these; offline.sh writes their names and their version into it
//
// *_test.js are the tests of a script in node, node_test.js runs the program as the page does; the tests in Go run them, and the page in Chromium and
// Firefox.
//
// The program decides everything about tensors, and reads text as it does at a terminal: the text of an answer is what tlayout prints, and its rows
// are what --json says. Drawings are those of draw -o x.html, with their pointing. The page asks for no files but its own, and sends nothing.
package web
