package tensor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What each key of testdata/vectors.json is evaluated by; nil where another package does it.
var vectorChecks = map[string]func(*vector){
	"strided":           checkStridedVector,
	"view":              checkViewVector,
	"expand":            checkExpandVector,
	"as_strided_bounds": checkAsStridedVector,
	"cute":              checkCuTeVector,
	"conversion":        checkConversionVector,
	"swizzle":           checkSwizzleVector,

	"meta": nil, "blocked": nil, "xla": nil, "npy_golden": nil, "npy_header_tolerance": nil, "layout_parse": nil,
}

// TestVectors proves that the model gives every number that torch 1.13, numpy 1.24 and the frameworks' sources gave:
// each field of each vector is looked at, and a field or key that nothing looks at is a failure.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	passed, total := 0, 0
	for _, key := range slices.Sorted(maps.Keys(vectorChecks)) {
		check := vectorChecks[key]
		if check == nil {
			continue
		}
		var list []map[string]json.RawMessage
		if err := json.Unmarshal(all[key], &list); err != nil {
			t.Errorf("vectors of %s: %v", key, err)
		}
		for i, fields := range list {
			if t.Run(key+"/"+vectorName(i, fields), func(t *testing.T) { newVector(t, "", fields).evaluate(check) }) {
				passed++
			}
		}
		total += len(list)
	}
	for key := range all {
		if _, known := vectorChecks[key]; !known {
			t.Errorf("vectors.json has a key %q that no test looks at", key)
		}
	}
	t.Logf("vectors: %d of %d", passed, total)
}

// vectorName is the vector's id, or its number and inputs where it has none.
func vectorName(i int, fields map[string]json.RawMessage) string {
	var id string
	if json.Unmarshal(fields["id"], &id) == nil {
		return id
	}
	name := strconv.Itoa(i)
	for _, input := range []string{"layout", "shape", "strides", "offset", "new_shape", "target"} {
		if raw, ok := fields[input]; ok {
			name += "_" + strings.ReplaceAll(strings.Trim(string(raw), `"`), " ", "")
		}
	}
	return name
}

// vector is one object of vectors.json. It remembers which fields a test has looked at.
type vector struct {
	t      *testing.T
	path   string
	fields map[string]json.RawMessage
	unread map[string]bool
}

func newVector(t *testing.T, path string, fields map[string]json.RawMessage) *vector {
	v := &vector{t, path, fields, map[string]bool{}}
	for name := range fields {
		v.unread[name] = true
	}
	return v
}

// evaluate runs the check and fails where it left a field unread.
func (v *vector) evaluate(check func(*vector)) {
	v.t.Helper()
	check(v)
	for name := range v.unread {
		v.t.Errorf("no test looks at the field %s%s", v.path, name)
	}
}

// prose marks fields that explain the vector to a reader and state nothing about the model.
func (v *vector) prose(names ...string) {
	for _, name := range names {
		delete(v.unread, name)
	}
}

func (v *vector) has(name string) bool { return v.fields[name] != nil }

func (v *vector) null(name string) bool {
	return v.has(name) && string(v.fields[name]) == "null"
}

// input returns a field as a T. Numbers that do not fit the machine's int skip the vector.
func input[T any](v *vector, name string) T {
	v.t.Helper()
	delete(v.unread, name)
	var x T
	err := json.Unmarshal(v.fields[name], &x)
	if err != nil && strconv.IntSize == 32 {
		v.t.Skipf("does not fit 32 bits: %v", err)
	}
	if err != nil {
		v.t.Fatalf("%s%s: %v", v.path, name, err)
	}
	return x
}

// object looks at a nested object, all of whose fields must be read in turn.
func (v *vector) object(name string, check func(*vector)) {
	v.t.Helper()
	newVector(v.t, v.path+name+".", input[map[string]json.RawMessage](v, name)).evaluate(check)
}

// want compares a field with what the model says. Where applies is false, the framework has no answer for such a
// tensor, and the field must be null.
func (v *vector) want(name string, applies bool, got any) {
	v.t.Helper()
	delete(v.unread, name)
	switch {
	case !v.has(name):
		v.t.Errorf("%s%s is missing", v.path, name)
	case v.null(name) == applies:
		v.t.Errorf("%s%s: the vector says %s, the model that an answer exists: %v",
			v.path, name, v.fields[name], applies)
	case applies:
		want := reflect.New(reflect.TypeOf(got))
		if err := json.Unmarshal(v.fields[name], want.Interface()); err != nil {
			v.t.Fatalf("%s%s: %v", v.path, name, err)
		}
		if diff := cmp.Diff(want.Elem().Interface(), got, cmpopts.EquateEmpty()); diff != "" {
			v.t.Errorf("%s%s (-vector +model):\n%s", v.path, name, diff)
		}
	}
}

// wantIf is want for a field that only some vectors have.
func (v *vector) wantIf(name string, got any) {
	v.t.Helper()
	if v.has(name) {
		v.want(name, true, got)
	}
}

// strided makes the tensor that the fields shape and strides describe.
func (v *vector) strided(offset int) Strided {
	v.t.Helper()
	s, err := NewStrided(input[[]int](v, "shape"), input[[]int](v, "strides"), offset)
	if err != nil {
		v.t.Fatal(err)
	}
	return s
}

// TestVectorUnreadField proves that a field which no check reads is found, in a nested object too.
func TestVectorUnreadField(t *testing.T) {
	v := newVector(t, "", map[string]json.RawMessage{"read": []byte("1"), "unread": []byte("2")})
	v.want("read", true, 1)
	if got := fmt.Sprint(slices.Collect(maps.Keys(v.unread))); got != "[unread]" {
		t.Errorf("unread fields: %s", got)
	}
}
