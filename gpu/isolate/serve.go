//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
)

// childEnv tells a process that it is a child.
const childEnv = "AMPDBG_DEVICE_PROCESS"

// The file descriptors that a child finds its pipes at.
const (
	requestsFD = 3
	repliesFD  = 4
)

// ServeChild does nothing in a process that the user started. In a child, it
// serves requests and ends the process when the parent is gone. A program
// that opens devices here must call it first in main, and a test binary in
// TestMain: what else they do would be done by the child too.
func ServeChild() {
	if os.Getenv(childEnv) == "" {
		return
	}
	// Ctrl-C in a terminal reaches the child too; what then happens is the
	// parent's to say.
	signal.Ignore(os.Interrupt)
	syscall.CloseOnExec(requestsFD)
	syscall.CloseOnExec(repliesFD)
	s := &server{replies: bufio.NewWriter(os.NewFile(repliesFD, "replies"))}
	if err := s.serve(os.NewFile(requestsFD, "requests")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// server is the child's side of the pipes.
type server struct {
	replies *bufio.Writer
	a       *gpu.Accelerator
	buffers map[int]*launch.Buffer
}

type received struct {
	q        *request
	memories [][]byte
}

// serve answers requests until they end.
func (s *server) serve(requests io.Reader) error {
	queue := make(chan received)
	failed := make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(requests, 1<<16)
		for {
			q, memories, err := readRequest(r)
			if errors.Is(err, io.EOF) {
				// The parent is gone: whatever the driver is stuck in ends
				// with the process.
				os.Exit(0)
			}
			if err != nil {
				failed <- err
				return
			}
			queue <- received{q, memories}
		}
	}()
	for {
		select {
		case err := <-failed:
			return err
		case x := <-queue:
			p, memories := s.answer(x.q, x.memories)
			if err := s.send(p, memories); err != nil {
				return err
			}
		}
	}
}

func (s *server) send(p *reply, memories [][]byte) error {
	if err := writeMessage(s.replies, p, memories); err != nil {
		return err
	}
	return s.replies.Flush()
}

// answer does what a request asks for.
func (s *server) answer(q *request, memories [][]byte) (p *reply, back [][]byte) {
	p = &reply{}
	defer func() {
		if b := diag.Recovered(recover()); b != nil {
			p, back = &reply{Bug: fmt.Sprint(b.Cause), Stack: b.Stack}, nil
		}
	}()
	var err error
	switch q.Operation {
	case listDevices:
		p.Devices, err = gpu.Devices()
	case openDevice:
		err = s.open(p, q)
	case runDispatch:
		back, err = s.run(p, q, memories)
	case closeDevice:
		if s.a != nil {
			err = s.a.Close()
		}
		s.a, s.buffers = nil, nil
	default:
		err = fmt.Errorf("%w: operation %q", errRubbish, q.Operation)
	}
	p.Errors, p.Lost = failures(err), gpu.Lost(err)
	for _, m := range back {
		p.Sizes = append(p.Sizes, len(m))
	}
	return p, back
}

func (s *server) open(p *reply, q *request) error {
	if s.a != nil || q.Options == nil {
		return fmt.Errorf("%w: opens twice, or without options", errRubbish)
	}
	o := q.Options
	a, err := gpu.Open(q.Selector, gpu.Options{Validate: o.Validate, Timeout: o.Timeout, Repeat: o.Repeat, Require: o.Require,
		OnPhase: func(now gpu.Phase, messages []gpu.Message) {
			// A parent that does not listen is gone, and serve ends.
			_ = s.send(&reply{Phase: now, Messages: messages}, nil)
		}})
	if err != nil {
		return err
	}
	s.a, s.buffers = a, map[int]*launch.Buffer{}
	p.Device = a.Device()
	return nil
}

// run carries a dispatch out. With a result in p come the memories to send
// back.
func (s *server) run(p *reply, q *request, memories [][]byte) ([][]byte, error) {
	if s.a == nil {
		return nil, fmt.Errorf("%w: runs before it opens", errRubbish)
	}
	d, err := decode(q, memories, s.buffers)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, b := range s.buffers {
			b.Data = nil // it comes again with the next dispatch
		}
	}()
	r, err := s.a.Run(context.Background(), d)
	p.Messages = s.a.Messages()
	if r == nil {
		return nil, err
	}
	p.Result = &result{Device: r.Device, Host: r.Host, Messages: r.Messages}
	number := map[*launch.Buffer]int{}
	for n, b := range s.buffers {
		number[b] = n
	}
	for _, w := range r.Outside {
		p.Result.Outside = append(p.Result.Outside, write{number[w.Buffer], w.Offset, w.Bytes})
	}
	return memories[1:], nil
}
