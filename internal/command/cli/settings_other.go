//go:build !unix

package cli

const openAtOnce = 0
