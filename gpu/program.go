//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// programKey names a program by its contents.
type programKey struct {
	words       [sha256.Size]byte
	entry, spec string
}

// program is an entry point of a module with its specialization.
type program struct {
	key   programKey
	words []uint32
	usage *usage
	spec  []driver.SpecConstant
}

// program gives the program of a dispatch, resolved once per contents.
func (a *Accelerator) program(d *launch.Dispatch) (*program, error) {
	b := d.Module.Encode(binary.LittleEndian)
	key := programKey{words: sha256.Sum256(b), entry: d.Entry}
	for _, id := range slices.Sorted(maps.Keys(d.Spec)) {
		key.spec += fmt.Sprintf("%d=%d ", id, d.Spec[id])
	}
	return a.programs.get(key, func() (*program, error) {
		u, err := spirv.Resolve(d.Module, d.Spec)
		if err != nil {
			return nil, err
		}
		us, err := use(u, d.Entry)
		if err != nil {
			return nil, err
		}
		p := &program{key: key, usage: us, spec: specConstants(u, d.Spec), words: make([]uint32, len(b)/4)}
		for i := range p.words {
			p.words[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return p, nil
	})
}

// specConstants gives the values for those specialization constants that the
// module has, each as wide as its type says.
func specConstants(u *spirv.Unit, values spirv.SpecValues) []driver.SpecConstant {
	var out []driver.SpecConstant
	seen := map[uint32]bool{}
	for i := range u.Insts {
		in := &u.Insts[i]
		if in.Op != spirv.OpSpecConstant && in.Op != spirv.OpSpecConstantTrue && in.Op != spirv.OpSpecConstantFalse {
			continue
		}
		id, ok := u.Decoration(in.Result, spirv.DecorationSpecId)
		if !ok || seen[id[0]] {
			continue
		}
		v, ok := values[id[0]]
		if !ok {
			continue
		}
		seen[id[0]] = true
		c := driver.SpecConstant{ID: id[0], Bits: v, Bytes: 4}
		if t := u.Type(in.Type); t.Kind != spirv.Bool {
			c.Bytes = t.Width / 8
		} else if v != 0 {
			c.Bits = 1
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(x, y driver.SpecConstant) int { return cmp.Compare(x.ID, y.ID) })
	return out
}
