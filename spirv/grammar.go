package spirv

//go:generate go run ./internal/gen

// Opcode is the number of a core instruction (OpNop, OpFAdd, ...).
type Opcode uint16

type quantifier uint8

const (
	one quantifier = iota
	optional
	many
)

type operandInfo struct {
	kind  string
	quant quantifier
	name  string
}

type instructionInfo struct {
	name         string
	opcode       uint32
	class        string
	operands     []operandInfo
	capabilities []string
}

type enumerantInfo struct {
	name         string
	value        uint32
	params       []operandInfo
	capabilities []string
}

type kindInfo struct {
	name     string
	category string // BitEnum, ValueEnum, Id, Literal, Composite
	bases    []string
	values   []enumerantInfo
}

type extInstSetInfo struct {
	name         string
	instructions []instructionInfo
}
