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
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gocloud.dev/blob"

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

// gateway is a running versitygw, an S3 server, behind a proxy that can fail.
type gateway struct {
	root   string // of its files
	direct string // URL without the proxy
	proxy  string // URL of the proxy
	bucket *blob.Bucket

	trouble atomic.Int64 // how many of 1000 requests fail in some way
	hook    atomic.Pointer[func(r *http.Request)]

	mu       sync.Mutex
	writes   map[string]map[string]bool // successful writes by key; those in parts by the upload's id, which may be completed again
	faults   map[string]int             // by kind
	requests map[string]int             // by method
}

const testBucket = "bucket"

// query returns the query of URLs of objects on a server.
func query(server string) string { return "?region=us-east-1&endpoint=" + server }

func startGateway(t *testing.T) *gateway {
	t.Helper()
	program := os.Getenv("TLAYOUT_TEST_VERSITYGW")
	if program == "" {
		t.Skip("no S3 server: make verify-cloud installs versitygw and sets TLAYOUT_TEST_VERSITYGW")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "tester")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testers-secret")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	g := &gateway{root: t.TempDir(), writes: map[string]map[string]bool{}, faults: map[string]int{}, requests: map[string]int{}}
	if err := os.Mkdir(filepath.Join(g.root, testBucket), 0o777); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(program, "--port", address, "posix", g.root)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY=testers-secret", workerVariable+"=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	g.direct = "http://" + address
	g.startProxy(t)
	b, err := openS3(t.Context(), testBucket, query(g.direct)[1:])
	if err != nil {
		t.Fatal(err)
	}
	g.bucket = b.(*bucket).blob
	t.Cleanup(func() { g.bucket.Close() })
	return g
}

func (g *gateway) startProxy(t *testing.T) {
	target, _ := url.Parse(g.direct)
	forward := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = p.In.Host // the signature includes it
		},
		ModifyResponse: g.answered,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:       nil,
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, forward) }), ErrorLog: quiet}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	g.proxy = "http://" + l.Addr().String()
}

// serve forwards a request, unless it is to fail.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if hook := g.hook.Load(); hook != nil {
		(*hook)(r)
	}
	g.count(g.requests, r.Method)
	// A sent request takes effect, and is counted, even if nobody waits for the response.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
	defer cancel()
	r = r.WithContext(ctx)
	if int64(rand.IntN(1000)) >= g.trouble.Load() {
		forward.ServeHTTP(w, r)
		return
	}
	switch rand.IntN(6) {
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
	r := answer.Request
	q := r.URL.Query()
	whole := r.Method == http.MethodPut && !q.Has("partNumber") || r.Method == http.MethodPost && q.Has("uploadId")
	if !whole || answer.StatusCode != http.StatusOK {
		return nil
	}
	if r.Method == http.MethodPost { // S3 may respond 200 with an error in the body
		body, err := io.ReadAll(answer.Body)
		answer.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil || bytes.Contains(body, []byte("<Error>")) {
			return nil
		}
	}
	key := strings.TrimPrefix(r.URL.Path, "/"+testBucket+"/")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writes[key] == nil {
		g.writes[key] = map[string]bool{}
	}
	g.writes[key][cmp.Or(q.Get("uploadId"), fmt.Sprint("put ", len(g.writes[key])))] = true
	return nil
}

func (g *gateway) count(of map[string]int, name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of[name]++
}

func (g *gateway) put(t *testing.T, key string, content []byte) {
	t.Helper()
	if err := g.bucket.WriteAll(context.Background(), key, content, nil); err != nil {
		t.Fatal(err)
	}
}

func (g *gateway) get(t *testing.T, key string) []byte {
	t.Helper()
	content, err := g.bucket.ReadAll(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// keys returns the keys below a prefix.
func (g *gateway) keys(t *testing.T, prefix string) (keys []string) {
	t.Helper()
	it := g.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(context.Background())
		if err == io.EOF {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, o.Key)
	}
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
