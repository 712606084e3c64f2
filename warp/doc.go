// Package warp executes one warp of a lowered kernel.
//
// A Program is a flat slice of fixed-size operations with function calls
// inlined and branch targets resolved. A Warp is its state: an arena of rows,
// each a dense run of lanes (one 64-bit element per lane, raw bits,
// zero-extended); the masks of active and live lanes; and a stack of open
// constructs. One dispatch of the interpreter serves all lanes. Value
// operations on a diverged warp compute every lane, and give back to the others
// what they held, so that there is one implementation of each.
//
// Reconvergence is SPV_KHR_maximal_reconvergence: Enter pushes a construct;
// lanes that leave it wait in the entry of the construct they leave for (at
// its merge point, at its continue target, or for its next iteration), and go
// on when no lane of the construct can run any more. Lanes that take the
// other side of a branch wait as a group in the innermost construct. Groups
// that block at a barrier while other lanes can still run are set aside with
// the constructs they have open.
//
// Variables in Function and Private storage are rows of the arena too. Memory
// that several threads share is package tilemem's; every access is checked
// against its view, and shown to the tile's observer, if any, before it
// happens.
//
// What it does not do: decide which warp runs (package emu), and say what a
// fault means to a person.
package warp
