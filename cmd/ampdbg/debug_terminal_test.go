//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is a debugger in a pseudo-terminal.
type terminal struct {
	t   *testing.T
	f   *os.File
	cmd *exec.Cmd

	mu     sync.Mutex
	output strings.Builder
	seen   int // bytes of output that expect has gone past
}

// newTerminal starts "ampdbg debug SCRIPT" with its own history file.
func newTerminal(t *testing.T, history, script string) *terminal {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary runs as the command under this name (testscript.Main).
	name := filepath.Join(t.TempDir(), "ampdbg")
	if err := os.Symlink(exe, name); err != nil {
		t.Skip(err)
	}
	x := &terminal{t: t, cmd: exec.Command(name, "debug", script)}
	x.cmd.Env = append(os.Environ(), "AMPDBG_HISTORY="+history, "TERM=xterm", "NO_COLOR=1")
	x.f, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skip(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := x.f.Read(buf)
			x.mu.Lock()
			x.output.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		x.f.Close()
		x.cmd.Process.Kill()
		x.cmd.Wait()
	})
	return x
}

func (x *terminal) send(text string) {
	if _, err := x.f.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits until a text comes after those expected before.
func (x *terminal) expect(text string) {
	x.t.Helper()
	for range 1000 {
		x.mu.Lock()
		out := x.output.String()
		x.mu.Unlock()
		if i := strings.Index(out[x.seen:], text); i >= 0 {
			x.seen += i + len(text)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.t.Fatalf("no %q in:\n%s", text, x.output.String()[x.seen:])
}

func TestTerminal(t *testing.T) {
	kernels, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	history := filepath.Join(t.TempDir(), "state", "history")
	x := newTerminal(t, history, filepath.Join(kernels, "amp/reduce_walkthrough.amber"))
	x.expect("313 tiles of 32 threads")
	x.expect("(ampdbg) ")

	// Completion: of commands, variables and files.
	x.send("bre\t\t")
	x.expect("breakpoints")
	x.send(" reduce_w\t19\r")
	x.expect("breakpoint 1 at reduce_walkthrough.comp:19")
	x.send("run\r")
	x.expect("=> 19")
	x.send("print globalI\t\r")
	x.expect("globalIdx = 0")

	// An unknown command is an error, not the end.
	x.send("nonsense\r")
	x.expect(`error: no command "nonsense"`)

	// An empty line repeats a step.
	x.send("next\r")
	x.expect("=> 21")
	x.send("\r")
	x.expect("=>")

	// Another size of the terminal.
	if err := pty.Setsize(x.f, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	x.send("help step\r")
	x.expect("The focused thread goes to its next\r\nline;")
	x.send("print 6 * 7\r")
	x.expect("6 * 7 = 42")

	// Ctrl-C at the prompt drops the line.
	x.send("garbage\x03")
	x.send("quit\r")
	if err := x.cmd.Wait(); err != nil {
		t.Fatal(err)
	}

	// The history is kept.
	y := newTerminal(t, history, filepath.Join(kernels, "amp/reduce_walkthrough.amber"))
	y.expect("(ampdbg) ")
	y.send("\x1b[A\x1b[A\r") // up, up: the command before quit
	y.expect("6 * 7 = 42")
}

// TestCtrlCHaltsTheKernelOnly stops a kernel that never ends, and goes on
// debugging it.
func TestCtrlCHaltsTheKernelOnly(t *testing.T) {
	kernel := filepath.Join(t.TempDir(), "endless.amber")
	text := "#!amber\nSHADER compute k GLSL\n#version 450\nlayout(local_size_x = 4) in;\nlayout(set = 0, binding = 0) buffer D { uint n; };\n" +
		"void main() {\n  while (n != 7)\n    atomicAdd(n, 8);\n}\nEND\n" +
		"BUFFER d DATA_TYPE uint32 DATA 0 END\nPIPELINE compute p\n  ATTACH k\n  BIND BUFFER d AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n"
	if err := os.WriteFile(kernel, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	x := newTerminal(t, "", kernel)
	x.expect("(ampdbg) ")
	x.send("continue\r")
	time.Sleep(300 * time.Millisecond)
	x.send("\x03")
	x.expect("halted: ")
	x.expect("(ampdbg) ")
	x.send("set n = 7\r")
	x.expect("n = 7")
	x.send("continue\r")
	x.expect("the launch has ended")
	x.send("\x04") // the end of the input
	if err := x.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
