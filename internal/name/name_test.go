package name

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKinds: what a name names, by its text alone.
func TestKinds(t *testing.T) {
	for text, want := range map[string]Kind{
		"x.npy": File, "": File, "--": File, "-x.npy": File, "dir/": File, "x.npz:w": File, "*.npy": File, `C:\x.npy`: File, "C:/x.npy": File, "c://x.npy": File,
		"(2,3):(3,1)": File, "x@y.npy": File, "://x": File, "1x://b": File, "-": Stdin, "@-": List, "@list.txt": List, "@": List, "https://h/x.npy": URL,
		"HTTP://h": URL, "http:///x.npy": URL, "s3://b/x.npy": Object, "gs://b": Object, "az+blob://c/k": Object,
	} {
		n := Parse(text)
		if n.Kind() != want || n.IsStdin() != (want == Stdin) || n.IsRemote() != (want == URL || want == Object) || n.IsZero() != (text == "") || n.Raw() != text {
			t.Errorf("%q: %d", text, n.Kind())
		}
	}
	if Parse("").Check() == nil || Parse("-").Check() != nil {
		t.Error("only the empty name is refused")
	}
	for text, want := range map[string]string{"HTTPS://h/x": "https", "s3://b": "s3", "x.npy": "", "c://x": "", "@s3://b": ""} {
		if got := Parse(text).Scheme(); got != want {
			t.Errorf("scheme of %q: %q", text, got)
		}
	}
}

// TestSecrets: whatever prints a name, by any verb, alone or in a struct, prints no secret of a URL: neither what is before its host nor its query, but
// the tensor's name behind it. Only Raw has them.
func TestSecrets(t *testing.T) {
	const secret = "SECRET"
	type pair struct {
		A Name
		B *Name
	}
	for _, text := range []string{
		"https://user:SECRET@h/x.npy", "https://SECRET@h/x.npy", "s3://id:SECRET@bucket/x.npy", "https://u:a@SECRET@h/x.npy",
		"https://h/x.npy?X-Amz-Signature=SECRET", "https://h/x.npy?sig=SECRET&se=2", "https://h/x.npy?token=SECRET", "https://h/x.npy?SECRET", "HTTPS://h?SECRET",
		"s3://b/x.npz?endpoint=http://u:SECRET@h:9000:w", "https://h/x.npz?sig=SECRET:w", "https://h/x.npz?sig=SECRET:conv:w", "https://h/x npy?sig=a SECRET",
		"https://h/\xff.npy?sig=SECRET", "https://h/x.npy?sig=a/../SECRET", "ftp://SECRET@h/x?SECRET",
	} {
		n := Parse(text)
		all := []string{
			fmt.Sprintf("%s %v %+v %#v %q %x %d", n, n, n, n, n, n, n), fmt.Sprint(n, &n, []Name{n}, pair{n, nil}, map[Name]int{n: 1}), fmt.Sprintf("%+v", pair{A: n}),
			n.String(), n.Subject(), n.Shown(), n.Quote(), n.Redacted(), string(n.Bytes()), n.Arg(), n.Python(), n.Cut(200), n.Below(Name{}), n.Below(Parse("https://h")),
			n.Member("w").String(), n.WithoutQuery().String(), n.Sibling("y.npy").String(), n.Join("y").String(), n.Plus("y").String(), n.WithBase("y").String(),
			n.WithEnding(".z").String(), n.Parent().String(), n.Clean().String(), n.ListFile().String(), n.Typed(), n.Inside(),
		}
		for i, shown := range all {
			if strings.Contains(shown, secret) {
				t.Errorf("%d, %q: %q", i, text, shown)
			}
		}
		if n.IsTypable() {
			t.Errorf("%q can be typed", text)
		}
		if n.Raw() != text {
			t.Errorf("%q: %q", text, n.Raw())
		}
	}
	for _, list := range []string{"@https://u:SECRET@h/list?SECRET", "@@https://SECRET@h"} {
		n := Parse(list)
		if all := []string{n.String(), n.Shown(), n.Redacted(), n.Arg(), n.Python(), n.Cut(200), n.ListFile().String()}; strings.Contains(strings.Join(all, " "), secret) {
			t.Errorf("%q", all)
		}
	}
	if s := Parse("https://u:p@h/x.npz?sig=1:conv").String(); s != `"https://…@h/x.npz?…:conv"` {
		t.Error(s)
	}
}

