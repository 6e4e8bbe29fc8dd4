package cli

import (
	"testing"
)

// TestUTF8Locale: which variables of the locale decide, in their order.
func TestUTF8Locale(t *testing.T) {
	for vars, want := range map[[3]string]bool{
		{"", "", ""}: true, {"C", "", "en_US.UTF-8"}: false, {"", "", "en_US.UTF-8"}: true, {"", "C.utf8", "C"}: true, {"POSIX", "", ""}: false,
	} {
		env := map[string]string{"LC_ALL": vars[0], "LC_CTYPE": vars[1], "LANG": vars[2]}
		if got := utf8Locale(func(name string) string { return env[name] }); got != want {
			t.Errorf("utf8Locale(%v) = %t", env, got)
		}
	}
}
