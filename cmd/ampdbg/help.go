package main

import (
	"flag"
	"fmt"
	"strings"

	"ampdbg/diag"
)

// usage is the overview that "ampdbg help" prints.
func usage() string {
	var b strings.Builder
	b.WriteString("ampdbg runs and debugs SPIR-V compute kernels on an emulator.\n\nUsage:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  ampdbg %-16s %s\n", strings.TrimSpace(c.name+" "+c.args), c.short)
	}
	b.WriteString("\n\"ampdbg help COMMAND\" describes a command and its flags.\n\nExit codes:\n\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "%s\n", diag.Wrap(e.what, 80, fmt.Sprintf("  %2d  ", e.code), "      "))
	}
	return b.String()
}

// help carries out "ampdbg help [COMMAND]".
func help(env *environment, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(env.stdout, usage())
		return exitClean
	}
	c := lookup(args[0])
	if c == nil {
		fmt.Fprintf(env.stderr, "ampdbg help: no command %q; expected one of: %s\n", args[0], strings.Join(names(), ", "))
		return exitBadInput
	}
	fmt.Fprint(env.stdout, c.help())
	return exitClean
}

func (c *command) usageLine() string {
	line := "ampdbg " + c.name
	if len(c.flagHelp()) > 0 {
		line += " [flags]"
	}
	return strings.TrimSpace(line + " " + c.args)
}

// help is the text of "ampdbg help COMMAND".
func (c *command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n", c.usageLine())
	for p := range strings.SplitSeq(c.long, "\n\n") {
		if isExample(p) {
			fmt.Fprintf(&b, "\n%s\n", strings.ReplaceAll(p, "\t", "  "))
		} else {
			fmt.Fprintf(&b, "\n%s\n", diag.Wrap(p, 80, "", ""))
		}
	}
	if flags := c.flagHelp(); len(flags) > 0 {
		b.WriteString("\nFlags:\n\n")
		for _, f := range flags {
			fmt.Fprintf(&b, "%s\n", "  "+f.syntax)
			fmt.Fprintf(&b, "%s\n", diag.Wrap(f.usage, 80, "        ", "        "))
		}
	}
	return b.String()
}

// manual is the text of docs/commands.md.
func manual() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from cmd/ampdbg; `go test ./cmd/ampdbg -update` writes it. -->\n\n# Commands\n\n")
	b.WriteString("Flags may stand before and after the operands, with one dash or two.\n\n")
	b.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.what)
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n## ampdbg %s\n\n```\n%s\n```\n", c.name, c.usageLine())
		for p := range strings.SplitSeq(c.long, "\n\n") {
			if isExample(p) {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(p, "\t"), "\n\t", "\n"))
			} else {
				fmt.Fprintf(&b, "\n%s\n", strings.Join(strings.Fields(p), " "))
			}
		}
		if flags := c.flagHelp(); len(flags) > 0 {
			b.WriteString("\n| flag | meaning |\n|---|---|\n")
			for _, f := range flags {
				fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.syntax, "|", `\|`), strings.ReplaceAll(f.usage, "|", `\|`))
			}
		}
	}
	return b.String()
}

// isExample reports whether a paragraph is lines to be kept as they are.
func isExample(paragraph string) bool { return strings.HasPrefix(paragraph, "\t") }

// flagDoc is one flag as the help texts show it.
type flagDoc struct{ syntax, usage string }

// flagHelp lists the flags of a command by name.
func (c *command) flagHelp() []flagDoc {
	fs := c.flagSet()
	c.setup(fs)
	var out []flagDoc
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		syntax := "--" + f.Name
		if value != "" {
			syntax += " " + value
		}
		if zero := map[string]bool{"": true, "0": true, "false": true, "[]": true}; !zero[f.DefValue] {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		out = append(out, flagDoc{syntax, text})
	})
	return out
}
