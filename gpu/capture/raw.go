package capture

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ampdbg/diag"
)

// Process is what one process of the program said.
type Process struct {
	ID         int
	Client     string // the name it gives itself
	Instances  int
	Devices    []string // by name
	Submitted  bool
	Dispatches []Dispatch
	Count      uint64 // of dispatches: those beyond the first 20,000 are listed only when captured
	Dir        string
}

// Dispatch is a dispatch as it was recorded.
type Dispatch struct {
	Number   uint64
	Thread   uint64
	Kernel   string // its id, 16 hex digits
	Entry    string
	Name     string // of the pipeline or module, if the program gave one
	Groups   [3]uint32
	Indirect bool
	Pointers bool  // the kernel may follow addresses
	Bytes    int64 // that it can reach; -1 unknown
	Label    string
	Status   string // "", "captured", "lost", "unread" or "refused"
	Reason   string // of a refusal
	Time     time.Duration
}

// lineError is what is wrong with a raw file.
func lineError(file string, line int, format string, args ...any) error {
	return &diag.Error{Pos: diag.Pos{File: file, Line: line}, Msg: fmt.Sprintf(format, args...)}
}

// fields reads the words of a line in order; the first that is wrong is kept.
type fields struct {
	words []string
	bad   error
}

func (f *fields) text() string {
	if len(f.words) == 0 {
		if f.bad == nil {
			f.bad = fmt.Errorf("the line ends early")
		}
		return ""
	}
	w := f.words[0]
	f.words = f.words[1:]
	return w
}

