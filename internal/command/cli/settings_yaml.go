//go:build !js

package cli

import (
	"bytes"

	"github.com/spf13/viper"
)

func parseYAML(content []byte) (settings, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	return v, v.ReadConfig(bytes.NewReader(content))
}
