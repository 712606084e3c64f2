package warp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// printf formats a DebugPrintf for each active lane, in lane order.
func (w *Warp) printf(op *program.Op) {
	if w.T.Print == nil {
		return
	}
	info := &w.P.Printfs[op.X]
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		w.T.Print(w, l, format(info, func(row uint32) uint64 { return w.R[int(row)+l] }))
	}
}

// format renders the format string as the Vulkan validation layer does: C's
// conversions d i o u x X a A e E f F g G, with ul and lu for 64 bits, and
// vN after the precision for vectors, whose components are separated by ", ".
func format(info *program.PrintfInfo, value func(row uint32) uint64) string {
	var b strings.Builder
	s := info.Format
	arg := 0
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if strings.HasPrefix(s, "%") {
			b.WriteByte('%')
			s = s[1:]
			continue
		}
		spec, rest := conversion(s)
		if spec.verb == 0 {
			b.WriteByte('%')
			continue
		}
		s = rest
		if arg >= len(info.Args) {
			b.WriteString("%!missing")
			continue
		}
		a := &info.Args[arg]
		arg++
		for k, row := range a.Rows {
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(spec.render(a.Type, value(row)))
		}
	}
}

// printSpec is one conversion of a format string.
type printSpec struct {
	flags string // flags, width and precision as in C
	verb  byte
}

func conversion(s string) (printSpec, string) {
	i := 0
	for i < len(s) && strings.IndexByte("-+ #0123456789.", s[i]) >= 0 {
		i++
	}
	spec := printSpec{flags: s[:i]}
	if i+1 < len(s) && s[i] == 'v' && s[i+1] >= '2' && s[i+1] <= '4' {
		i += 2
	}
	for i < len(s) && (s[i] == 'l' || s[i] == 'h') {
		i++
	}
	if i < len(s) && strings.IndexByte("diouxXaAeEfFgGs", s[i]) >= 0 {
		spec.verb = s[i]
		i++
		if spec.verb == 'u' && i < len(s) && s[i] == 'l' { // ul
			i++
			if i < len(s) && s[i] == 'x' {
				spec.verb = 'x'
				i++
			}
		}
	}
	return spec, s[i:]
}

func (p printSpec) render(t *spirv.Type, bits uint64) string {
	c := t.Component()
	if c == nil {
		return "0x" + strconv.FormatUint(bits, 16)
	}
	if c.Kind == spirv.Bool {
		if bits != 0 {
			return "true"
		}
		return "false"
	}
	float := strings.IndexByte("aAeEfFgG", p.verb) >= 0
	if c.Kind == spirv.Float {
		v := math.Float64frombits(bits)
		switch c.Width {
		case 16:
			v = float64(half.ToFloat(uint16(bits)))
		case 32:
			v = float64(math.Float32frombits(uint32(bits)))
		}
		if !float {
			return fmt.Sprint(v)
		}
		verb := p.verb
		switch verb {
		case 'a':
			verb = 'x'
		case 'A':
			verb = 'X'
		}
		return fmt.Sprintf("%"+p.flags+string(verb), v)
	}
	shift := 64 - uint(c.Width)
	signed := int64(bits<<shift) >> shift
	switch p.verb {
	case 'd', 'i':
		return fmt.Sprintf("%"+p.flags+"d", signed)
	case 'u':
		return fmt.Sprintf("%"+p.flags+"d", bits)
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+p.flags+string(p.verb), bits)
	}
	if c.Signed {
		return fmt.Sprint(signed)
	}
	return fmt.Sprint(bits)
}
