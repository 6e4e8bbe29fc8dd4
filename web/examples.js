"use strict";

// The examples of the page: what they ask, in words and as a command line. The page begins with the answer to the first.
const examples = [
	["Is this tensor NCHW or channels_last?", "--shape 8,3,4,4 --strides 48,1,12,3"],
	["Why did view() fail?", "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead."],
	["Which operation copies?", "trace --shape 2,3,4,5 'permute(0,2,3,1)' 'reshape(2,60)'"],
	["Where are the elements?", "draw --shape 1,3,4,4 --layouts nchw,nhwc,nchw4"],
	["What do frameworks call it?", "formats nhwc"],
	["What does XLA store?", "f32[8,100]{0,1:T(8,128)}"],
	["Which thread holds what?", "threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5"],
	["Which swizzle avoids bank conflicts?", "plan --shared --shape 64,32 --dtype fp16 --read ldmatrix --write w:16"],
];
