package text

import "testing"

// TestScheme: a scheme is two or more characters, in any case, and starts with a letter.
func TestScheme(t *testing.T) {
	for name, want := range map[string]string{
		"https://h/x": "https", "S3://b": "s3", "a+b-c.1://x": "a+b-c.1", "c://x": "", "://x": "", "1a://x": "", "a b://x": "", "é://x": "", "x.npy": "", "http:/x": "",
	} {
		if got := Scheme(name); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
	}
}

// TestRedact: a query and a password are removed from a URL, the name of a tensor behind the query is not; other names are unchanged. It is
// idempotent.
func TestRedact(t *testing.T) {
	for name, want := range map[string]string{
		"https://h/x.npy?sig=s":                          "https://h/x.npy?…",
		"https://h/x.npz?sig=s:w.0":                      "https://h/x.npz?…:w.0",
		"https://h/x.npz?sig=a:b&c=s":                    "https://h/x.npz?…",
		"https://h/x.npz?sig=a:b=s":                      "https://h/x.npz?…",
		"https://h/x.npz?sig=a:b%3ds":                    "https://h/x.npz?…",
		"https://h/x.npz?a=1:w?x":                        "https://h/x.npz?…:w?x",
		"https://h/x.npz?sig=s:a/b:c":                    "https://h/x.npz?…:a/b:c",
		"https://h/x.npz?sig=s:0.w":                      "https://h/x.npz?…:0.w",
		"s3://b/x.pt?endpoint=http://u:SECRET@h":         "s3://b/x.pt?…",
		"s3://b/x.pt?endpoint=http://h:9000":             "s3://b/x.pt?…",
		"s3://b/x.pt?endpoint=http://h:9000/p:w":         "s3://b/x.pt?…:w",
		"s3://b/x.pt?endpoint=http://h:9000:conv.w":      "s3://b/x.pt?…:conv.w",
		"azblob://c/q.gguf?protocol=http&domain=h:1":     "azblob://c/q.gguf?…",
		"azblob://c/q.gguf?se=2026-11-27T12:00:00Z":      "azblob://c/q.gguf?…",
		"azblob://c/q.gguf?domain=h:1&localemu=true:w.0": "azblob://c/q.gguf?…:w.0",
		"https://u:p@h/x.npy":                            "https://…@h/x.npy",
		"https://u:p@q@h?x":                              "https://…@h?…",
		"https://u:s@h":                                  "https://…@h",
		"https://h/a@b":                                  "https://h/a@b",
		"HTTPS://h/?s":                                   "HTTPS://h/?…",
		"s3://b/x.npy?":                                  "s3://b/x.npy?…",
		"s3://b/x.npy":                                   "s3://b/x.npy",
		"what?.npy":                                      "what?.npy",
		"c://u:p@h?x":                                    "c://u:p@h?x",
		"":                                               "",
	} {
		if got := Redact(name); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
		if got := Redact(want); got != want {
			t.Errorf("%q again: %q", want, got)
		}
	}
}

// TestQuoteRedacts: Quote redacts URLs anywhere in a sentence.
func TestQuoteRedacts(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://h/x?s": refused`:              `Get "https://h/x?…": refused`,
		"tlayout inspect 'https://u:p@h/x?s' --all": "tlayout inspect 'https://…@h/x?…' --all",
		"https://h/a b?s":                           "https://h/a b?…",
		"x https://h/x?s https://h/y?s:w z":         "x https://h/x?… https://h/y?…:w z",
		"https://h/x?…: rank: expected 2":           "https://h/x?…: rank: expected 2",
		"error: https://h/x?…: rank":                "error: https://h/x?…: rank",
		"--s3://u:p@b/x":                            "--s3://…@b/x",
		"no URL? a ://b?c":                          "no URL? a ://b?c",
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
	if got := RawBytes("https://h/\xff?s"); string(got) != "https://h/\xff?…" {
		t.Errorf("%q", got)
	}
	if RawBytes("https://h/x?\xff") != nil || RawBytes("é") != nil || string(RawBytes("\xff")) != "\xff" {
		t.Error("RawBytes lost the bytes that JSON cannot hold")
	}
}
