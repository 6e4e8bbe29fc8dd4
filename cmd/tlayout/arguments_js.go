package main

import "syscall/js"

// arguments returns the arguments that the page sets (web/program.js): those of Go's WebAssembly have 8 KiB with the environment
// (wasmMinDataAddr of Go's lib/wasm/wasm_exec.js), and a trace of 1,500 steps has more.
func arguments() []string {
	list := js.Global().Get("tlayoutArguments")
	args := make([]string, list.Length())
	for i := range args {
		args[i] = list.Index(i).String()
	}
	return args
}
