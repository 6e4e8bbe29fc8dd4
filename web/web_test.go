package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/text"
)

func TestMain(m *testing.M) { chromium.Main(m) }

// site serves the folder of make web in TLAYOUT_TEST_SITE.
func site(t *testing.T) string {
	folder := os.Getenv("TLAYOUT_TEST_SITE")
	if folder == "" {
		t.Skip("TLAYOUT_TEST_SITE names no folder of make web")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// questions are those whose answers the tests in node make rows of, one at least for each kind of document.
var questions = []string{
	"--shape 8,3,4,4 --strides 48,1,12,3", "f32[8,100]{0,1:T(8,128)}", "../testdata/x.npy ../testdata/photo.npy", "../testdata/model.pt", "../testdata/weights.npz",
	"../testdata/padded.npy", "formats nhwc", "formats", "why", "why view size is not compatible with input tensor's size and stride", "trace --shape 2,3,4,5 permute(0,2,3,1) reshape(2,60)",
	"trace --cute (4,2):(1,4) coalesce", "plan --shape 8,3,4,4 --to nhwc", "plan --shared --shape 64,32 --dtype fp16 --read ldmatrix --write w:16", "threads",
	"threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5", "offset ../testdata/x.npy 0,0,0,1 1,0,0,0", "diff ../testdata/x.npy ../testdata/photo.npy", "diff ../testdata/model.pt ../testdata/m.safetensors",
	"guess ../testdata/dump.bin", "check ../testdata/x.npy --contiguous c", "graph ../testdata/net.pt2", "graph ../testdata/onednn.log", of64Bits,
}

// of64Bits is a question about more bytes than a program of 32 bits counts.
const of64Bits = "inspect --shape 1000000000,1000000000 --dtype float64"

// TestNode runs the tests of the page's scripts in node.
func TestNode(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		need.Missing(t, "CHROMIUM", err)
	}
	type answered struct {
		Args []string `json:"args"`
		JSON string   `json:"json"`
		Text string   `json:"text"`
	}
	var answers []answered
	for _, question := range questions {
		if question == of64Bits && strconv.IntSize == 32 {
			continue
		}
		args := strings.Fields(question)
		if rest, ok := strings.CutPrefix(question, "why "); ok {
			args = []string{"why", rest}
		}
		text, _ := answer(args...)
		json, _ := answer(append(slices.Clone(args), "--json")...)
		answers = append(answers, answered{args, json, text})
	}
	file := filepath.Join(t.TempDir(), "answers.json")
	encoded, err := json.Marshal(answers)
	cli.Must(err)
	cli.Must(os.WriteFile(file, encoded, 0o600))
	scripts, err := filepath.Glob("*_test.js")
	cli.Must(err)
	scripts = slices.DeleteFunc(scripts, func(name string) bool { return name == "load_test.js" || name == "node_test.js" })
	node := exec.Command("node", append([]string{"--test"}, scripts...)...)
	node.Env = append(os.Environ(), "TLAYOUT_TEST_ANSWERS="+file)
	if out, err := node.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// open opens the page with a fragment, and waits until the program has answered.
func open(t *testing.T, fragment string) *chromium.Tab {
	address, b := site(t), chromium.NewTab(t)
	began := time.Now()
	b.Open(address, "index.html"+fragment)
	wait(b)
	t.Logf("loaded and answered after %v", time.Since(began))
	return b
}

// wait waits until the question in the box is answered, and nothing is loaded or running. Without a question the page is ready.
func wait(b *chromium.Tab) {
	until(b, `(() => {
		const line = document.getElementById("box").value.trim(), status = document.getElementById("status").textContent;
		return line ? shown.line === line && !/Loading|Running/.test(status) : status === "Ready.";
	})()`)
}

// forget makes wait wait for another answer, also to the question that is answered.
func forget(b *chromium.Tab) {
	chromium.Value[chromedp.Void](b, `void (shown = {...shown, line: null}, say("Forgotten."))`)
}

// until waits for an expression to be true, for a minute, in parts: each call has a limit.
func until(b *chromium.Tab, expression string) {
	for range 3 {
		if chromium.Value[bool](b, fmt.Sprintf(`new Promise(done => {
			const end = performance.now() + 20000, look = () => %[1]s || performance.now() > end ? done(%[1]s) : setTimeout(look, 10);
			look();
		})`, expression)) {
			return
		}
	}
	panic(expression + " stays false: " + b.Text("#status"))
}

// ask types a question.
func ask(b *chromium.Tab, question string) {
	forget(b)
	chromium.Value[chromedp.Void](b, fmt.Sprintf(`void (document.getElementById("box").value = %q)`, question))
	b.Do(chromedp.Focus(chromedp.CSS("#box")), chromium.Key("Enter"))
	wait(b)
}

// follow asks a question as a link does.
func follow(b *chromium.Tab, question string) {
	forget(b)
	chromium.Value[chromedp.Void](b, fmt.Sprintf(`void type(%q)`, question))
	wait(b)
}

// answer is what the program prints for a question.
func answer(args ...string) (out, err string) {
	var o, e strings.Builder
	command.Run(args, &cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e, Unicode: true, Env: func(string) (string, bool) { return "", false }})
	return o.String(), e.String()
}

// longText is longer than the arguments that Go's loader of WebAssembly hands to a program, 8 KiB; so are 1,500 arguments.
var longText = strings.Repeat("nonsense ", 999) + "again"

// TestBrowserAnswers: the page answers as the program does: a command, and what was pasted.
func TestBrowserAnswers(t *testing.T) {
	b := open(t, "")
	for question, args := range map[string][]string{
		"formats nhwc":                   {"formats", "nhwc"},
		"torch.Size([8, 64, 56, 56])":    {"torch.Size([8, 64, 56, 56])"},
		"f32[8,100]{0,1:T(8,128)}":       {"f32[8,100]{0,1:T(8,128)}"},
		"(2, 3):(5, 1)":                  {"(2, 3):(5, 1)"},
		"tlayout --shape 2,3 --json":     {"--shape", "2,3", "--json"},
		"threads ldmatrix.x4 --thread 5": {"threads", "ldmatrix.x4", "--thread", "5"},
		"nonsense":                       {"nonsense"},
		longText:                         {longText},
		"trace --shape 2,3" + strings.Repeat(" T", 1500):                  append([]string{"trace", "--shape", "2,3"}, slices.Repeat([]string{"T"}, 1500)...),
		"view size is not compatible with input tensor's size and stride": {"view size is not compatible with input tensor's size and stride"},
	} {
		ask(b, question)
		out, err := answer(args...)
		for what, texts := range map[string][2]string{"output": {b.Text("#out"), out}, "errors": {b.Text("#err"), err},
			"box": {chromium.Value[string](b, `document.getElementById("box").value`), question}} {
			if got, want := texts[0], texts[1]; got != want {
				t.Errorf("%s: %s %q, expected %q", text.Cut(question, 60), what, text.Cut(got, 1000), text.Cut(want, 1000))
			}
		}
	}
}

// TestBrowserReadings: the page says what a text was read as, and the other readings are links; a line of Python is stepped through.
func TestBrowserReadings(t *testing.T) {
	b := open(t, "")
	ask(b, "(60, 1, 15, 3)")
	if got := b.Text("#head .reading"); !strings.HasPrefix(got, "Read as a shape; or as strides") || strings.Contains(b.Text("#rows"), "read as") {
		t.Errorf("%q", got)
	}
	b.Click("#head .reading a:last-of-type")
	until(b, `shown.line.includes("--strides") && document.getElementById("head").textContent.includes("(1, 3, 4, 5)")`)
	ask(b, "x.permute(0,2,3,1).reshape(2,-1)")
	until(b, `document.querySelectorAll("#steps button").length === 3 && document.querySelector("#picture svg") !== null`)
	ask(b, "nchw to nhwc")
	if got := b.Text("#head"); !strings.Contains(got, "copy needed") {
		t.Errorf("%q", got)
	}
	b.Click("#draw")
	until(b, `document.querySelector("#picture svg") !== null`)
}

// TestBrowserWords: what the page says of an answer is not said to a shell.
func TestBrowserWords(t *testing.T) {
	b := open(t, "")
	for question, want := range map[string]string{"check x.npy --contiguous f": "The answer is no", "inspect --nonsense": "Not understood", "why": "Done", "diff x.npy": "Not understood",
		"missing.npy": "A file is missing, or cannot be read or written"} {
		ask(b, question)
		if got := b.Text("#status"); !strings.HasPrefix(got, want+" · ") {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
		if got := b.Text("#status") + b.Text("#head") + b.Text("#rows"); strings.Contains(got, "exit code") || strings.Contains(got, "standard input") {
			t.Errorf("%s: %q", question, got)
		}
	}
}

// TestBrowserLink: a question is in the address, links and the browser's back ask it, and buttons change it.
func TestBrowserLink(t *testing.T) {
	b := open(t, "#formats%20nhwc")
	if got := b.Text("#out"); !strings.HasPrefix(got, "nhwc is N H W C") {
		t.Fatalf("%q", got)
	}
	chromium.Value[chromedp.Void](b, `void (navigator.clipboard.writeText = async text => { window.copied = text; })`)
	ask(b, "why 'x y'")
	for button, want := range map[string]string{"link": "#why%20'x%20y'", "command": "tlayout why 'x y'"} {
		b.Click("#" + button)
		if got := chromium.Value[string](b, "copied"); !strings.HasSuffix(got, want) {
			t.Errorf("%s copies %q, expected …%s", button, got, want)
		}
	}
	chromium.Value[chromedp.Void](b, "void history.back()")
	until(b, `shown.line === "formats nhwc"`)
	b.Click("#all")
	until(b, `shown.line === "formats nhwc --all"`)
	want, _ := answer("formats", "nhwc", "--all")
	if got := b.Text("#out"); got != want {
		t.Errorf("All: %q", got)
	}
}

// TestBrowserStop: a run can be stopped, and the next question is answered, with the files of the reader.
func TestBrowserStop(t *testing.T) {
	b := open(t, "")
	upload(b, "../testdata/x.npy")
	chromium.Value[chromedp.Void](b, `void type("draw --shape 300,300 --all")`)
	until(b, `!document.getElementById("stop").hidden`)
	b.Click("#stop")
	until(b, `document.getElementById("status").textContent === "Stopped."`)
	ask(b, "x.npy")
	if got := b.Text("#out"); !strings.HasPrefix(got, "x.npy: float32 (2, 3, 4, 5)") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
}

// TestBrowserTwo: of two questions the answer of the last stays, whose link and command are copied, whatever is in the box.
func TestBrowserTwo(t *testing.T) {
	b := open(t, "")
	chromium.Value[chromedp.Void](b, `void (navigator.clipboard.writeText = async text => { window.copied = text; })`)
	chromium.Value[chromedp.Void](b, `void (type("trace --shape 2,3 T 'view(6)'"), type("formats nhwc"), fill("trace --shape 2,3 T"))`)
	until(b, `shown.line === "formats nhwc"`)
	for button, want := range map[string]string{"link": "#formats%20nhwc", "command": "tlayout formats nhwc"} {
		b.Click("#" + button)
		if got := chromium.Value[string](b, "copied"); !strings.HasSuffix(got, want) {
			t.Errorf("%s copies %q, expected …%s", button, got, want)
		}
	}
	if steps := chromium.Value[bool](b, `document.getElementById("steps").hidden`); !steps {
		t.Error("the steps of another question are shown")
	}
}

// TestBrowserFolder: opened from a folder, the page says how to serve it.
func TestBrowserFolder(t *testing.T) {
	site(t)
	folder, err := filepath.Abs(os.Getenv("TLAYOUT_TEST_SITE"))
	cli.Must(err)
	b := chromium.NewTab(t)
	b.Open("file://"+folder+"/", "index.html")
	if got := b.Text("#state"); !strings.Contains(got, "http.server") {
		t.Errorf("%q", got)
	}
}

// TestBrowserLooks keeps screenshots in three widths, light and dark. No answer is wider than the window.
func TestBrowserLooks(t *testing.T) {
	b := open(t, "")
	asked := map[string]string{"start": "", "text": "--shape 8,3,4,4 --strides 48,1,12,3", "draw": "draw --shape 1,3,4,4 --layouts nchw,nhwc",
		"why": "view size is not compatible with input tensor's size and stride", "trace": "trace --shape 2,3,4,5 'permute(0,2,3,1)' 'reshape(2,60)'", "file": "model.pt",
		"formats": "formats nhwc", "plan": "plan --shape 8,3,4,4 --to nhwc", "threads": "threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5", "error": "nonsense words", "missing": "y.npy",
		"reading": "(60, 1, 15, 3)"}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{390, 800, 1400} {
			b.Do(chromium.Media("prefers-color-scheme", scheme), chromedp.EmulateViewport(width, 900))
			for name, question := range asked {
				ask(b, question)
				time.Sleep(300 * time.Millisecond)
				b.Picture(t, fmt.Sprintf("%s_%s_%d", name, scheme, width))
				wide := chromium.Value[[]string](b, `[document.documentElement, ...document.querySelectorAll("#rows .table, #rows dd")]
					.filter(n => n.scrollWidth > n.clientWidth + 1 && (n.tagName !== "DIV" || innerWidth < 500)).map(n => n.className + n.textContent.slice(0, 60))`)
				if len(wide) > 0 {
					t.Errorf("%s at %d pixels is wider than the window: %q", name, width, wide)
				}
			}
		}
	}
}
