package main

import (
	"flag"

	"ampdbg/launch"
)

// registerLaunch registers the flags that say what to launch: the same for
// every command that takes a FILE.
func registerLaunch(fs *flag.FlagSet, opt *launch.LoadOptions, g *grid, bind, spec *repeated) {
	fs.StringVar(&opt.Entry, "entry", "", "run the entry point `NAME` in place of the script's, or of main")
	fs.Var(g, "grid", "bare module: the number of tiles, `XxYxZ`; Y and Z may be left out")
	fs.Var(bind, "bind", "bare module: bind a buffer, `SET.BINDING=TYPE[N]:INIT`; may be given several times")
	fs.StringVar(&opt.Push, "push", "", "bare module: push constants, `TYPE:VALUES`")
	fs.Var(spec, "spec", "bare module: a specialization constant, `ID=TYPE:VALUE`; may be given several times")
	fs.StringVar(&opt.TargetEnv, "target-env", "", "compile GLSL for `ENV`, as in AmberScript's TARGET_ENV")
}
