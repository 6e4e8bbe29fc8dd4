// Command tlayout is tlayout with object storage: s3://, gs:// and azblob://.
package main

import (
	"os"

	_ "github.com/tlayout/tlayout/cloud"
	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

func main() { os.Exit(command.Run(os.Args[1:], cli.System())) }
