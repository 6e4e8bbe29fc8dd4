package source

import "testing"

// TestSplitQuery: colons of a URL's query that begin no tensor's name stay in the URL, whatever the container.
func TestSplitQuery(t *testing.T) {
	for _, path := range []string{
		"https://h/x.npz?sig=s", "s3://b/x.pt?endpoint=http://h:9000", "s3://b/x.gguf?endpoint=http://u:p@h:9000/p&region=eu-west-1",
		"azblob://c/q.safetensors?domain=127.0.0.1:1&protocol=http&localemu=true", "azblob://c/q.gguf?domain=127.0.0.1:1", "s3://b/x.npz", "https://h:1/x.npz",
	} {
		if got, member, ok := SplitTensor(path); ok {
			t.Errorf("%s is split into %s and %s", path, got, member)
		}
		for _, member := range []string{"conv*", "a/b", "0.weight", "a:b"} {
			if got, rest, ok := SplitTensor(path + ":" + member); !ok || got != path || rest != member {
				t.Errorf("%s:%s is split into %s and %s", path, member, got, rest)
			}
		}
	}
}
