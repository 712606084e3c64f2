package spirv

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// constHeader declares the types that the tests of constants use.
const constHeader = `
OpCapability Shader
OpCapability Kernel
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpMemoryModel Logical GLSL450
OpName %r "r"
OpDecorate %spec SpecId 7
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%i8 = OpTypeInt 8 1
%i16 = OpTypeInt 16 1
%i32 = OpTypeInt 32 1
%i64 = OpTypeInt 64 1
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%u32x2 = OpTypeVector %u32 2
%u32x3 = OpTypeVector %u32 3
%u16x4 = OpTypeVector %u16 4
%f32x2 = OpTypeVector %f32 2
%boolx2 = OpTypeVector %bool 2
%mat = OpTypeMatrix %f32x2 2
%true = OpConstantTrue %bool
%false = OpSpecConstantFalse %bool
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c5 = OpConstant %u32 5
%arr = OpTypeArray %u16 %c3
%S = OpTypeStruct %u32x2 %arr %bool
%spec = OpSpecConstant %u32 5
%u2x = OpConstant %u16 513
%v = OpConstantComposite %u32x2 %c2 %c3
%w = OpSpecConstantComposite %u32x2 %spec %c5
%tf = OpConstantComposite %boolx2 %true %false
%a = OpConstantComposite %arr %u2x %u2x %u2x
%s = OpConstantComposite %S %v %a %true
%undef = OpUndef %u32
%fh = OpConstant %f32 0.5
%m3 = OpConstant %i32 -3
%i2 = OpConstant %i32 2
%zero = OpConstantNull %u32
%f2 = OpConstantComposite %f32x2 %fh %fh
`

func bitsOf(f float32) uint64 { return uint64(math.Float32bits(f)) }

