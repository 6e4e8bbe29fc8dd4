package convert

import (
	"archive/zip"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// set converts several arrays of an archive into another archive, each under its own name. It opens one array at a time:
// to plan the output, to write it, and to verify it. An array of another rank than the target's is kept as it is stored, so that
// weights.npz has its biases afterwards.
type set struct {
	app     *cli.App
	options *options
	kernels *kernel.Kernels
	names   []string // archive:name
	opener  source.Opener
	out     string
	size    int64  // bytes of the output
	target  string // the name of the first array's target that is converted; "" if none is
	parts   []part
	skipped bool // --update: the output is up to date
	done    []outcome
	reports []*report
}

func (s *set) run() error {
	if err := s.convert(); err != nil {
		return err
	}
	return s.app.Write(s.report())
}

// convert does all but to report.
func (s *set) convert() error {
	defer s.opener.Close()
	s.done = make([]outcome, len(s.names))
	if err := s.checkOutput(); err != nil {
		return err
	}
	if err := s.each(s.plan); err != nil {
		return err
	}
	if err := s.nameOutput(); err != nil {
		return err
	}
	box, err := newContainer(true, s.parts)
	if err != nil {
		return err
	}
	s.size = box.size
	file, err := s.options.create(s.out, box.size)
	if err != nil {
		return err
	}
	defer file.Discard()
	s.skipped = file.UpToDate()
	if !s.skipped && !s.options.dryRun {
		if err := s.write(file, box); err != nil {
			return err
		}
	}
	for i, r := range s.reports {
		r.finish(s.done[i])
	}
	return nil
}

// write fills the draft, verifies it if that is asked for, and publishes it.
func (s *set) write(file *publish.File, box *container) error {
	if err := s.each(func(i int, j *job) (err error) {
		s.done[i].seconds, err = j.writePart(file, box, i)
		return err
	}); err != nil {
		return err
	}
	if err := box.close(file); err != nil {
		return err
	}
	if s.options.verify {
		if err := s.verify(file); err != nil {
			return err
		}
	}
	if err := s.opener.Unchanged(); err != nil {
		return err
	}
	err := file.Commit()
	s.skipped = file.UpToDate()
	return err
}

// verify reads the draft's arrays as they will be read.
func (s *set) verify(file *publish.File) error {
	drafts, err := source.NewDraftOpener(s.out, file.Draft())
	if err != nil {
		return fault.In("verify", err)
	}
	defer drafts.Close()
	second, err := zip.NewReader(file, file.Size())
	if err != nil {
		return fault.In("verify", unnamed(err))
	}
	return s.each(func(i int, j *job) error {
		again, err := drafts.Open(j.out.arrayName(), source.Options{})
		if err != nil {
			return fault.In("verify", err)
		}
		defer again.Close()
		s.done[i].verified, err = j.verifyIn(second, again)
		return err
	})
}

// each opens every array and makes its job. Errors name the array.
func (s *set) each(do func(i int, j *job) error) error {
	for i, name := range s.names {
		err := s.one(name, func(j *job) error { return do(i, j) })
		switch {
		case err == nil:
		case strings.HasPrefix(err.Error(), words.Quoted(name)):
			return err
		default:
			return fault.In(words.Quoted(name), err)
		}
	}
	return nil
}

func (s *set) one(name string, do func(j *job) error) error {
	o := *s.options
	o.source = name
	t, fits, err := s.open(&o)
	if err != nil {
		return err
	}
	defer t.Close()
	if !fits {
		if err := o.keep(t); err != nil {
			return err
		}
	}
	j, err := newJob(s.app, &o, s.kernels, t)
	if err != nil {
		return err
	}
	j.kept = !fits
	j.out = output{path: s.out, archive: true, member: strings.TrimSuffix(t.Member.Name, ".npy")}
	return do(j)
}

// open opens an array. It fits if it has the ranks of the layouts that are named; one that does not is opened without --from.
func (s *set) open(o *options) (t *source.Tensor, fits bool, err error) {
	to, from, opts := o.to.Layout, o.Layout.Layout, o.Options(s.app)
	isOrder := func(l *notation.Layout) bool { return l != nil && l.Own == notation.NotOwn && l.Exact == nil }
	t, err = s.opener.Open(o.source, opts)
	switch {
	case err == nil && to == nil && !o.strides.Given:
		return t, false, nil // it stays as it is stored
	case err == nil:
		return t, !isOrder(to) || to.Format.Rank() == t.Layout.Rank(), nil
	case !isOrder(from):
		return nil, false, err
	}
	opts.Layout, opts.Channels = nil, 0
	t, errPlain := s.opener.Open(o.source, opts)
	switch {
	case errPlain != nil:
		return nil, false, err
	case len(t.FileShape) == len(from.Format.Axes()):
		t.Close()
		return nil, false, err
	}
	return t, false, nil
}

// keep makes the conversion one that changes nothing.
func (o *options) keep(t *source.Tensor) error {
	o.Layout, o.Channels, o.pitch, o.strides = cli.Layout{}, 0, nil, cli.Ints{}
	if t.Header.Fortran {
		return o.to.Set("fortran")
	}
	return o.to.Set("c")
}

// plan decides what the output holds of an array.
func (s *set) plan(_ int, j *job) error {
	if !j.kept && s.target == "" {
		s.target = j.target.Name
	}
	p, err := j.newPart()
	if err != nil {
		return err
	}
	if p.member == "" {
		return fault.New(fault.Unsupported, "an array without a name").WithHint("write the archive again, with names")
	}
	s.parts, s.reports = append(s.parts, p), append(s.reports, newReport(j, outcome{}))
	return nil
}

// checkOutput takes --output, which has to name an archive if it is given.
func (s *set) checkOutput() error {
	switch s.out = s.options.out; {
	case s.out == source.Stdin:
		return fault.New(fault.Usage, "%s has several arrays, and standard output takes one", words.Quoted(s.options.source)).
			WithHint("name an .npz with --output, or one of the arrays")
	case s.out != "" && !source.NamesArchive(s.out):
		return fault.New(fault.Usage, "%s has several arrays, and %s holds one", words.Quoted(s.options.source), words.Quoted(s.out)).
			WithHint("end its name in .npz, or name one of the arrays")
	}
	return nil
}

// nameOutput names the output <stem>.<layout>.npz beside the archive, if the user did not name it. It refuses a conversion that
// converts nothing.
func (s *set) nameOutput() error {
	p, _ := source.Locate(s.options.source)
	archive := p.Path
	if s.target == "" && s.options.to.Layout != nil {
		return fault.New(fault.Usage, "%s has no array of the rank of %s", words.Quoted(s.options.source), words.Quote(s.options.to.Name)).
			WithHint("tlayout inspect %s lists its arrays", words.Shell(words.Quote(archive)))
	}
	if s.out == "" {
		s.out = s.options.placed(source.Stem(words.URLPath(archive), nil) + "." + s.target + ".npz" + archive[len(words.URLPath(archive)):])
	}
	for _, r := range s.reports {
		r.Output, r.RawOutput = s.out, words.RawBytes(s.out)
	}
	return nil
}

// setReport is convert's answer about several arrays.
type setReport struct {
	Schema   string    `json:"schema"`
	Source   string    `json:"source"`
	Raw      []byte    `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	Output   string    `json:"output"`
	RawOut   []byte    `json:"output_base64,omitempty"`
	Read     int64     `json:"bytes_read"`
	Written  int64     `json:"bytes_written"`
	Seconds  float64   `json:"seconds"`
	GBPerS   float64   `json:"gbps"`
	DryRun   bool      `json:"dry_run"`
	Skipped  bool      `json:"skipped,omitempty"`
	Size     int64     `json:"file_bytes"` // of the output
	Arrays   []*report `json:"arrays"`
	Warnings []string  `json:"warnings"`
}

func (s *set) report() *setReport {
	r := &setReport{Schema: "tlayout/convert_npz/v1", Source: words.Redact(s.options.source), Raw: words.RawBytes(s.options.source), Output: words.Redact(s.out),
		RawOut: words.RawBytes(s.out), DryRun: s.options.dryRun, Skipped: s.skipped, Size: s.size, Arrays: s.reports, Warnings: []string{}}
	for _, one := range s.reports {
		r.Read, r.Written, r.Seconds = r.Read+one.Read, r.Written+one.Written, r.Seconds+one.Seconds
		r.Warnings = append(r.Warnings, one.Warnings...)
	}
	r.GBPerS = speed(r.Read+r.Written, r.Seconds)
	return r
}

// Warned are the warnings of all arrays.
func (r *setReport) Warned() []string { return r.Warnings }

// shownArrays is how many arrays a page lists without --all.
const shownArrays = 10

// Page writes what was written, and a line for each array.
func (r *setReport) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s: %s, %s", wroteText(r.Output, r.DryRun, r.Skipped), words.Count(len(r.Arrays), "array"), words.ShortBytes(r.Size)))
	p.Items(r.lines(p.All())...)
	t := render.Table{Title: "Arrays", Header: []string{"array", "dtype", "from", "as stored", "to", "as stored"}}
	for i, one := range r.Arrays {
		if i == shownArrays && !p.All() && len(r.Arrays) > shownArrays+1 {
			t.Add("…", fmt.Sprintf("%d more", len(r.Arrays)-i), "", "", "", "")
			break
		}
		to := one.To.Name()
		if one.Kept {
			to = "unchanged"
		}
		t.Add(words.Quote(*one.Member), words.Shorten(one.DType), one.From.Name()+one.told(), tensor.Tuple(one.From.FileShape), to,
			tensor.Tuple(one.To.FileShape))
	}
	p.Section(t)
	p.More("--all")
}

// lines say how many arrays were kept and verified, and how fast they were written.
func (r *setReport) lines(all bool) []string {
	var lines []string
	kept, assumed, verified := 0, 0, 0
	for _, one := range r.Arrays {
		switch {
		case one.Kept:
			kept++
		case one.Assumed:
			assumed++
		}
		if one.Verified != "" {
			verified++
		}
	}
	if kept > 0 {
		lines = append(lines, fmt.Sprintf("%s of another rank %s unchanged", words.Count(kept, "array"), words.Plural(kept, "is", "are")))
	}
	switch {
	case verified > 0 && assumed > 0:
		lines = append(lines, "verified, if the orders marked as assumed are right (--from says what is): "+words.Count(verified, "array"))
	case verified > 0:
		lines = append(lines, "verified: "+words.Count(verified, "array"))
	}
	if !r.DryRun && !r.Skipped && (all || r.Read+r.Written >= worthTiming) {
		lines = append(lines, movedText(r.Read+r.Written, r.Seconds))
	}
	return lines
}

// Rows has a row for each array.
func (r *setReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("member,dtype,from,layout_assumed,from_file_shape,to,to_file_shape,bytes_read,bytes_written,seconds", ",")}
	for _, one := range r.Arrays {
		t.Add(words.Quote(*one.Member), one.DType, one.From.Layout, fmt.Sprint(one.Assumed), words.Ints(one.From.FileShape, ", "), one.To.Layout,
			words.Ints(one.To.FileShape, ", "), fmt.Sprint(one.Read), fmt.Sprint(one.Written), fmt.Sprint(one.Seconds))
	}
	return t
}
