package expr

import "ampdbg/spirv"

// Node is a node of a parsed expression: *Literal, *Name, *Member, *Index, *Run,
// *Length, *Call, *Array, *Cast, *List, *Unary, *Binary, *Choose or *Assign.
type Node interface {
	// Col is the node's column in the text, from 1: of an operator its sign's.
	Col() int
}

type at int

// Col implements Node.
func (a at) Col() int { return int(a) + 1 }

// Literal is a number, a character, true or false.
type Literal struct {
	at
	Text  string
	Value Value
	// plain says that the number has no suffix, so that it is rounded to the type
	// of what it is assigned to and not before.
	plain bool
}

// Name is a name. Memo is for the target's use.
type Name struct {
	at
	Text string
	Memo any
}

// Member is a member of a struct or block, or a swizzle.
type Member struct {
	at
	Of   Node
	Name string
}

// Index is an element; of an image a texel, with several coordinates.
type Index struct {
	at
	Of Node
	By []Node
}

// Run is First @ Count: that many elements from one on.
type Run struct {
	at
	First, Count Node
}

// Length is Of.length().
type Length struct {
	at
	Of Node
}

// Call is a constructor of a scalar, vector, matrix or struct, or a function.
type Call struct {
	at
	Name string
	Args []Node
	op   chosen
}

// Array is a constructor of an array: float[2][3](...). A dimension that the
// arguments give is nil.
type Array struct {
	at
	Elem string
	Dims []Node
	Args []Node
}

// Cast is (Name)Of.
type Cast struct {
	at
	To *spirv.Type
	Of Node
	op chosen
}

// List is (1, 2) or {1, 2}.
type List struct {
	at
	Braces bool
	Elems  []Element
	// Rest says that the list ends with "...": elements are left out.
	Rest bool
}

// Element is an element of a list: "value", "name = value" or "value <9 times>".
type Element struct {
	Name  string
	Value Node
	Times int
}

// Unary is Op Of: one of - + ! ~ & *.
type Unary struct {
	at
	Op string
	Of Node
	op chosen
}

// Binary is X Op Y.
type Binary struct {
	at
	Op   string
	X, Y Node
	op   chosen
}

// Choose is If ? Yes : No.
type Choose struct {
	at
	If, Yes, No Node
}

// Assign is To Op Value: =, += and so on. ++ and -- are += 1 and -= 1.
type Assign struct {
	at
	Op        string
	To, Value Node
	op        chosen
}
