// Command shrink removes from a program that Go compiled to WebAssembly what only tracebacks print: names of functions, files and lines, a
// tenth of the compressed program.
//
//	go run ./internal/shrink FILE.wasm
//
// The file is replaced. What a panic says stays; its traceback has no names: the same command line at a terminal has them.
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("shrink: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: shrink FILE.wasm")
	}
	program, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	err = shrink(program)
	if err == nil {
		err = os.WriteFile(os.Args[1], program, 0o666)
	}
	if err != nil {
		log.Fatal(os.Args[1], ": ", err)
	}
}

// shrink clears the names, files and lines of a program in place, which keeps its length.
func shrink(program []byte) error {
	m, err := readMemory(program)
	if err != nil {
		return err
	}
	t, err := findTable(m.bytes)
	if err != nil {
		return err
	}
	if err := t.clear(); err != nil {
		return err
	}
	m.writeTo(program)
	return nil
}
