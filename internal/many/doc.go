// Package many applies one operation to many sources independently: it expands the user's names into units, selects the units of this
// shard, runs them in parallel, and counts their outcomes.
//
// # Expand ──► List ──► Share ──► Run(unit) ──► Outcome ──► Summary
//
// Units are independent: a failure affects no other unit, and running the command again completes what was interrupted. The package does
// not depend on tensors or flags.
package many
