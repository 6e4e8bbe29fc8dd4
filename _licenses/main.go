// Command licenses writes the license texts of the Go standard library and of all modules that a program links on any platform of a release:
//
//	go -C _licenses run . MODULE FILE
//
// MODULE is the folder of a module with cmd/tlayout, FILE is written, both relative to this folder. A line "== MODULE VERSION", or
// "== MODULE VERSION FOLDER" for a license of packages below a folder, is followed by the text; modules with equal texts share one. A module
// without a license, or with one that asks for more than its text, is an error.
package main

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-licenses/v2/licenses"
	"golang.org/x/mod/module"
	"k8s.io/klog/v2"
)

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("licenses: ")
	klog.LogToStderr(false) // it warns of each assembly file
	klog.SetOutput(io.Discard)
	if len(os.Args) != 3 {
		log.Fatal("usage: licenses MODULE FILE")
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func write(dir, name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	titles, err := texts()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, document(titles), 0o644)
}

// document returns the file, with the titles of each text in order, and the texts in the order of their first titles.
func document(titles map[string][]string) []byte {
	var sections []string
	for text, names := range titles {
		slices.Sort(names)
		sections = append(sections, "== "+strings.Join(slices.Compact(names), "\n== ")+"\n\n"+strings.TrimSpace(text)+"\n")
	}
	slices.Sort(sections)
	return []byte("This program contains the Go standard library and the modules that follow, each above its license.\n\n" +
		strings.Join(sections, "\n\n"))
}

// texts returns the titles of each license text.
func texts() (map[string][]string, error) {
	goroot, cache, version, err := environment()
	if err != nil {
		return nil, err
	}
	build.Default.GOROOT = goroot // by which go-licenses recognizes the standard library; go run -trimpath leaves it empty
	std, err := os.ReadFile(filepath.Join(goroot, "LICENSE"))
	if err != nil {
		return nil, err
	}
	titles := map[string][]string{string(std): {"std " + version}}
	known, err := licenses.NewClassifier()
	if err != nil {
		return nil, err
	}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		os.Setenv("GOOS", goos)
		os.Setenv("GOARCH", goarch)
		libraries, err := licenses.Libraries(context.Background(), classifier{known}, false, []string{"github.com/tlayout/tlayout"}, "./cmd/tlayout")
		if err != nil {
			return nil, err
		}
		for _, library := range libraries {
			text, err := textOf(library)
			if err != nil {
				return nil, err
			}
			title, err := titleOf(cache, library.LicenseFile)
			if err != nil {
				return nil, err
			}
			titles[text] = append(titles[text], title)
		}
	}
	return titles, nil
}

func environment() (goroot, cache, version string, err error) {
	os.Setenv("CGO_ENABLED", "0")
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE", "GOVERSION").Output()
	if err != nil {
		return "", "", "", err
	}
	lines := strings.Split(string(out), "\n")
	return lines[0], lines[1], lines[2], nil
}

// textOf returns a library's license, with what must be passed on beside it.
func textOf(library *licenses.Library) (string, error) {
	if library.LicenseFile == "" || len(library.Licenses) == 0 {
		return "", fmt.Errorf("%s: no license that is known", library.Packages[0])
	}
	for _, l := range library.Licenses {
		switch l.Type {
		case licenses.Notice, licenses.Permissive, licenses.Unencumbered:
		default:
			return "", fmt.Errorf("%s: license %s, %s: its text alone may not be enough", library.LicenseFile, l.Name, l.Type)
		}
	}
	files := []string{library.LicenseFile}
	notices, err := filepath.Glob(filepath.Join(filepath.Dir(library.LicenseFile), "NOTICE*"))
	if err != nil {
		return "", err
	}
	files = append(files, notices...)
	if offersChoice(library.LicenseFile) {
		files = append(files, filepath.Join(filepath.Dir(library.LicenseFile), "licenses", "ftl.txt"))
	}
	var all bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s\n\n", bytes.TrimSpace(text))
	}
	return all.String(), nil
}

// titleOf returns the module and version of a file in the module cache, and its folder unless that is the module's.
func titleOf(cache, file string) (string, error) {
	rel, err := filepath.Rel(cache, filepath.Dir(file))
	if err != nil {
		return "", err
	}
	escaped, rest, ok := strings.Cut(filepath.ToSlash(rel), "@")
	if !ok {
		return "", fmt.Errorf("%s is not in the module cache %s", file, cache)
	}
	path, err := module.UnescapePath(escaped)
	version, folder, _ := strings.Cut(rest, "/")
	return strings.TrimSpace(path + " " + version + " " + folder), err
}

// classifier adds the license of freetype to those that go-licenses knows.
type classifier struct{ licenses.Classifier }

func (c classifier) Identify(file string) ([]licenses.License, error) {
	if offersChoice(file) {
		return []licenses.License{{Name: "FTL", Type: licenses.Notice}}, nil
	}
	return c.Classifier.Identify(file)
}

// offersChoice reports whether a license is that of freetype: a choice of two other files, of which licenses/ftl.txt is the FreeType License.
func offersChoice(file string) bool {
	return strings.Contains(filepath.ToSlash(file), "/github.com/golang/freetype@") && filepath.Base(file) == "LICENSE"
}
