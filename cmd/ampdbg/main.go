// Command ampdbg runs SPIR-V compute kernels on an emulator that executes
// them as a GPU does, in tiles of warps in lockstep, and says what is wrong
// with them. Each command is one entry of a table (see commands), which also
// makes the help texts and docs/commands.md.
package main

import (
	"context"
	"os"
	"os/signal"

	"ampdbg/gpu/isolate"
)

func main() {
	isolate.ServeChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	// After the first Ctrl-C the default is back: a second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
