//go:build !race

package diagnose

const isRace = false
