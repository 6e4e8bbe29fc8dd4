"use strict";

// The start of the page: the examples, an answer, the program, and a copy of the page for visits without a network.

for (const [text, line] of examples) {
	byId("examples").lastElementChild.append(make("li", {}, make("a", {href: fragment(line), title: line}, text)));
}
if (!byId("answer").hidden) { // the first example's, which the build has put there
	shown.line = examples[0][1];
	if (byId("picture").querySelector("[role=status]")) point(byId("picture"));
}
if (location.protocol === "file:") {
	listeners.failed("browsers do not run one from a folder. Serve it, for example with python3 -m http.server, and open http://localhost:8000.");
} else {
	restart();
	restore();
	loaded.then(() => navigator.serviceWorker?.register("offline.js")).catch(() => {}); // the page works without
}
