// Package batch applies one operation to many sources independently: it expands the user's names into items, selects the items of this
// shard, runs them in parallel, and counts the results.
//
//	Expand ──► List ──► Shard ──► Run(do) ──► Result ──► Summary
//
// Items are independent: a failure affects no other item, and running the command again completes what was interrupted. The package does
// not depend on tensors or flags.
package batch
