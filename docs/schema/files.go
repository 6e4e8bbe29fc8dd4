//go:build !js

package schema

import "embed"

//go:embed *.json
var files embed.FS
