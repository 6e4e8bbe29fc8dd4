// Command docs writes the documents of the repository as pages of a site:
//
//	go -C _docs run . REPOSITORY SITE VERSION
//
// README.md, CHANGELOG.md and docs/*.md become SITE/docs/*.html, beside the files of docs and a stylesheet. The pages need no script, and
// request nothing but their own files. VERSION, at the foot of each page, is that of the program whose outputs they show. The command then
// checks all pages of SITE: a link to a file or a heading that does not exist is an error. It prints the links that leave the site.
package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed page.html style.css
var files embed.FS

func main() {
	log.SetFlags(0)
	log.SetPrefix("docs: ")
	if len(os.Args) != 4 {
		log.Fatal("usage: docs REPOSITORY SITE VERSION")
	}
	build(os.Args[1], os.Args[2], os.Args[3])
	external, broken := check(os.DirFS(os.Args[2]))
	if len(broken) > 0 {
		log.Fatal(strings.Join(broken, "\n"))
	}
	fmt.Printf("%d links leave the site, and were not followed:\n%s\n", len(external), strings.Join(external, "\n"))
}

// must returns a value, or ends the program.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// build replaces SITE/docs.
func build(repository, site, version string) {
	folder := filepath.Join(site, "docs")
	must(0, os.RemoveAll(folder))
	must(0, os.CopyFS(folder, os.DirFS(filepath.Join(repository, "docs"))))
	must(0, os.WriteFile(filepath.Join(folder, "style.css"), must(files.ReadFile("style.css")), 0o666))

	pages := read(repository)
	layout := must(template.ParseFS(files, "page.html"))
	navigation := groups(pages)
	var order []*page
	for _, g := range navigation {
		order = append(order, g.Pages...)
	}
	for _, p := range pages {
		p.relink(pages, repository)
		var out bytes.Buffer
		following := append(order, nil)[slices.Index(order, p)+1]
		must(0, layout.Execute(&out, map[string]any{
			"Page": p, "Body": template.HTML(p.html()), "Navigation": navigation, "Next": following, "Version": version,
		}))
		must(0, os.WriteFile(filepath.Join(folder, p.Name), out.Bytes(), 0o666))
	}
}

// index lists the documents in the order in which the site shows them.
const index = "docs/README.md"

// read parses the documents whose commands TestDocs of cmd/tlayout runs, by their paths in the repository.
func read(repository string) map[string]*page {
	pages := map[string]*page{}
	for _, document := range append(must(filepath.Glob(filepath.Join(repository, "docs/*.md"))),
		filepath.Join(repository, "README.md"), filepath.Join(repository, "CHANGELOG.md")) {
		source := filepath.ToSlash(must(filepath.Rel(repository, document)))
		pages[source] = parse(source, must(os.ReadFile(document)))
	}
	return pages
}

// A group is a part of the navigation.
type group struct {
	Title string
	Pages []*page
}

var listed = regexp.MustCompile(`(?m)^(To .+):$|\]\((\w+\.md)\)`)

// groups returns the navigation: each list of the index below its title, between README.md and CHANGELOG.md.
func groups(pages map[string]*page) []group {
	all := []group{{"", []*page{pages["README.md"], pages[index]}}}
	for _, match := range listed.FindAllSubmatch(pages[index].text, -1) {
		if title := string(match[1]); title != "" {
			all = append(all, group{Title: title})
			continue
		}
		if p := pages["docs/"+string(match[2])]; p != nil {
			last := &all[len(all)-1]
			last.Pages = append(last.Pages, p)
		}
	}
	return append(all, group{"", []*page{pages["CHANGELOG.md"]}})
}
