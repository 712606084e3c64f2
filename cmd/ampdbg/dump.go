package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
)

// resource names a buffer or image: SET.BINDING, SET.BINDING[ELEMENT] for an
// element of a descriptor array, or its name in the launch.
type resource string

func (r resource) find(l *launch.Launch) (launch.Descriptor, error) {
	d, err := l.Find(string(r))
	var e *diag.Error
	if errors.As(err, &e) {
		err = &diag.Error{Msg: "--dump: " + e.Msg}
	}
	return d, err
}

// resources is the value of --dump, which may be given several times.
type resources []resource

func (rs *resources) String() string { return "" }

func (rs *resources) Set(s string) error {
	if s == "" {
		return errors.New("expected SET.BINDING, such as 0.1, or a name")
	}
	*rs = append(*rs, resource(s))
	return nil
}

// title is what was asked for and, if that is a place, what is there.
func (r resource) title(name string) string {
	if string(r) == name {
		return name
	}
	return string(r) + " " + name
}

// print writes what r names as text.
func (r resource) print(w io.Writer, l *launch.Launch) error {
	d, err := r.find(l)
	if err != nil {
		return err
	}
	if d.Image != nil {
		fmt.Fprintf(w, "%s: %s\n", r.title(d.Image.Name), d.Image.Format)
		return launch.DumpImage(w, d.Image)
	}
	typ := "bytes"
	if d.Buffer.Elem != nil {
		typ = d.Buffer.Elem.Name
	}
	fmt.Fprintf(w, "%s: %s\n", r.title(d.Buffer.Name), typ)
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
	return host.WriteFile(file, func(w io.Writer) error {
		if strings.HasSuffix(file, ".npy") {
			return launch.WriteNPY(w, b)
		}
		_, err := w.Write(b.Data)
		return err
	})
}
