// Command _asm writes the kernels of internal/convert/kernel that Go cannot express. Run it in its own directory:
//
//	cd _asm && go run . ../internal/convert/kernel
//
// The output depends on nothing but these files and the pinned version of avo.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run . directory")
	}
	write(os.Args[1], "transpose", transposes)
	write(os.Args[1], "shuffle", shuffles)
	write(os.Args[1], "copy", copies)
	write(os.Args[1], "rows", rowCopies)
}

// write generates name_amd64.s and the declarations of its functions, name_stubs_amd64.go.
func write(dir, name string, generate func(*build.Context)) {
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	generate(c)
	file, err := c.Result()
	check(err)
	check(pass.Compile.Execute(file))
	config := printer.Config{Argv: []string{"go", "run", ".", "../internal/convert/kernel"}, Pkg: "kernel"}
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
