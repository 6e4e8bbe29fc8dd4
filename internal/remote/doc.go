// Package remote reads objects that are elsewhere by ranges of bytes, all of one version: files over http and https, and, through the
// same Reader, objects of a store.
//
// What is read once is not read again soon: a Reader keeps a few blocks in memory, and reads ahead where it is read in order. Copy reads
// much at once, in parts side by side. A part whose connection breaks is taken up where it broke.
package remote
