package trace

import (
	"fmt"
)

// Kind is what a step returns.
type Kind string

// The kinds: the very tensor it was called on, another look at the same storage, or a storage of its own.
const (
	Self Kind = "self"
	View Kind = "view"
	Copy Kind = "copy"
)

// Step is a call and what came of it.
type Step struct {
	Call   Call
	State  State // after it
	Kind   Kind
	Copied int      // bytes that a copy writes
	Why    []string // how shape, strides and offset came about: equations with their numbers, and a sentence where it needs one
}

// Refusal is a step that the framework refuses.
type Refusal struct {
	Text string // the framework's own message
	Why  string // the same in the numbers of the tensor; empty where Text says it all
	// Dims are the two neighbours that cannot become one, the outer first, where that is the reason: the outer one has
	// stride Found, and would need Expected to go on where the inner one ends. Nil otherwise.
	Dims            []int
	Expected, Found int
	Hint            string // the cheapest step that makes it possible, and its price; empty where there is none
}

func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) *Refusal { return &Refusal{Text: fmt.Sprintf(format, args...)} }

func (r *Refusal) because(format string, args ...any) *Refusal {
	r.Why = fmt.Sprintf(format, args...)
	return r
}

func (r *Refusal) withHint(format string, args ...any) *Refusal {
	r.Hint = fmt.Sprintf(format, args...)
	return r
}
