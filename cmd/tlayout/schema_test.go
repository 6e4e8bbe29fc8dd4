package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/golden"
)

// schemas maps the names of command.Documents to resolved schemas. Each is resolved at its first use: a script's program writes at most one.
var schemas = func() map[string]func() *jsonschema.Resolved {
	all := map[string]func() *jsonschema.Resolved{}
	for _, d := range command.Documents {
		all[d.Schema] = sync.OnceValue(func() *jsonschema.Resolved {
			return fixture.Must(fixture.Must(vocabulary{}.schemaOf(d)).Resolve(nil))
		})
	}
	return all
}()

// TestSchemas: docs/schema has exactly the schemas of the documents' types. -update writes them.
func TestSchemas(t *testing.T) {
	kept := map[string]bool{}
	for _, path := range fixture.Must(filepath.Glob("../../docs/schema/*.json")) {
		kept[path] = true
	}
	v, _ := readVocabulary()
	for _, d := range command.Documents {
		s, err := v.schemaOf(d)
		if err != nil {
			t.Errorf("%s: %v", d.Schema, err)
			continue
		}
		path := filepath.Join("../../docs/schema", schemaName(d)+".json")
		want := fixture.Must(marshalSchema(s))
		if *golden.Update {
			cli.Must(os.WriteFile(path, want, 0o644))
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not the schema of %v; -update writes it", path, d.Type)
		}
		delete(kept, path)
	}
	for path := range kept {
		t.Errorf("%s is the schema of no document", path)
	}
}

// schemaName returns the name of a document's schema without prefix and version: inspect.
func schemaName(d cli.Document) string {
	return strings.TrimSuffix(strings.TrimPrefix(d.Schema, "tlayout/"), "/v1")
}

// documented are commands with different documents: with null, empty lists, and optional members. X, Y, W and E are files, Z is an archive.
var documented = slices.Concat(tabulated, []string{
	"inspect X --from nhwc", "inspect E", "inspect Z:w", "inspect model.pt:head.weight", "convert model.pt --to nhwc -o m.safetensors --force --verify", "convert model.pt --compact -o m.pt --force",
	"inspect --shape 2,3 --strides 0,1", "inspect --shape 3 --strides=-1",
	"inspect --shape 5000,5000 --strides 10007,10009 --explain", "inspect --shape 2,3,4,5,6,7,8,9,10 --explain", "inspect --shape () --explain",
	"inspect --shape 0,0,0,0,0 --from ndhwc --explain", "inspect --shape 2,3 --dtype S3 --explain", "inspect --shape 2,8,2,2 --from nchw4",
	"convert X --to nhwc --force", "convert X --to nchw4 --force --verify", "convert X --to fortran --force",
	"convert X --to nchw --to-pitch=W=64B --force", "convert X --to (1,3,4,5):(1,1,3,12) --force", "convert E --to nhwc --force", "plan --shape 2,1,4,5 --to nhwc",
	"plan --shape 2,0,4,5 --to nhwc", "plan --shape 1,26,2,2 --from nchw4 --to nchw6", "plan --shape 2,3 --strides 1,2 --to hw", "plan --shape 2,3 --to (2,3):(1,2)", "plan --shape () --to c", "plan --shared --shape 8 --read rows",
	"check X --from nchw --layout nchw --packed --finite --accepted-by numpy", "formats nChw16c --shape 1,62,5,4", "formats c", "formats --shape 2,3",
	"formats --shape 2,3 --strides 0,1", "formats --shape 2 --strides=-1", "formats (2,3):(5,1)@2", "formats --shape 2,0,3",
	"formats nhwc --shape 1,2,3,4 --framework numpy", "formats NCHW4 --framework mnn --dtype bool --shape 1,2,3,4",
	"offset X 0,2,3,4 --at 7,30B --line-size 64", "offset --shape 2,5,3,3 --from nchw4 1,4,0,0 --at 37", "offset --shape 2,3 --strides 5,1 --at 3",
	"offset --shape () () --line-size 64", "offset --shape 0,3 --offset 3 --at 0", "trace --cute (4,(2,2)):(2,(1,8)) coalesce complement(64) size --values",
	"trace --cute (4,6):(1,8) composition(6:1)", "threads", "threads ldmatrix.x1", "threads ((4,8),(2,2)):((32,1),(16,8)) --tile 16,8", "threads ((4,8),(2,2)):((32,1),(16,8)) --tile 16,8 --dtype float32 --at 9,3", "trace --numpy X [::-1] --values", "trace --shape 3,4 T view(12)", "trace --shape 3,4 view(5)",
	"convert model.pt -o s.safetensors --force", "diff model.pt s.safetensors --recipe r.json --force", "convert model.pt --recipe r.json -o made.safetensors --force",
	"check s.safetensors --recipe r.json model.pt", unreadable,
})

