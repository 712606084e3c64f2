package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ampdbg/debugger"
)

// complete gives what the word that ends at byte pos of line may become: the
// text before the word, the words, and the text after.
func (r *Repl) complete(line string, pos int) (head string, words []string, tail string) {
	before, tail := line[:pos], line[pos:]
	name, args := splitCommand(strings.TrimLeft(before, " "))
	if args == "" && !strings.HasSuffix(before, " ") && !strings.Contains(before, "/") {
		return "", withPrefix(commandNames(), strings.TrimLeft(before, " ")), tail
	}
	c, err := lookup(name)
	if err != nil {
		return before, nil, tail
	}
	start := strings.LastIndexAny(before, " \t")
	if c.arg == exprArgument || c.arg == placeArgument && strings.Contains(before, " if ") {
		start = strings.LastIndexAny(before, " \t()[]+-*/%&|^<>=!~?,.:@")
	}
	head, word := before[:start+1], before[start+1:]
	return head, withPrefix(r.candidates(c, head, word), word), tail
}

// candidates are the words that an argument of a command may be.
func (r *Repl) candidates(c *command, head, word string) []string {
	switch c.arg {
	case exprArgument:
		return r.names()
	case scopeArgument:
		return []string{"grid", "thread", "tile", "warp"}
	case setArgument:
		return []string{"active", "all", "flagged", "frozen", "if", "thread", "tile", "warp"}
	case commandArgument:
		return commandNames()
	case infoArgument:
		return slices.Sorted(slices.Values(infoNames()))
	case catchArgument:
		if strings.TrimSpace(head) != c.names[0] {
			return []string{"off", "on"}
		}
		return debugger.CatchNames()
	case fileArgument:
		return fileNames(word)
	case placeArgument:
		if strings.Contains(head, " if ") {
			return r.names()
		}
		at, err := r.at()
		if err != nil {
			return nil
		}
		out, _ := at.Functions()
		files, _ := at.Files()
		for _, f := range files {
			out = append(out, f+":")
		}
		return out
	}
	return nil
}

// names are what an expression may name.
func (r *Repl) names() []string {
	at, err := r.at()
	if err != nil {
		return nil
	}
	names, _ := at.NamesAt(r.focus, r.frame)
	return names
}

func commandNames() []string {
	var out []string
	for _, c := range commands() {
		for _, n := range c.names {
			if len(n) > 2 {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}

func withPrefix(list []string, prefix string) []string {
	var out []string
	for _, s := range list {
		if strings.HasPrefix(s, prefix) {
			out = append(out, s)
		}
	}
	return out
}

// fileNames lists the files whose names begin with a path.
func fileNames(word string) []string {
	found, _ := filepath.Glob(word + "*")
	for i, f := range found {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			found[i] = f + "/"
		}
	}
	return found
}