// plain undoes the layer's escapes; "-" is no text.
func (f *fields) plain() string {
	w := f.text()
	if w == "-" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(w); i++ {
		if w[i] == '%' && i+2 < len(w) {
			if c, err := strconv.ParseUint(w[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(w[i])
	}
	return b.String()
}

func (f *fields) number(base, bits int) uint64 {
	w := f.text()
	n, err := strconv.ParseUint(w, base, bits)
	if err != nil && f.bad == nil {
		f.bad = fmt.Errorf("expected a number, found %q", w)
	}
	return n
}

func (f *fields) u32() uint32 { return uint32(f.number(10, 32)) }
func (f *fields) u64() uint64 { return f.number(10, 64) }

func (f *fields) signed() int64 {
	w := f.text()
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil && f.bad == nil {
		f.bad = fmt.Errorf("expected a number, found %q", w)
	}
	return n
}

func (f *fields) float() float32 {
	w := f.text()
	n, err := strconv.ParseFloat(w, 32)
	if err != nil && f.bad == nil {
		f.bad = fmt.Errorf("expected a number, found %q", w)
	}
	return float32(n)
}

func (f *fields) hex() []byte {
	w := f.text()
	data, err := hex.DecodeString(w)
	if err != nil && f.bad == nil {
		f.bad = fmt.Errorf("expected bytes in hex, found %q", w)
	}
	return data
}

// eachLine calls f with the words of each line.
func eachLine(file, text string, f func(key string, in *fields) error) error {
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(nil, 1<<26)
	for n := 1; s.Scan(); n++ {
		in := &fields{words: strings.Fields(s.Text())}
		if len(in.words) == 0 {
			continue
		}
		err := f(in.text(), in)
		if err == nil {
			err = in.bad
		}
		if err != nil {
			return lineError(file, n, "%v", err)
		}
	}
	return s.Err()
}

// Read reads what the layer wrote into the folder raw: a process each, by id.
func Read(raw string) ([]Process, error) {
	entries, err := os.ReadDir(raw)
	if err != nil {
		return nil, err
	}
	var list []Process
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		p := Process{ID: id, Dir: filepath.Join(raw, e.Name())}
		file := filepath.Join(p.Dir, "log")
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it was stopped before it said anything
		}
		// The last line may be cut where the process was killed.
		whole := string(text)
		whole = whole[:strings.LastIndexByte(whole, '\n')+1]
		if err := p.readLog(file, whole); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(x, y Process) int { return x.ID - y.ID })
	return list, nil
}

func (p *Process) readLog(file, text string) error {
	type kernel struct{ entry, name string }
	kernels := map[string]kernel{}
	at := map[uint64]int{}
	err := eachLine(file, text, func(key string, in *fields) error {
		set := func(f func(d *Dispatch)) {
			if i, ok := at[in.u64()]; ok {
				f(&p.Dispatches[i])
			}
		}
		switch key {
		case "instance":
			p.Instances++
			in.u32()
			p.Client = in.plain()
		case "device":
			p.Devices = append(p.Devices, in.plain())
		case "submit":
			p.Submitted = true
		case "kernel":
			id := in.text()
			kernels[id] = kernel{in.plain(), in.plain()}
		case "more":
			p.Count = max(p.Count, in.u64())
		case "dispatch":
			d := Dispatch{Number: in.u64(), Thread: in.u64()}
			in.u32() // the device
			d.Kernel = in.text()
			for i := range d.Groups {
				d.Groups[i] = in.u32()
			}
			d.Bytes = in.signed()
			flags := strings.Split(in.text(), ",")
			d.Reason, d.Label = in.plain(), in.plain()
			for _, f := range flags {
				switch f {
				case "indirect":
					d.Indirect = true
				case "addresses":
					d.Pointers = true
				case "shot":
					d.Status = "recorded"
				case "refused":
					d.Status = "refused"
				}
			}
			d.Entry, d.Name = kernels[d.Kernel].entry, kernels[d.Kernel].name
			at[d.Number] = len(p.Dispatches)
			p.Dispatches = append(p.Dispatches, d)
			p.Count = max(p.Count, d.Number)
		case "refuse":
			set(func(d *Dispatch) { d.Status, d.Reason = "refused", in.plain() })
		case "captured":
			set(func(d *Dispatch) {
				if d.Status = in.text(); d.Status == "done" {
					d.Status = "captured"
				}
			})
		case "time":
			set(func(d *Dispatch) { d.Time = time.Duration(in.float()) })
		}
		return nil
	})
	slices.SortStableFunc(p.Dispatches, func(x, y Dispatch) int {
		switch {
		case x.Number < y.Number:
			return -1
		case x.Number > y.Number:
			return 1
		}
		return 0
	})
	return err
}

// shot is one raw description.
type shot struct {
	number                     uint64
	state                      string // "submitted", "running", "lost" or "done"
	device, driver, driverInfo string
	subgroup                   [5]uint32 // size, least, most, stages, operations
	robust                     bool
	kernel, module, entry      string
	name, label                string
	stageFlags, required       uint32
	storageRobustness          int64
	addresses                  bool
	spec                       map[uint32]uint64
	groups                     [3]uint32
	indirect                   bool
	push                       []byte
	pieces                     []piece
	images                     []image
	binds                      []bind
	before, after              []byte    // nil: there is none
	copies                     [2]uint64 // where the memory before begins and ends in the buffer of the copies
}

type piece struct {
	buffer         uint32
	memory, offset uint64 // the buffer's memory and its place there
	begin, end     uint64 // in the buffer
	before         uint64 // in the file
	after          int64  // in the file; -1: not written
	address        uint64 // of the buffer
	name           string
}

type image struct {
	format, view                         int64
	width, height, depth, levels, layers uint32
	size, before                         uint64
	after                                int64
	name                                 string
}

type bind struct {
	set, binding, element uint32
	kind                  int64
	buffer                int64 // -1: none
	begin, size, dynamic  uint64
	format                int64
	image                 int64 // -1: none
	sampler               *sampler
	bytes                 []byte
}

type sampler struct {
	mag, min, mip, u, v, w, border uint32
	minLOD, maxLOD, bias           float32
	unnormalized, compare          uint32
	op                             uint32
	anisotropic                    uint32
}

// parseShot reads a description.
func parseShot(file, text string) (*shot, error) {
	s := &shot{spec: map[uint32]uint64{}}
	ended := false
	err := eachLine(file, text, func(key string, in *fields) error {
		switch key {
		case "shot":
			s.number, s.state = in.u64(), in.text()
		case "device":
			s.device, s.driver, s.driverInfo = in.plain(), in.plain(), in.plain()
		case "subgroup":
			for i := range s.subgroup {
				s.subgroup[i] = in.u32()
			}
		case "robust":
			s.robust = in.u32() != 0
		case "copies":
			s.copies = [2]uint64{in.u64(), in.u64()}
		case "kernel":
			s.kernel = in.text()
		case "module":
			s.module = in.text()
		case "entry":
			s.entry = in.plain()
		case "name":
			s.name = in.plain()
		case "label":
			s.label = in.plain()
		case "stage":
			s.stageFlags, s.required, s.storageRobustness, s.addresses = in.u32(), in.u32(), in.signed(), in.u32() != 0
		case "spec":
			id := in.u32()
			in.u32()
			s.spec[id] = in.number(16, 64)
		case "groups":
			for i := range s.groups {
				s.groups[i] = in.u32()
			}
			s.indirect = in.u32() != 0
		case "push":
			s.push = in.hex()
		case "piece":
			s.pieces = append(s.pieces, piece{in.u32(), in.u64(), in.u64(), in.u64(), in.u64(), in.u64(), in.signed(), in.u64(), in.plain()})
		case "image":
			s.images = append(s.images, image{in.signed(), in.signed(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u64(), in.u64(), in.signed(), in.plain()})
		case "bind":
			s.binds = append(s.binds, readBind(in))
		case "end":
			ended = true
		default:
			return fmt.Errorf("unknown word %q", key)
		}
		return nil
	})
	if err == nil && !ended {
		err = lineError(file, 1, "the description has no end")
	}
	return s, err
}

func readBind(in *fields) bind {
	b := bind{set: in.u32(), binding: in.u32(), element: in.u32(), kind: in.signed(), buffer: -1, image: -1}
	for len(in.words) > 0 && in.bad == nil {
		switch key := in.text(); key {
		case "buffer":
			b.buffer, b.begin, b.size, b.dynamic, b.format = int64(in.u32()), in.u64(), in.u64(), in.u64(), in.signed()
		case "image":
			b.image = int64(in.u32())
		case "sampler":
			b.sampler = &sampler{in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.float(), in.float(), in.float(),
				in.u32(), in.u32(), in.u32(), in.u32()}
		case "inline":
			b.bytes = in.hex()
		default:
			in.bad = fmt.Errorf("unknown word %q", key)
		}
	}
	return b
}

// readShot reads a shot's files.
func readShot(dir string, number uint64) (*shot, error) {
	base := filepath.Join(dir, fmt.Sprintf("shot-%08d", number))
	text, err := os.ReadFile(base + ".txt")
	if err != nil {
		return nil, err
	}
	s, err := parseShot(base+".txt", string(text))
	if err != nil {
		return nil, err
	}
	for suffix, to := range map[string]*[]byte{".before": &s.before, ".after": &s.after} {
		data, err := os.ReadFile(base + suffix)
		switch {
		case err == nil:
			*to = append([]byte{}, data...)
		case !os.IsNotExist(err):
			return nil, err
		}
	}
	if s.state != "done" {
		s.after = nil
	}
	if s.before == nil {
		staging, err := os.ReadFile(base + ".staging")
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		s.readStaging(staging)
	}
	return s, nil
}

// readStaging takes the memory before a dispatch from the buffer of the copies,
// if the device got that far: a process that crashed leaves the buffer where it
// is a file.
func (s *shot) readStaging(staging []byte) {
	const mark, groups = 0, 16
	if s.copies[0] < groups+12 || s.copies[1] < s.copies[0] || s.copies[1] > uint64(len(staging)) || binary.LittleEndian.Uint32(staging[mark:]) != 1 {
		return
	}
	s.before = append([]byte{}, staging[s.copies[0]:s.copies[1]]...)
	for i := range s.groups {
		if s.indirect {
			s.groups[i] = binary.LittleEndian.Uint32(staging[groups+4*i:])
		}
	}
}

// readModule reads the words of a shot's module.
func (s *shot) readModule(dir string) ([]byte, error) {
	if s.module != filepath.Base(s.module) || !fs.ValidPath(s.module) {
		return nil, fmt.Errorf("%q is no file name", s.module)
	}
	return os.ReadFile(filepath.Join(dir, s.module))
}
