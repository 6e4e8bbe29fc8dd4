// Command sbom lists the modules that a Go program was built from, as CycloneDX 1.5:
//
//	go run ./internal/sbom PROGRAM VERSION FILE
//
// It reads the program's own build information, so that it lists the program's modules, not the requirements in go.mod. VERSION is the
// program's version, which Go does not record for a checkout.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	if len(os.Args) != 4 {
		log.Fatal("usage: sbom PROGRAM VERSION FILE")
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

// bill is the document, https://cyclonedx.org/docs/1.5/json, without a time or serial number, so that the same program gives the same
// bytes.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
}

func write(program, version, name string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(billOf(info, version), "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}

func billOf(info *debug.BuildInfo, version string) bill {
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{newComponent("application", info.Main.Path, version)}}
	b.Components = append(b.Components, newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, newComponent("library", m.Path, m.Version))
	}
	return b
}

func newComponent(kind, path, version string) component {
	url := fmt.Sprintf("pkg:golang/%s@%s", strings.ReplaceAll(path, "~", "%7E"), version)
	return component{kind, url, path, version, url}
}
