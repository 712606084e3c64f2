package host

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "64K": 64 << 10, "512MiB": 512 << 20, "1.5GB": 3 << 29, " 2 T ": 2 << 40,
		"": 0, "0": 0, "-1": 0, "x": 0, "1KMiB": 0, "NaN": 0, "inf": 0, "1e30": 0, "9999999T": 0,
	} {
		n, err := ParseSize(text)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 3 << 29: "1.5 GiB", math.MaxInt64: "8388608.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestMemoryIsAskedFor(t *testing.T) {
	defer SetMemoryLimit(0)
	if err := Need(math.MaxInt64, "x"); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	SetMemoryLimit(1 << 30)
	if err := Need(1<<20, "x"); err != nil {
		t.Error(err)
	}
	for _, n := range []int64{1<<30 + 1, math.MaxInt64, -1} {
		var d *diag.Error
		if err := Need(n, "the cake"); !errors.As(err, &d) || d.Class != diag.Budget || !strings.Contains(d.Msg, "the cake takes") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if n := DefaultMemoryLimit(); n < 1<<20 {
		t.Errorf("the default is %d bytes", n)
	}
}

// TestWatchStopsWhatGrows: growth that nobody asked for ends what runs, and if
// that does not help, the process.
func TestWatchStopsWhatGrows(t *testing.T) {
	defer SetMemoryLimit(0)
	SetMemoryLimit(32 << 20)
	done, stopped, killed := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	defer close(done)
	go Watch(done, func(err error) { stopped <- err }, func(err error) { killed <- err })
	var held [][]byte
	for {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = 1
		}
		held = append(held, block)
		select {
		case err := <-killed:
			if len(stopped) == 0 || !strings.Contains(err.Error(), "the limit is 32.0 MiB") {
				t.Errorf("killed with %v before it was stopped", err)
			}
			return
		default:
		}
		if len(held) > 4096 {
			t.Fatal("4 GiB are in use, and the limit is 32 MiB")
		}
	}
}

func TestFilesAreReadUpToALimit(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(file, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	for _, path := range []string{dir, os.DevNull, filepath.Join(dir, "none")} {
		if data, err := ReadFile(path, 1<<20); err == nil {
			t.Errorf("%s: %d bytes", path, len(data))
		}
	}
	if _, err := ReadFile(file, 4); err == nil {
		t.Error("5 bytes where 4 are allowed")
	}
	if _, err := ReadAll(endless{}, "endless", 1<<20); err == nil {
		t.Error("a stream without an end was read")
	}
	// Files whose size is said to be 0.
	if info, err := os.Stat("/proc/self/status"); err == nil && info.Size() == 0 {
		if data, err := ReadFile("/proc/self/status", 1<<20); err != nil || len(data) == 0 {
			t.Errorf("/proc/self/status: %d bytes, %v", len(data), err)
		}
		if _, err := ReadFile("/proc/self/status", 10); err == nil {
			t.Error("/proc/self/status has 10 bytes")
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestFilesAreWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	write := func(path, text string, fail error) error {
		return WriteFile(path, func(w io.Writer) error {
			io.WriteString(w, text)
			return fail
		})
	}
	holds := func(want string) {
		t.Helper()
		if data, _ := os.ReadFile(file); string(data) != want {
			t.Errorf("%q, want %q", data, want)
		}
	}
	if err := write(file, "one", nil); err != nil {
		t.Error(err)
	}
	holds("one")
	if err := write(file, "tw", io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	holds("one")
	if err := os.Symlink("f", link); err == nil {
		if err := write(link, "two", nil); err != nil {
			t.Error(err)
		}
		if _, err := os.Readlink(link); err != nil {
			t.Errorf("the link is none any more: %v", err)
		}
		os.Remove(link)
		holds("two")
	}
	if err := write(os.DevNull, "x", nil); err != nil {
		t.Error(err)
	}
	if err := write(filepath.Join(dir, "no", "folder"), "x", nil); err == nil {
		t.Error("written into a folder that is not there")
	}
	f, err := Create(filepath.Join(dir, "abandoned"))
	if err != nil {
		t.Fatal(err)
	}
	Abandon()
	f.f.Close()
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left in the folder: %v", list)
	}
}

func TestInside(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{in, out, in + "side"} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, "f"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(out, "f"), filepath.Join(in, "link")); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]bool{
		"in/f": true, "in/../in/f": true, "in/link": false, "in/../out/f": false, "inside/f": false, "in/none": false,
	} {
		if _, err := Inside(in, filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
