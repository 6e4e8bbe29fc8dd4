package schema

import "embed"

// files has no schemas: compressed, they would be a two hundredth of the page's program.
var files embed.FS
