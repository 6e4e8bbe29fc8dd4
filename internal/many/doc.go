// Package many does one thing to many sources, each for itself: it expands what the user named into units, says which of them belong to
// this share, runs them side by side, remembers in the destination what was made of what, and reports what became of each.
//
//	Expand ──► List ──► Share ──► Run(unit) ──► Outcome ──► Report
//	                                 │
//	                                 └── Journal: what the destination holds, and of what it was made
//
// Units are independent: one that fails spoils no other, and whatever was interrupted is done by running it again. The package knows
// nothing of tensors and of flags.
package many
