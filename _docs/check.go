package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// links has the anchors of a page, and what it links to or shows.
type links struct {
	anchors map[string]bool
	targets []string
}

// check returns the links that leave a site, and those that lead nowhere in it.
func check(site fs.FS) (external, broken []string) {
	pages := map[string]links{}
	must(0, fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".html" {
			pages[name] = scan(must(fs.ReadFile(site, name)))
		}
		return err
	}))
	outside := map[string]bool{}
	for name, p := range pages {
		for _, link := range p.targets {
			u, err := url.Parse(link)
			if err != nil || u.Scheme == "" && !leads(site, pages, name, u) {
				broken = append(broken, fmt.Sprintf("%s: %s leads nowhere", name, link))
				continue
			}
			if u.Scheme != "" && u.Scheme != "data" {
				outside[link] = true
			}
		}
	}
	slices.Sort(broken)
	return slices.Sorted(maps.Keys(outside)), broken
}

// leads reports whether the file and the anchor of a link exist. Fragments of the page of the program are questions, not anchors.
func leads(site fs.FS, pages map[string]links, from string, u *url.URL) bool {
	if u.Host != "" || strings.HasPrefix(u.Path, "/") {
		return false // the site is below a folder of its host
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	if strings.HasSuffix(u.Path, "/") {
		to = path.Join(to, "index.html")
	}
	file, err := fs.Stat(site, to)
	if err != nil || file.IsDir() {
		return false
	}
	return u.Fragment == "" || to == "index.html" || pages[to].anchors[u.Fragment]
}

func scan(content []byte) links {
	found := links{anchors: map[string]bool{}}
	for z := html.NewTokenizer(bytes.NewReader(content)); z.Next() != html.ErrorToken; {
		for _, a := range z.Token().Attr {
			switch a.Key {
			case "id":
				found.anchors[a.Val] = true
			case "href", "src":
				found.targets = append(found.targets, a.Val)
			}
		}
	}
	return found
}
