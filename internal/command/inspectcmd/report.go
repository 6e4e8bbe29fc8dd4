package inspectcmd

import (
	"reflect"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents are the documents that the command prints.
var Documents = []cli.Document{
	{Schema: "tlayout/inspect/v1", Prints: "inspect", Type: reflect.TypeFor[withCells]()},
	{Schema: "tlayout/npz/v1", Prints: "inspect of an archive", Type: reflect.TypeFor[withMembers]()},
	{Schema: "tlayout/checkpoint/v1", Prints: "inspect of a checkpoint", Type: reflect.TypeFor[inspect.Checkpoint]()},
	{Schema: document.DescribedSchema, Prints: "read by --from json", Type: reflect.TypeFor[document.Description]()},
}

// withCells is the document of cells, which are written one by one.
type withCells struct {
	inspect.Report
	Table []cell `json:"offsets,omitempty"` // offset table, with --offsets
	// cells, one by one
	Memory []cell `json:"cells,omitempty"`
}

// withMembers is the document of an archive, whose members are written one by one.
type withMembers struct {
	inspect.Archive
	List []inspect.Member `json:"members"` // the archive's members
}

// report is inspect's report on a tensor.
type report struct{ *inspect.Report }

// Rows has one row, or with --explain one per line of the derivation.
func (r report) Rows() render.Table {
	if r.Explain != nil {
		return r.explainTable()
	}
	return cli.TableOf("source,dtype,file_shape,dims,shape,layout,layout_assumed,strides,storage_offset,numel,nbytes,"+
		"contiguous_c,contiguous_f,contiguous_channels_last,contiguous_channels_last_3d,packed,padded,overlapping,extent_elems,"+
		"suggested_memory_format,as_stored_shape,as_stored_contiguous_c,as_stored_contiguous_f", r.Report)
}

// explainTable returns the derivation as rows.
func (r report) explainTable() render.Table {
	t := render.Table{Header: []string{"source", "title", "line"}}
	for _, e := range r.Explain {
		for _, line := range e.Lines {
			t.Add(text.Quote(r.Source), e.Title, line)
		}
	}
	return t
}
