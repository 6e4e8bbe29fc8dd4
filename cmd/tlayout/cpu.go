package main

import (
	"strings"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
)

// kernels are those that move the data. A value of TLAYOUT_CPU that names none of this machine's is an error.
func (a *app) kernels() (*kernel.Kernels, error) {
	value, _ := a.streams.env(kernel.Variable)
	k, err := kernel.FromEnv(value)
	if err == nil {
		return k, nil
	}
	names := availableLevels()
	hint := "valid here: " + strings.Join(names, ", ") + "; without it the last one is taken"
	if near := fault.Nearest(value, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, fault.New(fault.Usage, "%s", err).WithHint("%s", hint)
}

// availableLevels names what TLAYOUT_CPU may ask for here, the lowest first.
func availableLevels() (names []string) {
	for _, k := range kernel.Available() {
		names = append(names, k.Name())
	}
	return names
}
