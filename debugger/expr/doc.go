// Package expr is the language of the debugger's expressions: GLSL's, with what
// C has besides, on values of a kernel that stands still.
//
//	text ── Parse ──► Expr ── Eval(target) ──► Value ── Load ──► bits
//
// Parse makes a tree of typed nodes, each with its column in the text. Eval
// computes it at a Target, which is a thread in one of its frames: the target
// says what names stand for and reads memory when bits are needed; this package
// knows nothing of threads, programs or dispatches.
//
// An operation is chosen by the types of its operands, in one place for all
// operators, functions and constructors (overload). What it then does to bits is
// package scalar's: the functions that the emulator's own instructions are made
// of, chosen as a GLSL compiler chooses instructions. So narrow integers wrap,
// halves round, and denormals are flushed as in the kernel.
//
// Beyond GLSL there are casts, (float)x; pointers, *p and p->x; &x; e @ n, the
// array of the n elements from e on; %12 and %name for SPIR-V's ids; characters;
// and lists: (1, 2, 3) is a vector and {1, 2} or {a = 1} a value of the type that
// is assigned to, as values are printed. GLSL's comma operator is not there: only
// assignments would give it a use.
//
// Functions whose results GLSL writes to arguments give a struct of all their
// results when those arguments are left out: modf(x) is {fract, whole}. With them
// the value is what GLSL's function returns, and the arguments keep theirs.
package expr
