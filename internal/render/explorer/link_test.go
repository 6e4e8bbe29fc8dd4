package explorer

import (
	"strings"
	"testing"
)

// TestBrowserLink: a URL restores its state: every field, on load and when it changes.
func TestBrowserLink(t *testing.T) {
	s := of(t, "nchw", 1, 6, 5, 4)
	const hash = "#layout=nchw4c&shape=1,6,3,4&block=8&item=2&line=32&label=coord&color=H&at=0,5,2,1" +
		"&path=spatial&step=12&cache=4"
	b := show(t, s, hash)
	again := `(history.replaceState(null, "", "#"), document.querySelector("#grid .here").click(), location.hash)`
	if got := value[string](b, again); got != hash {
		t.Errorf("the address is %s", got)
	}
	l, i := layoutIn(b), 0
	if i, _ = b.here(); l.String() != "(1,(8,1)<6,3,4):(96,(1,96),32,8)" || i != 69 || b.text("#counter") != "12 of 72" {
		t.Errorf("%s, element %d, %s", l, i, b.text("#counter"))
	}
	value[int](b, `new Promise(done => {
		addEventListener("hashchange", () => setTimeout(() => done(1)));
		location.hash = "#layout=nhwc&cell=7";
	})`)
	if i, off := b.here(); layoutIn(b).String() != "(1,6,5,4):(120,1,24,6)" || i != 21 || off != 7 {
		t.Errorf("%s, element %d, offset %d", layoutIn(b), i, off)
	}
}

// TestBrowserLinkOfNonsense: invalid parts are ignored, and reported.
func TestBrowserLinkOfNonsense(t *testing.T) {
	const hash = "#layout=nope&shape=1,2&item=-3&at=9,9,9,9&step=x&%E0%A4%A=1&__proto__=1&path=spatial&=&line=<b>"
	b := show(t, of(t, "nchw", 1, 2, 3, 4), hash)
	if got := layoutIn(b).String(); got != "(1,2,3,4):(24,12,4,1)" {
		t.Errorf("the layout is %s", got)
	}
	note := b.text("#note")
	for _, part := range []string{"layout=nope", "shape=1,2", "item=-3", "at=9,9,9,9", "step=x", "__proto__=1", "line=<b>"} {
		if !strings.Contains(note, part) {
			t.Errorf("%q does not mention %s", note, part)
		}
	}
	if strings.Contains(note, "path") || value[string](b, "tlayout.state.path") != "spatial" {
		t.Errorf("the path is gone: %q", note)
	}
}

// TestBrowserLinkOfNoLayout: a URL with invalid strides is reported, and the page starts as without it; a distant cell and elements larger
// than a cache line are fine.
func TestBrowserLinkOfNoLayout(t *testing.T) {
	s := strided(t, "(3,4):(4,1)", "H", "W")
	s.Size = 300
	b := show(t, s, "#layout=strides&strides=-9,1")
	if got, note := layoutIn(b).String(), b.text("#note"); got != "(3,4):(4,1)" || !strings.Contains(note, "before the storage") {
		t.Errorf("%s, %q", got, note)
	}
	b.load(written(t, s), "#cell=999999999999&line=32&item=300")
	if i, _ := b.here(); i != 6 || value[int](b, `document.querySelectorAll("#memory .line").length`) != 12 {
		t.Errorf("element %d", i)
	}
}

// TestBrowserLinkOfMuchNonsense: a long fragment is shortened in the report.
func TestBrowserLinkOfMuchNonsense(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 2, 3, 4), "#"+strings.Repeat("a=1&", 20000)+"layout=nhwc")
	if note := b.text("#note"); len(note) > 400 || !strings.HasPrefix(note, "Ignored in the URL: a=1, a=1") {
		t.Errorf("%d bytes: %.80q", len(note), note)
	}
	if got := value[string](b, "tlayout.scene.name"); got != "NHWC" {
		t.Errorf("the layout is %s", got)
	}
}

// TestBrowserAddressAtRest: no action adds to the history, and the URL is written no more often than browsers allow; it is correct at rest.
func TestBrowserAddressAtRest(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 4, 3, 4), "")
	got := value[[]int](b, `(() => {
		const before = history.length, write = history.replaceState.bind(history), size = document.getElementById("size-1");
		let writes = 0, late;
		history.replaceState = (...all) => { writes++; write(...all); };
		window.setTimeout = (f, ms) => { if (ms) late = f; return 0; };
		for (let k = 0; k < 60; k++) {
			size.value = 2 + k % 10;
			size.dispatchEvent(new Event("input"));
			document.querySelector("#grid .cell").click();
		}
		const hurried = writes;
		late?.();
		return [history.length - before, hurried, writes - hurried];
	})()`)
	if got[0] != 0 || got[1] > 100 || got[2] != 1 {
		t.Errorf("%d steps of the history; the address is written %d times, at rest %d times", got[0], got[1], got[2])
	}
	if hash := value[string](b, "location.hash"); hash != "#layout=nchw&shape=1,11,3,4&at=0,0,0,0" {
		t.Errorf("at rest it is %s", hash)
	}
}

// TestBrowserHostile: foreign names and values stay text on the page.
func TestBrowserHostile(t *testing.T) {
	s := of(t, "nchw", 1, 2, 2, 2)
	s.Name, s.DType, s.Values = nasty, nasty, strings.Split(strings.Repeat(nasty+"\x00", 7)+nasty, "\x00")
	s.ShortValues = true
	b := show(t, s, "")
	if b.text("h1") != nasty || b.text("#grid .cell") != nasty || !strings.HasPrefix(b.text("title"), "</script>") {
		t.Errorf("%q, %q, %q", b.text("h1"), b.text("#grid .cell"), b.text("title"))
	}
	if n := value[int](b, `document.querySelectorAll("img, script").length`); n != 2 {
		t.Errorf("there are %d scripts and images", n)
	}
}
