//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ampdbg/diag"
	"ampdbg/gpu"
)

// process is a child. It answers one request at a time.
type process struct {
	cmd     *exec.Cmd
	to      *os.File
	from    *os.File
	replies *bufio.Reader
	words   *lastWords
	ended   chan struct{} // closed when it has ended

	mu   sync.Mutex
	done error // why it was killed, nil if it was not
}

// errChildOfChild keeps programs that forgot ServeChild from starting
// children without end.
var errChildOfChild = errors.New("this program opens devices and does not call isolate.ServeChild first in main")

// start starts a child.
func start(command func() *exec.Cmd) (*process, error) {
	if os.Getenv(childEnv) != "" {
		return nil, errChildOfChild
	}
	theirRequests, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	replies, theirReplies, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirRequests.Close(), requests.Close())
	}
	for _, f := range []*os.File{requests, replies} {
		widen(f)
	}
	p := &process{cmd: command(), to: requests, from: replies, replies: bufio.NewReaderSize(replies, 1<<16),
		words: &lastWords{to: os.Stderr}, ended: make(chan struct{})}
	p.cmd.Env = append(p.cmd.Environ(), childEnv+"=1")
	p.cmd.ExtraFiles = []*os.File{theirRequests, theirReplies} // requestsFD, repliesFD
	p.cmd.Stdout, p.cmd.Stderr = p.words, p.words
	// A driver's own helpers may hold the standard error open.
	p.cmd.WaitDelay = time.Second
	err = p.cmd.Start()
	err = errors.Join(err, theirRequests.Close(), theirReplies.Close())
	if err != nil {
		return nil, errors.Join(err, requests.Close(), replies.Close())
	}
	go func() {
		// How it ended stands in the state; see fail.
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// pipeSize is the room in a pipe, in bytes: with what pipes have by default,
// large memories need many more turns.
const pipeSize = 1 << 20

// widen gives a pipe more room. Where the system allows less, it stays as it
// is.
func widen(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	const setPipeSize = 1031 // F_SETPIPE_SZ
	_ = c.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, pipeSize) })
}

// itself is the command that runs this program once more.
func itself() *exec.Cmd {
	// The link leads to this very program, even where its file has been
	// replaced since.
	cmd := exec.Command("/proc/self/exe")
	cmd.Args[0] = os.Args[0]
	return cmd
}

// kill ends the child. The first reason counts.
func (p *process) kill(why error) {
	p.mu.Lock()
	if p.done == nil {
		p.done = why
	}
	p.mu.Unlock()
	// It may have ended already.
	_ = p.cmd.Process.Kill()
	// A process that a kernel driver holds on to does not end; this process
	// goes on.
	_ = p.to.Close()
	_ = p.from.Close()
}

// usable reports whether the child can be asked again.
func (p *process) usable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done == nil
}

// errUnwanted ends a child that has nothing more to do.
var errUnwanted = errors.New("it is not wanted any more")

// patience is what a child gets to answer where it bounds the time itself,
// and to write of its death.
const patience = 3 * time.Second

// watch bounds the time that a child takes for a request.
type watch struct {
	// limit gives the time that a phase may take, 0 for any; phase is empty
	// before the first one.
	limit func(gpu.Phase) time.Duration
	// late makes the error of a phase that took longer.
	late func(gpu.Phase, time.Duration) error
}

// ask sends a request and waits for the reply, reading memories into
// expected. Where there is none, the child is dead or dying: the error is the
// context's, that of watch.late, a *Death, or errRubbish; last says how far it
// came: the last phase that began, and all messages until then.
func (p *process) ask(ctx context.Context, q *request, memories, expected [][]byte, w watch) (r, last *reply, err error) {
	defer context.AfterFunc(ctx, func() { p.kill(ctx.Err()) })()
	timer := time.AfterFunc(time.Hour, func() {})
	last = &reply{}
	begin := func(now gpu.Phase) {
		last.Phase = now
		timer.Stop()
		if limit := w.limit(now); limit > 0 {
			timer = time.AfterFunc(limit, func() { p.kill(w.late(now, limit)) })
		}
	}
	defer func() { timer.Stop() }()
	begin("")
	if err := writeMessage(p.to, q, memories); err != nil {
		return nil, last, p.fail(err)
	}
	for {
		r, err := readReply(p.replies, expected)
		if err != nil {
			return nil, last, p.fail(err)
		}
		if r.Bug != "" {
			panic(&diag.Bug{Cause: "in the process that runs the device: " + r.Bug, Stack: r.Stack})
		}
		if r.Phase == "" {
			return r, last, nil
		}
		last.Messages = append(last.Messages, r.Messages...)
		begin(r.Phase)
	}
}

// fail ends a child whose pipes gave an error, and says why they did.
func (p *process) fail(err error) error {
	p.mu.Lock()
	why := p.done
	p.mu.Unlock()
	if why != nil {
		return why
	}
	if errors.Is(err, errRubbish) {
		p.kill(err)
		return err
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	p.kill(err)
	select {
	case <-p.ended:
		return causeOfDeath(p.cmd.ProcessState, p.words.said())
	case <-time.After(patience):
		return causeOfDeath(nil, p.words.said())
	}
}
