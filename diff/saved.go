package diff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/host"
	"ampdbg/launch"
)

// A folder of saved results holds a file "results.json" (manifest) and, for
// each different content of a buffer or image, a file named for the content.

const manifestFile = "results.json"

type manifest struct {
	Machine string `json:"machine"` // that made the results
	Driver  string `json:"driver,omitempty"`
	Exact   bool   `json:"exact"` // the emulator made them
	Launch  string `json:"launch"`
	// Subgroup is absent where the machine takes warps of any size; Warp is
	// the size that it runs by default.
	Warp     int           `json:"warp"`
	Subgroup *gpu.Subgroup `json:"subgroup,omitempty"`
	// Memories are the names of the buffers, then of the images.
	Memories []string `json:"memories"`
	// Dispatches hold, for each dispatch in the order in which they ran, the
	// files with what each memory held after it.
	Dispatches [][]string `json:"dispatches"`
}

// Record runs a launch on one machine alone and keeps in the folder dir what
// each dispatch left, for SavedSide. expects, if not nil, is given the result
// of each EXPECT.
func Record(ctx context.Context, s *Side, dir string, expects func(*launch.ExpectResult)) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r := &recorder{dir: dir, side: s, list: contents(s.Launch)}
	r.m = manifest{Machine: s.Name, Driver: s.driver, Exact: s.exact, Launch: filepath.Base(s.Launch.Name), Warp: s.Warp, Subgroup: s.subgroup}
	for _, c := range r.list {
		r.m.Memories = append(r.m.Memories, c.Name())
	}
	if s.subgroup != nil {
		for _, d := range launch.Dispatches(s.Launch.Steps) {
			s.relax(d)
		}
	}
	if _, err := s.Launch.Execute(ctx, r, expects); err != nil {
		return err
	}
	return r.m.write(dir)
}

func (m *manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, manifestFile), append(data, '\n'))
}

// keepFile writes a memory's contents to a file of the folder, unless it is there,
// and gives the file's name.
func keepFile(dir string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:16]) + ".bin"
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return name, nil
	}
	return name, writeFile(path, data)
}

// Observed is what a launch of one dispatch left on a device that another
// program drove.
type Observed struct {
	Launch         *launch.Launch
	Device, Driver string
	Subgroup       gpu.Subgroup
	After          [][]byte // of the launch's buffers, then of its images
}

// Keep writes what was observed to the folder dir, for SavedSide.
func (o *Observed) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m := manifest{Machine: o.Device, Driver: o.Driver, Launch: filepath.Base(o.Launch.Name), Warp: int(o.Subgroup.Size), Subgroup: &o.Subgroup}
	var files []string
	for i, c := range contents(o.Launch) {
		m.Memories = append(m.Memories, c.Name())
		name, err := keepFile(dir, o.After[i])
		if err != nil {
			return err
		}
		files = append(files, name)
	}
	m.Dispatches = [][]string{files}
	return m.write(dir)
}

// recorder is an executor that saves what another one leaves.
type recorder struct {
	dir  string
	side *Side
	m    manifest
	list []content
}

// Dispatch implements launch.Executor.
func (r *recorder) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	if err := r.side.ex.Dispatch(ctx, d); err != nil {
		return err
	}
	var files []string
	for _, c := range r.list {
		name, err := keepFile(r.dir, c.Bytes())
		if err != nil {
			return err
		}
		files = append(files, name)
	}
	r.m.Dispatches = append(r.m.Dispatches, files)
	return nil
}

// saved is an executor that replays results from a folder.
type saved struct {
	dir  string
	m    manifest
	list []content
	next int
}

// SavedSide takes the results of an earlier run of the launch from a folder.
// The error is a *diag.Error where there are none, or not of this launch.
func SavedSide(l *launch.Launch, dir string) (*Side, error) {
	bad := func(format string, args ...any) (*Side, error) {
		return nil, &diag.Error{Class: diag.BadInput, Msg: dir + ": " + fmt.Sprintf(format, args...)}
	}
	data, err := host.ReadFile(filepath.Join(dir, manifestFile), host.MaxText)
	if errors.Is(err, os.ErrNotExist) {
		return bad("no results of an earlier run: there is no %s", manifestFile)
	} else if err != nil {
		return nil, err
	}
	s := &saved{dir: dir, list: contents(l)}
	if err := json.Unmarshal(data, &s.m); err != nil {
		return bad("%s: %v", manifestFile, err)
	}
	if len(s.m.Memories) != len(s.list) {
		return bad("results of %d buffers and images, and the launch has %d", len(s.m.Memories), len(s.list))
	}
	for i, c := range s.list {
		if s.m.Memories[i] != c.Name() {
			return bad("results of %q where the launch has %q", s.m.Memories[i], c.Name())
		}
	}
	for _, files := range s.m.Dispatches {
		if len(files) != len(s.list) {
			return bad("%s: %d files for %d buffers and images", manifestFile, len(files), len(s.list))
		}
		for _, f := range files {
			if f != filepath.Base(f) || f == "" {
				return bad("%s: %q is no file name", manifestFile, f)
			}
		}
	}
	return &Side{Name: s.m.Machine, Launch: l, Warp: s.m.Warp, ex: s, exact: s.m.Exact, saved: s, subgroup: s.m.Subgroup, driver: s.m.Driver}, nil
}

// Dispatch implements launch.Executor.
func (s *saved) Dispatch(_ context.Context, d *launch.Dispatch) error {
	bad := func(format string, args ...any) error {
		return &diag.Error{Class: diag.BadInput, Pos: d.Pos, Msg: s.dir + ": " + fmt.Sprintf(format, args...)}
	}
	if s.next >= len(s.m.Dispatches) {
		return bad("results of %d dispatches, and the launch has more", len(s.m.Dispatches))
	}
	for i, f := range s.m.Dispatches[s.next] {
		c := s.list[i]
		data, err := host.ReadFile(filepath.Join(s.dir, f), int64(len(c.Bytes())))
		if err != nil {
			return bad("%v", err)
		}
		if len(data) != len(c.Bytes()) {
			return bad("%s has %d bytes, and %s has %d", f, len(data), c.Name(), len(c.Bytes()))
		}
		o := content{launch.Content{Buffer: &launch.Buffer{Data: data}}}
		if c.Buffer != nil {
			o.Buffer.Addresses = c.Buffer.Addresses
		}
		o.copyTo(c)
	}
	s.next++
	return nil
}

func writeFile(path string, data []byte) error {
	return host.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
