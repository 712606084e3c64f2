package launch

import (
	"encoding/binary"

	"ampdbg/spirv"
)

// renameSource changes every OpString of a module that is from to the string
// to: compilers put the name there that they were called with. A module that
// cannot be read is left alone; decoding it again reports why.
func renameSource(data []byte, from, to string) []byte {
	if from == to {
		return data
	}
	m, err := spirv.Decode(from, data)
	if err != nil {
		return data
	}
	changed := false
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Op != spirv.OpString {
			continue
		}
		if s, _, ok := spirv.String(in.Args); ok && s == from {
			in.Args = stringWords(to)
			changed = true
		}
	}
	if !changed {
		return data
	}
	return m.Encode(binary.LittleEndian)
}

// stringWords encodes a literal string: UTF-8, a zero byte, padded to words.
func stringWords(s string) []uint32 {
	b := append([]byte(s), make([]byte, 4-len(s)%4)...)
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}
