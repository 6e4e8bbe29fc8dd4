// Package explorer is a page in which one can play with a tensor's layout: one HTML file that needs nothing else. What
// it computes, model_*.js compute; the tests prove in a browser that they equal the packages tensor, notation, explain,
// picture and cachesim.
//
//	Subject ─► data (JSON) ─► state.js ─► newScene ─► grid, memory, address, player
//	                            ▲ address's fragment        │
//	                            └── controls, pointing ◄────┘
//
// The scripts are
//
//   - model.js, model_*.js: layouts, what lies where, orders of memory, ways through it, a cache, and all of that in words
//   - subject.js, layouts.js, state.js: the tensor, what can be chosen as its layout, and what is shown of it now
//   - cut.js, tints.js, scene.js: what is drawn, in which colours, and who lives where
//   - view_*.js, motion.js: how it looks; access.js: a walk and the cache lines that it fetches
//   - controls.js, keys.js, pointing.js, page.js: what the reader does, and what follows from it
//
// Scripts are joined in one scope, in the order of page.go. Elements are made, never written as HTML, so that text of
// others stays text. The page's Content-Security-Policy allows its own style and script by their hashes, an icon without
// pixels, and nothing else.
package explorer
