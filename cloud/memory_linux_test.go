package cloud

import (
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"gocloud.dev/blob"
)

// maxAnonymous bounds the anonymous memory of a conversion, in bytes, for objects of any size.
const maxAnonymous = 100 << 20

// TestLargeObject: a large object is converted in bounded memory. The log has the speed, beside that of a plain copy through the same
// server.
func TestLargeObject(t *testing.T) { onEach(t, testLargeObject) }

func testLargeObject(t *testing.T, g *gateway) {
	g.use(t, g.direct)
	mib := count("MIB", 64)
	content := array(t, 1, mib, 64, 64, 64)
	g.put(t, "large.npy", content)
	size := float64(len(content)) / (1 << 20)
	content = nil
	from := g.url("large.npy")
	for range count("ROUNDS", 1) {
		start := time.Now()
		g.copy(t, "large.npy", "copy.npy")
		plain := time.Since(start).Seconds()

		cmd := exec.Command(os.Args[0], "convert", from, "--to", "nhwc", "-o", g.url("made.nhwc.npy"), "--force")
		cmd.Env = append(os.Environ(), workerVariable+"=-")
		start = time.Now()
		peak := runAndWatch(t, cmd)
		took := time.Since(start).Seconds()
		if peak == 0 || peak > maxAnonymous {
			t.Errorf("%d bytes of anonymous memory, more than %d", peak, maxAnonymous)
		}
		t.Logf("%.0f MiB: at most %.1f MiB anonymous; convert %.0f MiB/s, copy %.0f MiB/s, ratio %.2f", size, float64(peak)/(1<<20), size/took, size/plain, plain/took)
	}
}

// copy copies an object through this process by gocloud alone.
func (g *gateway) copy(t *testing.T, from, to string) {
	t.Helper()
	r, err := g.bucket.NewReader(context.Background(), from, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := g.bucket.NewWriter(context.Background(), to, &blob.WriterOptions{BufferSize: partBytes, MaxConcurrency: parallel})
	if err == nil {
		if _, err = io.CopyBuffer(struct{ io.Writer }{w}, r, make([]byte, 1<<20)); err == nil {
			err = w.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// runAndWatch runs a command and returns its highest observed anonymous memory, in bytes.
func runAndWatch(t *testing.T, cmd *exec.Cmd) (peak int64) {
	t.Helper()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return peak
		case <-time.After(2 * time.Millisecond):
		}
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status")
		if m := anonymous.FindSubmatch(text); m != nil {
			n, _ := strconv.ParseInt(string(m[1]), 10, 64)
			peak = max(peak, n<<10)
		}
	}
}
