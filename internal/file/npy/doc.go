// Package npy reads and writes the header of NumPy's .npy format.
//
// A file is
//
//	"\x93NUMPY" major minor length header data
//
// where length has two bytes in version 1.0 and four in 2.0 and 3.0 (little-endian), and header is a Python dictionary
// with three keys: the item type, the element order and the shape. It is Latin-1 text in 1.0 and 2.0, UTF-8 in 3.0.
// Source: NumPy numpy/lib/format.py, version 1.24, called _format_impl.py since NumPy 2.
//
// Reading takes these steps:
//
//  1. header: magic, version and length; the length is checked before the header is read.
//  2. literal: strings, integers and words of a small part of Python's literals.
//  3. parse: the dictionary, read straight into three values; without a general tree that could grow.
//  4. header: the number of data bytes, with every overflow checked, against what the file holds.
//
// Writing goes the other way: write makes Python literals and pads them as NumPy does.
//
// Input is assumed to be hostile. Errors are *fault.Error: Malformed where the bytes break the format, Unsupported where NumPy would
// continue and this package does not. The differences from NumPy are listed as tests in differences_test.go.
package npy
