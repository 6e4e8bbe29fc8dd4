package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/need"
)

// firefox is a tab of Debian's Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
type firefox struct {
	t       *testing.T
	ctx     context.Context
	conn    *websocket.Conn
	number  int
	context string // of the tab
}

// openFirefox starts Firefox with a profile of its own, and returns its tab. It ends with the test.
func openFirefox(t *testing.T) *firefox {
	t.Helper()
	if os.Getenv("TLAYOUT_TEST_REQUIRE_FIREFOX") != "1" {
		t.Skip("TLAYOUT_TEST_REQUIRE_FIREFOX=1 asks the page in Firefox, as make verify-web does")
	}
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		need.Missing(t, "FIREFOX", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	browser := exec.CommandContext(ctx, path, "--headless", "--no-remote", "--profile", t.TempDir(), "--remote-debugging-port=0")
	browser.Env = append(os.Environ(), "HOME="+t.TempDir())
	log, err := browser.StderrPipe()
	cli.Must(err)
	cli.Must(browser.Start())
	t.Cleanup(func() {
		cancel()
		browser.Wait() //nolint:errcheck // it was killed
	})
	conn, _, err := websocket.Dial(ctx, listening(t, bufio.NewScanner(log))+"/session", nil)
	cli.Must(err)
	conn.SetReadLimit(16 << 20)
	f := &firefox{t: t, ctx: ctx, conn: conn}
	f.command("session.new", `{"capabilities": {}}`, nil)
	var tree struct{ Contexts []struct{ Context string } }
	f.command("browsingContext.getTree", `{}`, &tree)
	f.context = tree.Contexts[0].Context
	return f
}

var address = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// listening returns the address that Firefox logs, and goes on reading the log.
func listening(t *testing.T, log *bufio.Scanner) string {
	t.Helper()
	for log.Scan() {
		if found := address.FindStringSubmatch(log.Text()); found != nil {
			go func() {
				for log.Scan() {
				}
			}()
			return found[1]
		}
	}
	t.Fatal("Firefox ended without an address")
	return ""
}

// command sends a command and takes its result; events in between are ignored.
func (f *firefox) command(method, params string, result any) {
	f.t.Helper()
	f.number++
	cli.Must(wsjson.Write(f.ctx, f.conn, map[string]any{"id": f.number, "method": method, "params": json.RawMessage(params)}))
	for {
		var answer struct {
			ID             int
			Type           string
			Error, Message string
			Result         json.RawMessage
		}
		cli.Must(wsjson.Read(f.ctx, f.conn, &answer))
		if answer.ID != f.number {
			continue
		}
		if answer.Type == "error" {
			f.t.Fatalf("%s: %s: %s", method, answer.Error, answer.Message)
		}
		if result != nil {
			cli.Must(json.Unmarshal(answer.Result, result))
		}
		return
	}
}

// text evaluates an expression of text, which may be a promise.
func (f *firefox) text(expression string) string {
	f.t.Helper()
	quoted, err := json.Marshal(expression)
	cli.Must(err)
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.command("script.evaluate", fmt.Sprintf(`{"expression": %s, "target": {"context": %q}, "awaitPromise": true}`, quoted, f.context), &answer)
	if answer.Type == "exception" {
		f.t.Fatalf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	return answer.Result.Value
}

// until waits for a condition of the page.
func (f *firefox) until(condition string) {
	f.t.Helper()
	if said := f.text(fmt.Sprintf(`new Promise(done => {
		const end = performance.now() + 60000, look = () => %[1]s ? done("") : performance.now() > end ? done(document.getElementById("status").textContent) : setTimeout(look, 20);
		look();
	})`, condition)); said != "" {
		f.t.Fatalf("%s stays false: %s", condition, said)
	}
}

// TestBrowserFirefox: Firefox answers as Chromium does: text, drawings that answer pointing, files, links, the browser's back; and it
// keeps the page.
func TestBrowserFirefox(t *testing.T) {
	f := openFirefox(t)
	f.command("browsingContext.navigate", fmt.Sprintf(`{"context": %q, "url": %q, "wait": "complete"}`, f.context, site(t)), nil)
	f.until(`document.querySelector("#picture svg") !== null && document.getElementById("status").textContent === "Ready."`)
	for question, args := range map[string][]string{
		"formats nhwc": {"formats", "nhwc"}, "f32[8,100]{0,1:T(8,128)}": {"f32[8,100]{0,1:T(8,128)}"},
		"threads ldmatrix.x4 --thread 5": {"threads", "ldmatrix.x4", "--thread", "5"}, "nonsense": {"nonsense"},
	} {
		f.text(fmt.Sprintf(`(type(%q), "")`, question))
		f.until(fmt.Sprintf(`shown.line === %q`, question))
		out, err := answer(args...)
		if got := f.text(`document.getElementById("out").textContent + document.getElementById("err").textContent`); got != out+err {
			t.Errorf("%s: %q, expected %q", question, got, out+err)
		}
	}
	f.text(`(history.back(), "")`)
	f.until(`shown.line !== "" && shown.line === questionIn(location.hash) && !document.getElementById("answer").hidden`)
	f.text(fmt.Sprintf(`(location.hash = %q, "")`, "#"+url.PathEscape("draw --shape 2,3")))
	f.until(`shown.line === "draw --shape 2,3"`)
	said := f.text(`(document.querySelector("#picture g[data-panel='0']").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"})),
		document.querySelector("#picture [role=status]").textContent)`)
	if !strings.HasPrefix(said, "h=0 w=0, offset 0") {
		t.Errorf("the cell says %q", said)
	}
	f.text(`(give([new File([new Uint8Array(960)], "zeros.bin")]), "")`)
	f.until(`shown.line === "guess zeros.bin"`)
	f.text(`(type("x.npy"), "")`)
	f.until(`document.getElementById("head").textContent.startsWith("x.npy: float32 (2, 3, 4, 5)")`)
	f.text(`navigator.serviceWorker.ready.then(() => "")`)
}
