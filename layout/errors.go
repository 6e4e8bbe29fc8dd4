package layout

import "errors"

// Errors that a caller may act upon, for errors.Is. The error that wraps one of them names what and where.
var (
	// ErrOverlap: dst and src share memory; a conversion needs another storage.
	ErrOverlap = errors.New("dst and src overlap")
	// ErrShort: a storage has fewer elements than Layout.Size of its layout.
	ErrShort = errors.New("storage too short")
	// ErrShape: the shapes of two layouts differ, or a Map has not one scale and shift for each index of its dim.
	ErrShape = errors.New("shapes differ")
	// ErrDType: the elements of a Tensor are of another dtype than the one asked for.
	ErrDType = errors.New("another dtype")
	// ErrUnrelated: Relate found no relation.
	ErrUnrelated = errors.New("unrelated")
)
