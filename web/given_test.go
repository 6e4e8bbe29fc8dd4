package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// largeBytes is the size of a checkpoint's tensor.
const largeBytes int64 = 14_000_000_000

// sparse makes a checkpoint without content.
func sparse(t *testing.T) string {
	large := filepath.Join(t.TempDir(), "large model.safetensors")
	header := fmt.Sprintf(`{"w":{"dtype":"F16","shape":[70000,100000],"data_offsets":[0,%d]}}`, largeBytes)
	file, err := os.Create(large)
	cli.Must(err)
	fmt.Fprintf(file, "%s%s", []byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header)
	cli.Must(file.Truncate(int64(8+len(header)) + largeBytes))
	cli.Must(file.Close())
	return large
}

// upload chooses files; the page inspects the last one.
func upload(b *chromium.Tab, paths ...string) {
	for i := range paths {
		path, err := filepath.Abs(paths[i])
		cli.Must(err)
		paths[i] = path
	}
	forget(b)
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#chooser"), paths))
	until(b, fmt.Sprintf(`document.getElementById("box").value.includes(%q)`, filepath.Base(paths[len(paths)-1])))
	wait(b)
}

// TestBrowserFiles: a checkpoint of 14 GB is listed by its header, and a conversion can be saved.
func TestBrowserFiles(t *testing.T) {
	b := open(t, "")
	began := time.Now()
	upload(b, "../testdata/x.npy")
	upload(b, sparse(t))
	if got := b.Text("#out"); !strings.Contains(got, "70000") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
	t.Logf("listed after %v; the largest renderer has %d MB", time.Since(began), largestRenderer()>>20)
	if largestRenderer() > 500e6 { // of six runs, of which the browser has not freed all
		t.Error("it takes more than 500 MB")
	}
	ask(b, "convert x.npy --to nhwc -o y.npy")
	if got := b.Text("#dropped"); !strings.HasSuffix(got, "Save y.npy") {
		t.Errorf("files %q, %s", got, b.Text("#err"))
	}
	ask(b, "diff x.npy y.npy --from-b nhwc")
	if got := b.Text("#out"); !strings.Contains(got, "hold the same tensor") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
}

// largestRenderer returns the bytes of memory of the largest process of Chromium that renders pages; 0 without /proc.
func largestRenderer() (largest int) {
	processes, err := filepath.Glob("/proc/[0-9]*")
	cli.Must(err)
	for _, process := range processes {
		line, _ := os.ReadFile(process + "/cmdline") //nolint:errcheck // it may have ended
		pages, _ := os.ReadFile(process + "/statm")  //nolint:errcheck // as above
		if fields := strings.Fields(string(pages)); len(fields) > 1 && strings.Contains(string(line), "--type=renderer") {
			resident, err := strconv.Atoi(fields[1])
			cli.Must(err)
			largest = max(largest, resident*os.Getpagesize())
		}
	}
	return largest
}

// drop drops files by name and content, as base64.
func drop(b *chromium.Tab, named map[string][]byte) {
	forget(b)
	encoded, err := json.Marshal(named)
	cli.Must(err)
	chromium.Value[chromedp.Void](b, fmt.Sprintf(`void (() => {
		const data = new DataTransfer();
		for (const [name, content] of Object.entries(%s)) data.items.add(new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], name));
		document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
	})()`, encoded))
	wait(b)
}

func testdata(name string) []byte {
	content, err := os.ReadFile("../testdata/" + name)
	cli.Must(err)
	return content
}

// TestBrowserDrop: a dropped file is read, whatever its name; what is of no known format is guessed.
func TestBrowserDrop(t *testing.T) {
	b := open(t, "")
	for _, name := range []string{"a b'.npy", "-x.npy", "#x", "draw", "<img src=x>.npy"} {
		drop(b, map[string][]byte{name: testdata("dump.bin")})
		if got := b.Text("#head"); !strings.Contains(got, name+": perhaps uint8 H,W,C = 48,40,3") {
			t.Errorf("%s: %q %q", name, got, b.Text("#err"))
		}
		if line := chromium.Value[string](b, `questionIn(location.hash)`); !strings.HasPrefix(line, "guess ") {
			t.Errorf("%s: the question is %q", name, line)
		}
	}
	b.Click("#draw")
	until(b, `document.getElementById("box").value.startsWith("draw ") && document.querySelector("#picture svg") !== null`)
}

