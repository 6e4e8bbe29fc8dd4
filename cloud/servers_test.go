package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"

	"github.com/tlayout/tlayout/internal/store"
)

// server is a kind of local server. All tests run on each kind.
type server struct {
	scheme  string
	kind    kind
	who     string // whose credentials are refused
	program string // its path in the folder TLAYOUT_TEST_SERVERS
	open    store.Opener
	// command returns the command that serves at an address, with its files in dir.
	command func(program, address, dir string) *exec.Cmd
	// environ and query direct the program to an address.
	environ func(address string) map[string]string
	query   func(address string) string
	create  func(ctx context.Context, b *blob.Bucket, name string) error
	// wrote names the object that a successful request wrote; id is the same for a repetition of the request, and may be empty.
	wrote func(answer *http.Response, body []byte) (key, id string)
	// stranger holds credentials that the server refuses; nil if it accepts all, and the proxy refuses them.
	stranger map[string]string
	// twice reports whether the server would apply a repeated request twice; nil if it never does. The proxy loses no response to such a one.
	twice func(r *http.Request) bool
}

// azuriteKey is the public key of Azurite's account. (github.com/Azure/Azurite, README, "Default Storage Account")
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

var servers = []*server{
	{
		scheme:  "s3",
		kind:    ofS3,
		who:     "the AWS credentials (EnvConfigCredentials)",
		program: "versitygw",
		open:    openS3,
		command: func(program, address, dir string) *exec.Cmd {
			cmd := exec.Command(program, "--port", address, "posix", dir)
			cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY=testers-secret")
			return cmd
		},
		environ: func(address string) map[string]string {
			return map[string]string{
				"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "testers-secret",
				"AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://" + address,
			}
		},
		query: func(string) string { return "" },
		create: func(ctx context.Context, b *blob.Bucket, name string) error {
			var client *s3.Client
			b.As(&client)
			_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
			return err
		},
		wrote: func(a *http.Response, body []byte) (key, id string) {
			q := a.Request.URL.Query()
			whole := a.Request.Method == http.MethodPut && !q.Has("partNumber") || a.Request.Method == http.MethodPost && q.Has("uploadId")
			if !whole || bytes.Contains(body, []byte("<Error>")) { // an error may be in the body of a 200
				return "", ""
			}
			return keyOf(a.Request, 1), q.Get("uploadId")
		},
		stranger: map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"},
	},
	{
		scheme:  "gs",
		kind:    ofGS,
		who:     "anonymous requests",
		program: "fake-gcs-server",
		open:    openGS,
		command: func(program, address, _ string) *exec.Cmd {
			host, port, _ := net.SplitHostPort(address)
			return exec.Command(program, "-scheme", "http", "-host", host, "-port", port, "-public-host", host,
				"-backend", "memory", "-log-level", "error")
		},
		environ: func(address string) map[string]string { return map[string]string{"STORAGE_EMULATOR_HOST": address} },
		query:   func(string) string { return "" },
		create: func(ctx context.Context, b *blob.Bucket, name string) error {
			var client *storage.Client
			b.As(&client)
			return client.Bucket(name).Create(ctx, "project", nil)
		},
		wrote: func(_ *http.Response, body []byte) (key, id string) {
			var object struct{ Kind, Name, Generation string }
			if json.Unmarshal(body, &object) != nil || object.Kind != "storage#object" || object.Generation == "0" { // 0 begins a resumable upload
				return "", ""
			}
			return object.Name, object.Generation
		},
		// fake-gcs-server 1.56.1 appends a repeated part of a resumable upload, whatever its Content-Range.
		twice: func(r *http.Request) bool { return strings.HasSuffix(r.Header.Get("Content-Range"), "/*") },
	},
	{
		scheme:  "azblob",
		kind:    ofAzure,
		who:     "the credentials in AZURE_STORAGE_KEY",
		program: "node_modules/.bin/azurite-blob",
		open:    openAzure,
		command: func(program, address, dir string) *exec.Cmd {
			host, port, _ := net.SplitHostPort(address)
			return exec.Command(program, "--blobHost", host, "--blobPort", port, "--location", dir,
				"--silent", "--skipApiVersionCheck", "--disableTelemetry")
		},
		environ: func(string) map[string]string {
			return map[string]string{"AZURE_STORAGE_ACCOUNT": "devstoreaccount1", "AZURE_STORAGE_KEY": azuriteKey}
		},
		query: func(address string) string { return "?domain=" + address + "&protocol=http" }, // gocloud reads the environment once
		create: func(ctx context.Context, b *blob.Bucket, _ string) error {
			var client *container.Client
			b.As(&client)
			_, err := client.Create(ctx, nil)
			return err
		},
		wrote: func(a *http.Response, _ []byte) (key, id string) {
			if comp := a.Request.URL.Query().Get("comp"); a.Request.Method != http.MethodPut || comp != "" && comp != "blocklist" {
				return "", ""
			}
			return keyOf(a.Request, 2), a.Header.Get("ETag")
		},
		stranger: map[string]string{"AZURE_STORAGE_KEY": "d3Jvbmc="},
	},
}

