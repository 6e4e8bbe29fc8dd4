package checkpoint

import "github.com/tlayout/tlayout/internal/text"

// Claims are the names that the tensors of a container have so far, within its budget.
type Claims struct {
	*Room
	limit Limit
	taken map[string]bool
}

// Claims returns the names of a container, of which none is claimed yet.
func (l Limit) Claims() *Claims {
	return &Claims{l.Room("the names of the tensors"), l, map[string]bool{}}
}

// Claim takes a name for a tensor; again reports that another one has it. Errors are Resource for more tensors than the limit, and Unsupported for a
// name that is too long or beyond the budget.
func (n *Claims) Claim(name string) (again bool, err error) {
	if err := n.limit.Check(uint64(len(n.taken))+1, "tensors"); err != nil {
		return false, err
	}
	if err := n.TakeName(int64(len(name))); err != nil {
		return false, err
	}
	again = n.taken[name]
	n.taken[name] = true
	return again, nil
}

const maxShown = 121 // characters of a name

// Quoted returns a name from the file for an error: safe to print and short.
func Quoted(name string) string {
	return text.Quoted(text.Cut(name[:min(len(name), 4*maxShown)], maxShown))
}
