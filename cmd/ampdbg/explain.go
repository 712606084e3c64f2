package main

import (
	"flag"
	"fmt"

	"ampdbg/diag"
)

var explainCommand = command{
	name:  "explain",
	args:  "[CODE]",
	short: "what a finding means, an example, the usual cure",
	long: `Explains one kind of finding by the name that stands in brackets in a
report: a code (race), a class (intra-tile), or both (race/intra-tile). Without
a name it lists all kinds.`,
	setup: func(*flag.FlagSet) func(*environment, []string) (int, error) { return explain },
}

func explain(env *environment, operands []string) (int, error) {
	switch len(operands) {
	case 0:
		for _, e := range diag.Explanations() {
			fmt.Fprintf(env.stdout, "%-34s %s\n", e.Rule(), e.Title)
		}
		return exitClean, nil
	case 1:
		e, err := diag.Explain(operands[0])
		if err != nil {
			return 0, err
		}
		fmt.Fprint(env.stdout, e.Text())
		return exitClean, nil
	}
	return 0, usagef("expected one CODE, found %d operands", len(operands))
}