// TestBrowserTogether: two dropped files are compared, several are listed, a damaged one is not guessed, and what the program reads as a model is one.
func TestBrowserTogether(t *testing.T) {
	b := open(t, "")
	drop(b, map[string][]byte{"a.npy": testdata("x.npy"), "b.npy": testdata("x.npy")})
	if got := b.Text("#head"); !strings.HasPrefix(got, "a.npy and b.npy hold the same tensor") {
		t.Errorf("two: %q %q", got, b.Text("#err"))
	}
	drop(b, map[string][]byte{"a.npy": testdata("x.npy"), "b.npy": testdata("x.npy"), "c.npy": testdata("photo.npy")})
	if got := chromium.Value[[]string](b, `[...document.querySelectorAll("#rows > .table a")].map(a => a.textContent)`); !slices.Equal(got, []string{"a.npy", "b.npy", "c.npy"}) {
		t.Errorf("three: %q %q", got, b.Text("#err"))
	}
	drop(b, map[string][]byte{"cut.npy": testdata("x.npy")[:200]})
	if got := b.Text("#rows"); !strings.Contains(got, "cut.npy") || strings.Contains(b.Text("#asked"), "guess") {
		t.Errorf("a damaged file: %q", got)
	}
	drop(b, map[string][]byte{"net.pt2": testdata("net.pt2")})
	if got := b.Text("#answer"); !strings.Contains(got, "net.pt2") || b.Text("#err") != "" {
		t.Errorf("a model: %q %q", got, b.Text("#err"))
	}
}

// TestBrowserDroppedFolder: a folder is refused in words.
func TestBrowserDroppedFolder(t *testing.T) {
	b := open(t, "")
	chromium.Value[chromedp.Void](b, `void (() => {
		const event = new DragEvent("drop", {bubbles: true, cancelable: true});
		Object.defineProperty(event, "dataTransfer", {value: {types: ["Files"], files: [], items: [{webkitGetAsEntry: () => ({isDirectory: true, name: "my weights"})}]}});
		document.body.dispatchEvent(event);
	})()`)
	if got := b.Text("#status"); !strings.HasPrefix(got, "my weights is a folder") || !strings.Contains(got, "tlayout 'my weights'") {
		t.Errorf("%q", got)
	}
}

// TestBrowserSamples: a question about a file of the documents is answered, from the page's own folder, also about a tensor in it.
func TestBrowserSamples(t *testing.T) {
	b := open(t, "#model.pt")
	if got := b.Text("#head"); !strings.HasPrefix(got, "model.pt: PyTorch, 6 tensors") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
	b.Click("#rows td a")
	until(b, `shown.line === "model.pt:conv1.weight"`)
	ask(b, "diff ./x.npy photo.npy")
	if got := b.Text("#head"); !strings.HasPrefix(got, "photo.npy begins with") && !strings.Contains(got, "x.npy") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
	ask(b, "weights.npz --all")
	if got := b.Text("#head"); !strings.HasPrefix(got, "weights.npz: 2 arrays") {
		t.Errorf("%q %q", got, b.Text("#err"))
	}
}

// TestBrowserMissing: a link that names a file of somebody else's asks for it, and takes a file of any name for it.
func TestBrowserMissing(t *testing.T) {
	b := open(t, "#check%20mine.npy%20--contiguous%20c")
	if got := chromium.Value[string](b, `document.getElementById("missing").checkVisibility() ? document.getElementById("missing").innerText : ""`); !strings.Contains(got, "mine.npy") {
		t.Fatalf("the page does not ask for the file: %q", got)
	}
	path, err := filepath.Abs("../testdata/x.npy")
	cli.Must(err)
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#chooser"), []string{path}))
	until(b, `document.getElementById("head").textContent.startsWith("mine.npy: ok")`)
	if got := chromium.Value[bool](b, `document.getElementById("missing").hidden`); !got {
		t.Error("the page still asks for the file")
	}
}
