package framework

import (
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Servers of language models name the layouts of their caches of keys and values.
var (
	VLLM = &Framework{Name: "vLLM", Nameless: noName, Rare: true,
		Source: "KVCacheLayout of vllm/v1/kv_cache_layout.py; split_kv_cache of vllm/v1/attention/ops/paged_attn.py",
		Read:   "14f7a27c and e38b36d8, 2026",
		names:  vLLMNames}
	FlashInfer = &Framework{Name: "FlashInfer", Nameless: noName, Sizes: OfMemory, Rare: true,
		Source: "kv_layout of append_paged_kv_cache, flashinfer/page.py; of 5 dims also AttentionMetadata.kv_layout of TensorRT-LLM, " +
			"tensorrt_llm/_torch/attention_backend/interface.py; SfLayout of flashinfer/tllm_enums.py; " +
			"FP4QuantizationSFLayout of csrc/nv_internal/tensorrt_llm/kernels/quantization.h; convert_to_block_layout of flashinfer/fused_moe/core.py, " +
			"get_shuffle_matrix_a_row_indices of flashinfer/utils.py",
		Read:  "flashinfer-python 0.7.4; csrc at 08bb8f86; weights at fb28d724; TensorRT-LLM of 2026",
		names: append(flashInferNames, flashInferWeights...)}
	LMCache = &Framework{Name: "LMCache", Nameless: noName, Sizes: OfMemory, Rare: true,
		Source: "EngineKVFormat of csrc/engine_kv_format.h; lmcache/v1/gpu_connector/kv_format/specs",
		Read:   "893b24c8; lmcache 0.5.6",
		names:  lmCacheNames()}
)

// vLLMNames: sizes are L,B,H,N,C in every order; a layer's view has no L. Paged attention packs 16 bytes of keys.
var vLLMNames = []Entry{
	{Name: "LBHNC", Order: "L B H N C", Kind: Caches, Meaning: "HND until August 2026: a block's [H, N, C] is contiguous"},
	{Name: "LBNHC", Order: "L B N H C", Kind: Caches, Meaning: "NHD until August 2026: the default"},
	{Name: "LHBNC", Order: "L H B N C", Kind: Caches},
	{Name: "BLHNC", Order: "B L H N C", Kind: Caches, Meaning: "a block's layers are contiguous"},
	{Name: "BLNHC", Order: "B L N H C", Kind: Caches},
	{Name: "BHLNC", Order: "B H L N C", Kind: Caches},
	{Name: "BHNC", Order: "B H N C", Kind: Caches, Meaning: "a layer of LBHNC"},
	{Name: "BNHC", Order: "B N H C", Kind: Caches, Meaning: "a layer of LBNHC"},
	{Name: "BHCN8c", Order: "B H C//8 N C%8", Kind: Caches, Types: "float16 bfloat16", Meaning: "paged attention's keys"},
	{Name: "BHCN16c", Order: "B H C//16 N C%16", Kind: Caches, Types: "uint8 float8_e4m3fn float8_e5m2", Meaning: "paged attention's keys"},
	{Name: "BHCN4c", Order: "B H C//4 N C%4", Kind: Caches, Types: "float32", Meaning: "paged attention's keys"},
	{Name: "BHCN", Order: "B H C N", Kind: Caches, Meaning: "paged attention's values"},
}

// flashInferNames: of caches, K is 0 for keys and 1 for values; of scale factors, dims are M,K.
var flashInferNames = []Entry{
	{Name: "NHD", Order: "N H D", Kind: Caches, Meaning: "of 4 dims BNHC; of 5 BKNHC, TensorRT-LLM's too", orders: "N H D|B N H C|B K N H C"},
	{Name: "HND", Order: "H N D", Kind: Caches, Meaning: "of 4 dims BHNC; of 5 BKHNC, TensorRT-LLM's default", orders: "H N D|B H N C|B K H N C"},
	{Name: "layout_128x4", Order: sf128x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "SfLayout.layout_128x4"},
	{Name: "SWIZZLED_128x4", Order: sf128x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "the same in C++"},
	{Name: "sf128x4", Order: sf128x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "a short name of the same", use: catalogueOnly},
	{Name: "layout_8x4", Order: sf8x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "SfLayout.layout_8x4"},
	{Name: "SWIZZLED_8x4", Order: sf8x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "the same in C++"},
	{Name: "sf8x4", Order: sf8x4, Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "a short name of the same", use: catalogueOnly},
}

// lmCacheNames are those of notation, and the refused ones.
func lmCacheNames() []Entry {
	all := []Entry{{Name: "NL_X_NB_BSV_BSS", Kind: Caches}, {Name: "NL_X_TWO_NB_NH_ONE_BS_HS", Kind: Caches}}
	for _, n := range notation.LMCacheNames {
		all = append(all, Entry{Name: n.Name, Order: strings.Join(strings.Split(n.Order, ""), " "), Kind: Caches, Meaning: n.Note})
	}
	return all
}
