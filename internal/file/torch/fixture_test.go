package torch

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestLater: what PyTorch 1.13 does not write, by hand, from the source of PyTorch's main branch at commit 000d210ca786
// (torch/_utils.py) and 000a1a54cb9c (torch/serialization.py); TestTorch compares with a PyTorch that writes it, where there is one.
func TestLater(t *testing.T) {
	bytes8 := pers("torch.storage.UntypedStorage", "0", 8)
	v3 := func(dtype string, size, stride string, metadata ...string) string {
		args := append([]string{bytes8, num(0), size, stride, "\x89", hooks, global("torch." + dtype)}, metadata...)
		return call("torch._utils._rebuild_tensor_v3", args...)
	}
	const storage = "storage 0 8"
	// torch/_utils.py, _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata): for the
	// types of torch/storage.py, _new_dtypes, in an UntypedStorage, whose persistent id counts bytes (serialization.py, persistent_id).
	wantLines(t, "v3", saved(dict(str("a"), v3("uint16", nums(4), nums(1)), str("b"), v3("float8_e4m3fn", nums(2, 4), nums(1, 2)), str("c"),
		v3("uint64", nums(), nums()))), "a <u2 [4] [1] 0 @0", "b <V1 [2 4] [1 2] 0 @0", "c <u8 [] [] 0 @0", storage)
	wantLines(t, "float4", saved(v3("float4_e2m1fn_x2", nums(8), nums(1))), ` <V1 [8] [1] 0 @0`, storage)
	wantLines(t, "bits", saved(v3("bits8", nums(8), nums(1))), `: its dtype "bits8" is unknown [0]`, storage)
	// torch/_utils.py, set_tensor_metadata: a dict of conj and neg.
	flag := func(name, on string) string { return dict(str(name), on) }
	wantLines(t, "conj", saved(v3("complex32", nums(2), nums(1), flag("conj", "\x88"))),
		": its values are the conjugates or negatives of the stored ones [0]", storage)
	wantLines(t, "not conj", saved(v3("complex32", nums(2), nums(1), flag("conj", "\x89"))), " <V4 [2] [1] 0 @0", storage)
	// torch/serialization.py, _save: zip_file.write_record("byteorder", sys.byteorder, …); _load swaps what differs from the machine.
	other := strings.ReplaceAll(v3("uint16", nums(4), nums(1)), str("0"), str("1"))
	big := record{"byteorder", "big"}
	wantLines(t, "big", saved(dict(str("a"), simple, str("b"), other), record{"data/1", "8 bytes."}, big),
		"a >f4 [2] [1] 0 @0", "b >u2 [4] [1] 0 @1", storage, "storage 1 8")
	wantLines(t, "little", saved(simple, record{"byteorder", "little"}), " <f4 [2] [1] 0 @0", storage)
	// caffe2/serialize/inline_container.cc and serialization.py: .format_version, .storage_alignment, .data/serialization_id.
	c := wantLines(t, "records", saved(simple, record{".format_version", "1"}, record{".storage_alignment", "64"}, record{"byteorder", "little"}),
		" <f4 [2] [1] 0 @0", storage)
	if c != nil && len(c.Metadata) != 4 {
		t.Errorf("%v", c.Metadata)
	}
	// torch/_utils.py, _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state); the state is the parameter's __dict__.
	wantLines(t, "state", saved(dict(str("w"), call("torch._utils._rebuild_parameter_with_state", simple, "\x88", hooks, dict(str("scale"), simple)))),
		"w <f4 [2] [1] 0 @0", "w.scale <f4 [2] [1] 0 @0", storage)
	// torch/_tensor.py, _rebuild_from_type_v2(func, new_type, args, state).
	subclass := func(function string, args string) string {
		return call("torch._tensor._rebuild_from_type_v2", global(function), global("my.Tensor"), args, dict(str("extra"), simple))
	}
	wantLines(t, "subclass", saved(subclass("torch._utils._rebuild_tensor_v2", tuple(pers("torch.FloatStorage", "0", 2), num(1), nums(1), nums(1),
		"\x89", hooks))), " <f4 [1] [1] 1 @0", "extra <f4 [2] [1] 0 @0", storage)
	wantLines(t, "wrapper", saved(subclass("torch._utils._rebuild_wrapper_subclass", tuple(simple))), "extra <f4 [2] [1] 0 @0",
		": its class wraps other tensors and has no storage of its own [0]", storage)
	wantLines(t, "foreign", saved(subclass("my.rebuild", tuple(simple))), "extra <f4 [2] [1] 0 @0", `: its class is made by "my.rebuild" [0]`, storage)
}

