"use strict";

// What the reader keeps of an answer: copies of its text, its link and its command, and the drawing as a file.

const copy = async (text, what) => {
	try {
		await navigator.clipboard.writeText(text);
		say(`${what} copied.`);
	} catch {
		say(`The browser does not allow copying. ${what}: ${text}`);
	}
};
byId("copy").addEventListener("click", () => copy(view === "json" ? shown.json : shown.out || shown.err, "Answer"));
byId("link").addEventListener("click", () => copy(location.href.replace(/#.*/s, "") + fragment(shown.line), "Link"));
byId("command").addEventListener("click", () => copy(["tlayout", ...shown.args].map(quoted).join(" "), "Command"));

const save = (name, blob) => {
	if (!blob) return;
	const link = make("a", {href: URL.createObjectURL(blob), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

// drawnSVG returns the drawing as it was drawn, without what pointing adds.
const drawnSVG = () => partsOf(shown.drawn)[0].querySelector("svg");

// pictureName is a file name for the drawing: the words of its question.
const pictureName = () => lineOf(shown.args).replace(/[^\p{L}\p{N}.,]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "drawing";

byId("svg").addEventListener("click", () => save(`${pictureName()}.svg`, new Blob([new XMLSerializer().serializeToString(drawnSVG())], {type: "image/svg+xml"})));

const largestSide = 16_384; // pixels of a canvas that every browser has

byId("png").addEventListener("click", async () => {
	const svg = drawnSVG(), [width, height] = ["width", "height"].map(name => Number(svg.getAttribute(name)));
	const scale = Math.min(2, largestSide / Math.max(width, height));
	const canvas = make("canvas", {width: Math.ceil(width * scale), height: Math.ceil(height * scale)}), image = new Image();
	image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
	try {
		await image.decode();
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		save(`${pictureName()}.png`, await new Promise(done => canvas.toBlob(done)));
	} catch (error) {
		say(`The browser does not draw it as PNG: ${error.message}. Save SVG works.`);
	}
});
