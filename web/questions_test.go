package web

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// question is a page of a question.
type question struct {
	name, title, description string
	sentences                []string // with which answers begin
	printed                  []printed
}

// printed is a command of a page, as a shell reads it, and what it printed.
type printed struct{ command, text string }

// home is the address of the site on the web.
const home = "https://tlayout.github.io/tlayout/"

// questionPages returns the pages of questions in the order of their index.
func questionPages(t *testing.T) (list []question) {
	pages := documents(t)
	one := func(name, pattern string) string {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(pages[name], -1)
		if len(found) != 1 {
			t.Errorf("%s has %s %d times", name, pattern, len(found))
			return ""
		}
		return html.UnescapeString(found[0][1])
	}
	for _, link := range regexp.MustCompile(`<li><a href="([^"/]+[.]html)">`).FindAllStringSubmatch(pages["q/index.html"], -1) {
		name := "q/" + link[1]
		one(name, `<h1>(.+)</h1>`)
		one(name, `(?s)<textarea[^>]*>(.*?)</textarea>`)
		q := question{name: name, title: one(name, "<title>([^<]+)</title>\n<meta"), description: one(name, `<meta name="description" content="([^"]+)">`)}
		for _, match := range regexp.MustCompile(`(?s)<p class="head">(.*?)</p>`).FindAllStringSubmatch(pages[name], -1) {
			q.sentences = append(q.sentences, html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(match[1], "")))
		}
		for _, match := range regexp.MustCompile(`(?s)<pre tabindex="0"><b>\$ (.*?)</b>\n(.*?)</pre></details>`).FindAllStringSubmatch(pages[name], -1) {
			q.printed = append(q.printed, printed{html.UnescapeString(match[1]), html.UnescapeString(match[2])})
		}
		for property, want := range map[string]string{`rel="canonical" href`: home + name, `property="og:url" content`: home + name,
			`property="og:title" content`: q.title, `property="og:description" content`: q.description} {
			if got := one(name, regexp.QuoteMeta(property)+`="([^"]*)"`); got != want {
				t.Errorf("%s: %s is %q, expected %q", name, property, got, want)
			}
		}
		picture := strings.TrimPrefix(one(name, `property="og:image" content="([^"]*)"`), home)
		if _, err := os.Stat(filepath.Join(os.Getenv("TLAYOUT_TEST_SITE"), picture)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		list = append(list, q)
	}
	return list
}

// TestSiteQuestions: each message of why, question of docs/questions.md, named layout and operand of an atom that a document names has one page, and
// nothing else has. Their titles and descriptions are of one page each.
func TestSiteQuestions(t *testing.T) {
	list := questionPages(t)
	has := map[string]int{}
	for _, q := range list {
		has["title "+q.title]++
		has["description "+q.description]++
		for _, p := range q.printed {
			has[p.command]++
		}
		if n := len([]rune(q.description)); n > 161 || n < 20 {
			t.Errorf("%s: a description of %d characters: %s", q.name, n, q.description)
		}
	}
	for key, count := range has {
		if count > 1 && (strings.HasPrefix(key, "title ") || strings.HasPrefix(key, "description ")) {
			t.Errorf("%d pages have the %s", count, key)
		}
	}
	wanted := catalogue(t)
	for _, command := range wanted {
		if has[command] == 0 {
			t.Errorf("no page answers %s", command)
		}
	}
	text, err := os.ReadFile("../docs/questions.md")
	cli.Must(err)
	asked := regexp.MustCompile(`(?m)^## \d+\. `).FindAllString(string(text), -1)
	if got, want := len(list), len(wanted)+len(asked); got != want || len(asked) < 30 {
		t.Errorf("%d pages, expected %d", got, want)
	}
}

