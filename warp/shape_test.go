package warp

import (
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// What is said of the built-in inputs must hold in every whole warp of every
// shape of tile.
func TestShapesOfBuiltins(t *testing.T) {
	builtins := []spirv.BuiltIn{
		spirv.BuiltInNumWorkgroups, spirv.BuiltInWorkgroupSize, spirv.BuiltInWorkgroupId, spirv.BuiltInLocalInvocationId,
		spirv.BuiltInGlobalInvocationId, spirv.BuiltInLocalInvocationIndex, spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupMaxSize,
		spirv.BuiltInNumSubgroups, spirv.BuiltInSubgroupId, spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupEqMask,
	}
	known := 0
	for _, width := range []int{1, 2, 3, 4, 6, 8, 16, 32} {
		for _, size := range [][3]uint32{{64, 1, 1}, {16, 16, 1}, {8, 8, 1}, {4, 4, 4}, {8, 4, 2}, {2, 2, 32}, {1, 64, 1}, {1, 1, 64}, {6, 4, 3}, {12, 3, 2}, {3, 1, 7}, {100, 1, 1}, {5, 16, 1}} {
			stride := (width + 3) &^ 3
			p := &program.Program{Width: width, Stride: stride, TileSize: size, Code: []program.Op{{Code: program.Return}}, Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}}}
			for _, b := range builtins {
				info := program.BuiltinInfo{BuiltIn: b}
				for range 3 {
					info.Rows = append(info.Rows, uint32(p.Rows*stride))
					p.Rows++
				}
				p.Builtins = append(p.Builtins, info)
			}
			p.Scratch = uint32(p.Rows * stride)
			p.Rows++
			shapes := shapesOf(p)
			code, err := Interpreter{}.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			tile := &Tile{Index: 5, ID: [3]uint32{1, 2, 3}, Groups: [3]uint32{7, 8, 9}}
			for i := range (int(size[0]*size[1]*size[2]) + width - 1) / width {
				w := New(code)
				w.Reset(tile, i)
				if w.ragged {
					continue
				}
				for _, b := range p.Builtins {
					for k, row := range b.Rows {
						s := shapes[int(row)/stride]
						for l := range stride {
							x, first := uint32(w.R[int(row)+l]), uint32(w.R[row])
							if s == uniform && x != first || s == linear && x != first+uint32(l) {
								t.Fatalf("width %d, tile %v, warp %d: component %d of %v is %v: lane %d holds %d, lane 0 %d", width, size, i, k, b.BuiltIn, s, l, x, first)
							}
						}
						if s != varying {
							known++
						}
					}
				}
			}
		}
	}
	if known < 1000 {
		t.Errorf("only %d rows have a shape", known)
	}
}
