// Command manual writes the manual pages and the shell completions of tlayout, for its packages, into a folder:
//
//	go run ./internal/manual DIR
//
// DIR/man has a page for each command and help topic, compressed, DIR/completions a script for each shell. The same commit gives the
// same bytes: pages are dated by SOURCE_DATE_EPOCH, which must be set. The program does not contain what writes them.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("manual: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: SOURCE_DATE_EPOCH=SECONDS manual DIR")
	}
	date, err := sourceDate()
	if err == nil {
		err = write(os.Args[1], date)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// sourceDate is SOURCE_DATE_EPOCH, seconds since 1970.
func sourceDate() (time.Time, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Time{}, errors.New("SOURCE_DATE_EPOCH is not a number of seconds; SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func write(dir string, date time.Time) error {
	// A tree for each: the pages change what the commands say of themselves.
	if err := writePages(filepath.Join(dir, "man"), command.NewRoot(&cli.App{Streams: &cli.Streams{}}), date); err != nil {
		return err
	}
	return writeCompletions(filepath.Join(dir, "completions"), command.NewRoot(&cli.App{Streams: &cli.Streams{}}))
}

// writeCompletions writes what each shell reads, under the name by which it finds it.
func writeCompletions(dir string, root *cobra.Command) error {
	root.Use = "tlayout"
	for name, generate := range map[string]func(*bytes.Buffer) error{
		"tlayout.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_tlayout":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"tlayout.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"tlayout.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, name), script.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes the page of a command and of those below it.
func writePages(dir string, cmd *cobra.Command, date time.Time) error {
	for _, c := range cmd.Commands() {
		if c.Hidden {
			continue
		}
		if err := writePages(dir, c, date); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	page, err := page(cmd, name, date)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if _, err := z.Write(page); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, name+".1.gz"), packed.Bytes())
}

// page is a command's page. Its text is written for a terminal: lines that are indented there are tables, and stay as they are.
func page(cmd *cobra.Command, name string, date time.Time) ([]byte, error) {
	cmd.DisableAutoGenTag = true
	cmd.Long = verbatim(cmd.Long)
	cmd.LocalFlags().VisitAll(plainUsage)
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Date: &date, Source: "tlayout", Manual: "tlayout manual"}
	var b bytes.Buffer
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return nil, err
	}
	text := bytes.Replace(b.Bytes(), []byte(date.Format(`"Jan 2006"`)), []byte(date.Format(`"2006-01-02"`)), 1)
	if cmd.IsAdditionalHelpTopicCommand() {
		text = options.ReplaceAll(text, []byte("$1"))
		text = bytes.Replace(text, []byte(`\fBtlayout `+cmd.Name()+` [flags]`), []byte(`\fBtlayout help `+cmd.Name()), 1)
	}
	return option.ReplaceAll(text, []byte(".TP\n$1\n")), nil
}

// option is a flag and its usage, which cobra separates by a tab. Manual pages have a macro for that.
var option = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-[^\n]*)\n\t`)

// options are the sections that a help topic, which is read and not run, has none of.
var options = regexp.MustCompile(`(?s)\.SH OPTIONS\n.*?(\z|\.SH SEE ALSO\n)`)

// plainUsage removes the quotes that mark the name of a flag's value.
func plainUsage(f *pflag.Flag) {
	_, usage := pflag.UnquoteUsage(f)
	f.Usage = markdown.Replace(usage)
}

// verbatim makes blocks of indented lines code blocks of Markdown, which is what cobra's pages are made from, and takes the meaning
// that Markdown gives other characters from them.
func verbatim(text string) string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if indented != inside && line != "" {
			if len(out) > 0 && out[len(out)-1] != "" {
				out = append(out, "")
			}
			inside = indented
		}
		switch {
		case indented:
			line = "    " + line
		default:
			line = markdown.Replace(line)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

var markdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "|", `\|`)

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
