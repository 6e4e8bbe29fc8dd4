package bench

// Gate is a condition that a report must meet, and whether it did.
type Gate struct {
	Expr  string `json:"expr"`
	Holds bool   `json:"holds"`
	Why   string `json:"why"` // the condition with the values in place of the names
}
