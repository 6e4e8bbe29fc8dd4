package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
)

// leastQuestions is how many command lines TestWeb must find.
const leastQuestions = 150

// TestWeb runs the command lines of README.md, docs and help texts, as far as they need no shell, in the program and in WebAssembly with the
// files of the page in TLAYOUT_TEST_SITE, as make verify-web does: output, errors and exit codes are equal byte for byte.
func TestWeb(t *testing.T) {
	site := os.Getenv("TLAYOUT_TEST_SITE")
	if site == "" {
		t.Skip("TLAYOUT_TEST_SITE names no folder of make web")
	}
	questions := webQuestions(t)
	if len(questions) < leastQuestions {
		t.Fatalf("%d questions, want %d or more", len(questions), leastQuestions)
	}
	folder := t.TempDir()
	writeFixtures(t, folder)
	node := exec.Command("node", "../../web/node_test.js", site, folder)
	node.Stdin, node.Stderr = bytes.NewReader(fixture.Must(json.Marshal(questions))), os.Stderr
	var answers []webAnswer
	cli.Must(json.Unmarshal(fixture.Must(node.Output()), &answers))
	for i, line := range questions {
		if diff := cmp.Diff(nativeAnswer(folder, shellWords(line)), answers[i]); diff != "" {
			t.Errorf("%s (-program +page):\n%s", line, diff)
		}
	}
	t.Logf("%d questions", len(questions))
}

// TestSiteWeb: a command of a document that is a link into the page of the program needs no file but the samples of the page, writes none, and is
// not beyond the page. Its answer may be that something is refused or not known.
func TestSiteWeb(t *testing.T) {
	site := os.Getenv("TLAYOUT_TEST_SITE")
	if site == "" {
		t.Skip("TLAYOUT_TEST_SITE names no folder of make site")
	}
	count, folder, samples := 0, t.TempDir(), fixture.Must(os.ReadDir(site+"/files"))
	cli.Must(os.CopyFS(folder, os.DirFS(site+"/files")))
	for _, page := range fixture.Must(filepath.Glob(site + "/docs/*.html")) {
		for _, match := range linkedCommand.FindAllSubmatch(fixture.Must(os.ReadFile(page)), -1) {
			count++
			line := "tlayout " + fixture.Must(url.PathUnescape(string(match[1])))
			if beyondPage.MatchString(quoted.ReplaceAllString(line, "")) {
				t.Errorf("%s: the page cannot run %s", page, line)
			}
			if answer := nativeAnswer(folder, shellWords(line)); answer.Code > 1 && answer.Code != int(fault.Unsupported) {
				t.Errorf("%s: %s: exit code %d\n%s", page, line, answer.Code, answer.Err)
			}
		}
	}
	if left := fixture.Must(os.ReadDir(folder)); count < 50 || len(left) != len(samples) {
		t.Errorf("%d commands are links, and wrote %v", count, left)
	}
}

var linkedCommand = regexp.MustCompile(` href="\.\./#([^"]+)"`)

// webAnswer is what node_test.js prints for a question: the arguments that the page reads in it, and what the program answers.
type webAnswer struct {
	Args     []string
	Code     int
	Out, Err string
}

// nativeAnswer runs the program in a folder.
func nativeAnswer(folder string, args []string) webAnswer {
	var out, err strings.Builder
	cmd := exec.Command("tlayout-alone", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &err
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "LC_ALL=C.UTF-8", "TLAYOUT_CPU=generic"}
	failed := new(exec.ExitError)
	if e := cmd.Run(); e != nil && !errors.As(e, &failed) {
		panic(e)
	}
	return webAnswer{args, cmd.ProcessState.ExitCode(), measured.ReplaceAllString(out.String(), ""), err.String()}
}

// measured matches what plan measures, and a page, whose clock is coarse, does not.
var measured = regexp.MustCompile(`, about \S+ (?:ns|µs|ms|s)\b`)

// beyondPage matches command lines that need a shell, folders, other programs, this machine, or schemas; quoted matches what no shell reads.
var (
	beyondPage = regexp.MustCompile(`[|<>;&$*~\\]|^tlayout (bench|version|completion|help json .|plan .*--(json|all))|https?:|s3:|figures/|images|@|[.]png|/dev/|-o \S+/|--recipe|--verify|--complete|\bdcp\b|[.]zarr`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// shellWords returns the arguments of a command line of the program as a shell reads it.
func shellWords(line string) []string {
	words := fixture.Must(exec.Command("sh", "-c", "tlayout() { printf '%s\\0' \"$@\"; }; "+line).Output())
	return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

// webQuestions returns the command lines that are asked.
func webQuestions(t *testing.T) (questions []string) {
	var lines []string
	for _, document := range documents() {
		for _, e := range examples(document, string(fixture.Must(os.ReadFile(document)))) {
			lines = append(lines, e.command)
		}
	}
	eachCommand(command.NewRoot(&cli.App{Streams: &cli.Streams{}}), func(c *cobra.Command) {
		for line := range strings.Lines(cli.WholeExamples(c)) {
			lines = append(lines, strings.TrimSpace(line))
		}
		if c.HasParent() && c.Runnable() {
			lines = append(lines, c.CommandPath()+" --help", c.CommandPath()+" --help --all")
		}
	})
	asked := map[string]bool{}
	for _, line := range lines {
		if again := asked[line]; again || !strings.HasPrefix(line, "tlayout ") || beyondPage.MatchString(quoted.ReplaceAllString(line, "")) {
			continue
		}
		asked[line] = true
		questions = append(questions, line)
	}
	return questions
}
