package kernel

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestRequired: with TLAYOUT_TEST_REQUIRE, a list of levels, the tests of this package ran for each of them.
func TestRequired(t *testing.T) {
	required := os.Getenv("TLAYOUT_TEST_REQUIRE")
	if required == "" {
		t.Skip("TLAYOUT_TEST_REQUIRE is not set")
	}
	var have []string
	for _, k := range Available() {
		have = append(have, k.Level.String())
	}
	for name := range strings.SplitSeq(required, ",") {
		if !slices.Contains(have, name) {
			t.Errorf("%s is missing from %v", name, have)
		}
	}
}

// TestAvailable: the levels of this architecture up to the highest one, in order, with kernels named after it or a lower one.
func TestAvailable(t *testing.T) {
	levels := []Level{Generic, AVX2, AVX512}
	if runtime.GOARCH == "arm64" {
		levels = []Level{Generic, NEON}
	}
	for i, k := range Available() {
		if k.Level != levels[i] || k.Name() != levelNames[k.Level] {
			t.Errorf("level %d is %v", i, k.Level)
		}
		for _, name := range k.List() {
			_, of, _ := strings.Cut(name, "/")
			level, err := parseLevel(of)
			if err != nil || level > k.Level {
				t.Errorf("%v has %s: %v", k.Level, name, err)
			}
		}
	}
}

func TestFromEnv(t *testing.T) {
	highest := available[len(available)-1]
	for value, want := range map[string]*Kernels{"": highest, "generic": available[0], highest.Name(): highest} {
		if k, err := FromEnv(value); k != want || err != nil {
			t.Errorf("%q: %v, %v", value, k, err)
		}
	}
	if k, err := FromEnv("sse9"); k != highest || err == nil || !strings.Contains(err.Error(), `"sse9"`) {
		t.Errorf("an unknown value: %v, %v", k, err)
	}
}

// TestFromEnvOfAnother: levels of another architecture are errors, and the highest one of this is used.
func TestFromEnvOfAnother(t *testing.T) {
	others := []string{"neon"}
	if runtime.GOARCH == "arm64" {
		others = []string{"avx2", "avx512"}
	}
	for _, name := range others {
		if k, err := FromEnv(name); k != available[len(available)-1] || err == nil || !strings.Contains(err.Error(), name+" is not available") || !strings.Contains(err.Error(), "want generic") {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
}

// TestFromEnvTooHigh: a level that this machine lacks is an error, and the highest one is used.
func TestFromEnvTooHigh(t *testing.T) {
	all := available
	defer func() { available = all }()
	available = all[:1]
	for _, name := range levelNames[1:] {
		if k, err := FromEnv(name); k != all[0] || err == nil || !strings.Contains(err.Error(), name+" is not available") {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
}
