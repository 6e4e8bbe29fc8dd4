// The arithmetic of the page: what the packages tensor, notation, explain and picture compute, and a cache. The tests run
// both and compare them.
//
// A layout says where each element of a tensor lies in its storage:
//
//	address(i) = offset + Σ over dims Σ over digits ((i_dim div digit.div) mod digit.extent) · digit.stride
//
// It is {dims: [{name, size, digits: [{div, extent, stride}]}], offset, alloc}: the digits of a dim least significant
// first, the last one never wrapped. A memory order is {names, axes: [{dim, div, extent}]}, physical axes outermost first;
// extent 0 is the open end, which runs on until the dim's size is used up. A coordinate is one index a dim, in logical
// order. Strides, offsets and storages count elements. What was handed in is never changed, and must not be afterwards.
//
// All numbers are whole and within ±(2^53 − 1), where arithmetic is exact: a sum or product that rounds is larger. What
// is not throws a RangeError, and so does whatever makes no layout.
const model = {}; // the files model_….js fill it, each after what it uses
