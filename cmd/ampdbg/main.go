// Command ampdbg runs SPIR-V compute kernels on an emulator that executes
// them as a GPU does, in tiles of warps in lockstep, and says what is wrong
// with them. Each command is one entry of a table (see commands), which also
// makes the help texts and docs/commands.md.
package main

import (
	"context"
	"os"

	"ampdbg/gpu/isolate"
)

func main() {
	isolate.ServeChild()
	os.Exit(run(untilSignal(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
