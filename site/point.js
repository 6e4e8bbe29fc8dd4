"use strict";

// Makes the drawings of a page answer pointing.
for (const picture of document.querySelectorAll(".picture:has(svg)")) point(picture);
