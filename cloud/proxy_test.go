package cloud

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// workerVariable makes the test's binary a worker that converts the objects of a list, or, for "-", the program itself.
const workerVariable = "TLAYOUT_TEST_WORKER"

func TestMain(m *testing.M) {
	switch list := os.Getenv(workerVariable); list {
	case "":
		os.Exit(m.Run())
	case "-":
		os.Exit(command.Run(os.Args[1:], cli.System()))
	default:
		os.Exit(work(list))
	}
}

// count returns a number from the environment, which make verify-cloud sets.
func count(name string, byDefault int) int {
	if n, err := strconv.Atoi(os.Getenv("TLAYOUT_TEST_CLOUD_" + name)); err == nil {
		return n
	}
	return byDefault
}

// startProxy starts a proxy and returns its address.
func (g *gateway) startProxy(t *testing.T) string {
	target := &url.URL{Scheme: "http", Host: g.direct}
	forward := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = p.In.Host // the signature includes it
		},
		ModifyResponse: g.answered,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, forward) }), ErrorLog: quiet}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return l.Addr().String()
}

// fail makes that many of 1000 requests fail in some way.
func (g *gateway) fail(t *testing.T, requests int64) {
	g.trouble.Store(requests)
	if g.twice != nil {
		t.Log("not tried: lost responses to parts of an upload, which this server would append twice")
	}
}

// hook is called before each request, which it may respond to itself.
type hook func(w http.ResponseWriter, r *http.Request) (done bool)

// serve forwards a request, unless it is to fail.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	g.count(g.requests, r.Method)
	if hook := g.hook.Load(); hook != nil && (*hook)(w, r) {
		return
	}
	// A sent request takes effect, and is counted, even if nobody waits for the response.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
	defer cancel()
	r = r.WithContext(ctx)
	if int64(rand.IntN(1000)) >= g.trouble.Load() {
		forward.ServeHTTP(w, r)
		return
	}
	kinds := 6
	if g.twice != nil && g.twice(r) {
		kinds = 3
	}
	switch rand.IntN(kinds) {
	case 0:
		g.count(g.faults, "500")
		w.WriteHeader(http.StatusInternalServerError)
	case 1:
		g.count(g.faults, "503")
		w.WriteHeader(http.StatusServiceUnavailable)
	case 2:
		g.count(g.faults, "delayed")
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		forward.ServeHTTP(w, r)
	case 3: // the request takes effect, and its response is lost
		g.count(g.faults, "answer lost")
		forward.ServeHTTP(&cut{ResponseWriter: w}, r)
		panic(http.ErrAbortHandler)
	case 4: // the request takes effect, and the response is a failure
		g.count(g.faults, "500 after")
		forward.ServeHTTP(&cut{ResponseWriter: discard{http.Header{}}, left: 1 << 62}, r)
		w.WriteHeader(http.StatusInternalServerError)
	default:
		g.count(g.faults, "body cut")
		forward.ServeHTTP(&cut{ResponseWriter: w, left: rand.IntN(100000)}, r)
		panic(http.ErrAbortHandler)
	}
}

// cut forwards only the first bytes of a response.
type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) WriteHeader(code int) {
	if c.left > 0 {
		c.ResponseWriter.WriteHeader(code)
	}
}

func (c *cut) Write(p []byte) (int, error) {
	if n := min(len(p), c.left); n > 0 {
		c.ResponseWriter.Write(p[:n])
		c.left -= n
	}
	return len(p), nil
}

// discard is a response that is dropped.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(p []byte) (int, error) { return len(p), nil }

// answered counts the successful writes, by the server's own responses.
func (g *gateway) answered(answer *http.Response) error {
	if answer.Request.Method == http.MethodGet || answer.Request.Method == http.MethodHead || answer.StatusCode/100 != 2 {
		return nil
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	key, id := g.wrote(answer, body)
	if key == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writes[key] == nil {
		g.writes[key] = map[string]bool{}
	}
	g.writes[key][cmp.Or(id, fmt.Sprint("put ", len(g.writes[key])))] = true
	return nil
}

func (g *gateway) count(of map[string]int, name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of[name]++
}

// run runs the program in this process.
func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	s := &cli.Streams{In: new(bytes.Buffer), Out: &o, Err: &e, Unicode: true, UserDir: "/nonexistent", Env: func(string) (string, bool) { return "", false }}
	code = cli.Run(args, s, command.NewRoot)
	return code, o.String(), e.String()
}

// work converts the objects of a list, lines of source and destination, several in parallel.
func work(list string) int {
	text, err := os.ReadFile(list)
	if err != nil {
		return 5
	}
	jobs := make(chan []string)
	var wait sync.WaitGroup
	var failed atomic.Int64
	for range 4 {
		wait.Go(func() {
			for pair := range jobs {
				if code, _, errs := run("convert", pair[0], "--to", "nhwc", "-o", pair[1], "--threads", "1", "--update"); code != 0 {
					failed.Add(1)
					fmt.Fprintf(os.Stderr, "%s: exit code %d: %s", pair[0], code, errs)
				}
			}
		})
	}
	for line := range strings.Lines(string(text)) {
		jobs <- strings.Fields(line)
	}
	close(jobs)
	wait.Wait()
	if failed.Load() > 0 {
		return 1
	}
	return 0
}
