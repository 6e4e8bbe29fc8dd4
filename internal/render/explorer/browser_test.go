package explorer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The tests named TestBrowser… run in one headless Chromium, which the first of them starts and TestMain closes:
//
//	b := newTab(t)                                      // skips the test without Chromium
//	b.load(html, "#layout=nhwc")                        // a file of its own; "" is an address without a fragment
//	b.do(chromedp.Click(chromedp.CSS("#play")))         // any actions that return nothing
//	n := value[int](b, "model.numel(layout)")           // of an expression, which may be a promise
//	png := ask(b, chromedp.CaptureScreenshot())         // any action that returns something
//
// An action that fails ends the test. When the test ends it fails for all that a quiet page does not do: exceptions,
// rejected promises, errors and warnings on the console, dialogs, and requests of anything but the file itself.
//
// Tests run a browser only with TLAYOUT_TEST_REQUIRE_CHROMIUM=1: they take a minute.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu         sync.Mutex
	address    string   // of the file, without its fragment
	complaints []string // violations of a quiet page
}

const (
	patience = 30 * time.Second // of an action; after a longer one no test asks for anything
	parting  = 5 * time.Second  // of closing; then it is killed
)

// chromium is the one browser of all tests.
var chromium struct {
	once    sync.Once
	started error // why it does not run
	ctx     context.Context
	kill    context.CancelFunc // nil until it was started; waits until it is gone, and its files
	hung    atomic.Bool        // an action timed out
}

// TestMain gives the tests a directory for the temporary files of the tests and of Chromium, and removes it afterwards, even if they are
// interrupted.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tlayout-explorer")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir) //nolint:errcheck // the name has no special characters
	leave := sync.OnceFunc(func() {
		closeChromium()
		os.RemoveAll(dir) //nolint:errcheck // leftovers are among temporary files
	})
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		leave()
		os.Exit(1)
	}()
	code := m.Run()
	leave()
	os.Exit(code)
}

// openChromium starts Chromium, or returns why it does not run.
func openChromium() error {
	chromium.once.Do(func() { chromium.started = startChromium() })
	if chromium.started == nil && chromium.hung.Load() {
		return fmt.Errorf("an earlier action took longer than %v: giving up", patience)
	}
	if chromium.started == nil && chromium.ctx.Err() != nil {
		return errors.New("chromium has died")
	}
	return chromium.started
}

func startChromium() error {
	path, err := findChromium()
	if err != nil {
		return err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path))
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-component-update", "disable-quic"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, kill := chromedp.NewExecAllocator(context.Background(), options...)
	chromium.ctx, _ = chromedp.NewContext(allocator)
	chromium.kill = kill
	late := time.AfterFunc(patience, kill)
	defer late.Stop()
	if err := chromedp.Do(chromium.ctx); err != nil {
		return fmt.Errorf("%s does not start: %w", path, err)
	}
	return nil
}

// closeChromium asks Chromium to close, kills it if it does not, and prevents another start.
func closeChromium() {
	chromium.once.Do(func() { chromium.started = errors.New("the tests are over") })
	if chromium.kill == nil {
		return
	}
	if chromium.started == nil && !chromium.hung.Load() {
		ctx, cancel := context.WithTimeout(chromium.ctx, parting)
		chromedp.Cancel(ctx) //nolint:errcheck // it is killed if it does not close
		cancel()
	}
	chromium.kill()
}

func findChromium() (string, error) {
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser", "/usr/bin/chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium nor google-chrome is installed")
}

// idle holds quiet tabs for reuse: opening a tab takes as long as most tests. There are two, because half of a test is waiting; nil stands
// for one that is not open yet.
var idle = func() chan *tab {
	tabs := make(chan *tab, 2)
	tabs <- nil
	tabs <- nil
	return tabs
}()

// newTab returns a tab in its initial state, without a page, and lets another test run in parallel with this one, which must not request a
// second tab. When the test ends, the tab must be quiet.
func newTab(t *testing.T) *tab {
	t.Helper()
	t.Parallel()
	b := <-idle
	var left *tab
	t.Cleanup(func() { idle <- left })
	if b == nil {
		b = openTab(t)
	}
	b.t = t
	t.Cleanup(func() {
		for _, complaint := range b.quiet() {
			t.Errorf("the page is not quiet: %s", complaint)
		}
		if !t.Failed() {
			b.do(chromedp.Navigate("about:blank"), chromedp.EmulateReset(), media("", ""),
				chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 0, 0))
			left = b
		}
	})
	return b
}

