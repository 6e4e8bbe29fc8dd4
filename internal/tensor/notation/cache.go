package notation

import "strings"

// Caches of keys and values have one vocabulary, vLLM's, and its logical order, in every memory order:
//
//	L layers   B blocks (pages)   K keys (0) and values (1)   H heads   N tokens of a block   C content of a head
//
// The six orders of L B H N C are those of KVCacheLayout in vllm/v1/kv_cache_layout.py (PR 51718, August 2026); a layer's view has no L. Paged
// attention packs keys as B H C//x N C%x, with x = 16 bytes / itemsize (split_kv_cache of vllm/v1/attention/ops/paged_attn.py).
const cacheLetters = "LBKHNC"

// cacheNouns are the words for an index of a cache's dim.
var cacheNouns = map[string]string{"L": "layer", "B": "block", "H": "head", "N": "token"}

// paged has the orders of NHD and HND for a paged cache. Without pages they are three dims, N H D. (append_paged_kv_cache of FlashInfer's
// flashinfer/page.py; kv_layout of tensorrt_llm/_torch/attention_backend/interface.py)
var paged = map[string][]string{"NHD": {"BNHC", "BKNHC"}, "HND": {"BHNC", "BKHNC"}}

const (
	perLayer  = "a list has a tensor of these dims per layer"
	perPair   = "a list has a pair of tensors of these dims per layer: keys and values"
	perPlane  = "a list has a tuple of tensors of these dims per layer, each of its own C"
	perHalf   = "keys and values have lists of tensors of these dims"
	allTokens = "; N counts the tokens of all blocks"
)

// LMCacheNames are the names of LMCache, their orders, and remarks: EngineKVFormat of csrc/engine_kv_format.h at 893b24c8, and the others by
// lmcache/v1/gpu_connector/kv_format/specs of 0.5.6, whose components are a layer's keys or its values. NL, NB, TWO, NH and BS are L, B, K, H
// and N; HS and CS are C; _X_ ends the index of a list.
var LMCacheNames = []struct{ Name, Order, Note string }{
	{"NB_NL_TWO_BS_NH_HS", "BLKNHC", "one tensor; vLLM across layers"},
	{"NB_NL_TWO_NH_BS_HS", "BLKHNC", "one tensor; TensorRT-LLM's pool"},
	{"NL_X_TWO_NB_BS_NH_HS", "KBNHC", perLayer},
	{"NL_X_TWO_NB_NH_BS_HS", "KBHNC", perLayer},
	{"NL_X_NB_TWO_BS_NH_HS", "BKNHC", perLayer},
	{"NL_X_NB_TWO_NH_BS_HS", "BKHNC", perLayer},
	{"NL_X_NB_NH_BS_TWO_HS", "BHNKC", perLayer},
	{"NL_X_NB_BS_NH_TWO_HS", "BNHKC", perLayer},
	{"NL_X_NB_NH_BS_CS", "BHNC", perLayer},
	{"NL_X_NB_BS_NH_CS", "BNHC", perLayer},
	{"NL_X_NB_BS_NH_HS", "BNHC", perLayer + "'s keys, and one per layer's values"},
	{"NL_X_NB_BS_HS", "BNC", perLayer},
	{"NL_X_NBBS_ONE_HS", "NHC", perLayer + allTokens},
	{"NL_X_TWO_X_NB_BS_NH_HS", "BNHC", perPair},
	{"NL_X_NP_X_NB_BS_ONE_HS", "BNHC", perPlane},
	{"TWO_X_NL_X_NB_BS_NH_HS", "BNHC", perHalf},
	{"TWO_X_NL_X_NBBS_NH_HS", "NHC", perHalf + allTokens},
}

func lmCacheAliases() (all []alias) {
	for _, n := range LMCacheNames {
		all = append(all, aliasOf(n.Name, n.Order, "LMCache's name: "+n.Note))
	}
	return all
}

// IsCache reports whether dims are those of a cache of keys and values.
func IsCache(names []string) bool {
	order, ok := familyOrder(lettersOf(names))
	return ok && order == cacheLetters
}

// otherRanks returns the meanings of a name for other numbers of dims.
func otherRanks(s string, f Format) (others []Format) {
	for _, name := range paged[strings.ToUpper(s)] {
		if g, err := parseShort(name); err == nil {
			others = append(others, g)
		}
	}
	if short := omitN(s, f); short != nil {
		others = append(others, *short)
	}
	return others
}
