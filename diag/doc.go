// Package diag holds what the tool has to say: positions, errors and findings,
// and the four ways to write them down.
//
// A failure of the input (an unreadable file, an unknown word, an unsupported
// instruction) is an *Error. A fault of a kernel (a race, an access out of
// bounds, a failed expectation) is a Finding. A Report holds what one launch
// gave of both, with a Coverage that says what was checked and what was not.
//
//	Finding ─┐
//	Error   ─┼─► Report ─► WriteText, WriteJSON, WriteSARIF, WriteJUnit
//	Coverage ┘
//
// Findings are folded to one per bug and sorted (Fold), so that the same
// launch prints the same report every time. Every kind of finding has an
// entry in one table (Explanations) that also feeds the explain command,
// docs/findings.md and the rules of a SARIF log.
//
// The package knows nothing about kernels: variables, values and kinds of
// access arrive as text. It neither reads files nor asks the terminal
// anything; source text comes through a Sources function.
package diag
