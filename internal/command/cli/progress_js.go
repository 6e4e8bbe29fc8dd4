package cli

// progress is nil: a page has no terminal.
type progress struct{}

// NewProgress returns nil.
func NewProgress(*Streams, string, int64) *progress { return nil }

// NewCounting returns nil.
func NewCounting(*Streams) *progress { return nil }

// Reach does nothing.
func (p *progress) Reach(done, total int) {}

// Add does nothing.
func (p *progress) Add(bytes int) {}

// End does nothing.
func (p *progress) End() {}