// catalogue returns the commands that ask about each entry of the program's catalogues.
func catalogue(t *testing.T) []string {
	commands := map[string]bool{}
	var why struct {
		Complaints []struct{ Example string }
		Known      []struct{ Message string }
	}
	ofJSON(t, &why, "why", "--json")
	for _, c := range why.Complaints {
		commands["tlayout "+quoted(c.Example)] = true
	}
	for _, k := range why.Known {
		commands["tlayout "+quoted(k.Message)] = true
	}
	var formats struct{ Entries []struct{ Name string } }
	ofJSON(t, &formats, "formats", "--json")
	names := map[string]bool{}
	for _, e := range formats.Entries {
		if key := strings.ToLower(e.Name); !names[key] {
			names[key] = true
			commands["tlayout formats "+word(e.Name)] = true
		}
	}
	var threads struct {
		Atoms []struct {
			Name  string
			Parts []string `json:"atom_parts"`
		}
	}
	ofJSON(t, &threads, "threads", "--json")
	files, err := filepath.Glob("../docs/*.md")
	cli.Must(err)
	words := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		cli.Must(err)
		for _, word := range regexp.MustCompile(`[\w.:]+\w`).FindAllString(string(text), -1) {
			words[word] = true
		}
	}
	atoms := 0
	for _, a := range threads.Atoms {
		named := words[a.Name] || slices.ContainsFunc(a.Parts, func(part string) bool { return words[a.Name+":"+part] })
		for _, part := range a.Parts {
			if named {
				atoms++
				commands["tlayout threads "+a.Name+":"+part] = true
			}
		}
	}
	if atoms < 10 || len(names) < 200 || len(why.Known) < 50 {
		t.Fatalf("%d operands, %d layouts, %d messages", atoms, len(names), len(why.Known))
	}
	return slices.Sorted(maps.Keys(commands))
}

func ofJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	out, _ := answer(args...)
	if err := json.Unmarshal([]byte(out), to); err != nil {
		t.Fatal(err)
	}
}

// word is an argument as line.js quotes it, quoted in any case.
func word(arg string) string {
	if regexp.MustCompile(`^[\w@%+=:,./-]+$`).MatchString(arg) {
		return arg
	}
	return quoted(arg)
}

func quoted(arg string) string { return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'" }

// measured matches what plan measures, which pages leave out.
var measured = regexp.MustCompile(`, about \S+ (?:ns|µs|ms|s)\b`)

// TestSiteAnswers: what the page of a question says that the program prints, it prints, in a copy of testdata, and so is the sentence above the
// rows; the description of a named layout begins its answer. What bench measures is not run.
func TestSiteAnswers(t *testing.T) {
	list, folder := questionPages(t), t.TempDir()
	cli.Must(os.CopyFS(folder, os.DirFS("../testdata")))
	t.Chdir(folder)
	ran := 0
	for _, q := range list {
		for _, p := range q.printed {
			shell := exec.Command("sh", "-c", `tlayout() { printf '%s\0' "$@"; }; `+p.command)
			words, err := shell.Output()
			cli.Must(err)
			args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
			if args[0] == "bench" {
				continue
			}
			ran++
			out, errors := answer(args...)
			want := measured.ReplaceAllString(out, "") + errors
			if diff := cmp.Diff(want, p.text); diff != "" {
				t.Errorf("%s: %s (-program +page):\n%s", q.name, p.command, diff)
			}
			if strings.HasPrefix(q.title, "What is ") && args[0] == "formats" && len(args) == 2 && out != "" && !strings.HasPrefix(want, strings.TrimSuffix(q.description, "…")) {
				t.Errorf("%s: the description is %q, the answer %q", q.name, q.description, want)
			}
		}
		for _, sentence := range q.sentences {
			if !strings.Contains(squeezed(fmt.Sprint(q.printed)), squeezed(sentence)) {
				t.Errorf("%s: the rows begin with %q, which is not printed", q.name, sentence)
			}
		}
	}
	if ran < len(list) {
		t.Errorf("%d pages, %d answers", len(list), ran)
	}
}

// squeezed is a text with one space between words.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestSiteMap: the map of the site lists its pages, the index and all that there is in docs and q, and no other.
func TestSiteMap(t *testing.T) {
	pages := documents(t)
	delete(pages, "404.html")
	text, err := os.ReadFile(filepath.Join(os.Getenv("TLAYOUT_TEST_SITE"), "sitemap.xml"))
	cli.Must(err)
	var urls struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		Loc     []string `xml:"url>loc"`
	}
	cli.Must(xml.Unmarshal(text, &urls))
	for _, loc := range urls.Loc {
		name := strings.TrimPrefix(loc, home)
		if name == "" || strings.HasSuffix(name, "/") {
			name = path.Join(name, "index.html")
		}
		if _, ok := pages[name]; !ok {
			t.Errorf("%s is no page, or listed twice", loc)
		}
		delete(pages, name)
	}
	if left := slices.Sorted(maps.Keys(pages)); len(left) > 0 {
		t.Errorf("not listed: %v", left)
	}
	robots, err := os.ReadFile(filepath.Join(os.Getenv("TLAYOUT_TEST_SITE"), "robots.txt"))
	if err != nil || !strings.Contains(string(robots), "Sitemap: "+home+"sitemap.xml\n") {
		t.Errorf("robots.txt: %s %v", robots, err)
	}
}
