package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestRecordBounds: arrays of a record, and the bytes of one, are read up to their bounds and not beyond; and a record made to be large
// leaves little more than its bytes in memory.
func TestRecordBounds(t *testing.T) {
	record := func(arrays string) []byte { return []byte(`{"schema":"tlayout/layout/v1","arrays":{` + arrays + `}}`) }
	many := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"%d":{}`, map[bool]string{true: ","}[i > 0], i)
		}
		return record(b.String())
	}
	array := func(n int) []byte {
		return record(`"a":{"layout":"` + strings.Repeat("x", n-len(`{"layout":""}`)) + `"}`)
	}
	for _, c := range []struct {
		text  []byte
		error string
	}{
		{many(30), ""}, {many(31), "more than 30 arrays"},
		{array(maxArrayRecord), ""}, {array(maxArrayRecord + 1), "record of an array has 65537 bytes, over the limit of 65536"},
		{record(`"a":{},"a":{"layout":"nchw"}`), ""}, {record(`"a":{"b":1}`), "not a record of layouts"}, {record(`"a":1`), "not a record of layouts"},
		{[]byte(`{"schema":"tlayout/layout/v1","arrays":[]}`), "its arrays are not an object"}, {[]byte(`{"schema":"tlayout/layout/v1","arrays":null}`), ""},
		{[]byte(`{"schema":"tlayout/layout/v1","x":1}`), "not a record of layouts"},
	} {
		if _, err := parseRecord(c.text, 30); c.error == "" && err != nil || c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)) {
			t.Errorf("%.60s: %v, expected %q", c.text, err, c.error)
		}
	}
	for what, text := range map[string][]byte{
		"digits": record(`"a":{"digits":{"N":[` + strings.Repeat("{},", 1<<19) + `{}]}}`), "sizes": record(`"a":{"shape":[` + strings.Repeat("1,", 1<<19) + `1]}`),
	} {
		used := hostile.AllocatedBy(func() {
			if _, err := parseRecord(text, checkpoint.DefaultLimit); err == nil {
				t.Errorf("%s: read", what)
			}
		})
		if used > 10*uint64(len(text)) {
			t.Errorf("%s: %d bytes allocated for %d", what, used, len(text))
		}
	}
}
