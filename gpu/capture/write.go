package capture

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ampdbg/amber"
	"ampdbg/host"
	"ampdbg/launch"
)

// What is in the folder of a captured dispatch: the script, and the folder with
// what the device left, as "ampdbg diff --out" writes it.
const (
	LaunchFile    = "launch.amber"
	ResultsFolder = "results"
)

// Write writes the launch into the folder dir, which exists: a script and the
// files that it names.
func (s *Shot) Write(dir string) error {
	save := func(name string, data []byte) (string, error) {
		return name, host.WriteFile(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	script, err := launch.ToScript(s.Launch, save)
	if err != nil {
		return err
	}
	text := amber.Print(script)
	var head strings.Builder
	comment := func(format string, args ...any) {
		fmt.Fprintf(&head, "# %s\n", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	}
	head.WriteString("#!amber\n")
	comment("Dispatch %d of the program, of kernel %s: %s", s.Number, s.Kernel, s.Name)
	if s.Label != "" {
		comment("Labels: %s", s.Label)
	}
	comment("Captured on %s (%s), which runs subgroups of %d", s.Device, s.Driver, s.Subgroup.Size)
	if s.Indirect {
		comment("The grid is that of an indirect dispatch")
	}
	if !s.Before {
		comment("The program ended before the memory was copied: it is zero here")
	}
	for _, n := range s.Notes {
		comment("%s", n)
	}
	_, err = save(LaunchFile, []byte(head.String()+strings.TrimPrefix(text, "#!amber\n")))
	return err
}
