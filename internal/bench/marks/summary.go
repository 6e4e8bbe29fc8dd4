package marks

import (
	"fmt"
	"io"
)

// summary counts the rows that miss a mark.
type summary struct {
	Rows       int     `json:"rows"`
	Median     float64 `json:"median"`
	Least      float64 `json:"least"`
	LeastRow   string  `json:"least_row"`
	Under090   int     `json:"under_0.90"`
	Under070   int     `json:"under_0.70"`
	Under050   int     `json:"under_0.50"`
	WithOneDNN int     `json:"with_onednn"`
	Behind     int     `json:"behind_onednn"`
	BehindBy5  int     `json:"behind_onednn_by_5_percent"`
	Threads    float64 `json:"two_threads,omitempty"` // median of the rows under 0.90; 0 if none was measured
}

func summarize(rows []result) summary {
	s := summary{Rows: len(rows)}
	var ratios, threads []float64
	for _, r := range rows {
		if ratios = append(ratios, r.Tlayout); s.LeastRow == "" || r.Tlayout < s.Least {
			s.Least, s.LeastRow = r.Tlayout, r.Name
		}
		if r.Tlayout < 0.9 && r.Threads > 0 {
			threads = append(threads, r.Threads)
		}
		for limit, count := range map[float64]*int{0.9: &s.Under090, 0.7: &s.Under070, 0.5: &s.Under050} {
			if r.Tlayout < limit {
				*count++
			}
		}
		if _, ok := r.Peers[oneDNN]; ok {
			s.WithOneDNN++
		}
		if r.behind() > 0 {
			s.Behind++
		}
		if r.behind() > 0.05 {
			s.BehindBy5++
		}
	}
	if s.Median = median(ratios); len(threads) > 0 {
		s.Threads = median(threads)
	}
	return s
}

func (s summary) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%d rows: median %.2f of the roof; %d rows under 0.90, %d under 0.70, %d under 0.50; least %.2f, %s\n",
		s.Rows, s.Median, s.Under090, s.Under070, s.Under050, s.Least, s.LeastRow)
	if s.WithOneDNN > 0 {
		fmt.Fprintf(w, "behind oneDNN in %d of the %d rows that it has, by more than 5 %% in %d\n", s.Behind, s.WithOneDNN, s.BehindBy5)
	}
	if s.Threads == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "two threads: %.2f times one, median of the %d rows under 0.90\n", s.Threads, s.Under090)
	return err
}
