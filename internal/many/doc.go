// Package many does one thing to many sources, each for itself: it expands what the user named into units, says which of them belong to
// this share, runs them side by side, and counts what became of each.
//
//	Expand ──► List ──► Share ──► Run(unit) ──► Outcome ──► Summary
//
// Units are independent: one that fails spoils no other, and whatever was interrupted is done by running it again. The package knows
// nothing of tensors and of flags.
package many
