package launch

import (
	"fmt"
	"math"
	"strconv"

	"ampdbg/tilemem/texel"
)

// colourRounding is more than what the conversion of 8 bits to a float32
// between 0 and 1 and back is off, in steps of 1/255.
const colourRounding = 1e-4

// texelTolerance is how far a colour may be off without a TOLERANCE, as a
// fraction of full intensity: amber's value, half a step of 8 bits.
const texelTolerance = 0.002

func (e *Expect) checkColour(r *ExpectResult) {
	mem, stride := e.Subject.Bytes(), e.Subject.Type.Stride
	scale, slack := 255.0, texelTolerance*255
	if e.format.Class != texel.FloatClass {
		scale, slack = 1, 0
	}
	for y := e.Y; y < e.Y+e.H; y++ {
		for x := e.X; x < e.X+e.W; x++ {
			at := (y*e.rowTexels + x) * stride
			found := e.colourAt(mem[at:], scale)
			r.Checked++
			if e.sameColour(found, slack) {
				continue
			}
			r.fail(func() {
				r.Offset = at
				r.Where = fmt.Sprintf("%s at %d,%d", e.Subject.Name(), x, y)
				r.Found, r.Expected = formatColour(found), formatColour(e.colour)
			})
		}
	}
}

// colourAt gives the components that are compared, times scale.
func (e *Expect) colourAt(mem []byte, scale float64) []float64 {
	t := e.format.Decode(mem)
	found := make([]float64, len(e.colour))
	for i := range found {
		switch raw := t[i]; {
		case e.format.Class == texel.UintClass:
			found[i] = float64(raw)
		case e.format.Class == texel.SintClass && e.format.Wide():
			found[i] = float64(int64(raw))
		case e.format.Class == texel.SintClass:
			found[i] = float64(int32(raw))
		case e.format.Wide():
			found[i] = math.Float64frombits(raw) * scale
		default:
			found[i] = float64(math.Float32frombits(uint32(raw))) * scale
		}
	}
	return found
}

// sameColour compares the components that the format has.
func (e *Expect) sameColour(found []float64, slack float64) bool {
	for i, f := range found {
		if !e.format.Has(i) {
			continue
		}
		limit := slack
		if e.Tolerance != nil {
			t := e.Tolerance[min(i, len(e.Tolerance)-1)]
			limit = max(t.limit(e.colour[i])+colourRounding, slack)
		}
		if !(math.Abs(f-e.colour[i]) <= limit) {
			return false
		}
	}
	return true
}

func formatColour(c []float64) string {
	s := "("
	for i, v := range c {
		if i > 0 {
			s += ", "
		}
		s += strconv.FormatFloat(v, 'g', 6, 64)
	}
	return s + ")"
}
