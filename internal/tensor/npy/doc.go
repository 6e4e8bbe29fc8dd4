// Package npy reads and writes the header of NumPy's .npy format, and nothing else.
//
// A file is
//
//	"\x93NUMPY" major minor length header data
//
// where length has two bytes in version 1.0 and four in 2.0 and 3.0 (little-endian), and header is a Python dictionary
// with three keys: the item type, the element order and the shape. It is Latin-1 text in 1.0 and 2.0, UTF-8 in 3.0.
// Source: NumPy numpy/lib/format.py, version 1.24, called _format_impl.py since NumPy 2.
//
// Reading goes through these steps, each in the file of that name:
//
//  1. preamble: magic, version and length; the length is checked before the header is read.
//  2. token: the header's text becomes tokens of a small part of Python's literals.
//  3. dict: the tokens are parsed straight into three values; there is no general tree that could grow.
//  4. descr: the item type, which may be nested.
//  5. size: the number of data bytes, with every overflow checked, against what the file holds.
//
// Writing takes the way back: repr makes Python literals, write pads them as NumPy does.
//
// Every byte read is taken to be hostile. Errors are *fault.Error: Malformed where the bytes break the format,
// Unsupported where NumPy would go on but this package does not. What is decided differently from NumPy stands in
// differences_test.go, as tests.
package npy
