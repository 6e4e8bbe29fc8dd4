package torch

import (
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/file/pickle"
)

// weightsOnly reports whether torch.load(weights_only=True) accepts a global without add_safe_globals: a state_dict needs no others.
// (torch/_weights_only_unpickler.py, _get_allowed_globals; torch/storage.py, _new_dtypes; of PyTorch 2.15, run; 1.13 accepts fewer: no
// complex, bytes or float)
func weightsOnly(g *pickle.Global) bool {
	module := g.Module
	if renamed, ok := renamedModules[module]; ok {
		module = renamed
	}
	return allowed()[module+"."+g.Name]
}

// renamedModules maps Python 2's names to those of modules with allowed globals. (torch/_utils.py, IMPORT_MAPPING)
var renamedModules = map[string]string{
	"__builtin__": "builtins", "UserDict": "collections", "UserList": "collections", "UserString": "collections",
}

var allowed = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
		collections.OrderedDict collections.Counter torch.nn.parameter.Parameter torch.serialization._get_layout torch.Size
		torch.Tensor torch.device _codecs.encode builtins.bytearray builtins.set builtins.complex
		torch.storage.TypedStorage torch.storage.UntypedStorage torch._tensor._rebuild_from_type_v2
		torch.per_tensor_affine torch.per_tensor_symmetric torch.per_channel_affine torch.per_channel_symmetric
		torch.per_channel_affine_float_qparams`) {
		m[name] = true
	}
	for _, name := range strings.Fields(`parameter parameter_with_state qtensor tensor tensor_v2 tensor_v3 sparse_tensor
		meta_tensor_no_storage wrapper_subclass device_tensor_from_numpy device_tensor_from_cpu_tensor`) {
		m["torch._utils._rebuild_"+name] = true
	}
	for _, name := range strings.Fields(`float64 float32 float16 int64 int32 int16 int8 uint8 bool bfloat16 complex128 complex64
		qint8 qint32 quint8 quint4x2 quint2x4 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz float8_e8m0fnu
		float4_e2m1fn_x2 bits8 bits16 bits1x8 bits2x4 bits4x2 complex32 bcomplex32 uint16 uint32 uint64
		uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 int4 int5 int6 int7`) {
		m["torch."+name] = true
	}
	for _, kind := range strings.Fields("BFloat16 Bool Byte Char Double Float Half Int Long Short") {
		for _, where := range []string{"torch.", "torch.cuda.", "torch.sparse.", "torch.cuda.sparse."} {
			m[where+kind+"Tensor"] = kind != "Bool" || !strings.Contains(where, "sparse")
		}
	}
	for class, elem := range elements {
		if elem.name != "" {
			m["torch."+class] = true
			m["torch.cuda."+class] = !strings.HasPrefix(class, "Q")
		}
	}
	return m
})

// weightsOpcodes are the opcodes that torch.load(weights_only=True) accepts. (torch/_weights_only_unpickler.py, its imports from
// pickle)
var weightsOpcodes = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`APPEND APPENDS BINFLOAT BINGET BININT BININT1 BININT2 BINPERSID BINPUT BINUNICODE BUILD
		EMPTY_DICT EMPTY_LIST EMPTY_SET EMPTY_TUPLE GLOBAL LONG1 LONG_BINGET LONG_BINPUT MARK NEWFALSE NEWOBJ NEWTRUE NONE PROTO REDUCE
		SETITEM SETITEMS SHORT_BINSTRING STOP TUPLE TUPLE1 TUPLE2 TUPLE3`) {
		m[name] = true
	}
	return m
})
