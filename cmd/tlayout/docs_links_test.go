package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// pages are the repository's documents, relative to this folder.
func pages() []string {
	all := fixture.Must(filepath.Glob("../../*.md"))
	all = append(all, fixture.Must(filepath.Glob("../../docs/*.md"))...)
	return append(all, "../../testdata/README.md")
}

// fenced returns the fenced blocks of a Markdown text with this info string, and the text without all blocks.
func fenced(text, info string) (blocks []string, rest string) {
	var current, prose []string
	fence, kept := "", false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case fence == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
			fence, kept, current = line[:3], strings.TrimSpace(line[3:]) == info, nil
		case fence != "" && strings.HasPrefix(line, fence):
			if kept {
				blocks = append(blocks, strings.Join(current, "\n"))
			}
			fence = ""
		case fence != "":
			current = append(current, line)
		default:
			prose = append(prose, line)
		}
	}
	return blocks, strings.Join(prose, "\n")
}

var (
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code    = regexp.MustCompile("`[^`]*`")
)

// anchors returns GitHub's fragments of a page's headings: in lower case, without punctuation, with hyphens for spaces.
func anchors(text string) map[string]bool {
	_, prose := fenced(text, "")
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(prose, -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, match[1])] = true
	}
	return found
}

// TestLinks: what documents link to in the repository exists, headings included, and the index of docs has every page.
func TestLinks(t *testing.T) {
	count := 0
	for _, page := range pages() {
		text := string(fixture.Must(os.ReadFile(page)))
		_, prose := fenced(text, "")
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(prose, ""), -1) {
			target, fragment, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			count++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s does not exist", page, match[1])
			} else if fragment != "" && !anchors(string(fixture.Must(os.ReadFile(path))))[fragment] {
				t.Errorf("%s: %s has no heading #%s", page, path, fragment)
			}
		}
	}
	if count < 40 {
		t.Errorf("found %d links only", count)
	}
	index := string(fixture.Must(os.ReadFile("../../docs/README.md")))
	for _, page := range fixture.Must(filepath.Glob("../../docs/*.md")) {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// TestReadme: README.md is short, and has the right number of questions.
func TestReadme(t *testing.T) {
	text := string(fixture.Must(os.ReadFile("../../README.md")))
	if n := len(strings.Fields(text)); n > 1000 {
		t.Errorf("README.md has %d words, of 1000", n)
	}
	questions := regexp.MustCompile(`(?m)^## \d+\. `).FindAllString(string(fixture.Must(os.ReadFile("../../docs/questions.md"))), -1)
	if count := regexp.MustCompile(`\[(\d+) questions\]`).FindStringSubmatch(text); count == nil || len(questions) == 0 ||
		questions[len(questions)-1] != "## "+count[1]+". " || len(questions) != fixture.Must(strconv.Atoi(count[1])) {
		t.Errorf("README.md counts %v questions, docs/questions.md has %d", count, len(questions))
	}
}

// workflow is the part of a GitHub workflow that this test reads.
type workflow struct {
	Name        string
	On          any
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Steps  []struct {
			Name, Uses, Run  string
			With             map[string]string
			WorkingDirectory string `yaml:"working-directory"`
		}
	}
}

// TestWorkflow: the job in README.md is a workflow without unknown keys. The commands of its steps pass in a repository without tensors and in one
// with some, and one finds a value that is not finite.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	blocks, _ := fenced(string(fixture.Must(os.ReadFile("../../README.md"))), "yaml")
	if len(blocks) != 1 {
		t.Fatalf("README.md has %d blocks of YAML", len(blocks))
	}
	var job workflow
	decoder := yaml.NewDecoder(strings.NewReader(blocks[0]))
	decoder.KnownFields(true)
	if err := decoder.Decode(&job); err != nil {
		t.Fatal(err)
	}
	if job.Name == "" || job.On == nil || len(job.Jobs) != 1 {
		t.Errorf("not a workflow: %+v", job)
	}
	ran, checks := 0, false
	for name, j := range job.Jobs {
		if j.RunsOn == "" {
			t.Errorf("job %s runs nowhere", name)
		}
		for _, step := range j.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("a step has either uses or run: %+v", step)
			}
			if !strings.Contains(step.Run, "tlayout ") {
				continue
			}
			ran++
			for repository, files := range map[string]string{"without tensors": "", "with tensors": "x.npy weights.npz model.pt"} {
				if out := inRepository(t, files, step.Run); !strings.HasSuffix(out, "passed\n") {
					t.Errorf("%s, %s: %s", step.Name, repository, out)
				}
			}
			checks = checks || strings.Contains(inRepository(t, "nan.npy", step.Run), "nan.npy: finite: no")
		}
	}
	if ran < 2 || !checks {
		t.Errorf("%d steps were run; one finds a value that is not finite: %v", ran, checks)
	}
}

// inRepository runs a step of a job in a new repository that has these files.
func inRepository(t *testing.T, files, step string) string {
	t.Helper()
	need.Programs(t, "git")
	all, repository := t.TempDir(), t.TempDir()
	writeFixtures(t, all)
	shell(t, all, "tlayout convert x.npy --to nchw4 --pad-value nan -o nan.npy --quiet")
	for name := range strings.FieldsSeq(files) {
		cli.Must(os.Rename(filepath.Join(all, name), filepath.Join(repository, name)))
	}
	return shell(t, repository, "git init -q && git add . && set -e\n"+step+"\necho passed")
}
