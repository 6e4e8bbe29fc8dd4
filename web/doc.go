// Package web is tlayout's page: the program as WebAssembly, asked in one box. make web builds it, make verify-web tests it.
//
//	page.js    the question in the box and in the address, its answer, the files
//	line.js    a line as text: arguments, quotation, the address
//	   │ run(args, draw)     ▲ {code, out, err, drawing}
//	   ▼                     │
//	engine.js  the program as the page sees it: questions, answers, stopping
//	worker.js  its thread: loads the program, runs one question after the other
//	program.js one run: a new instance of the executable, with arguments and streams
//	files.js   its files: dropped ones, read by ranges where they lie, and written ones, in memory
//
// *_test.js are the tests of a script in node, node_test.js runs the program as the page does; web_test.go runs them, and the page in Chromium.
//
// The program decides everything about tensors, and reads text as it does at a terminal: what the page shows is what tlayout prints. Drawings
// are those of draw -o x.html, with their pointing. The page asks for no files but its own, and sends nothing.
package web