// unreadable is the only command of documented that fails, for the document of an error.
const unreadable = "check missing.npy --packed"

// TestDocuments: all kinds of documents occur, and are valid by their schemas, which runIn checks. Each command prints only its own kinds, and
// only unreadable fails. The record in an archive is valid too.
func TestDocuments(t *testing.T) {
	seen := map[string]bool{}
	writeTabulated(t)
	for _, command := range documented {
		o := runIn(t, nil, append(tabulatedArgs(command), "--json")...)
		if fails := command == unreadable; o.code > 1 != fails {
			t.Errorf("tlayout %s: exit code %d\n%s", command, o.code, o.err)
		} else if !fails && !printsOwn(command, o.out) {
			t.Errorf("tlayout %s prints another command's document:\n%.200s", command, o.out)
		}
		for dec := json.NewDecoder(strings.NewReader(o.out + o.err)); ; {
			var d struct{ Schema string }
			if dec.Decode(&d) != nil {
				break
			}
			seen[d.Schema] = true
		}
	}
	archive := fixture.Must(zip.OpenReader("x.nchw4c.npz"))
	defer archive.Close()
	record := fixture.Must(io.ReadAll(fixture.Must(archive.Open("layout.json"))))
	if err := validate(record); err != nil {
		t.Error(err)
	}
	for _, d := range command.Documents {
		if !seen[d.Schema] && d.Schema != "tlayout/layout/v1" && d.Schema != document.DescribedSchema {
			t.Errorf("no command printed %s", d.Schema)
		}
	}
}

// TestDescribedSchema: like --from json, the schema of descriptions refuses missing and unknown names and values of another type; it allows
// what --from json takes.
func TestDescribedSchema(t *testing.T) {
	const good = `{"schema":"tlayout/tensor/v1","name":"w","dtype":"float32","shape":[2,3],"strides":[3,1],"unit":"elements","storage_offset":0,"storage":{"id":"0","bytes":24}}`
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"", "", true}, {`"name":"w",`, "", true}, {`[3,1],"unit":"elements"`, `[12,4],"unit":"bytes"`, true}, {`"storage_offset":0`, `"storage_offset":0,"device":"cuda"`, false},
		{`"unit":"elements",`, "", false}, {`"shape":[2,3],`, "", false}, {`"strides":[3,1]`, `"strides":null`, false}, {`"storage_offset":0`, `"storage_offset":"0"`, false},
		{`"id":"0"`, `"id":7`, false}, {`"id":"0",`, "", false}, {`tensor/v1`, `tensor/v2`, false}, {`[2,3]`, `[2,3.5]`, false}, {`"dtype":"float32",`, "", false},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		name := filepath.Join(t.TempDir(), "x.json")
		cli.Must(os.WriteFile(name, []byte(text), 0o666))
		o := runIn(t, nil, "inspect", "--from", "json", name)
		if err := validate([]byte(text)); (err == nil) != c.ok || (o.code == 0) != c.ok {
			t.Errorf("%s: the schema says %v, tlayout %d: %s", text, err, o.code, o.err)
		}
	}
}

