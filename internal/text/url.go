package text

import (
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Scheme returns the scheme of a URL, in lower case: https of https://host/x.npy, s3 of s3://bucket/x.npy; "" if the name is not a URL. A
// scheme has at least two letters, unlike a Windows drive. (RFC 3986, section 3.1)
func Scheme(name string) string {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok || len(scheme) < 2 {
		return ""
	}
	scheme = strings.ToLower(scheme)
	if !strings.Contains(letters, scheme[:1]) || strings.Trim(scheme, letters+"0123456789+-.") != "" {
		return ""
	}
	return scheme
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// Redact removes possible secrets from a URL: user name and password, and the query, where signatures are. Other names are unchanged.
func Redact(name string) string {
	if Scheme(name) == "" {
		return name
	}
	base, query, hasQuery := strings.Cut(name, "?")
	scheme, rest, _ := strings.Cut(base, "://")
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = "…@" + host[at+1:]
	}
	base = scheme + "://" + host
	if hasPath {
		base += "/" + path
	}
	if !hasQuery {
		return base
	}
	if at := TensorIn(query); at >= 0 {
		return base + "?…" + query[at:]
	}
	return base + "?…"
}

// notTensor matches what follows a colon before anything but a tensor's name: a host, a port, a time.
var notTensor = lazy.Regexp(`^(?://|\d+Z?(?:[/:]|$))`)

// TensorIn returns the index of the colon in a URL's query after which a tensor's name follows, region=eu-west-1:conv1.weight; -1 without
// one. The colons of endpoint=http://user:password@host:9000 precede none.
func TensorIn(query string) int {
	for i := strings.LastIndexAny(query, "&=@%") + 1; i < len(query); i++ {
		if query[i] == ':' && !notTensor.Get().MatchString(query[i+1:]) {
			return i
		}
	}
	return -1
}

// inSentence matches a URL within a sentence, which ends at a space or a quotation mark.
var inSentence = lazy.Regexp(`[A-Za-z][A-Za-z0-9+.-]+://[^\s"']*`)

// redactAll redacts a URL, which may contain spaces before its query, and all URLs within a sentence.
func redactAll(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	if Scheme(text) != "" {
		url := text
		rest := ""
		if query := strings.IndexByte(text, '?'); query >= 0 {
			end := query + strings.IndexByte(text[query:]+" ", ' ')
			url = text[:end]
			rest = text[end:]
		}
		text = Redact(url) + rest
	}
	return inSentence.Get().ReplaceAllStringFunc(text, Redact)
}
