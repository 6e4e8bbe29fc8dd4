//go:build !js

package cli

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate/recipe"
)

// LoadRecipe reads the recipe of a file. Errors name it.
func LoadRecipe(n name.Name) (*recipe.Recipe, error) {
	file, err := input.Open(n, input.Options{})
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was read
	doc, err := recipe.Read(io.NewSectionReader(file, 0, file.Size()))
	return doc, fault.In(n.String(), err)
}
