// Package ask decides what a text asks that is neither a command nor a file: a shape, a printed layout, an error message, lines of
// Python, the name of a layout, or a question about one in words. Each reading has the command line that answers it.
//
//	text ─Readings─► Reading: what it is read as, the arguments of tlayout, what they assume; the most likely first
//
//	reading.go  the readings of a text, in the order in which they are tried
//	shape.go    integers: sizes, or the strides of a dense tensor
//	words.go    questions in words about one or two layouts: nchw to nhwc, what is channels last
//	python.go   calls on a tensor whose shape the text may leave open
package ask
