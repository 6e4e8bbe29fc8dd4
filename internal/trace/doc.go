// Package trace follows a tensor through view operations, as PyTorch or NumPy has them: what each does to shape,
// strides and storage offset, by which formula, and whether bytes are copied.
//
//	Parse("[1:3, ::2]")   a step as it is written → Call
//	Start(tensor)         a tensor and the storage that it looks at → State
//	State.Apply(Call)     → Step, the state after it and why; or *Refusal, in the framework's words and in numbers
//
// Nothing is moved: a copy is a new Storage that remembers what it was made of, so that the value at any offset can be
// followed back to the first one.
package trace
