package diffcmd

import "github.com/tlayout/tlayout/internal/fault"

// A page writes no recipe: it is for whole checkpoints.
type (
	explanation  struct{}
	recipeReport struct{}
)

func (d *differ) checkRecipe() error {
	if d.options.asksRecipe() {
		return fault.New(fault.Unsupported, "recipes do not run in a page").WithHint("run it at a terminal")
	}
	return nil
}

func (p *pair) explain(*report) (e explanation) { return e }

func (d *differ) writeRecipe([]tensorReport) (*recipeReport, error) { return nil, nil }

func (r *recipeReport) lines() []string { return nil }

func (r *recipeReport) isWhole() bool { return false }
