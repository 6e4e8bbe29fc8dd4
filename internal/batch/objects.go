package batch

import (
	"path"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
)

// prefixOf returns the prefix, without a query, that a URL of an object store names: one that ends with a slash, or a bucket; else no name.
func prefixOf(n name.Name) name.Name {
	if !store.Is(n) {
		return name.Name{}
	}
	u, err := store.Parse(n.WithoutQuery())
	if err != nil || !u.IsPrefix() {
		return name.Name{}
	}
	return u.Name()
}

// remote adds an object, or the objects that a prefix or a pattern names.
func (e *expansion) remote(n name.Name) error {
	if !store.Is(n) || !n.IsObjectPattern() && prefixOf(n).IsZero() {
		e.list.Add(Item{Name: n, Rel: path.Base(n.Inside())})
		return nil
	}
	u, err := store.Parse(n.WithoutQuery())
	if err != nil {
		return err
	}
	if name.FirstObjectWildcard(u.Bucket) >= 0 {
		return fault.New(fault.Usage, "%s: a bucket's name cannot be a pattern", n).WithHint("name the bucket, as in 's3://bucket/*.npy'")
	}
	pattern := u.Key
	if first := name.FirstObjectWildcard(pattern); first >= 0 {
		u.Key = pattern[:first]
	}
	folder := u.Key[:strings.LastIndexByte(u.Key, '/')+1]
	found := false
	for info, err := range store.List(u.Name().WithQueryOf(n)) {
		if err != nil {
			return err
		}
		below, isBelow := strings.CutPrefix(info.Key, folder)
		if !isBelow || !e.Any && !isSourceName(path.Base(info.Key)) {
			continue
		}
		if n.IsObjectPattern() {
			matches, err := source.Matches(pattern, info.Key)
			if err != nil {
				return err
			}
			if !matches {
				continue
			}
		}
		object := store.URL{Scheme: u.Scheme, Bucket: u.Bucket, Key: info.Key}
		if e.isResult(object) {
			continue
		}
		found = true
		e.list.Add(Item{object.Name().WithQueryOf(n), name.Inside(below), info.Size})
	}
	if !found {
		return fault.New(fault.Resource, "no objects match %s", n)
	}
	return nil
}

// isResult reports whether an object is below the prefix of the results.
func (e *expansion) isResult(object store.URL) bool {
	if !store.Is(e.Out) {
		return false
	}
	out, err := store.Parse(e.Out.WithoutQuery().Join(""))
	return err == nil && out.Holds(object)
}
