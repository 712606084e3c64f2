package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// MaxText is the most bytes that a file of text may have: a script, a module,
// a source.
const MaxText = 256 << 20

// ReadFile reads a regular file of at most most bytes, whatever its size is
// said to be. A device or a pipe, which might never end, is an error.
func ReadFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		what := "a device"
		switch {
		case info.IsDir():
			what = "a folder"
		case info.Mode()&fs.ModeNamedPipe != 0:
			what = "a pipe"
		case info.Mode()&fs.ModeSocket != 0:
			what = "a socket"
		}
		return nil, fmt.Errorf("%s is %s, expected a regular file", path, what)
	}
	if info.Size() <= most {
		if err := Need(info.Size(), path); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, most, info.Size())
}

// ReadAll reads a stream of at most most bytes.
func ReadAll(r io.Reader, name string, most int64) ([]byte, error) { return readAll(r, name, most, 0) }

func readAll(r io.Reader, name string, most, size int64) ([]byte, error) {
	if size > most {
		return nil, tooLong(name, most)
	}
	data := make([]byte, 0, size+512)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, tooLong(name, most)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			if err := Need(2*int64(len(data)), name); err != nil {
				return nil, err
			}
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLong(name string, most int64) error {
	return fmt.Errorf("%s has more than %s", name, size(most))
}

// File is a file being written. Until it is closed, it has another name, so
// that nobody finds half of it.
type File struct {
	f    *os.File
	path string // what it will be called; empty: what it is called
	err  error  // the first
}

// temporary are the files that Abandon removes.
var temporary struct {
	sync.Mutex
	names map[string]bool
}

// Create begins a file, which Close gives its name. Of what is no regular file,
// such as a terminal, it is written at once.
func Create(path string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays one
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			// A pipe that nobody reads is not waited for.
			f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if errors.Is(err, syscall.ENXIO) {
				err = fmt.Errorf("%s is a pipe that nobody reads", path)
			}
			if err != nil {
				return nil, err
			}
			return &File{f: f}, nil
		}
		mode = info.Mode().Perm()
	}
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.%d.tmp", filepath.Base(path), os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				p.Path = path
			}
			return nil, err
		}
		temporary.Lock()
		if temporary.names == nil {
			temporary.names = map[string]bool{}
		}
		temporary.names[name] = true
		temporary.Unlock()
		return &File{f: f, path: path}, nil
	}
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n, err
}

// Close ends the file and gives it its name. If something could not be written,
// there is no file, and an earlier one stays.
func (f *File) Close() error { return f.close(f.err) }

// abort removes the file.
func (f *File) abort() { f.close(errAborted) }

var errAborted = errors.New("aborted")

func (f *File) close(err error) error {
	if e := f.f.Close(); err == nil {
		err = e
	}
	if f.path == "" {
		return err
	}
	name := f.f.Name()
	if err == nil {
		err = os.Rename(name, f.path)
	}
	if err != nil {
		os.Remove(name)
	}
	temporary.Lock()
	delete(temporary.names, name)
	temporary.Unlock()
	return err
}

// Abandon removes the files that have been begun and not been closed, before
// the process is ended.
func Abandon() {
	temporary.Lock()
	defer temporary.Unlock()
	for name := range temporary.names {
		os.Remove(name)
	}
}

// WriteFile writes a file as a whole: on an error there is none, and an earlier
// one of that name stays as it was.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.abort()
		return err
	}
	return f.Close()
}

// Inside gives the path of a file without links, or an error if it does not
// lie in a folder or below it.
func Inside(dir, path string) (string, error) {
	base, err := filepath.EvalSymlinks(dir)
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(base, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s leads outside of the script's folder, and the launch is confined to it", path)
	}
	return real, nil
}