// TestShown: the ways to print a name.
func TestShown(t *testing.T) {
	for text, want := range map[string][4]string{ // in a sentence, at its start, in a table, in a command
		"x.npy": {`"x.npy"`, `"x.npy"`, "x.npy", "x.npy"}, "-": {`"-"`, "standard input", "standard input", "-"}, "": {`""`, `""`, "tensor", "''"},
		"a b.npy": {`"a b.npy"`, `"a b.npy"`, "a b.npy", "'a b.npy'"}, "-x": {`"-x"`, `"-x"`, "-x", "./-x"}, "\x1b": {`"\x1b"`, `"\x1b"`, `\x1b`, `"$(printf '\033')"`},
		"\xff": {`"\xff"`, `"\xff"`, `\xff`, `"$(printf '\377')"`},
	} {
		n := Parse(text)
		if got := [4]string{n.String(), n.Subject(), n.Shown(), n.Arg()}; got != want || fmt.Sprint(n) != want[0] || fmt.Sprintf("%s", n) != want[0] {
			t.Errorf("%q: %q", text, got)
		}
	}
	if n := Parse("d/\xff"); string(n.Bytes()) != "d/\xff" || Parse("d/x").Bytes() != nil || n.Redacted() != "d/\xff" {
		t.Error("the bytes of a name that is not UTF-8")
	}
	for whole, want := range map[string]string{"d/x.npz:conv/w": "x.npz:conv/w", "d/x.npy": "x.npy", "-": "standard input", "": "tensor"} {
		if got := Parse(whole).Below(Parse("d/x.npz")); got != want {
			t.Errorf("%q: %q", whole, got)
		}
	}
	if got := Parse("abcdef").Cut(4); got != `"abc…"` {
		t.Error(got)
	}
}

// TestPaths: the parts of paths and URLs, and names that are made of them: a URL keeps its query.
func TestPaths(t *testing.T) {
	for text, want := range map[string][5]string{ // base, ending, stem, with another ending, and before it
		"d/x.nhwc.NPY": {"x.nhwc.NPY", ".npy", "x.nhwc", "d/x.nhwc.pt", "d/x.nhwc-1.NPY"}, "x": {"x", "", "x", "x.pt", "x-1"},
		"https://h/d/x.npy?a=b.c/d": {"x.npy", ".npy", "x", "https://h/d/x.pt?a=b.c/d", "https://h/d/x-1.npy?a=b.c/d"},
		"s3://b/d/":                 {"", "", "", "s3://b/d/.pt", "s3://b/d/-1"}, "./x.npy": {"x.npy", ".npy", "x", "./x.pt", "./x-1.npy"},
	} {
		n := Parse(text)
		if got := [5]string{n.Base(), n.Ending(), n.Stem(), n.WithEnding(".pt").raw, n.BeforeEnding("-1").raw}; got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string][5]string{ // beside it, below it, with another base, with more behind it, its folder
		"d/x.npy": {"d/y", "d/x.npy/y", "d/y", "d/x.npy.z", "d"}, "./x.npy": {"y", "x.npy/y", "./y", "./x.npy.z", "."}, "x": {"y", "x/y", "y", "x.z", "."},
		"https://h/d/x.npy?q=1/2": {"https://h/d/y?q=1/2", "https://h/d/x.npy/y?q=1/2", "https://h/d/y?q=1/2", "https://h/d/x.npy.z?q=1/2", "https://h/d?q=1/2"},
		"s3://b/out/":             {"s3://b/out/y", "s3://b/out/y", "s3://b/out/y", "s3://b/out/.z", "s3://b/out"}, "s3://b?r=1/2": {"s3://b/y?r=1/2", "s3://b/y?r=1/2", "s3://b/y?r=1/2", "s3://b.z?r=1/2", "s3://b?r=1/2"},
	} {
		n := Parse(text)
		got := [5]string{n.Sibling("y").raw, n.Join("y").raw, n.WithBase("y").raw, n.Plus(".z").raw, n.Parent().raw}
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{"/data/x.npy": "data/x.npy", "../../d/x.npy": "d/x.npy", "d//./x": "d/x", "https://h/a/../../x.npy?q": "x.npy", "s3://b": ""} {
		if got := Parse(text).Inside(); got != want {
			t.Errorf("inside %q: %q", text, got)
		}
	}
	host, path, query := Parse("s3://b/k/x.npy?region=eu?1").Location()
	if host != "b" || path != "k/x.npy" || query != "region=eu?1" {
		t.Error(host, path, query)
	}
	if n := Parse("s3://b/k?q?r"); n.WithoutQuery().raw != "s3://b/k" || Parse("s3://c/l").WithQueryOf(n).raw != "s3://c/l?q?r" || Parse("d?q").WithoutQuery().raw != "d?q" {
		t.Error("queries")
	}
	if Parse("@list.txt").ListFile() != Parse("list.txt") || StdinList.ListFile() != Standard {
		t.Error("lists")
	}
	if !Parse("x.INDEX").MatchesEnding(".index") || !Parse("y.data-00000-of-00001").MatchesEnding(".data-?????-of-?????") || Parse("x.h5").MatchesEnding(".hdf5") {
		t.Error("endings with ?")
	}
}

// TestMembers: a tensor in a container, told by endings and existing files and folders; no file is opened.
func TestMembers(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"w.dat", "a.npz:b"} {
		if err := os.WriteFile(file, nil, 0); err != nil { // which nobody may read
			t.Skip(err)
		}
	}
	if err := os.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]string{
		"x.npz:w": {"x.npz", "w"}, "x.NPZ:a:b": {"x.NPZ", "a:b"}, "m.pt:": {"m.pt", ""}, "w.dat:w": {"w.dat", "w"}, "x.dat:w": {"x.dat:w", "-"}, "a.npz:b": {"a.npz:b", "-"},
		"a.npz:c": {"a.npz", "c"}, "dir:w": {"dir", "w"}, "x.npy": {"x.npy", "-"}, `C:\x.npy`: {`C:\x.npy`, "-"}, `C:\x.npz:w`: {`C:\x.npz`, "w"}, "m.safetensors.index.json:w": {"m.safetensors.index.json", "w"},
		"https://h:1/x.npz:w": {"https://h:1/x.npz", "w"}, "https://h:1/x.dat:w": {"https://h:1/x.dat:w", "-"}, "x.npz:conv*": {"x.npz", "conv*"}, "(2,3):(3,1)": {"(2,3):(3,1)", "-"}, "-": {"-", "-"},
	} {
		container, member, ok := Parse(text).Resolve()
		if !ok {
			member = "-"
		}
		if got := [2]string{container.raw, member}; got != want {
			t.Errorf("%q: %q", text, got)
		}
		if ok && container.Member(member) != Parse(text) {
			t.Errorf("%q is not %q of %q", text, member, container.raw)
		}
	}
	if tensor, ok := Parse("x.npz:a:b").MemberOf(Parse("x.npz")); tensor != "a:b" || !ok {
		t.Error(tensor)
	}
	if _, ok := Parse("x.npz").MemberOf(Parse("x.npz")); ok {
		t.Error("a container is a member of itself")
	}
}

