package cli

import "sync"

// meanings describe the words that flags accept, by flag, for completion. A test requires one for every word.
var meanings = sync.OnceValue(func() map[string]map[string]string {
	return map[string]map[string]string{
		"sort": {
			"name":    "by name",
			"size":    "largest first",
			"storage": "by storage, then offset",
			"unused":  "most unused storage bytes first",
		},
		"format": {
			"table":    "human-readable page",
			"json":     "complete JSON document",
			"csv":      "rows, for spreadsheets and scripts",
			"markdown": "page for a pull request or an issue",
			"gobench":  "Go's benchmark format, for benchstat",
		},
		"color": {
			"auto":   "only on a terminal, unless NO_COLOR is set",
			"always": "also in pipes and files",
			"never":  "no escape sequences",
		},
		"as": {
			"text": "characters, for a terminal",
			"svg":  "a vector drawing",
			"png":  "pixels",
			"html": "a page that answers pointing, in one file",
		},
		"path": {
			"none":    "no access order",
			"channel": "for every pixel, all its channels",
			"spatial": "for every channel, all its pixels",
		},
		"label": {
			"index":  "the element's number in logical order",
			"coord":  "its coordinate",
			"value":  "its value",
			"offset": "its storage offset, in elements",
			"byte":   "its first byte of the storage",
			"bank":   "its bank of shared memory",
		},
		"color-by": {
			"channel": "one color per channel",
			"memory":  "by storage offset",
			"value":   "by value",
			"bank":    "one color per bank of shared memory",
			"none":    "no colors",
		},
		"patterns": {
			"channel":    "for every pixel, all its channels",
			"spatial":    "for every channel, all its pixels",
			"conv2d":     "convolution, with torch",
			"batch_norm": "batch normalization, with torch",
			"max_pool2d": "3x3 max pooling of stride 2, with torch",
			"matmul":     "channels of each pixel times a matrix, with torch",
		},
		"with":     {"loops": "walks and conversions in plain loops", "torch": "operators of PyTorch"},
		"autocast": {"bfloat16": "also measure under autocast to bfloat16", "float16": "to float16", "off": "without autocast only"},
		"contiguous": {
			"c":                "row-major, as stored",
			"f":                "column-major, as stored",
			"channels_last":    "N,C,H,W with C innermost",
			"channels_last_3d": "N,C,D,H,W with C innermost",
			"dense":            "no gaps and no overlap, as stored",
		},
		"only":        {"any": "swizzles and pads", "swizzle": "only swizzles", "pad": "only row pads"},
		"byte-order":  {"little": "little-endian", "big": "big-endian"},
		"framework":   frameworks(),
		"accepted-by": frameworks(),
	}
})

func frameworks() map[string]string {
	return map[string]string{
		"all":         "every framework",
		"pytorch":     "strides and memory formats",
		"numpy":       "strides in bytes",
		"directml":    "sizes and strides of a buffer tensor",
		"onednn":      "format tags: nchw, aBcd16b",
		"megengine":   "NCHW4, CHWN4, NHWCD4",
		"tvm":         "layout strings: NCHW4c",
		"xla":         "minor-to-major: {3,2,1,0}",
		"tensorrt":    "tensor formats: kLINEAR, kCHW32",
		"cudnn":       "tensor formats: NCHW, NHWC, NCHW_VECT_C",
		"cute":        "shape:stride",
		"tensorflow":  "data_format: NHWC, NCHW",
		"mnn":         "NC4HW4",
		"executorch":  "dim_order: [0,2,3,1]",
		"ggml":        "ne and nb, innermost first",
		"mlx":         "NHWC, OHWI; strides",
		"safetensors": "C-contiguous, little-endian",
		"dlpack":      "any strides; from_dlpack",
		"jax":         "dense, 64-byte aligned",
		"onnxruntime": "row-major OrtValue",
		"tma":         "CUDA tensor maps: strides of 16 bytes",
		"vllm":        "key-value caches: LBNHC",
		"flashinfer":  "key-value caches: NHD, HND; scales: layout_128x4",
		"lmcache":     "key-value caches: NL_X_NB_BS_NH_CS",

		"cublaslt":       "scale modes: VEC32_UE8M0",
		"torchao":        "scales: to_blocked",
		"tensorrt-llm":   "scales: SWIZZLED",
		"deepgemm":       "scales, MN-major",
		"ist-daslab":     "packed weights: marlin",
		"autogptq":       "packed weights: gptq",
		"autoawq":        "packed weights: awq",
		"llm-compressor": "packed weights: compressed-tensors",
		"cann":           "FRACTAL_NZ",
		"envi":           "BSQ, BIL, BIP",
		"openvino":       "b_fs_yx_fsv16",
		"aiter":          "packed weights: shuffle_weight",
		"triton_kernels": "packed weights: BlackwellMX4ValueShuffled",
		"tenstorrent":    "TILE, ROW_MAJOR",
		"hexagon":        "crouton",
		"rknn":           "NC1HWC2",
		"ethos-u":        "NHCWB16",
		"hailo":          "F8CR",
		"litert":         "PHWC4 of its GPU delegate",
		"coreml":         "MLMultiArray: any strides",
	}
}