// keyOf returns the key in a request's path, after the bucket, the part at n.
func keyOf(r *http.Request, n int) string {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", n+1)
	return parts[len(parts)-1]
}

// onEach runs a test on each kind of server.
func onEach(t *testing.T, test func(t *testing.T, g *gateway)) {
	for _, s := range servers {
		t.Run(s.scheme, func(t *testing.T) { test(t, s.start(t)) })
	}
}

// gateway is a running server with an empty bucket, behind a proxy that can fail.
type gateway struct {
	*server
	name   string // of the bucket
	direct string // address without the proxy
	via    string // address that the program uses
	bucket *blob.Bucket

	trouble atomic.Int64 // how many of 1000 requests fail in some way
	hook    atomic.Pointer[hook]

	mu       sync.Mutex
	writes   map[string]map[string]bool // successful writes by key and id
	faults   map[string]int             // by kind
	requests map[string]int             // by method
}

// buckets counts buckets: the program keeps an open one by its URL.
var buckets atomic.Int64

// start starts a server, which ends with the test.
func (s *server) start(t *testing.T) *gateway {
	t.Helper()
	folder := os.Getenv("TLAYOUT_TEST_SERVERS")
	if folder == "" {
		t.Skip("no servers: make verify-cloud installs them and sets TLAYOUT_TEST_SERVERS")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{server: s, name: fmt.Sprint("bucket", buckets.Add(1)), direct: l.Addr().String(),
		writes: map[string]map[string]bool{}, faults: map[string]int{}, requests: map[string]int{}}
	l.Close()
	cmd := s.command(filepath.Join(folder, s.program), g.direct, t.TempDir())
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	g.await(t, &output)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	g.use(t, g.direct)
	b, err := s.open(t.Context(), g.name, strings.TrimPrefix(s.query(g.direct), "?"))
	if err != nil {
		t.Fatal(err)
	}
	g.bucket = b.(*bucket).blob
	t.Cleanup(func() { g.bucket.Close() })
	if err := s.create(t.Context(), g.bucket, g.name); err != nil {
		t.Fatal(err)
	}
	g.use(t, g.startProxy(t))
	return g
}

// await waits until the server listens.
func (g *gateway) await(t *testing.T, output fmt.Stringer) {
	for range 600 {
		if c, err := net.Dial("tcp", g.direct); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the server does not listen: ", output)
}

// use directs the program to an address.
func (g *gateway) use(t *testing.T, address string) {
	g.via = address
	for name, value := range g.environ(address) {
		t.Setenv(name, value)
	}
}

// url returns the name of an object.
func (g *gateway) url(key string) string {
	return g.scheme + "://" + g.name + "/" + key + g.query(g.via)
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
