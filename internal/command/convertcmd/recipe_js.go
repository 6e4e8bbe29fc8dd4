package convertcmd

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

var recipeDocument = cli.Document{Schema: "tlayout/convert_recipe/v1", Prints: "convert --recipe"}

// runRecipe refuses: a page converts a tensor, and recipes are for whole checkpoints.
func runRecipe(*cli.App, *options, *settings) error {
	return fault.New(fault.Unsupported, "recipes do not run in a page").WithHint("run it at a terminal")
}
