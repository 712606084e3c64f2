package spirv

// String decodes the literal string at the start of words and tells how many
// words it takes. Strings are UTF-8 octets packed four to a word, lowest byte
// first, with a terminating zero byte; ok is false where the zero is missing
// (SPIR-V 2.2.1, "Literal").
func String(words []uint32) (s string, n int, ok bool) {
	n, ok = stringLen(words)
	if !ok {
		return "", 0, false
	}
	b := make([]byte, 0, 4*n)
	for _, w := range words[:n] {
		for ; w != 0 && byte(w) != 0; w >>= 8 {
			b = append(b, byte(w))
		}
	}
	return string(b), n, true
}

// stringLen counts the words of the literal string at the start of words.
func stringLen(words []uint32) (n int, ok bool) {
	for i, w := range words {
		if w&0xff == 0 || w&0xff00 == 0 || w&0xff0000 == 0 || w&0xff000000 == 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// appendString appends s as a literal string.
func appendString(words []uint32, s string) []uint32 {
	for ; len(s) >= 4; s = s[4:] {
		words = append(words, uint32(s[0])|uint32(s[1])<<8|uint32(s[2])<<16|uint32(s[3])<<24)
	}
	var last uint32
	for i := range len(s) {
		last |= uint32(s[i]) << (8 * i)
	}
	return append(words, last)
}
