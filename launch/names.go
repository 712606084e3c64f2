package launch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// placeSyntax is SET.BINDING, or SET.BINDING[ELEMENT] in a descriptor array.
var placeSyntax = regexp.MustCompile(`^(\d+)\.(\d+)(?:\[(\d+)\])?$`)

// Find gives the buffer or image that a name on the command line means: what
// is bound at SET.BINDING or SET.BINDING[ELEMENT], in the last dispatch that
// binds something there, or what the launch calls so. The error names what
// there is.
func (l *Launch) Find(name string) (Descriptor, error) {
	if m := placeSyntax.FindStringSubmatch(name); m != nil {
		set, err1 := strconv.ParseUint(m[1], 10, 32)
		binding, err2 := strconv.ParseUint(m[2], 10, 32)
		elem, _ := strconv.ParseUint("0"+m[3], 10, 31)
		if list := l.bound(uint32(set), uint32(binding)); err1 == nil && err2 == nil && elem < uint64(len(list)) {
			if d := list[elem]; d.Buffer != nil || d.Image != nil {
				return d, nil
			}
		}
	}
	for _, b := range l.Buffers {
		if b.Name == name {
			return Descriptor{Buffer: b, Range: int64(len(b.Data))}, nil
		}
	}
	for _, i := range l.Images {
		if i.Name == name {
			return Descriptor{Image: i}, nil
		}
	}
	return Descriptor{}, &diag.Error{Msg: fmt.Sprintf("no buffer or image is called or bound at %q; %s", name, l.names())}
}

// names lists the buffers and images, with the places that they are bound at.
func (l *Launch) names() string {
	places := map[any][]string{}
	for _, d := range Dispatches(l.Steps) {
		for _, b := range d.Bindings {
			for i, e := range b.Elems {
				at := fmt.Sprintf("%d.%d", b.Set, b.Binding)
				if len(b.Elems) > 1 {
					at += fmt.Sprintf("[%d]", i)
				}
				for _, key := range []any{e.Buffer, e.Image} {
					if !slices.Contains(places[key], at) {
						places[key] = append(places[key], at)
					}
				}
			}
		}
	}
	var list []string
	add := func(name string, key any) {
		if at := places[key]; at != nil && !slices.Contains(at, name) {
			name += " (" + strings.Join(at, ", ") + ")"
		}
		list = append(list, name)
	}
	for _, b := range l.Buffers {
		add(b.Name, b)
	}
	for _, i := range l.Images {
		add(i.Name, i)
	}
	return thereAre("there are", list)
}

// maxListed is how many names an error lists.
const maxListed = 32

// thereAre is the end of an error about a name that is unknown.
func thereAre(verb string, names []string) string {
	if len(names) == 0 {
		return "there are none"
	}
	rest := ""
	if n := len(names) - maxListed; n > 0 {
		names, rest = names[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	return verb + " " + strings.Join(names, ", ") + rest
}

// checkSpec refuses values for specialization constants that a module lacks.
func checkSpec(u *spirv.Unit, values spirv.SpecValues) error {
	known := map[uint32]bool{}
	var names []string
	for i := range u.Insts {
		in := &u.Insts[i]
		if in.Op != spirv.OpDecorate || len(in.Args) < 3 || spirv.Decoration(in.Args[1]) != spirv.DecorationSpecId {
			continue
		}
		known[in.Args[2]] = true
		name := strconv.FormatUint(uint64(in.Args[2]), 10)
		if n := u.Name(spirv.ID(in.Args[0])); n != "" {
			name += " (" + n + ")"
		}
		names = append(names, name)
	}
	for id := range values {
		if !known[id] {
			return &diag.Error{Msg: fmt.Sprintf("specialization: module %s has no constant with SpecId %d; %s", u.Module.Name, id, thereAre("there are", names))}
		}
	}
	return nil
}

// checkBound refuses a binding that no variable of the module has, unless it
// is a buffer that others hold the address of.
func (b *binder) checkBound() error {
	for _, x := range b.dispatch.Bindings {
		at := slot{x.Set, x.Binding}
		if _, known := b.guess(at); known || slices.ContainsFunc(x.Elems, func(d Descriptor) bool { return b.pointedTo(d.Buffer) }) {
			continue
		}
		var names []string
		for _, v := range b.unit.Globals {
			if r, ok := resourceOf(b.unit, v); ok {
				names = append(names, fmt.Sprintf("%d.%d (%s)", r.Set, r.Binding, r.Name))
			}
		}
		return &diag.Error{Msg: fmt.Sprintf("binding %d.%d: module %s has no variable there; %s", x.Set, x.Binding, b.launch.Name, thereAre("there are", names))}
	}
	return nil
}

// pointedTo reports whether a buffer holds the address of to.
func (b *binder) pointedTo(to *Buffer) bool {
	for _, x := range b.launch.Buffers {
		if to != nil && slices.ContainsFunc(x.Addresses, func(a Address) bool { return a.To == to }) {
			return true
		}
	}
	return false
}

// hasPush reports whether a module has push constants.
func hasPush(u *spirv.Unit) bool {
	return slices.ContainsFunc(u.Globals, func(v *spirv.Variable) bool { return v.Storage == spirv.StorageClassPushConstant })
}
