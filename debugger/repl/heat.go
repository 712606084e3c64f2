package repl

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"ampdbg/debugger"
)

// shades are the cells of a picture without colours, from the least value to
// the greatest; - stands where there is none, ? for a NaN.
const shades = " .:;=+*#%@"

// maxRows bounds a picture in the terminal.
const maxRows = 64

func (r *Repl) cmdHeat(args string) error {
	file, width := "", 0
	for strings.HasPrefix(args, "-") {
		flag, rest, _ := strings.Cut(args, " ")
		value, after, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch strings.TrimLeft(flag, "-") {
		case "png":
			file = value
		case "width":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return wrong("--width needs a number of columns, found %q", value)
			}
			width = n
		default:
			return wrong("no flag %s", flag)
		}
		args = strings.TrimSpace(after)
	}
	if args == "" {
		return wrong("expected an expression, such as heat sums")
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	p, err := at.PictureAt(r.focus, r.frame, e, width)
	if err != nil {
		return err
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range p.Values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return fmt.Errorf("%s has no numbers to show", p.Title)
	}
	fmt.Fprintf(r.out, "%s: %d x %d, %g to %g\n", p.Title, p.Width, p.Height, lo, hi)
	if file != "" {
		return r.writePNG(file, p, lo, hi)
	}
	// A cell is two characters wide where there is room, one else; of larger
	// pictures every n-th cell is shown.
	cell := 2
	if p.Width*cell > r.opt.Width {
		cell = 1
	}
	step := max(1, (p.Width+r.opt.Width-1)/r.opt.Width, (p.Height+maxRows-1)/maxRows)
	for y := 0; y < p.Height; y += step {
		var plain strings.Builder
		for x := 0; x < p.Width; x += step {
			at := y*p.Width + x
			v := p.Values[at]
			if at < len(p.None) && p.None[at] {
				plain.WriteString(strings.Repeat("-", cell))
				continue
			}
			if r.opt.Color && !math.IsNaN(v) {
				c := ramp(level(v, lo, hi))
				r.out.WriteString(plain.String())
				plain.Reset()
				r.out.Style(fmt.Sprintf("48;2;%d;%d;%d", c.R, c.G, c.B), strings.Repeat(" ", cell))
				continue
			}
			s := "?"
			if !math.IsNaN(v) {
				s = string(shades[int(math.Round(level(v, lo, hi)*float64(len(shades)-1)))])
			}
			plain.WriteString(strings.Repeat(s, cell))
		}
		fmt.Fprintln(r.out, strings.TrimRight(plain.String(), " "))
	}
	if step > 1 {
		fmt.Fprintf(r.out, "every %d. row and column is shown; --png FILE shows all\n", step)
	}
	return nil
}

// level is where v lies between lo and hi, 0 to 1.
func level(v, lo, hi float64) float64 {
	if hi <= lo || math.IsNaN(v) {
		return 0.5
	}
	return max(0, min(1, (v-lo)/(hi-lo)))
}

// ramp is a colour from dark blue over green to yellow.
func ramp(x float64) color.RGBA {
	stops := [...][3]float64{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}
	at := x * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(k int) uint8 { return uint8(stops[i][k]*(1-f) + stops[i+1][k]*f) }
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}

// writePNG writes a picture with one cell as a square of pixels.
func (r *Repl) writePNG(name string, p debugger.Picture, lo, hi float64) error {
	side := max(1, 512/max(p.Width, p.Height))
	im := image.NewRGBA(image.Rect(0, 0, p.Width*side, p.Height*side))
	for y := range p.Height * side {
		for x := range p.Width * side {
			v := p.Values[y/side*p.Width+x/side]
			c := color.RGBA{128, 128, 128, 255}
			if !math.IsNaN(v) {
				c = ramp(level(v, lo, hi))
			}
			im.SetRGBA(x, y, c)
		}
	}
	f, err := r.create(name)
	if err != nil {
		return err
	}
	err = png.Encode(f, im)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		fmt.Fprintf(r.out, "written to %s\n", name)
	}
	return err
}
