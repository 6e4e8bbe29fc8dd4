package document

import "github.com/tlayout/tlayout/internal/name"

// Head is the head of a report about one source.
type Head struct {
	Schema string `json:"schema"` // kind and version of the document
	Named
	Remarks
}

// NewHead returns the head of a report about a source.
func NewHead(schema string, source name.Name, warnings ...string) Head {
	return Head{schema, NewNamed(source), Remarks{Warnings: append([]string{}, warnings...)}}
}

// Named is the name of a source.
type Named struct {
	Source string `json:"source"`                  // the source as named; empty for a tensor without one
	Raw    []byte `json:"source_base64,omitempty"` // its bytes, if not UTF-8
}

// NewNamed returns a name, redacted of possible secrets.
func NewNamed(source name.Name) Named { return Named{source.Redacted(), source.Bytes()} }

// Shown returns the name for a table or a title.
func (n Named) Shown() string { return name.Parse(n.Source).Shown() }

// Remarks are additions to an answer. A list that a kind of document never has is nil.
type Remarks struct {
	Notes    []string `json:"notes,omitzero"`    // what else to know
	Warnings []string `json:"warnings,omitzero"` // what may be wrong
}

// Warned returns the warnings, which go to standard error in text.
func (r Remarks) Warned() []string { return r.Warnings }
