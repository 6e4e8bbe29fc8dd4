// Command manual writes the manual pages and shell completions of tlayout, for its packages, into a folder:
//
//	go run ./internal/manual DIR
//
// DIR/man gets a compressed page for each command and help topic, DIR/completions a folder for each program, tlayout and tlayout-cloud, with
// a script for each shell. Equal commits give equal bytes: pages are dated by SOURCE_DATE_EPOCH, which must be set. tlayout itself does not
// include this generator.
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

// sourceDate parses SOURCE_DATE_EPOCH, seconds since 1970.
func sourceDate() (time.Time, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Time{}, errors.New("SOURCE_DATE_EPOCH is not a number of seconds: set SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func write(dir string, date time.Time) error {
	// One tree each: writing the pages changes the commands' usage texts.
	if err := writePages(filepath.Join(dir, "man"), command.NewRoot(&cli.App{Streams: &cli.Streams{}}), date); err != nil {
		return err
	}
	for _, program := range []string{"tlayout", "tlayout-cloud"} {
		root := command.NewRoot(&cli.App{Streams: &cli.Streams{}})
		root.Use = program
		if err := writeCompletions(filepath.Join(dir, "completions", program), root); err != nil {
			return err
		}
	}
	return nil
}

// writeCompletions writes each shell's script, under the name that the shell looks for.
func writeCompletions(dir string, root *cobra.Command) error {
	for name, generate := range map[string]func(*bytes.Buffer) error{
		root.Name() + ".bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_" + root.Name():     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		root.Name() + ".fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		root.Name() + ".ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
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

// writePages writes the pages of a command and its subcommands.
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

// page returns a command's page. Its text is formatted for a terminal: indented lines are tables, and stay verbatim.
func page(cmd *cobra.Command, name string, date time.Time) ([]byte, error) {
	cmd.DisableAutoGenTag = true
	cmd.Long, cmd.Example = verbatim(cli.WholeLong(cmd)), cli.WholeExamples(cmd)
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

// option matches a flag and its usage, separated by a tab, for which manual pages have a macro.
var option = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-[^\n]*)\n\t`)

// options matches the options of a help topic, which is not a command.
var options = regexp.MustCompile(`(?s)\.SH OPTIONS\n.*?(\z|\.SH SEE ALSO\n)`)

// plainUsage removes the quotes that mark the name of a flag's value.
func plainUsage(f *pflag.Flag) {
	_, usage := pflag.UnquoteUsage(f)
	f.Usage = markdown.Replace(usage)
}

// verbatim turns blocks of indented lines into Markdown code blocks, the input of cobra's pages, and escapes other characters that Markdown
// interprets.
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
		if indented {
			out = append(out, "    "+line)
		} else {
			out = append(out, markdown.Replace(line))
		}
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
