package repl

import (
	"fmt"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// command is an entry of the table of commands.
type command struct {
	names []string // its name, then its aliases
	args  string   // for the help
	group string
	short string // one line, without a full stop
	long  string // paragraphs; may be empty
	run   func(r *Repl, args string) error
	// repeats says that an empty line runs the command again; again is what it
	// runs instead, if not empty.
	repeats bool
	again   string
	arg     argument // what its arguments are, for completion
}

// argument says what completes a command's arguments.
type argument uint8

const (
	noArgument argument = iota
	placeArgument
	exprArgument
	scopeArgument
	commandArgument
	infoArgument
	fileArgument
	setArgument
	catchArgument
)

// The groups of commands, in the order of the help.
var groups = []string{"Running", "Going back", "Breakpoints", "Data", "Threads", "Source", "Others"}

// commands is the table of commands.
func commands() []command {
	return []command{
		{names: []string{"continue", "c", "run", "r"}, args: "[COUNT]", group: "Running", short: "run to the next breakpoint, finding, or the end", repeats: true, run: (*Repl).cmdContinue,
			long: "Runs tiles and warps in the order of the emulator's schedule until a warp comes to a breakpoint, an access that a watchpoint waits for, a fault, a divergent barrier, or Ctrl-C. Dispatches that end on the way are gone on from. COUNT stops come before the one that is shown."},
		{names: []string{"step", "s"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Running", short: "run to the next line, into calls", repeats: true, arg: scopeArgument, run: stepper(debugger.StepIn),
			long: "The focused thread goes to its next line; other lanes of its warp go with it as lockstep demands, and other warps run only while it waits for them. With warp, any lane of the warp may get there first. With tile or grid, every warp of the tile, or of all running tiles, does a step of its own, up to a barrier."},
		{names: []string{"next", "n"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Running", short: "run to the next line, over calls", repeats: true, arg: scopeArgument, run: stepper(debugger.StepOver)},
		{names: []string{"finish", "fin", "stepout", "so"}, args: "[thread|warp|tile|grid]", group: "Running", short: "run until the function returns", repeats: true, arg: scopeArgument, run: stepper(debugger.StepOut)},
		{names: []string{"stepi", "si", "step-instruction"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Running", short: "execute one instruction", repeats: true, arg: scopeArgument, run: stepper(debugger.StepInst)},
		{names: []string{"until", "u", "advance"}, args: "[thread|warp|tile|grid] [PLACE]", group: "Running", short: "run to a place, without a breakpoint", arg: placeArgument, run: (*Repl).cmdUntil,
			long: "Runs until the focused thread comes to PLACE, by default the line it is at. \"until tile\" is \"run current tile to cursor\": every warp of the tile that can run goes there or, where its threads do not come by, to the next barrier or the end."},
		{names: []string{"step-barrier", "sb"}, args: "[thread|warp|tile|grid]", group: "Running", short: "run to the next barrier", repeats: true, arg: scopeArgument, run: stepper(debugger.StepBarrier)},
		{names: []string{"restart"}, group: "Running", short: "run the launch anew, with the data it began with", run: (*Repl).cmdRestart},

		{names: []string{"reverse-continue", "rc"}, group: "Going back", short: "go back to the last breakpoint passed", repeats: true, run: (*Repl).cmdReverseContinue,
			long: "Goes back to the last breakpoint or watchpoint that was passed, in this dispatch or an earlier one, or else to the start of the launch.\n\nGoing back restores a checkpoint and runs on from there, so that every register, every byte of memory and the schedule are exactly what they were. Assignments, freezes and other changes are made again at the moments they were made at. What is done after going back begins a new future: the launch is executed again from there, with its COPYs and EXPECTs, and what the kernel prints is printed again; while going back nothing is printed."},
		{names: []string{"reverse-step", "rs"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Going back", short: "go back to the line executed before, into calls", repeats: true, arg: scopeArgument, run: reverser(debugger.StepIn),
			long: "Goes back to the last moment at which the focused thread came to a line. With warp, tile or grid, any lane of the warp, or any warp of the tile or the grid, may be the one that came there. Where a step of the whole tile or grid has just ended, the same word undoes it as a whole. Before the first line lies the start of the dispatch, and before that the end of the dispatch before."},
		{names: []string{"reverse-next", "rn"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Going back", short: "go back to the line executed before, over calls", repeats: true, arg: scopeArgument, run: reverser(debugger.StepOver)},
		{names: []string{"reverse-finish"}, args: "[thread|warp|tile|grid]", group: "Going back", short: "go back to before the call of this function", repeats: true, arg: scopeArgument, run: reverser(debugger.StepOut)},
		{names: []string{"reverse-stepi", "rsi"}, args: "[thread|warp|tile|grid] [COUNT]", group: "Going back", short: "go back by one instruction", repeats: true, arg: scopeArgument, run: reverser(debugger.StepInst)},
		{names: []string{"rev"}, args: "continue|step|next|finish|stepi", group: "Going back", short: "do a command backwards", repeats: true, arg: commandArgument, run: (*Repl).cmdRev},
		{names: []string{"lastwrite", "lw"}, args: "EXPR", group: "Going back", short: "go back to the last write of an element or variable", arg: exprArgument, run: (*Repl).cmdLastWrite,
			long: "Of a buffer or image, the write may lie in an earlier dispatch, whatever its name is there, or be a COPY between two; going back ends at the end of the dispatch before a COPY. Where nothing has written it, the present stays."},
		{names: []string{"first"}, group: "Going back", short: "go back to the first access of the finding stopped at", run: (*Repl).cmdFirst},
		{names: []string{"goto"}, args: "diff [N]", group: "Going back", short: "go to just before the write that diff blames", run: (*Repl).cmdGoto,
			long: "Goes to the last write of the first element that diff showed, or of number N, with the focus on the thread that writes it. The launch runs on, past breakpoints, to the end of the dispatch after which the results part, and history leads back from there."},
		{names: []string{"rewind", "rw"}, args: "[dispatch [N]]", group: "Going back", short: "go back to the start of the launch, or of a dispatch", run: (*Repl).cmdRewind,
			long: "Goes back to the start of the first dispatch; with dispatch, to that of the present one, or of dispatch N. What was changed before it stays changed."},

		{names: []string{"break", "b"}, args: "[PLACE] [threads COND] [if COND]", group: "Breakpoints", short: "stop at a place", arg: placeArgument, run: (*Repl).cmdBreak,
			long: "PLACE is FILE:LINE, LINE, a function, %ID of an instruction's result, or \"word N\" (an instruction by its word in the module); by default the present line. A line without code stands for the next one with code. A warp stops if COND holds for one of its active lanes; \"threads\" chooses the threads that the breakpoint is for, such as \"threads tile.x == 3\".\n\nIn a launch with several dispatches the breakpoint holds for all that have the place."},
		{names: []string{"tbreak", "tb"}, args: "[PLACE] [threads COND] [if COND]", group: "Breakpoints", short: "stop at a place once", arg: placeArgument, run: (*Repl).cmdTBreak},
		{names: []string{"log", "dprintf"}, args: "PLACE [threads COND] [if COND], MESSAGE", group: "Breakpoints", short: "write a message at a place, for each thread", arg: placeArgument, run: (*Repl).cmdLog,
			long: "MESSAGE is text with {expressions}: log 19, \"i = {i}, sum = {localA[localIdx]}\"."},
		{names: []string{"watch", "watchpoint", "wp"}, args: "[-change|-write|-read|-access] EXPR [bytes N] [threads COND] [if COND]", group: "Breakpoints", short: "stop when an element or variable changes", arg: exprArgument, run: watcher(debugger.WatchChange),
			long: "EXPR is an element, a member or a variable in a buffer or in tile_static memory, a texel such as target[3,1] (a layer or the face of a cube comes last), or a variable of the focused thread. A warp stops before an access to memory, and after an atomic one, one to a texel, or a change of its thread's variable. \"bytes N\" watches N bytes from there on. Without a flag a write counts that changes the value, with -write any, with -read and -access reads and both; -w, -r and -rw are Delve's words for these."},
		{names: []string{"rwatch"}, args: "EXPR [bytes N] [threads COND] [if COND]", group: "Breakpoints", short: "stop at reads", arg: exprArgument, run: watcher(debugger.WatchRead)},
		{names: []string{"awatch"}, args: "EXPR [bytes N] [threads COND] [if COND]", group: "Breakpoints", short: "stop at reads and writes", arg: exprArgument, run: watcher(debugger.WatchAccess)},
		{names: []string{"breakpoints", "bp"}, group: "Breakpoints", short: "list breakpoints and watchpoints", run: (*Repl).cmdBreakpoints},
		{names: []string{"condition", "cond"}, args: "N [COND]", group: "Breakpoints", short: "change the condition of a breakpoint", arg: exprArgument, run: (*Repl).cmdCondition},
		{names: []string{"ignore"}, args: "N COUNT", group: "Breakpoints", short: "do not stop at the next hits of a breakpoint", run: (*Repl).cmdIgnore},
		{names: []string{"delete", "d", "clear"}, args: "[N...]", group: "Breakpoints", short: "remove breakpoints, or all", run: (*Repl).cmdDelete},
		{names: []string{"enable"}, args: "[N...]", group: "Breakpoints", short: "let breakpoints hold again", run: enabler(true)},
		{names: []string{"disable"}, args: "[N...]", group: "Breakpoints", short: "let breakpoints not hold", run: enabler(false)},
		{names: []string{"catch"}, args: "[KIND [on|off]]", group: "Breakpoints", short: "choose the findings to stop at", arg: catchArgument, run: (*Repl).cmdCatch,
			long: "Faults always stop. KIND is barrier, a barrier that not all threads of the tile reach (on at first); expect, an EXPECT between dispatches that fails, before the next dispatch starts; index, an index beyond the end of an array inside of a larger object, after which the kernel goes on (on at first); race, at the second access, before it happens (off at first: every access is then checked, and going back or switching it on runs the dispatch again up to the present); uninit, at the first use of each uninitialised variable, or OpUndef, that matters: in a branch, an address, or a store to a buffer; or undefined, at an operation without defined behaviour, such as a division by zero, or at the first use that matters of an undefined result, such as the square root of a negative number (both off at first: the dispatch then runs operation by operation). These are the findings of \"ampdbg check\", by the same detectors. A read that is too early only because of a race is none: to know that, the dispatch is run to its end once, and back. Buffers count as written unless --uninitialized names them. After a stop at a race or an uninitialised use, first goes to the earlier access, or to the read."},

		{names: []string{"print", "p"}, args: "[/FORMAT] EXPR", group: "Data", short: "show the value of an expression", arg: exprArgument, run: (*Repl).cmdPrint,
			long: "EXPR is in the syntax of GLSL and C: variables in scope, buffers and tile_static by name, all operators, functions, constructors and swizzles, members, indexing, .length(), casts, GLSL's built-ins, computed as the emulator computes them; (1, 2) and {a = 1} are vectors and values as they are printed; tile, local, global, lane, warp and index are the focused thread's ($tile and so on where the program hides them); %12 is a SPIR-V id; e @ n are n elements from e on. Texels are img[x, y] or img[p] with a vector p, imageLoad(img, p), and texelFetch(img, p, lod) of other levels (the last argument is the sample of images that have several); imageSize and textureSize tell sizes. Buffers and images of the launch can be named as it names them, even where the dispatch has no use for them. FORMAT is x (hexadecimal), b (binary), o, d, u, f or c."},
		{names: []string{"set"}, args: "PLACE = EXPR", group: "Data", short: "change a variable or memory", arg: exprArgument, run: (*Repl).cmdSet},
		{names: []string{"whatis", "ptype"}, args: "EXPR", group: "Data", short: "show the type of an expression", arg: exprArgument, run: (*Repl).cmdWhatis},
		{names: []string{"display"}, args: "[/FORMAT] [EXPR]", group: "Data", short: "show an expression at every stop", arg: exprArgument, run: (*Repl).cmdDisplay},
		{names: []string{"undisplay"}, args: "[N...]", group: "Data", short: "show it no longer", run: (*Repl).cmdUndisplay},
		{names: []string{"locals"}, group: "Data", short: "show the variables in scope", run: (*Repl).cmdLocals},
		{names: []string{"globals"}, group: "Data", short: "show buffers, tile_static and private variables", run: (*Repl).cmdGlobals},
		{names: []string{"table", "tab"}, args: "[/FORMAT] [FLAGS] [NAME:]EXPR, ...", group: "Data", short: "show expressions across threads", arg: exprArgument, run: (*Repl).cmdTable,
			long: "A table with a row for each thread of the tile, and what each column has in common. --warp, --all, --active and --flagged choose other threads, --threads COND filters them; --where COND keeps the rows for which it holds, and may use the columns' names; --sort COLUMN sorts, -COLUMN in descending order; --csv FILE writes the table to a file; --max N rows are shown. Values with blanks stand in quotes."},
		{names: []string{"mem", "x"}, args: "[/COUNT FORMAT] EXPR", group: "Data", short: "dump memory, typed and in hexadecimal", arg: exprArgument, run: (*Repl).cmdMemory,
			long: "Shows COUNT elements from what EXPR names on, as its type has them, or as FORMAT says. A second letter b, h, w or g reads units of 1, 2, 4 or 8 bytes instead: x/16xb values[0]."},
		{names: []string{"heat"}, args: "[--png FILE] [--width N] EXPR", group: "Data", short: "show an expression across the tile, or an array, as a picture", arg: exprArgument, run: (*Repl).cmdHeat},
		{names: []string{"diff"}, args: "[MACHINE]", group: "Data", short: "compare with a GPU, and show who wrote what differs", run: (*Repl).cmdDiff,
			long: "Runs the launch from its beginning on the emulator, with the session's warps and schedule, and on MACHINE: the number or a part of the name of a GPU (see \"ampdbg devices\"), or a folder that \"ampdbg diff --out\" made; by default the first GPU. Memory is compared after each dispatch, up to the first one after which it differs by more than is allowed. The first elements that differ are numbered, each with both values and the thread and line that wrote it last on the emulator. The session stays where it is, and what was changed in it has no part in the comparison."},

		{names: []string{"thread", "t"}, args: "[X,Y,Z | tile X,Y,Z local X,Y,Z | index N | warp N lane N]", group: "Threads", short: "show or choose the focused thread", run: (*Repl).cmdThread,
			long: "X,Y,Z alone is a global id. What is not given of tile, warp and lane is as in the focus."},
		{names: []string{"threads"}, args: "[by place|location|status|tile|warp|thread] [sort COLUMN] [flagged] [if COND]", group: "Threads", short: "show the threads in groups", run: (*Repl).cmdThreads,
			long: "Threads that do the same at the same place are a row: how many, line, function, status (active, blocked at a barrier, diverged, frozen, not started, finished), tile, and their places in it. > marks the focus, * flagged threads. A warp that was let go on from a barrier and has done nothing since counts as blocked."},
		{names: []string{"lanes"}, group: "Threads", short: "show the focused warp: where each lane is and why", run: (*Repl).cmdLanes},
		{names: []string{"tile"}, args: "[X,Y,Z]", group: "Threads", short: "show or choose the focused tile, by warp", run: (*Repl).cmdTile},
		{names: []string{"barrier"}, group: "Threads", short: "show who waits at a barrier and who is missing", run: (*Repl).cmdBarrier},
		{names: []string{"stacks"}, args: "[SET]", group: "Threads", short: "show threads by call stack (parallel stacks)", arg: setArgument, run: (*Repl).cmdStacks},
		{names: []string{"freeze"}, args: "[SET]", group: "Threads", short: "hold threads back", arg: setArgument, run: (*Repl).cmdFreeze,
			long: "SET is active (the active lanes of the focused warp, the default), thread (the focused one), warp, tile, all, frozen, flagged, \"if COND\", or a thread as for thread. A whole warp is held where it is. Threads that are part of a warp leave its lockstep: the others go on, and those thawed run by themselves until the innermost loop, branch or call that they are in ends."},
		{names: []string{"thaw"}, args: "[SET]", group: "Threads", short: "let frozen threads go on", arg: setArgument, run: (*Repl).cmdThaw},
		{names: []string{"flag"}, args: "[SET]", group: "Threads", short: "mark threads", arg: setArgument, run: flagger(true)},
		{names: []string{"unflag"}, args: "[SET]", group: "Threads", short: "remove marks", arg: setArgument, run: flagger(false)},
		{names: []string{"backtrace", "bt", "where"}, group: "Threads", short: "show the call stack", run: (*Repl).cmdBacktrace},
		{names: []string{"frame", "f"}, args: "[N]", group: "Threads", short: "show or choose the frame that expressions are about", run: (*Repl).cmdFrame},
		{names: []string{"up"}, args: "[N]", group: "Threads", short: "choose the frame further out", repeats: true, run: (*Repl).cmdUp},
		{names: []string{"down"}, args: "[N]", group: "Threads", short: "choose the frame further in", repeats: true, run: (*Repl).cmdDown},

		{names: []string{"list", "l"}, args: "[[FILE:]LINE[,LAST] | FUNCTION]", group: "Source", short: "show source lines, with the threads at each", again: "list", arg: placeArgument, run: (*Repl).cmdList,
			long: "Before a line stand => for the focus and * for a breakpoint, behind its number how many threads of running tiles are at it; 4/32 is 4 active ones of 32."},
		{names: []string{"disassemble", "disas"}, args: "[N]", group: "Source", short: "show the instructions around the focus", run: (*Repl).cmdDisassemble},
		{names: []string{"info", "i"}, args: "[WHAT]", group: "Source", short: "show the launch, or breakpoints, locals, threads, findings and more", arg: infoArgument, run: (*Repl).cmdInfo},

		{names: []string{"source"}, args: "FILE", group: "Others", short: "run the commands in a file", arg: fileArgument, run: (*Repl).cmdSource},
		{names: []string{"help", "h"}, args: "[COMMAND]", group: "Others", short: "describe the commands", arg: commandArgument, run: (*Repl).cmdHelp},
		{names: []string{"quit", "q", "exit"}, group: "Others", short: "leave", run: (*Repl).cmdQuit},
	}
}

func (r *Repl) cmdHelp(args string) error {
	if args != "" {
		c, err := lookup(args)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%s\n%s.\n", strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args), upperFirst(c.short))
		if c.long != "" {
			for p := range strings.SplitSeq(c.long, "\n\n") {
				fmt.Fprintf(r.out, "\n%s\n", diag.Wrap(p, r.opt.Width, "", ""))
			}
		}
		return nil
	}
	for i, g := range groups {
		if i > 0 {
			fmt.Fprintln(r.out)
		}
		fmt.Fprintf(r.out, "%s:\n", g)
		for _, c := range commands() {
			if c.group == g {
				fmt.Fprintf(r.out, "  %-24s %s\n", strings.Join(c.names, ", "), c.short)
			}
		}
	}
	fmt.Fprintln(r.out, "\nAn empty line repeats a step. Commands may be abbreviated. \"help COMMAND\" says more.")
	return nil
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// manual is the text of docs/debugger-commands.md.
func manual() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from debugger/repl; `go test ./debugger/repl -update` writes it. -->\n\n# Commands of the debugger\n\n")
	b.WriteString("`ampdbg debug FILE` reads these commands from the terminal, from the files named by `-x`, or from the standard input. ")
	b.WriteString("A command may be abbreviated to what no other begins with; an empty line repeats a step.\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g)
		for _, c := range commands() {
			if c.group != g {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n`%s`", c.names[0], strings.TrimSpace(c.names[0]+" "+c.args))
			if len(c.names) > 1 {
				fmt.Fprintf(&b, ", also `%s`", strings.Join(c.names[1:], "`, `"))
			}
			fmt.Fprintf(&b, "\n\n%s.\n", upperFirst(c.short))
			if c.long != "" {
				fmt.Fprintf(&b, "\n%s\n", c.long)
			}
		}
	}
	return b.String()
}
