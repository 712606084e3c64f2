package launch

import (
	"strings"

	"ampdbg/amber"
)

var addressModes = map[string]AddressMode{
	"repeat":               Repeat,
	"mirrored_repeat":      MirroredRepeat,
	"clamp_to_edge":        ClampToEdge,
	"clamp_to_border":      ClampToBorder,
	"mirror_clamp_to_edge": MirrorClampToEdge,
}

var borderColors = map[string]bool{
	"FLOAT_TRANSPARENT_BLACK": true, "INT_TRANSPARENT_BLACK": true, "FLOAT_OPAQUE_BLACK": true,
	"INT_OPAQUE_BLACK": true, "FLOAT_OPAQUE_WHITE": true, "INT_OPAQUE_WHITE": true,
}

var compareFunctions = map[string]bool{
	"never": true, "less": true, "equal": true, "less_or_equal": true, "greater": true,
	"not_equal": true, "greater_or_equal": true, "always": true,
}

// NewSampler is a sampler with AmberScript's defaults: nearest, repeat,
// transparent black, levels of detail from 0 to 1.
func NewSampler(name string) *Sampler {
	return &Sampler{Name: name, BorderColor: "FLOAT_TRANSPARENT_BLACK", MaxLOD: 1, CompareOp: "never"}
}

// sampler makes a SAMPLER. Words of its options are taken in either case.
func (b *builder) sampler(decl *amber.Sampler) error {
	s := NewSampler(decl.Name.Text)
	s.Pos = b.script.WordPos(decl.Name)
	b.samplers[s.Name] = s
	b.launch.Samplers = append(b.launch.Samplers, s)
	for _, o := range decl.Options {
		if err := b.samplerOption(s, o); err != nil {
			return err
		}
	}
	if s.MaxLOD < s.MinLOD {
		return b.bad(decl.Name, "MAX_LOD %g of sampler %s is less than MIN_LOD %g", s.MaxLOD, s.Name, s.MinLOD)
	}
	if s.Unnormalized {
		s.MinLOD, s.MaxLOD = 0, 0 // what Vulkan demands
	}
	return nil
}

func (b *builder) samplerOption(s *Sampler, o amber.SamplerOption) error {
	value := strings.ToLower(o.Value.Text)
	switch o.Key.Text {
	case "MAG_FILTER", "MIN_FILTER":
		if value != "nearest" && value != "linear" {
			return b.bad(o.Value, "expected nearest or linear, found %q", o.Value.Text)
		}
		if o.Key.Text == "MAG_FILTER" {
			s.MagLinear = value == "linear"
		} else {
			s.MinLinear = value == "linear"
		}
	case "ADDRESS_MODE_U", "ADDRESS_MODE_V", "ADDRESS_MODE_W":
		mode, ok := addressModes[value]
		if !ok {
			return b.bad(o.Value, "expected repeat, mirrored_repeat, clamp_to_edge, clamp_to_border or mirror_clamp_to_edge, found %q", o.Value.Text)
		}
		*map[byte]*AddressMode{'U': &s.AddressU, 'V': &s.AddressV, 'W': &s.AddressW}[o.Key.Text[len("ADDRESS_MODE_")]] = mode
	case "BORDER_COLOR":
		if s.BorderColor = strings.ToUpper(value); !borderColors[s.BorderColor] {
			return b.bad(o.Value, "expected a border colour (float_transparent_black, int_opaque_white, ...), found %q", o.Value.Text)
		}
	case "MIN_LOD", "MAX_LOD":
		f := Scalar{Kind: Float32}
		raw, err := f.parse(o.Value.Text)
		if err != nil {
			return b.bad(o.Value, "%s", err)
		}
		if o.Key.Text == "MIN_LOD" {
			s.MinLOD = float32(f.Float(raw))
		} else {
			s.MaxLOD = float32(f.Float(raw))
		}
	case "NORMALIZED_COORDS", "UNNORMALIZED_COORDS":
		s.Unnormalized = o.Key.Text == "UNNORMALIZED_COORDS"
	case "COMPARE":
		s.Compare = value == "on"
	case "COMPARE_OP":
		if s.CompareOp = value; !compareFunctions[value] {
			return b.bad(o.Value, "expected a comparison (never, less, equal, ...), found %q", o.Value.Text)
		}
	}
	return nil
}
