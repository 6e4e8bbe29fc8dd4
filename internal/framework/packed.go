package framework

// Weights of four bits, eight in a word of 32 bits: dims K, N are in and out features, G groups of K that share a scale. Sizes count values.

const (
	codes  = "uint4 int4"
	halves = "float16 bfloat16"
)

var (
	Marlin = library("IST-DASLab", codes+" "+halves, "_get_perms and pack of marlin/__init__.py of IST-DASLab; zero points: marlin_zero_points of "+
		"vllm/model_executor/layers/quantization/utils/marlin_utils.py", "ca3de383; vLLM at 6eb28706", []Entry{
		{Name: "marlin", Order: "K//16 N//64 N%8 K//2%4 N//16%4 K%2 N//8%2 K//8%2", Kind: Matrices, Types: codes, Meaning: "K,N; an int32 has 8 values"},
		{Name: "marlin-scales", Order: "G N//64 N%8 N//8%8", Kind: Matrices, Types: halves, Meaning: "G,N: of groups"},
		{Name: "marlin-channel-scales", Order: "G N//32 N//2%4 N//8%4 N%2", Kind: Matrices, Types: halves, Meaning: "one group: G is 1"},
		{Name: "marlin-zeros", Order: "G N//64 N%8 N//8%2 N//16%4", Kind: Matrices, Types: codes, Meaning: "G,N: zero points"},
	})
	AutoGPTQ = library("AutoGPTQ", codes, "QuantLinear.pack of auto_gptq/nn_modules/qlinear/qlinear_cuda.py", "7c691ed3", []Entry{
		{Name: "gptq", Order: "K//8 N K%8", Kind: Matrices, Types: codes, Meaning: "qweight: 8 rows in an int32"},
		{Name: "gptq-zeros", Order: "G N", Kind: Matrices, Types: codes, Meaning: "qzeros: zero points minus 1"},
	})
	AutoAWQ = library("AutoAWQ", codes, "WQLinear_GEMM.from_linear of awq/modules/linear/gemm.py: order_map", "d9dc8e56", []Entry{
		{Name: "awq", Order: "K N//8 N%2 N//2%4", Kind: Matrices, Types: codes, Meaning: "qweight: columns 0 2 4 6 1 3 5 7 in an int32"},
		{Name: "awq-zeros", Order: "G N//8 N%2 N//2%4", Kind: Matrices, Types: codes, Meaning: "qzeros"},
	})
	CompressedTensors = library("llm-compressor", codes, "compressed-tensors: pack_to_int32 of compressed_tensors/compressors/pack_quantized/helpers.py", "compressed-tensors 0.20.1", []Entry{
		{Name: "compressed-tensors", Order: "N K", Kind: Matrices, Types: codes, Meaning: "weight_packed: 8 of K in an int32, each plus 8"},
	})
)
