// Package remote reads byte ranges of one version of a remote object: files over http and https, and objects of a store, through the same
// Reader.
//
// A Reader keeps a few recently read blocks in memory, and reads ahead when it is read sequentially. Copy reads large ranges in parallel
// parts, Prefetch small ones: several in one response, where the server sends such. After a broken connection a Reader resumes where the part
// ended.
package remote
