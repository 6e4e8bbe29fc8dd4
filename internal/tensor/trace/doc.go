// Package trace follows a tensor through view operations, as PyTorch or NumPy has them: what each does to shape,
// strides and storage offset, by which formula, and whether bytes are copied.
//
//	Parse("[1:3, ::2]")   a step as it is written → Call
//	Start(tensor)         a tensor and the storage that it looks at → State
//	State.Apply(Call)     → Step, the state after it and why; or *Refusal, in the framework's words and in numbers
//	Steps(rules)          the steps that there are, for the help text
//
// Nothing is moved: a copy is a new Storage that remembers what it was made of, so that the value at any offset can be
// followed back to the first one.
//
// The tables of steps are in pytorch.go and numpy.go, and each step's arithmetic in the file of its name. What a view
// can and cannot do is in group.go and border.go. The tests draw chains of steps and compare them with the installed
// PyTorch and NumPy.
package trace