func TestConstants(t *testing.T) {
	tests := []struct {
		def   string
		want  []uint64
		undef []bool
		spec  bool
	}{
		{def: "OpConstant %i8 -1", want: []uint64{0xff}},
		{def: "OpConstant %i16 -2", want: []uint64{0xfffe}},
		{def: "OpConstant %i64 -2", want: []uint64{0xfffffffffffffffe}},
		{def: "OpConstant %u64 0x123456789abcdef0", want: []uint64{0x123456789abcdef0}},
		{def: "OpConstant %f16 1.5", want: []uint64{0x3e00}},
		{def: "OpConstant %f64 1.5", want: []uint64{0x3ff8 << 48}},
		{def: "OpConstantTrue %bool", want: []uint64{1}},
		{def: "OpConstantNull %S", want: []uint64{0, 0, 0, 0, 0, 0}},
		{def: "OpConstantComposite %S %v %a %true", want: []uint64{2, 3, 513, 513, 513, 1}},
		{def: "OpConstantComposite %u32x2 %undef %c2", want: []uint64{0, 2}, undef: []bool{true, false}},
		{def: "OpUndef %u32x2", want: []uint64{0, 0}, undef: []bool{true, true}},
		{def: "OpSpecConstantComposite %u32x2 %c2 %spec", want: []uint64{2, 9}, spec: true},
		{def: "OpConstantComposite %mat %f2 %f2", want: []uint64{bitsOf(.5), bitsOf(.5), bitsOf(.5), bitsOf(.5)}},
		{def: "OpSpecConstantOp %u32 IAdd %spec %c2", want: []uint64{11}, spec: true},
		{def: "OpSpecConstantOp %u32x2 IMul %v %w", want: []uint64{18, 15}, spec: true},
		{def: "OpSpecConstantOp %u16 CompositeExtract %s 1 2", want: []uint64{513}, spec: true},
		{def: "OpSpecConstantOp %u32x2 CompositeExtract %s 0", want: []uint64{2, 3}, spec: true},
		{def: "OpSpecConstantOp %S CompositeInsert %w %s 0", want: []uint64{9, 5, 513, 513, 513, 1}, spec: true},
		{def: "OpSpecConstantOp %u32x3 VectorShuffle %v %w 3 0 0xffffffff", want: []uint64{5, 2, 0}, undef: []bool{false, false, true}, spec: true},
		{def: "OpSpecConstantOp %u32x2 Select %tf %v %w", want: []uint64{2, 5}, spec: true},
		{def: "OpSpecConstantOp %S Select %true %s %s", want: []uint64{2, 3, 513, 513, 513, 1}, spec: true},
		{def: "OpSpecConstantOp %u32 UDiv %c5 %zero", want: []uint64{0}, undef: []bool{true}, spec: true},
		{def: "OpSpecConstantOp %i32 SRem %m3 %i2", want: []uint64{0xffffffff}, spec: true},
		{def: "OpSpecConstantOp %i32 SMod %m3 %i2", want: []uint64{1}, spec: true},
		{def: "OpSpecConstantOp %i32 SDiv %m3 %i2", want: []uint64{0xffffffff}, spec: true},
		{def: "OpSpecConstantOp %u32 ShiftLeftLogical %c5 %spec", want: []uint64{5 << 9}, spec: true},
		{def: "OpSpecConstantOp %i32 ShiftRightArithmetic %m3 %i2", want: []uint64{0xffffffff}, spec: true},
		{def: "OpSpecConstantOp %u16x4 Bitcast %w", want: []uint64{9, 0, 5, 0}, spec: true},
		{def: "OpSpecConstantOp %u64 Bitcast %v", want: []uint64{3<<32 | 2}, spec: true},
		{def: "OpSpecConstantOp %f32 Bitcast %zero", want: []uint64{0}, spec: true},
		{def: "OpSpecConstantOp %u16 UConvert %m3", want: []uint64{0xfffd}, spec: true},
		{def: "OpSpecConstantOp %i64 SConvert %m3", want: []uint64{0xfffffffffffffffd}, spec: true},
		{def: "OpSpecConstantOp %u64 UConvert %m3", want: []uint64{0xfffffffd}, spec: true},
		{def: "OpSpecConstantOp %f32 ConvertSToF %m3", want: []uint64{bitsOf(-3)}, spec: true},
		{def: "OpSpecConstantOp %f32 ConvertUToF %m3", want: []uint64{bitsOf(4294967293)}, spec: true},
		{def: "OpSpecConstantOp %i32 ConvertFToS %fh", want: []uint64{0}, spec: true},
		{def: "OpSpecConstantOp %f64 FConvert %fh", want: []uint64{math.Float64bits(.5)}, spec: true},
		{def: "OpSpecConstantOp %f32 QuantizeToF16 %fh", want: []uint64{bitsOf(.5)}, spec: true},
		{def: "OpSpecConstantOp %f32 FDiv %fh %fh", want: []uint64{bitsOf(1)}, spec: true},
		{def: "OpSpecConstantOp %f32 FNegate %fh", want: []uint64{bitsOf(-.5)}, spec: true},
		{def: "OpSpecConstantOp %bool ULessThan %spec %c5", want: []uint64{0}, spec: true},
		{def: "OpSpecConstantOp %bool SLessThan %m3 %i2", want: []uint64{1}, spec: true},
		{def: "OpSpecConstantOp %bool LogicalEqual %true %false", want: []uint64{0}, spec: true},
		{def: "OpSpecConstantOp %bool LogicalNot %false", want: []uint64{1}, spec: true},
		{def: "OpSpecConstantOp %u32 IAdd %undef %c2", want: []uint64{0}, undef: []bool{true}, spec: true},
	}
	for _, tt := range tests {
		t.Run(tt.def, func(t *testing.T) {
			m, err := Assemble("t", constHeader+"%r = "+tt.def+"\n")
			if err != nil {
				t.Fatal(err)
			}
			u, err := Resolve(m, SpecValues{7: 9})
			if err != nil {
				t.Fatal(err)
			}
			c := u.Const(u.named(t, "r"))
			if !slices.Equal(c.Bits, tt.want) || !slices.Equal(c.Undef, tt.undef) || c.Spec != tt.spec {
				t.Errorf("got %#x undefined %v spec %v, want %#x %v %v", c.Bits, c.Undef, c.Spec, tt.want, tt.undef, tt.spec)
			}
		})
	}
}

// named finds an id by its OpName.
func (u *Unit) named(t *testing.T, name string) ID {
	t.Helper()
	for i := range u.Insts {
		if id := u.Insts[i].Result; id != 0 && u.Name(id) == name {
			return id
		}
	}
	t.Fatalf("no id is named %s", name)
	return 0
}

