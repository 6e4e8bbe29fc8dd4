// Command _asm generates the assembly of a package. Run it in its own directory:
//
//	cd _asm && go run . ../internal/convert/kernel
//	cd _asm && go run . ../internal/bench/reader
//
// The base name of the directory selects the package. The output depends only on these files and the pinned version of avo.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// parents are the package folders, makers the functions that generate their files, neonMakers those for arm64.
var (
	parents = map[string]string{"kernel": "../internal/convert", "reader": "../internal/bench"}
	makers  = map[string]map[string]func(*build.Context){
		"kernel": {"tile": tiles, "program": programs, "copy": copies},
		"reader": {"read": reads},
	}
	neonMakers = map[string]map[string]func(*neon){"kernel": {"tile": neonTiles, "program": neonPrograms}}
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || makers[filepath.Base(os.Args[1])] == nil {
		log.Fatal("usage: go run . directory/kernel, or directory/reader")
	}
	for name, generate := range makers[filepath.Base(os.Args[1])] {
		write(os.Args[1], name, generate)
	}
	for name, generate := range neonMakers[filepath.Base(os.Args[1])] {
		writeNeon(os.Args[1], name, generate)
	}
}

// write generates name_amd64.s and the declarations of its functions, name_stubs_amd64.go.
func write(dir, name string, generate func(*build.Context)) {
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	generate(c)
	file, err := c.Result()
	check(err)
	check(pass.Compile.Execute(file))
	pkg := filepath.Base(dir)
	config := printer.Config{Argv: []string{"go", "run", ".", parents[pkg] + "/" + pkg}, Pkg: pkg}
	for suffix, p := range map[string]printer.Printer{
		"_amd64.s": printer.NewGoAsm(config), "_stubs_amd64.go": printer.NewStubs(config),
	} {
		text, err := p.Print(file)
		check(err)
		check(os.WriteFile(filepath.Join(dir, name+suffix), text, 0o644))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
