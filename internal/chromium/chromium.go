// Package chromium runs pages in one headless Chromium, for tests.
package chromium

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

// Tab is a tab of the browser, which the first test starts and Main closes. Tests that use it are named TestBrowser…:
//
//	b := chromium.NewTab(t)                             // skips the test without Chromium
//	b.Load(html, "#draw")                               // a file of its own; "" is an address without a fragment
//	b.Open("http://127.0.0.1:8000/", "index.html")        // or a site
//	b.Do(chromedp.Click(chromedp.CSS("#play")))         // any actions that return nothing
//	n := chromium.Value[int](b, "document.links.length") // of an expression, which may be a promise
//	png := chromium.Ask(b, chromedp.CaptureScreenshot()) // any action that returns something
//
// An action that fails ends the test. When the test ends it fails for all that a quiet page does not do: exceptions,
// rejected promises, errors and warnings on the console, dialogs, and requests of anything but the file itself, or the site.
//
// Tests run a browser only with TLAYOUT_TEST_REQUIRE_CHROMIUM=1: they take a minute.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu         sync.Mutex
	address    string   // of the file, without its fragment, or the start of the site's addresses
	complaints []string // violations of a quiet page
}

const (
	patience = 30 * time.Second // of an action; after a longer one no test asks for anything
	parting  = 5 * time.Second  // of closing; then it is killed
)

// browser is the one of all tests.
var browser struct {
	once    sync.Once
	started error // why it does not run
	ctx     context.Context
	kill    context.CancelFunc // nil until it was started; waits until it is gone, and its files
	hung    atomic.Bool        // an action timed out
}

// Main is for TestMain: it gives the tests a directory for the temporary files of the tests and of Chromium, and removes it afterwards, even if
// they are interrupted.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "tlayout-chromium")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir) //nolint:errcheck // the name has no special characters
	leave := sync.OnceFunc(func() {
		closeBrowser()
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

// open starts Chromium, or returns why it does not run.
func open() error {
	browser.once.Do(func() { browser.started = start() })
	if browser.started == nil && browser.hung.Load() {
		return fmt.Errorf("an earlier action took longer than %v: giving up", patience)
	}
	if browser.started == nil && browser.ctx.Err() != nil {
		return errors.New("chromium has died")
	}
	return browser.started
}

func start() error {
	path, err := find()
	if err != nil {
		return err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path))
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-component-update", "disable-quic"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, kill := chromedp.NewExecAllocator(context.Background(), options...)
	browser.ctx, _ = chromedp.NewContext(allocator)
	browser.kill = kill
	late := time.AfterFunc(patience, kill)
	defer late.Stop()
	if err := chromedp.Do(browser.ctx); err != nil {
		return fmt.Errorf("%s does not start: %w", path, err)
	}
	return nil
}

// closeBrowser asks Chromium to close, kills it if it does not, and prevents another start.
func closeBrowser() {
	browser.once.Do(func() { browser.started = errors.New("the tests are over") })
	if browser.kill == nil {
		return
	}
	if browser.started == nil && !browser.hung.Load() {
		ctx, cancel := context.WithTimeout(browser.ctx, parting)
		chromedp.Cancel(ctx) //nolint:errcheck // it is killed if it does not close
		cancel()
	}
	browser.kill()
}

func find() (string, error) {
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser", "/usr/bin/chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium nor google-chrome is installed")
}

// idle holds quiet tabs for reuse: opening a tab takes as long as most tests. There are two, because half of a test is waiting; nil stands
// for one that is not open yet.
var idle = func() chan *Tab {
	tabs := make(chan *Tab, 2)
	tabs <- nil
	tabs <- nil
	return tabs
}()

// NewTab returns a tab in its initial state, without a page, and lets another test run in parallel with this one, which must not request a
// second tab. When the test ends, the tab must be quiet.
func NewTab(t *testing.T) *Tab {
	t.Helper()
	t.Parallel()
	b := <-idle
	var left *Tab
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
			b.Do(chromedp.Navigate("about:blank"), chromedp.EmulateReset(), Media("", ""),
				chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 0, 0))
			left = b
		}
	})
	return b
}

// openTab opens a tab, which stays until Chromium closes.
func openTab(t *testing.T) *Tab {
	t.Helper()
	if os.Getenv("TLAYOUT_TEST_REQUIRE_CHROMIUM") != "1" {
		t.Skip("TLAYOUT_TEST_REQUIRE_CHROMIUM=1 runs the page in Chromium, for a minute, as .ci/run and make screens do")
	}
	if err := open(); err != nil {
		if browser.started == nil {
			t.Fatal(err)
		}
		t.Fatalf("TLAYOUT_TEST_REQUIRE_CHROMIUM=1, but %v", err)
	}
	ctx, _ := chromedp.NewContext(browser.ctx)
	b := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	return b
}

// Load writes html into a file, and opens it.
func (b *Tab) Load(html, fragment string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(html), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.navigate((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), fragment)
}

// Open opens a page of a site, whose address ends with a slash; the page may request what is below it.
func (b *Tab) Open(site, page string) {
	b.t.Helper()
	b.navigate(site, page)
}

func (b *Tab) navigate(address, rest string) {
	b.t.Helper()
	b.mu.Lock()
	b.address = address
	b.mu.Unlock()
	b.Do(chromedp.Navigate(address + rest))
}

// Do runs actions in order.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	Ask(b, chromedp.Steps(actions...))
}

// Ask runs an action and returns its result.
func Ask[T any](b *Tab, action chromedp.Action[T]) T {
	b.t.Helper()
	answer, err := try(b, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

func try[T any](b *Tab, action chromedp.Action[T]) (answer T, err error) {
	if err := open(); err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err = chromedp.Run(ctx, action)
	if errors.Is(err, context.DeadlineExceeded) {
		browser.hung.Store(true)
	}
	return answer, err
}

// Value evaluates a JavaScript expression, as JSON; chromedp.Void discards the value.
func Value[T any](b *Tab, expression string) T {
	b.t.Helper()
	return Ask(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// quiet returns and clears the page's complaints so far. Events come in order, so that the response to a request of our own follows
// everything that the page has done.
func (b *Tab) quiet() []string {
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
func (b *Tab) notice(event any) {
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

// noticeRequest allows the file itself, what is below a site's address, and data URLs.
func (b *Tab) noticeRequest(address string) {
	b.mu.Lock()
	site := strings.HasSuffix(b.address, "/") && strings.HasPrefix(address, b.address)
	own := address == b.address || site || strings.HasPrefix(address, "data:")
	b.mu.Unlock()
	if !own {
		b.complain("request of %s", address)
	}
}

func (b *Tab) complain(format string, args ...any) {
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