// TestIntegerConstantOps compares integer operations of all widths with
// math/big.
func TestIntegerConstantOps(t *testing.T) {
	type big2 = func(z, x, y *big.Int) *big.Int
	floorMod := func(z, x, y *big.Int) *big.Int {
		z.Rem(x, y)
		if z.Sign() != 0 && z.Sign() != y.Sign() {
			z.Add(z, y)
		}
		return z
	}
	ops := []struct {
		name   string
		signed bool
		divide bool
		f      big2
	}{
		{"IAdd", false, false, (*big.Int).Add},
		{"ISub", false, false, (*big.Int).Sub},
		{"IMul", false, false, (*big.Int).Mul},
		{"UDiv", false, true, (*big.Int).Quo},
		{"UMod", false, true, (*big.Int).Rem},
		{"SDiv", true, true, (*big.Int).Quo},
		{"SRem", true, true, (*big.Int).Rem},
		{"SMod", true, true, floorMod},
		{"BitwiseAnd", false, false, (*big.Int).And},
		{"BitwiseOr", false, false, (*big.Int).Or},
		{"BitwiseXor", false, false, (*big.Int).Xor},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	type want struct {
		bits  uint64
		undef bool
		what  string
	}
	var wants []want
	text.WriteString(strings.Replace(constHeader, `OpName %r "r"`, "", 1))
	for _, width := range []int{8, 16, 32, 64} {
		for range 40 {
			x, y := edge(rnd, width), edge(rnd, width)
			k := len(wants)
			fmt.Fprintf(&text, "%%x%d = OpConstant %%u%d %d\n%%y%d = OpConstant %%u%d %d\n", k, width, x, k, width, y)
			for _, op := range ops {
				bx, by := new(big.Int).SetUint64(x), new(big.Int).SetUint64(y)
				if op.signed {
					bx.SetInt64(signed(x, width))
					by.SetInt64(signed(y, width))
				}
				w := want{what: fmt.Sprintf("%s %d-bit %#x %#x", op.name, width, x, y)}
				least := new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(width-1)))
				if op.divide && (by.Sign() == 0 || op.signed && bx.Cmp(least) == 0 && by.Cmp(big.NewInt(-1)) == 0) {
					w.undef = true
				} else {
					z := op.f(new(big.Int), bx, by)
					z.Mod(z, new(big.Int).Lsh(big.NewInt(1), uint(width)))
					w.bits = z.Uint64()
				}
				fmt.Fprintf(&text, "%%r%d = OpSpecConstantOp %%u%d %s %%x%d %%y%d\n", len(wants), width, op.name, k, k)
				wants = append(wants, w)
			}
		}
	}
	u := mustResolve(t, text.String())
	n := 0
	for i := range u.Insts {
		if u.Insts[i].Op != OpSpecConstantOp {
			continue
		}
		c := u.Const(u.Insts[i].Result)
		if w := wants[n]; c.Bits[0] != w.bits || c.IsUndef(0) != w.undef {
			t.Errorf("%s: %#x undefined %v, want %#x %v", w.what, c.Bits[0], c.IsUndef(0), w.bits, w.undef)
		}
		n++
	}
	if n != len(wants) {
		t.Errorf("%d results, want %d", n, len(wants))
	}
}

// edge gives a random number of the width, often one near an edge.
func edge(rnd *rand.Rand, width int) uint64 {
	switch rnd.IntN(4) {
	case 0:
		return uint64(rnd.IntN(3))
	case 1:
		return mask(-uint64(rnd.IntN(3)), width)
	case 2:
		return mask(1<<(width-1)+uint64(rnd.IntN(2)), width)
	}
	return mask(rnd.Uint64(), width)
}

func TestSpecialization(t *testing.T) {
	text := `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %f "main"
OpEntryPoint GLCompute %g "other"
OpExecutionMode %f LocalSize 1 2 3
OpExecutionModeId %g LocalSizeId %n %n %one
OpName %arr "arr"
OpName %b "b"
OpDecorate %n SpecId 0
OpDecorate %b SpecId 1
%void = OpTypeVoid
%u = OpTypeInt 32 0
%bool = OpTypeBool
%n = OpSpecConstant %u 4
%b = OpSpecConstantFalse %bool
%one = OpConstant %u 1
%arr = OpTypeArray %u %n
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
%g = OpFunction %void None %fn
%k = OpLabel
OpReturn
OpFunctionEnd
`
	m, err := Assemble("t", text)
	if err != nil {
		t.Fatal(err)
	}
	u, err := Resolve(m, SpecValues{0: 8, 1: 5, 99: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := u.Type(u.named(t, "arr")).Len; n != 8 {
		t.Errorf("array length %d, want 8", n)
	}
	if b := u.Const(u.named(t, "b")); b.Uint() != 1 {
		t.Errorf("Boolean %d, want 1", b.Uint())
	}
	if got := u.EntryPoint("main").LocalSize; got != [3]uint32{1, 2, 3} {
		t.Errorf("main's local size %v", got)
	}
	if got := u.EntryPoint("other").LocalSize; got != [3]uint32{8, 8, 1} {
		t.Errorf("other's local size %v", got)
	}
	if _, err := Resolve(m, SpecValues{0: 0}); err == nil {
		t.Error("no error for an array of length 0")
	}

	// The WorkgroupSize constant wins.
	wins := strings.Replace(text, `OpDecorate %n SpecId 0`, "OpDecorate %n SpecId 0\nOpDecorate %size BuiltIn WorkgroupSize", 1)
	wins = strings.Replace(wins, `%arr = `, "%u3 = OpTypeVector %u 3\n%size = OpSpecConstantComposite %u3 %n %one %n\n%arr = ", 1)
	u = mustResolve(t, wins)
	if got := u.EntryPoint("main").LocalSize; got != [3]uint32{4, 1, 4} {
		t.Errorf("local size %v with WorkgroupSize", got)
	}
}
