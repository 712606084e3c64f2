package spirv

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEveryConstantOp holds the table of operations to what the grammar of
// OpSpecConstantOp admits.
func TestEveryConstantOp(t *testing.T) {
	elsewhere := map[Opcode]bool{ // on composites, or on pointers, which are unsupported
		OpCompositeExtract: true, OpCompositeInsert: true, OpVectorShuffle: true, OpSelect: true,
		OpAccessChain: true, OpInBoundsAccessChain: true, OpPtrAccessChain: true, OpInBoundsPtrAccessChain: true,
		OpConvertPtrToU: true, OpConvertUToPtr: true, OpGenericCastToPtr: true, OpPtrCastToGeneric: true,
		OpCooperativeMatrixLengthNV: true,
	}
	for op := range specConstantOps {
		if _, ok := constOps[op]; ok == elsewhere[op] {
			t.Errorf("%s: in the table %v, elsewhere %v", op, ok, elsewhere[op])
		}
	}
	for op := range constOps {
		if !specConstantOps[op] {
			t.Errorf("%s is in the table, but not one that OpSpecConstantOp admits", op)
		}
	}
}

// TestFloatConstantOps compares operations on 32-bit floats with Go's own
// float32 arithmetic, FMod with exact rational arithmetic.
func TestFloatConstantOps(t *testing.T) {
	floorMod := func(x, y float32) float32 {
		rx, ry := new(big.Rat).SetFloat64(float64(x)), new(big.Rat).SetFloat64(float64(y))
		q := new(big.Rat).Quo(rx, ry)
		n := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: floor for a positive denominator
		f, _ := new(big.Rat).Sub(rx, new(big.Rat).Mul(ry, new(big.Rat).SetInt(n))).Float32()
		return f
	}
	arithmetic := []struct {
		name string
		f    func(x, y float32) float32
	}{
		{"FAdd", func(x, y float32) float32 { return x + y }},
		{"FSub", func(x, y float32) float32 { return x - y }},
		{"FMul", func(x, y float32) float32 { return x * y }},
		{"FDiv", func(x, y float32) float32 { return x / y }},
		{"FMod", floorMod},
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	text.WriteString(strings.Replace(constHeader, `OpName %r "r"`, "", 1))
	type want struct {
		what string
		bits uint64
		nan  bool
	}
	var wants []want
	add := func(typ, op string, k int, w want) {
		w.what = fmt.Sprintf("%s %d", op, k)
		fmt.Fprintf(&text, "%%r%d = OpSpecConstantOp %s %s %%x%d %%y%d\n", len(wants), typ, op, k, k)
		wants = append(wants, w)
	}
	for k := range 60 {
		// Bits by way of Bitcast, so that NaN and infinities come too.
		pick := func() uint32 {
			return []uint32{rnd.Uint32(), 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, math.Float32bits(float32(rnd.IntN(9)) - 4)}[rnd.IntN(7)]
		}
		xb, yb := pick(), pick()
		x, y := math.Float32frombits(xb), math.Float32frombits(yb)
		fmt.Fprintf(&text, "%%bx%d = OpConstant %%u32 %d\n%%by%d = OpConstant %%u32 %d\n", k, xb, k, yb)
		fmt.Fprintf(&text, "%%x%d = OpSpecConstantOp %%f32 Bitcast %%bx%d\n%%y%d = OpSpecConstantOp %%f32 Bitcast %%by%d\n", k, k, k, k)
		wants = append(wants, want{"x", uint64(xb), false}, want{"y", uint64(yb), false})
		for _, op := range arithmetic {
			finite := !math.IsNaN(float64(x-x)) && !math.IsNaN(float64(y-y))
			if op.name == "FMod" && (!finite || y == 0 || x == 0 || floorMod(x, y) == 0 || math.Abs(float64(x/y)) < 1e-6) {
				continue
			}
			z := op.f(x, y)
			add("%f32", op.name, k, want{bits: bitsOf(z), nan: z != z})
		}
	}
	u := mustResolve(t, text.String())
	n := 0
	for i := range u.Insts {
		if u.Insts[i].Op != OpSpecConstantOp {
			continue
		}
		got, w := u.Const(u.Insts[i].Result).Bits[0], wants[n]
		n++
		if isNaN := floatValue(got, 32) != floatValue(got, 32); w.nan && isNaN {
			continue
		}
		if got != w.bits {
			t.Errorf("%s: %#x, want %#x", w.what, got, w.bits)
		}
	}
	if n != len(wants) {
		t.Errorf("%d results, want %d", n, len(wants))
	}
}

func TestConversionsAtTheEdges(t *testing.T) {
	tests := []struct {
		def   string
		want  uint64
		undef bool
	}{
		{"%x = OpConstant %f32 2147483648\n%r = OpSpecConstantOp %i32 ConvertFToS %x", 0, true},
		{"%x = OpConstant %f32 -2147483648\n%r = OpSpecConstantOp %i32 ConvertFToS %x", 0x80000000, false},
		{"%x = OpConstant %f32 -0.9\n%r = OpSpecConstantOp %u32 ConvertFToU %x", 0, false},
		{"%x = OpConstant %f32 -1\n%r = OpSpecConstantOp %u32 ConvertFToU %x", 0, true},
		{"%x = OpConstant %f32 4294967040\n%r = OpSpecConstantOp %u32 ConvertFToU %x", 4294967040, false},
		{"%x = OpConstant %u64 0xffffffffffffffff\n%r = OpSpecConstantOp %f32 ConvertUToF %x", bitsOf(18446744073709551616), false},
		{"%x = OpConstant %u64 0xffffffffffffffff\n%r = OpSpecConstantOp %f16 ConvertUToF %x", 0x7c00, false},
		{"%x = OpConstant %i64 -9223372036854775808\n%r = OpSpecConstantOp %f64 ConvertSToF %x", math.Float64bits(-1 << 63), false},
		{"%x = OpConstant %f64 1.00048828125\n%r = OpSpecConstantOp %f16 FConvert %x", 0x3c00, false},
		{"%x = OpConstant %f32 1e-5\n%r = OpSpecConstantOp %f32 QuantizeToF16 %x", 0, false},
		{"%x = OpConstant %f32 1e6\n%r = OpSpecConstantOp %f32 QuantizeToF16 %x", bitsOf(float32(math.Inf(1))), false},
		{"%x = OpConstant %u32 32\n%r = OpSpecConstantOp %u32 ShiftLeftLogical %c2 %x", 0, true},
		{"%x = OpConstant %i32 -2147483648\n%r = OpSpecConstantOp %i32 SDiv %x %m1", 0, true},
	}
	for _, tt := range tests {
		u := mustResolve(t, constHeader+"%m1 = OpConstant %i32 -1\n"+tt.def+"\n")
		if c := u.Const(u.named(t, "r")); c.Bits[0] != tt.want || c.IsUndef(0) != tt.undef {
			t.Errorf("%s: %#x undefined %v, want %#x %v", tt.def, c.Bits[0], c.IsUndef(0), tt.want, tt.undef)
		}
	}
}

func TestSwitchOfEveryWidth(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		u := mustResolve(t, fmt.Sprintf(`
OpCapability Shader
OpCapability Linkage
OpCapability Int16
OpCapability Int64
%%set = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpName %%a "a"
OpName %%b "b"
OpName %%m "m"
OpName %%set "set"
%%void = OpTypeVoid
%%i = OpTypeInt %d 1
%%c = OpConstant %%i 5
%%fn = OpTypeFunction %%void
%%f = OpFunction %%void None %%fn
%%l = OpLabel
OpSelectionMerge %%m None
OpSwitch %%c %%m -2 %%a 7 %%b 8 %%a
%%a = OpLabel
OpBranch %%m
%%b = OpLabel
OpBranch %%m
%%m = OpLabel
OpReturn
OpFunctionEnd
`, width))
		f := u.Functions[0]
		def, cases := u.Switch(f.Blocks[0])
		got := u.Name(def.Label)
		for _, c := range cases {
			got += fmt.Sprintf(" %d:%s", c.Value, u.Name(c.Target.Label))
		}
		if want := fmt.Sprintf("m %d:a 7:b 8:a", mask(math.MaxUint64-1, width)); got != want {
			t.Errorf("%d bits: %s, want %s", width, got, want)
		}
		if len(f.Blocks[0].Succs) != 3 {
			t.Errorf("%d successors, want 3 without repeats", len(f.Blocks[0].Succs))
		}
		if c := f.Construct(f.Blocks[0]); c == nil || c.Kind != SwitchConstruct || u.Name(c.Merge.Label) != "m" {
			t.Errorf("construct %+v", c)
		}
		if b := f.Blocks[1]; u.BlockOf(b.Last) != b || u.BlockOf(0) != nil {
			t.Error("BlockOf")
		}
		if u.ExtSet(u.named(t, "set")) != "GLSL.std.450" || u.ExtSet(f.ID) != "" {
			t.Error("ExtSet")
		}
	}
}
