// Package explorer is a page in which one can play with a tensor's layout: one HTML file that needs nothing else. What
// it computes, model.js computes; its tests prove in a browser that it equals package tensor.
package explorer