// TestHidden: tensors that are not strided views of a storage are named, with why they are not shown, and the storages they use.
func TestHidden(t *testing.T) {
	for function, why := range hidden {
		args := []string{simple, tuple(simple), num(1), num(2), num(3), num(4), num(5)}
		c := wantLines(t, function, saved(dict(str("w"), call(function, args...))), "w: "+why+" [0]", "storage 0 8")
		if c != nil && strings.HasPrefix(function, "torch._utils._rebuild_") && c.Globals[len(c.Globals)-1].Name == "" {
			t.Error(c.Globals)
		}
	}
	wantLines(t, "quantized storage", saved(dict(str("w"), v2(pers("torch.QInt8Storage", "0", 8), 0, nums(8), nums(1)))),
		`w: its dtype "qint8" is unknown [0]`, "storage 0 8")
}

// TestNames: a name is the keys from the root; a module's are those of its state_dict; a node that has two paths has two names;
// what has no text is numbered; two equal names differ by #2.
func TestNames(t *testing.T) {
	const f4, storage = " <f4 [2] [1] 0 @0", "storage 0 8"
	named := func(names ...string) (want []string) {
		for _, n := range names {
			want = append(want, n+f4)
		}
		return append(want, storage)
	}
	module := func(parameters, modules string, more ...string) string {
		return global("torch.nn.modules.linear.Linear") + ")\x81" + dict(append([]string{str("training"), "\x88", str("_parameters"), parameters,
			str("_buffers"), "}", str("_modules"), modules}, more...)...) + "b"
	}
	shared := "}q\x01" + "(" + str("w") + simple + "u"
	twice := "h\x01"
	ordered := "ccollections\nOrderedDict\n](" + tuple(str("k"), simple) + "](" + str("l") + simple + "ee\x85R"
	for _, c := range []struct {
		what, object string
		want         []string
	}{
		{"root", simple, named("")},
		{"nested", dict(str("a"), "]("+simple+tuple("N", simple)+"e", num(7), dict("N", simple, "\x88", simple, tuple(num(1), str("x")), simple)),
			named("a.0", "a.1.1", "7.None", "7.True", "7.(1, x)")},
		{"equal names", dict(str("a.b"), simple, str("a"), dict(str("b"), simple), num(1), simple, str("1"), simple, str("1#2"), simple),
			named("a.b", "a.b#2", "1", "1#2", "1#2#2")},
		{"a key twice", dict(str("a"), simple, str("b"), simple, str("a"), "N"), named("b")},
		{"module", dict(str("m"), module(dict(str("weight"), simple), dict(str("0"), module(dict(str("bias"), simple), "}")), str("spare"), "]("+simple+"e")),
			named("m.weight", "m.0.bias", "m.spare.0")},
		{"no module", dict(str("_parameters"), dict(str("w"), simple), str("_buffers"), "}", str("_modules"), "}"), named("_parameters.w")},
		{"shared", dict(str("a"), shared, str("b"), twice), named("a.w", "b.w")},
		{"tied", "]q\x05(" + simple + "q\x06h\x06h\x06e", named("0", "1", "2")},
		{"cycle", "}q\x01(" + str("w") + simple + str("self") + "h\x01u", named("w")},
		{"attribute of a module again", module(dict(str("w"), simple+"q\x09"), "}", str("flat"), "](h\x09e"), named("w")},
		{"Python 2", ordered, named("k", "l")},
		{"slots", global("m.C") + ")\x81" + tuple("N", dict(str("a"), simple)) + "b", named("a")},
		{"state", global("m.C") + ")\x81" + tuple(simple, num(1)) + "b", named("0")},
		{"keywords", "\x80"[:0] + global("m.C") + ")" + dict(str("k"), simple) + "\x92", named("k")},
		{"set", "\x8f(" + simple + "\x90", named("0")},
		{"key", dict(simple, simple), named("#0.key", "#0")},
		{"old parameter", call("torch.nn.parameter.Parameter", simple, "\x88"), named("")},
		{"older parameter", global("torch.nn.parameter.Parameter") + ")\x81" + tuple(simple, "\x88", hooks) + "b", named("")},
		{"old tensor", global("torch.FloatTensor") + ")\x81" + tuple(pers("torch.FloatStorage", "0", 2), num(0), nums(2), nums(1)) + "b", named("")},
		{"TorchScript's tag", call("torch.jit._pickle.restore_type_tag", dict(str("a"), simple), str("Dict[str, Tensor]")), named("a")},
		{"torch.Size", v2(pers("torch.FloatStorage", "0", 2), 0, call("torch.Size", nums(2)), nums(1)), named("")},
	} {
		wantLines(t, c.what, saved(c.object), c.want...)
	}
}

