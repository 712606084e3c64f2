//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
)

// A message on a pipe is the length of a header (4 bytes, little-endian), the
// header as JSON, and the raw bytes of the memories whose sizes the header
// gives.

// maxHeader bounds a header, in bytes: what a pipe says of its length may be
// rubbish.
const maxHeader = 64 << 20

// operation is what a child is asked for.
type operation string

const (
	listDevices operation = "devices"
	openDevice  operation = "open"
	runDispatch operation = "run"
	closeDevice operation = "close"
)

// request is the header of a message to a child.
type request struct {
	Operation operation
	Selector  string    `json:",omitempty"` // to open
	Options   *options  `json:",omitempty"` // to open
	Dispatch  *dispatch `json:",omitempty"` // to run
	Sizes     []int     `json:",omitempty"` // of the memories that follow
}

// options are those of gpu.Options that a child needs.
type options struct {
	Validate bool
	Timeout  time.Duration
	Repeat   int
	Require  []launch.Requirement
}

// reply is the header of a message from a child. One with a Phase says that
// it began; the next one without ends the request.
type reply struct {
	Phase    gpu.Phase     `json:",omitempty"`
	Devices  []gpu.Device  `json:",omitempty"`
	Device   *gpu.Device   `json:",omitempty"`
	Result   *result       `json:",omitempty"`
	Errors   []failure     `json:",omitempty"`
	Messages []gpu.Message `json:",omitempty"` // that no result carries; with a Phase, those until then
	Lost     bool          `json:",omitempty"` // the error is that the device was lost
	Bug      string        `json:",omitempty"` // what a diag.Bug was panicked with
	Stack    []byte        `json:",omitempty"` // and its stack
	Sizes    []int         `json:",omitempty"` // of the memories that follow
}

// result is a gpu.Result.
type result struct {
	Device, Host []time.Duration
	Messages     []gpu.Message
	Outside      []write
}

// write is a gpu.Write to the buffer of a number.
type write struct {
	Buffer, Offset int
	Bytes          []byte
}

// failure is an error as it is sent.
type failure struct {
	Plain bool            `json:",omitempty"` // no *diag.Error
	Class diag.ErrorClass `json:",omitempty"`
	Pos   diag.Pos
	Msg   string
	Cause string `json:",omitempty"`
}

// failures takes an error apart for sending.
func failures(err error) []failure {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []failure
		for _, e := range joined.Unwrap() {
			out = append(out, failures(e)...)
		}
		return out
	}
	var d *diag.Error
	if !errors.As(err, &d) {
		return []failure{{Plain: true, Msg: err.Error()}}
	}
	f := failure{Class: d.Class, Pos: d.Pos, Msg: d.Msg}
	if d.Err != nil {
		f.Cause = d.Err.Error()
	}
	return []failure{f}
}

// err puts the error together again.
func (r *reply) err() error {
	var list []error
	for _, f := range r.Errors {
		if f.Plain {
			list = append(list, errors.New(f.Msg))
			continue
		}
		d := &diag.Error{Class: f.Class, Pos: f.Pos, Msg: f.Msg}
		if f.Cause != "" {
			d.Err = errors.New(f.Cause)
		}
		list = append(list, d)
	}
	if len(list) == 1 {
		return list[0]
	}
	return errors.Join(list...)
}

// errRubbish says that a pipe carried something else than a message.
var errRubbish = errors.New("no message")

// writeMessage writes a header and the memories behind it.
func writeMessage(w io.Writer, header any, memories [][]byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(text) > maxHeader {
		return fmt.Errorf("a message of %d bytes without its memory: at most %d can be sent", len(text), maxHeader)
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return err
	}
	for _, m := range memories {
		if _, err := w.Write(m); err != nil {
			return err
		}
	}
	return nil
}

// readHeader reads a header. What is no header is errRubbish; a pipe that
// ends is io.EOF or io.ErrUnexpectedEOF.
func readHeader(r io.Reader, header any) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(length[:]))
	if n > maxHeader {
		return fmt.Errorf("%w: a header of %d bytes", errRubbish, n)
	}
	// The buffer grows with what comes, not with what was announced.
	var text bytes.Buffer
	if _, err := io.CopyN(&text, r, n); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if err := json.Unmarshal(text.Bytes(), header); err != nil {
		return fmt.Errorf("%w: %v", errRubbish, err)
	}
	return nil
}

// readRequest reads a request with the memories behind it.
func readRequest(r io.Reader) (*request, [][]byte, error) {
	q := &request{}
	if err := readHeader(r, q); err != nil {
		return nil, nil, err
	}
	var memories [][]byte
	for _, n := range q.Sizes {
		if n < 0 || n > launch.MaxBytes {
			return nil, nil, fmt.Errorf("%w: a memory of %d bytes", errRubbish, n)
		}
		m, err := readMemory(r, n)
		if err != nil {
			return nil, nil, err
		}
		memories = append(memories, m)
	}
	return q, memories, nil
}

// readMemory reads n bytes. Memories of some size are not allocated before
// the first of their bytes came.
func readMemory(r io.Reader, n int) ([]byte, error) {
	const first = 1 << 20
	m := make([]byte, min(n, first))
	if _, err := io.ReadFull(r, m); err != nil || n <= first {
		return m, err
	}
	m = append(make([]byte, 0, n), m...)[:n]
	_, err := io.ReadFull(r, m[first:])
	return m, err
}

// readReply reads a reply. With a result come memories: as many as expected
// and as large, into which they are read.
func readReply(r io.Reader, expected [][]byte) (*reply, error) {
	p := &reply{}
	if err := readHeader(r, p); err != nil {
		return nil, err
	}
	if p.Result == nil {
		expected = nil
	}
	if len(p.Sizes) != len(expected) {
		return nil, fmt.Errorf("%w: %d memories, not %d", errRubbish, len(p.Sizes), len(expected))
	}
	for i, n := range p.Sizes {
		if n != len(expected[i]) {
			return nil, fmt.Errorf("%w: a memory of %d bytes, not %d", errRubbish, n, len(expected[i]))
		}
	}
	for _, m := range expected {
		if _, err := io.ReadFull(r, m); err != nil {
			return nil, err
		}
	}
	return p, nil
}
