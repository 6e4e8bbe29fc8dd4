// Package oracle asks Python, from tests, what NumPy and PyTorch say.
//
//  1. NumPy or Torch starts a script of the package's testdata. It imports what it needs, and then prints its first line:
//     the version of the library.
//  2. Questions are written to its standard input, answers are read from its standard output, mostly a line of JSON each.
//  3. When the test ends, so does the script; the test fails where it ended badly, or wrote to standard error.
//
// Where no interpreter gets as far as the first line, the test is skipped, or fails if the environment requires the
// library: TLAYOUT_TEST_REQUIRE_NUMPY=1, TLAYOUT_TEST_REQUIRE_TORCH=1. Only tests import this package, and
// internal/bench/marks, whose peers answer lines too.
package oracle
