package spirv

import "encoding/binary"

// Encode writes m as a SPIR-V binary. Decode gives the same module back, for
// a module that satisfies what Decode checks.
func (m *Module) Encode(order binary.ByteOrder) []byte {
	return encodeWords(m.words(), order)
}

// words gives the module's words, the header included.
func (m *Module) words() []uint32 {
	words := []uint32{magic, uint32(m.Version), m.Generator, m.Bound, m.Schema}
	for i := range m.Insts {
		in := &m.Insts[i]
		start := len(words)
		words = append(words, 0)
		if in.Op.HasType() {
			words = append(words, uint32(in.Type))
		}
		if in.Op.HasResult() {
			words = append(words, uint32(in.Result))
		}
		words = append(words, in.Args...)
		words[start] = uint32(len(words)-start)<<16 | uint32(in.Op)
	}
	return words
}

func encodeWords(words []uint32, order binary.ByteOrder) []byte {
	data := make([]byte, 4*len(words))
	for i, w := range words {
		order.PutUint32(data[4*i:], w)
	}
	return data
}
