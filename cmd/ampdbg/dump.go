package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
)

// resource names a bound buffer or image as --dump does: SET.BINDING, and
// [ELEMENT] for an element of a descriptor array.
type resource struct {
	set, binding uint32
	elem         int
}

func (r resource) String() string {
	if r.elem > 0 {
		return fmt.Sprintf("%d.%d[%d]", r.set, r.binding, r.elem)
	}
	return fmt.Sprintf("%d.%d", r.set, r.binding)
}

// resources is the value of --dump, which may be given several times.
type resources []resource

func (rs *resources) String() string { return "" }

var resourceSyntax = regexp.MustCompile(`^(\d+)\.(\d+)(?:\[(\d+)\])?$`)

func (rs *resources) Set(s string) error {
	m := resourceSyntax.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("expected SET.BINDING, such as 0.1")
	}
	var r resource
	var n [3]uint64
	for i, digits := range m[1:] {
		if digits == "" {
			continue
		}
		var err error
		if n[i], err = strconv.ParseUint(digits, 10, 31); err != nil {
			return fmt.Errorf("%s is too large", digits)
		}
	}
	r.set, r.binding, r.elem = uint32(n[0]), uint32(n[1]), int(n[2])
	*rs = append(*rs, r)
	return nil
}

// find looks r up among the bindings of the launch's dispatches, the last one
// first.
func (r resource) find(l *launch.Launch) (launch.Descriptor, error) {
	dispatches := launch.Dispatches(l.Steps)
	for i := len(dispatches) - 1; i >= 0; i-- {
		for _, b := range dispatches[i].Bindings {
			if b.Set != r.set || b.Binding != r.binding || r.elem >= len(b.Elems) {
				continue
			}
			if d := b.Elems[r.elem]; d.Buffer != nil || d.Image != nil {
				return d, nil
			}
		}
	}
	return launch.Descriptor{}, &diag.Error{Msg: fmt.Sprintf("--dump %s: no dispatch has a buffer or image there", r)}
}

// print writes what r names as text.
func (r resource) print(w io.Writer, l *launch.Launch) error {
	d, err := r.find(l)
	if err != nil {
		return err
	}
	if d.Image != nil {
		fmt.Fprintf(w, "%s %s: %s\n", r, d.Image.Name, d.Image.Format)
		return launch.DumpImage(w, d.Image)
	}
	typ := "bytes"
	if d.Buffer.Elem != nil {
		typ = d.Buffer.Elem.Name
	}
	fmt.Fprintf(w, "%s %s: %s\n", r, d.Buffer.Name, typ)
	return launch.Dump(w, d.Buffer)
}

// save writes what r names to a file: as a NumPy array if the name ends in
// .npy, else as it is in memory.
func (r resource) save(file string, l *launch.Launch) error {
	d, err := r.find(l)
	if err != nil {
		return err
	}
	b := d.Buffer
	if d.Image != nil {
		texel, err := launch.ParseType(d.Image.Format, launch.Std430)
		if err != nil {
			return err
		}
		b = &launch.Buffer{Name: d.Image.Name, Data: d.Image.Data, Elem: texel}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".npy") {
		err = launch.WriteNPY(f, b)
	} else {
		_, err = f.Write(b.Data)
	}
	return errors.Join(err, f.Close())
}
