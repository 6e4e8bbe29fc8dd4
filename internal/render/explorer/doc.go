// Package explorer is a page to play with a tensor's layout: one HTML file that needs nothing else. The model_*.js scripts
// compute what it shows; tests prove in a browser that they equal the packages tensor, notation, explain, picture and
// cachesim.
//
//	Subject ─► data (JSON) ─► state.js ─► newScene ─► grid, memory, address, player
//	                            ▲ URL fragment              │
//	                            └── controls, pointing ◄────┘
//
// The scripts are
//
//   - model_layout.js, model_walk.js, model_order.js, model_text.js: layouts and what is at an address; walks and a cache;
//     memory orders and contiguity; all of that in words
//   - dom.js, subject.js, state.js: elements of the page; the tensor and the layouts to choose from; what is shown now
//   - scene.js: which cells are drawn, in which colors
//   - view_grid.js, view_memory.js, view_address.js, view_walk.js: how it looks
//   - controls.js, pointing.js, page.js: what the reader does, and what follows from it
//
// Scripts are joined in one scope, in the order of page.go. Elements are made, never parsed from HTML, so that foreign text
// stays text. The page's Content-Security-Policy allows its own style and script by their hashes, an icon without pixels,
// and nothing else.
package explorer