// TestMembersOfURLs: colons of a URL's query that begin no tensor's name stay in the URL, whatever the container.
func TestMembersOfURLs(t *testing.T) {
	for _, url := range []string{
		"https://h/x.npz?sig=s", "s3://b/x.pt?endpoint=http://h:9000", "s3://b/x.gguf?endpoint=http://u:p@h:9000/p&region=eu-west-1",
		"azblob://c/q.safetensors?domain=127.0.0.1:1&protocol=http&localemu=true", "azblob://c/q.gguf?domain=127.0.0.1:1", "s3://b/x.npz", "https://h:1/x.npz", "https://h.pt:8080/x.npz",
	} {
		if container, member, ok := Parse(url).Resolve(); ok {
			t.Errorf("%s is split into %s and %s", url, container, member)
		}
		for _, tensor := range []string{"conv*", "a/b", "0.weight", "a:b"} {
			if container, member, ok := Parse(url + ":" + tensor).Resolve(); !ok || container != Parse(url) || member != tensor {
				t.Errorf("%s:%s is split into %s and %s", url, tensor, container, member)
			}
		}
	}
}

// TestGuesses: what arguments look like.
func TestGuesses(t *testing.T) {
	type answers struct{ file, path, tensors, pattern, object bool }
	for text, want := range map[string]answers{
		"x.npy": {file: true, path: true}, "x.NPZ:w": {file: true, path: true, tensors: true}, "-": {file: true}, "0,1": {}, "nhwc": {}, "m.bin": {path: true}, "https://h.pt:8080/x.dat": {path: true}, "m.bin:w": {file: true, path: true, tensors: true},
		"m.pt": {file: true, path: true, tensors: true}, "-o.pt": {file: true, tensors: true}, `a\b`: {path: true, pattern: true}, "d/*": {path: true, pattern: true, object: true}, "x?.npy": {file: true, path: true, pattern: true},
		"https://h/x.dat?a=*": {path: true, pattern: true}, "s3://b/[x]/": {path: true, pattern: true, object: true},
	} {
		n := Parse(text)
		if got := (answers{n.LooksLikeFile(), n.IsPath(), n.NamesTensors(), n.IsPattern(), n.IsObjectPattern()}); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if !HasEnding("x.NPY", []string{".npy"}) || HasEnding(".npy", []string{".npy"}) {
		t.Error("an ending follows a stem")
	}
	if !slices.Contains(Endings(), "npy") {
		t.Error(Endings())
	}
}
