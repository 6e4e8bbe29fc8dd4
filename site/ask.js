"use strict";

// The box of a question's page: what is typed becomes the link to the page that runs the program, which loads when somebody edits.

{
	const box = document.getElementById("box"), run = document.getElementById("run");
	const fit = () => {
		box.style.height = "auto";
		box.style.height = `${box.scrollHeight}px`;
	};

	if (box) {
		fit();
		box.addEventListener("input", () => {
			fit();
			run.href = `../${fragment(box.value.trim())}`;
		});

		// Enter asks, Shift+Enter breaks a line. Phones have no keydown of Enter, but all say what they would insert.
		let shift = false;
		box.addEventListener("keydown", event => { shift = event.shiftKey; });
		box.addEventListener("beforeinput", event => {
			if (event.inputType !== "insertLineBreak" || shift) return;
			event.preventDefault();
			run.click();
		});
	}
}
