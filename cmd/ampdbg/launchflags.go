package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
)

// seed is the value of --seed, which names a schedule.
type seed uint64

func (s *seed) String() string { return emu.SeedName(uint64(*s)) }

func (s *seed) Set(text string) error {
	if text == "reverse" {
		*s = seed(emu.ReverseSeed)
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("expected a number or reverse")
	}
	*s = seed(n)
	return nil
}

// registerSeed registers --seed.
func registerSeed(fs *flag.FlagSet, to *uint64, usage string) { fs.Var((*seed)(to), "seed", usage) }

// registerLaunch registers the flags that say what to launch: the same for
// every command that takes a FILE.
func registerLaunch(fs *flag.FlagSet, opt *launch.LoadOptions, g *grid, bind, spec *repeated) {
	fs.StringVar(&opt.Entry, "entry", "", "run the entry point `NAME` in place of the script's, or of main")
	fs.Var(g, "grid", "bare module: the number of tiles, `XxYxZ`; Y and Z may be left out")
	fs.Var(bind, "bind", "bare module: bind a buffer, `SET.BINDING=TYPE[N]:INIT`; may be given several times")
	fs.StringVar(&opt.Push, "push", "", "bare module: push constants, `TYPE:VALUES`")
	fs.Var(spec, "spec", "bare module: a specialization constant, `ID=TYPE:VALUE`; may be given several times")
	fs.BoolVar(&opt.Confine, "confine", false, "let a script read files, and reports show sources, only from the script's own folder and those in it")
	fs.Var(memoryFlag{}, "memory", "use at most `SIZE` of memory (such as 4GiB); by default half of what is free")
	fs.StringVar(&opt.TargetEnv, "target-env", "", "compile GLSL for `ENV`, as in AmberScript's TARGET_ENV")
}

// uninitialized gives the buffers that --uninitialized means by the names that
// the launch has for them.
func uninitialized(l *launch.Launch, names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		d, err := l.Find(name)
		var e *diag.Error
		switch {
		case errors.As(err, &e):
			return nil, &diag.Error{Msg: "--uninitialized: " + e.Msg}
		case err != nil:
			return nil, err
		case d.Buffer == nil:
			return nil, &diag.Error{Msg: fmt.Sprintf("--uninitialized: %s is an image, and images are taken to be written", name)}
		}
		list = append(list, d.Buffer.Name)
	}
	return list, nil
}
