package main

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/bench"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/check"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/convert"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/diff"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/draw"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/formats"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/offset"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/trace"
)

// jsonDocuments are all that the program writes.
var jsonDocuments = slices.Concat(inspect.Documents, draw.Documents, offset.Documents, trace.Documents, formats.Documents, convert.Documents,
	check.Documents, diff.Documents, bench.Documents, []cli.Document{versionDocument, cli.Messages})

const jsonText = `--json writes all that a command knows as one document, with or without --all.
A single document is indented; several sources give one document a line. A name
has the same type, unit and meaning in every document. Within a version, names
are added, and those that are there do not change: ignore names that you do not
know.

Documents, by their schema, and what prints them:

`

// jsonTopic is the page of tlayout help json.
func jsonTopic() string {
	text := jsonText
	for _, d := range jsonDocuments {
		text += fmt.Sprintf("  %-29s %s\n", d.Schema, d.Prints)
	}
	return text + "\ndocs/json.md lists every name; docs/schema has the JSON Schemas."
}
