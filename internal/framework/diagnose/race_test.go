//go:build race

package diagnose

// isRace reports the race detector, under which the pools of package regexp are emptied at random, so that each match allocates.
const isRace = true
