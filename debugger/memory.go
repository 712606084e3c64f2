package debugger

import "bytes"

// contents is a copy of all memory of the launch: its buffers, then its images.
// Each is cut into pages, which copies share where memory has not changed
// between them. Both the pages and the lists of them are never changed.
type contents struct {
	lists [][][]byte // pages by memory
	fresh int        // bytes that it takes beyond what it shares with the copy it was made after
}

const (
	pageSize  = 4096
	pageEntry = 24 // bytes of a page in a list
)

// memory lists the launch's memory.
func (s *Session) memory() [][]byte {
	var out [][]byte
	for _, b := range s.launch.Buffers {
		out = append(out, b.Data)
	}
	for _, im := range s.launch.Images {
		out = append(out, im.Data)
	}
	return out
}

// copyContents copies memory, after the copy old (nil if there is none).
// unchanged, if not nil, says of a memory that it is what it was then.
func copyContents(memory [][]byte, old *contents, unchanged func(i int) bool) *contents {
	k := &contents{lists: make([][][]byte, len(memory)), fresh: pageEntry * len(memory)}
	for i, data := range memory {
		var last [][]byte
		if old != nil {
			last = old.lists[i]
			if unchanged != nil && unchanged(i) {
				k.lists[i] = last
				continue
			}
		}
		k.lists[i] = k.pages(data, last)
	}
	return k
}

// pages cuts data into pages, taking those that are the same from old: all of
// them, if nothing has changed.
func (k *contents) pages(data []byte, old [][]byte) [][]byte {
	n := (len(data) + pageSize - 1) / pageSize
	page := func(i int) []byte { return data[i*pageSize : min((i+1)*pageSize, len(data))] }
	same := 0
	for len(old) == n && same < n && bytes.Equal(old[same], page(same)) {
		same++
	}
	if len(old) == n && same == n {
		return old
	}
	out := append(make([][]byte, 0, n), old[:same]...)
	for i := same; i < n; i++ {
		p := page(i)
		if i < len(old) && bytes.Equal(old[i], p) {
			p = old[i]
		} else {
			p = bytes.Clone(p)
			k.fresh += len(p)
		}
		out = append(out, p)
	}
	k.fresh += pageEntry * n
	return out
}

// sameList reports whether a memory is the same in two copies because both
// share its list of pages.
func (k *contents) sameList(old *contents, i int) bool {
	a, b := k.lists[i], old.lists[i]
	return len(a) == 0 || len(b) == len(a) && &a[0] == &b[0]
}

// putBack makes a memory what it was.
func (k *contents) putBack(i int, data []byte) {
	for at, p := range k.lists[i] {
		copy(data[at*pageSize:], p)
	}
}

// size is how many bytes copies take together.
func size(list []*contents) int {
	n := 0
	lists, pages := map[*[]byte]bool{}, map[*byte]bool{}
	for _, k := range list {
		n += pageEntry * len(k.lists)
		for _, l := range k.lists {
			if len(l) == 0 || lists[&l[0]] {
				continue
			}
			lists[&l[0]] = true
			n += pageEntry * len(l)
			for _, p := range l {
				if !pages[&p[0]] {
					pages[&p[0]] = true
					n += len(p)
				}
			}
		}
	}
	return n
}
