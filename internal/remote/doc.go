// Package remote reads byte ranges of one version of a remote object: files over http and https, and objects of a store, through the same
// Reader.
//
// A Reader keeps a few recently read blocks in memory, and reads ahead when it is read sequentially. Copy reads large ranges in parallel
// parts. Prefetch reads small ranges several in one response, where the server sends such, else in parallel. After a broken connection it resumes where the part ended.
package remote
