package picture

import (
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/text"
)

// bankOf returns the bank of an offset's first byte.
func bankOf(off, size int) int { return off * size / shared.WordBytes % shared.Banks }

// bankLabel returns a bank, and the degree of a conflict in the accesses, which may be nil: 3 or 3×8.
func bankLabel(c *shared.Cost, element, off, size int) string {
	bank := bankOf(off, size)
	text := strconv.Itoa(bank)
	if c == nil {
		return text
	}
	if n := c.Words[element]; n > 1 {
		text += "×" + strconv.Itoa(n)
	}
	return text
}

// bankCost describes the bank conflicts of accesses.
func bankCost(n shared.BankCounts) string {
	verdict := "no bank conflicts"
	if n.Degree > 1 {
		verdict = fmt.Sprintf("up to %d-way bank conflicts", n.Degree)
	}
	return fmt.Sprintf("%s: %s %s %s", verdict, count(n.Accesses, "access", "accesses"), text.Plural(n.Accesses, "takes", "take"),
		text.Count(n.Transactions, "transaction"))
}
