package emu

import (
	"fmt"

	"ampdbg/launch"
	"ampdbg/lower"
	"ampdbg/program"
	"ampdbg/spirv"
)

// Lowered is the program of a dispatch that need not have anything bound.
type Lowered struct {
	Program *program.Program
	Views   []string // names of the views, by number
}

// Lower lowers the kernel of d as opt says, as if something were bound to all of
// its variables: one descriptor to each, or as many as its type has elements.
func Lower(d *launch.Dispatch, opt Options) (*Lowered, error) {
	unit, ep, width, err := kernelOf(d, opt)
	if err != nil {
		return nil, err
	}
	if err := spirv.Validate(unit); err != nil {
		return nil, err
	}
	b := allBound{views: []string{""}}
	p, err := lower.Lower(unit, ep, &b, lower.Options{Width: width, Exact: opt.Exact, Checks: opt.Checks})
	if err != nil {
		return nil, err
	}
	return &Lowered{Program: p, Views: b.views}, nil
}

// allBound is a lower.Binder that takes every variable as bound.
type allBound struct {
	views  []string
	images int
}

// Views implements lower.Binder.
func (b *allBound) Views(u *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	first, n = len(b.views), 1
	name := u.VariableName(v)
	if !v.DescriptorArray() {
		b.views = append(b.views, name)
		return first, n, nil
	}
	n = max(descriptors(v.Type.Elem), 1)
	for i := range n {
		b.views = append(b.views, fmt.Sprintf("%s[%d]", name, i))
	}
	return first, n, nil
}

// Images implements lower.Binder.
func (b *allBound) Images(u *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	first, n = b.images, max(descriptors(v.Type.Elem), 1)
	b.images += n
	return first, n, nil
}