// TestDevice: a storage is on the device that its first persistent id names, of any of PyTorch's formats; only short texts are devices.
func TestDevice(t *testing.T) {
	for location, want := range map[string]string{str("cpu"): "cpu", str("cuda:1"): "cuda:1", "U\x03mps": "mps", num(1): "", "N": "", str(strings.Repeat("x", 65)): ""} {
		object := strings.ReplaceAll(dict(str("w"), simple), str("cpu"), location)
		for what, file := range map[string][]byte{"zip": saved(object), "script": saved(object, record{"constants.pkl", whole2(")")}),
			"legacy": legacyOf(object, str("0"), legacyStorage(2, "8 bytes."))} {
			c, err := openBytes(file)
			if err != nil {
				t.Errorf("%s, %q: %v", what, location, err)
			} else if got := c.Storages[0].Device; got != want {
				t.Errorf("%s, %q: %q, expected %q", what, location, got, want)
			}
		}
	}
}

// TestTextIDs: the persistent id of protocol 0 is the text of the tuple that others have. What is another text names no storage.
func TestTextIDs(t *testing.T) {
	of := func(id string) []byte {
		return saved(dict(str("w"), strings.ReplaceAll(simple, pers("torch.FloatStorage", "0", 2), "P"+id+"\n")))
	}
	for _, id := range []string{"('storage', <class 'torch.FloatStorage'>, '0', 'cuda:0', 2)", "('storage', <class 'torch.storage.FloatStorage'>, '0', 'cpu', 2, None)"} {
		wantLines(t, id, of(id), "w <f4 [2] [1] 0 @0", "storage 0 8")
	}
	if c, err := openBytes(legacyOf("]("+global("m.f")+"P('module', <class 'x'>, 'a.py', 'source')\n\x85Re", "", "")); err != nil || len(c.Storages) > 0 {
		t.Errorf("a module: %v", err)
	}
	for _, id := range []string{"", "0", "('storage', <class 'torch.FloatStorage'>, '0', 'cpu', -2)", "('storage', <class 'torch.FloatStorage'>, '0', 'cpu', 99999999999999999999)",
		"('storage', <class 'torch.FloatStorage'>, '0', 'cpu', 2, ('1', 0, 2))", "('module', <class 'x'>, 'a.py', 'source')"} {
		if _, err := openBytes(of(id)); fault.ClassOf(err) != fault.Malformed || err == nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestStorageOfSixItems: a TorchScript archive of 2019 names a storage by six items, the last of which is None, and is read like one of five;
// a view there, or six items in an archive of torch.save, is refused, as by torch.load.
func TestStorageOfSixItems(t *testing.T) {
	six := func(last string) string {
		id := pers("torch.FloatStorage", "0", 2)
		return strings.ReplaceAll(dict(str("w"), simple), id, strings.TrimSuffix(id, "tQ")+last+"tQ")
	}
	script := record{"constants.pkl", whole2(")")}
	wantLines(t, "TorchScript", saved(six("N"), script), "w <f4 [2] [1] 0 @0", "storage 0 8")
	for what, file := range map[string][]byte{"a view": saved(six(tuple(str("0"), num(0), num(1))), script), "torch.save": saved(six("N")),
		"seven items": saved(six("NN"), script)} {
		if _, err := openBytes(file); err == nil || fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%s: %v", what, err)
		}
	}
}