// openTab opens a tab, which stays until Chromium closes.
func openTab(t *testing.T) *tab {
	t.Helper()
	if os.Getenv("TLAYOUT_TEST_REQUIRE_CHROMIUM") != "1" {
		t.Skip("TLAYOUT_TEST_REQUIRE_CHROMIUM=1 runs the page in Chromium, for a minute, as .ci/run and make screens do")
	}
	switch err := openChromium(); {
	case err == nil:
	case chromium.started == nil:
		t.Fatal(err)
	default:
		t.Fatalf("TLAYOUT_TEST_REQUIRE_CHROMIUM=1, but %v", err)
	}
	ctx, _ := chromedp.NewContext(chromium.ctx)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	return b
}

// load writes html into a file, and opens it.
func (b *tab) load(html, fragment string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(html), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.address = (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	b.mu.Unlock()
	b.do(chromedp.Navigate(b.address + fragment))
}

// do runs actions in order.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ask(b, chromedp.Steps(actions...))
}

// ask runs an action and returns its result.
func ask[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	answer, err := try(b, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

func try[T any](b *tab, action chromedp.Action[T]) (answer T, err error) {
	if err := openChromium(); err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err = chromedp.Run(ctx, action)
	if errors.Is(err, context.DeadlineExceeded) {
		chromium.hung.Store(true)
	}
	return answer, err
}

// value evaluates a JavaScript expression, as JSON; chromedp.Void discards the value.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	return ask(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// quiet returns and clears the page's complaints so far. Events come in order, so that the response to a request of our own follows
// everything that the page has done.
func (b *tab) quiet() []string {
	if _, err := try(b, chromedp.Evaluate[int]("0")); err != nil {
		b.complain("no response: %v", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints := b.complaints
	b.complaints = nil
	return complaints
}

// notice records violations of a quiet page.
func (b *tab) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("%s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
			b.complain("console: %s: %s", e.Type, consoleText(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.complain("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.noticeRequest(e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		b.complain("%s(%q)", e.Type, e.Message)
		go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) //nolint:errcheck // or it waits
	}
}

// noticeRequest allows the file itself, and its data URLs.
func (b *tab) noticeRequest(address string) {
	b.mu.Lock()
	own := address == b.address || strings.HasPrefix(address, "data:")
	b.mu.Unlock()
	if !own {
		b.complain("request of %s", address)
	}
}

func (b *tab) complain(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
}

func consoleText(args []*runtime.RemoteObject) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = string(a.Value)
		if words[i] == "" {
			words[i] = a.Description
		}
	}
	return strings.Join(words, " ")
}

// TestBrowserNotices: each action that newTab forbids is noticed; a quiet page that uses its own data is not.
func TestBrowserNotices(t *testing.T) {
	b := openTab(t)
	for _, c := range []struct{ body, want string }{
		{`<link rel="icon" href="data:,"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`, ""},
		{`<script>console.log(1)</script>`, ""},
		{`<script>throw new Error("thrown")</script>`, "thrown"},
		{`<script>setTimeout(() => { throw new RangeError("late") })</script>`, "late"},
		{`<script>Promise.reject(new Error("rejected"))</script>`, "rejected"},
		{`<script>console.error("loud", 7)</script>`, `console: error: "loud" 7`},
		{`<script>console.warn("wary")</script>`, "wary"},
		{`<script>alert("boo")</script>`, `alert("boo")`},
		{`<img src="other.png">`, "other.png"},
		{`<script>fetch("http://127.0.0.1:9/x").catch(() => 0)</script>`, "127.0.0.1:9/x"},
		{`<style>p { background: url(http://127.0.0.1:9/css) }</style><p>x`, "127.0.0.1:9/css"},
	} {
		b.load("<!doctype html><meta charset=utf-8><title>x</title>"+c.body, "#at=1")
		value[int](b, "new Promise(done => setTimeout(() => done(1)))")
		got := strings.Join(b.quiet(), "\n")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: noticed %q, want %q", c.body, got, c.want)
		}
	}
}

// TestBrowserValue: expressions and promises come back as Go values, and the fragment reaches the page.
func TestBrowserValue(t *testing.T) {
	b := newTab(t)
	b.load("<!doctype html><title>x</title>", "#layout=nhwc")
	if got := value[[]int64](b, "Promise.resolve([1, 2**53 - 1])"); !slices.Equal(got, []int64{1, 1<<53 - 1}) {
		t.Error(got)
	}
	if got := value[string](b, "location.hash"); got != "#layout=nhwc" {
		t.Error(got)
	}
}
