package name

import "strings"

// Scheme returns the scheme of a URL, in lower case; "" for other names.
func (n Name) Scheme() string {
	if !n.IsRemote() {
		return ""
	}
	scheme, _, _ := strings.Cut(n.raw, "://")
	return strings.ToLower(scheme)
}

// Location returns the parts of a URL: https://host/path?query, or s3://bucket/key?query. Nothing is unescaped.
func (n Name) Location() (host, path, query string) {
	if !n.IsRemote() {
		return "", "", ""
	}
	_, rest, _ := strings.Cut(n.raw, "://")
	rest, query, _ = strings.Cut(rest, "?")
	host, path, _ = strings.Cut(rest, "/")
	return host, path, query
}

// WithoutQuery returns a URL without its query. Other names are unchanged.
func (n Name) WithoutQuery() Name {
	path, _ := n.cutQuery()
	return Name{path, n.kind}
}

// WithQueryOf returns a URL without a query with that of another URL.
func (n Name) WithQueryOf(other Name) Name {
	_, query := other.cutQuery()
	return Name{n.raw + query, n.kind}
}

// cutQuery splits a URL before the question mark of its query. Other names have none.
func (n Name) cutQuery() (path, query string) {
	if !n.IsRemote() {
		return n.raw, ""
	}
	at := strings.IndexByte(n.raw, '?')
	if at < 0 {
		return n.raw, ""
	}
	return n.raw[:at], n.raw[at:]
}

// hostEnd returns the index after a URL's host and port; 0 for other names.
func (n Name) hostEnd() int {
	if !n.IsRemote() {
		return 0
	}
	path, _ := n.cutQuery()
	begin := strings.Index(path, "://") + len("://")
	at := strings.IndexByte(path[begin:], '/')
	if at < 0 {
		return len(path)
	}
	return begin + at
}