// printsOwn reports whether a stream begins with one of the command's documents.
func printsOwn(line, stream string) bool {
	var d struct{ Schema string }
	if json.NewDecoder(strings.NewReader(stream)).Decode(&d) != nil {
		return false
	}
	name, _, _ := strings.Cut(line, " ")
	return slices.ContainsFunc(command.Documents, func(own cli.Document) bool {
		by, _, _ := strings.Cut(own.Prints, " ")
		return own.Schema == d.Schema && strings.Trim(by, ",") == name
	})
}

// TestSchemasBite: a document with a surplus or missing name, a value of another type, or an unexpected null is refused.
func TestSchemasBite(t *testing.T) {
	good := tlayout(t, "inspect", "--shape", "2,3,4,5", "--json")
	for _, c := range []struct{ from, to string }{
		{`"numel": 120`, `"elements": 120`}, {`"numel": 120`, `"numel": "120"`}, {`"numel": 120`, `"numel": null`},
		{`"notes": [`, `"remarks": [], "notes": [`}, {`"c": true`, `"c": "yes"`}, {`tlayout/inspect/v1`, `tlayout/inspect/v9`},
		{`"dims": [`, `"dims": [1, `}, {`"numel": 120`, `"numel": 1.5`},
	} {
		bad := strings.Replace(good, c.from, c.to, 1)
		if bad == good || validate([]byte(bad)) == nil {
			t.Errorf("%s in place of %s is accepted", c.to, c.from)
		}
	}
	if err := validate([]byte(good)); err != nil {
		t.Error(err)
	}
}

// validate checks the documents of a stream one by one; it ignores text that does not begin with a document.
func validate(text []byte) error {
	if first, ok := bytes.CutPrefix(text, []byte("{")); !ok || !bytes.HasPrefix(bytes.TrimSpace(first), []byte(`"`)) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var document map[string]any
		if err := dec.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		name, _ := document["schema"].(string)
		resolved := schemas[name]
		if resolved == nil {
			return fmt.Errorf("a document of schema %q, which there is not", name)
		}
		if err := resolved().Validate(document); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// refusedVariable is the environment variable with the file to which mainValidated appends what is refused.
const refusedVariable = "REFUSED_DOCUMENTS"

// mainValidated is the program with its documents on both streams validated before it ends. It reports refused ones on standard error and in
// the test's file, and ends with an exit code of its own.
func mainValidated() {
	s := cli.System()
	out, errs := &recorder{to: s.Out}, &recorder{to: s.Err}
	var said bytes.Buffer
	s.Out, s.Err = out, io.MultiWriter(errs, &said)
	code := command.Run(os.Args[1:], s)
	noteMisleading(os.Args[1:], said.String())
	for _, r := range []*recorder{out, errs} {
		if err := validate(r.kept); err != nil && !r.broken {
			line := fmt.Sprintf("%q: %v\n", os.Args[1:], err)
			fmt.Fprint(os.Stderr, line)
			appendNote(refusedVariable, line)
			code = 99
		}
	}
	os.Exit(code)
}

// appendNote appends a text to the test's file that an environment variable names. Without the variable it does nothing.
func appendNote(variable, text string) {
	f, err := os.OpenFile(os.Getenv(variable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	fmt.Fprint(f, text)
	f.Close()
}

// recorder records a stream that begins like a document.
type recorder struct {
	to     io.Writer
	kept   []byte
	other  bool // not a document
	broken bool // a part could not be written
}

func (r *recorder) Write(text []byte) (int, error) {
	if len(text) > 0 && len(r.kept) == 0 {
		r.other = r.other || text[0] != '{' || len(text) > 1 && text[1] != '"' && text[1] != '\n' // XLA's {1,0} begins a page
	}
	if !r.other {
		r.kept = append(r.kept, text...)
	}
	n, err := r.to.Write(text)
	r.broken = r.broken || err != nil
	return n, err
}

// reportRefused fails a test if its programs wrote documents that violate their schemas.
func reportRefused(t *testing.T, file string) {
	t.Helper()
	if text, err := os.ReadFile(file); err == nil {
		t.Errorf("documents that are not of their schemas:\n%s", text)
	}
}
