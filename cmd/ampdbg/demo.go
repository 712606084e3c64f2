package main

import (
	"flag"
	"fmt"
	"io"

	"ampdbg/amber"
	"ampdbg/launch"
	"ampdbg/testdata"
)

// demoScript is the script that "ampdbg demo" runs.
const demoScript = "amp/matmul_tiled.amber"

var demoCommand = command{
	name:  "demo",
	short: "run a built-in tiled matrix multiplication",
	long: `Runs a script that is part of the program: the multiplication of two
matrices of 48x32 and 32x64 numbers in tiles of 16x16 threads, with tile_static
memory and barriers. It prints the kernel, the product's upper left corner and
whether the product is what the script expects.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		return func(env *environment, operands []string) (int, error) {
			if len(operands) > 0 {
				return 0, usagef("expected no operands, found %q", operands[0])
			}
			return demo(env)
		}
	},
}

func demo(env *environment) (int, error) {
	text, err := testdata.Demo.ReadFile(demoScript)
	if err != nil {
		return 0, err
	}
	script, errs := amber.Parse("matmul_tiled.amber", text)
	if len(errs) > 0 {
		return 0, errs[0]
	}
	l, err := launch.FromScript(script, launch.ScriptOptions{
		Read: func(name string) ([]byte, error) { return testdata.Demo.ReadFile("amp/" + name) },
	})
	if err != nil {
		return 0, err
	}
	source, err := testdata.Demo.ReadFile("amp/matmul_tiled.comp")
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(env.stdout, "%s\n", source)
	opt := runOptions{format: formatText}
	code, err := opt.run(env, l)
	if err != nil || code != exitClean {
		return code, err
	}
	return code, printCorner(env.stdout, l)
}

// printCorner shows the first numbers of the product, row by row.
func printCorner(w io.Writer, l *launch.Launch) error {
	const columns, rows, shown = 64, 4, 8
	for _, b := range l.Buffers {
		if b.Name != "c" {
			continue
		}
		fmt.Fprintln(w, "\nThe product's upper left corner:")
		for row := range rows {
			for col := range shown {
				s := b.Elem.At(row*columns + col)
				fmt.Fprintf(w, "%6s", s.Format(s.Load(b.Data)))
			}
			fmt.Fprintln(w, "  ...")
		}
	}
	return nil
}
