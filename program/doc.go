// Package program is the flat program that a kernel is lowered to, as a format
// of its own: operations of fixed size, with calls inlined and branch targets
// resolved. Nothing here runs one.
//
// A program is for warps of one width. Its registers are rows of an arena, each
// a dense run of lanes: one 64-bit element a lane, raw bits, zero-extended.
// Operations name the first element of a row. A vector lies in consecutive
// rows. Variables in Function and Private storage are rows too; memory that
// threads share is reached through views, by number.
//
// What an operation reads and writes, where it goes, what it does to memory and
// how it is printed stands in one table (see Info). Whoever wants to know asks
// there: Program.Touches, Flow, Access, Check and Dump are made of it.
//
// Functions of scalars are symbols, which an engine resolves. A program is
// immutable: what runs it keeps what it finds out elsewhere.
package program
