package bench

// Comparison says what changed since an earlier report.
type Comparison struct {
	File        string   `json:"file"`
	Differences []string `json:"machine_differences"` // in words; none where it is the same machine
	Rows        []Change `json:"rows"`
	Missing     []string `json:"missing"` // keys of rows that the earlier report does not have
}

// Change compares a row with its earlier self by the Mann–Whitney U test.
type Change struct {
	Key      string  `json:"key"`
	BeforeNS float64 `json:"before_ns"` // medians
	AfterNS  float64 `json:"after_ns"`
	Delta    string  `json:"delta"` // +12.3%, or ~ where the difference is not significant
	P        float64 `json:"p"`
}
