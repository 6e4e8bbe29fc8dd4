package checkcmd

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

var recipeDocument = cli.Document{Schema: "tlayout/check_recipe/v1", Prints: "check --recipe"}

// checkRecipe refuses: recipes are for whole checkpoints.
func checkRecipe(*cli.App, *options) error {
	return fault.New(fault.Unsupported, "recipes do not run in a page").WithHint("run it at a terminal")
}
