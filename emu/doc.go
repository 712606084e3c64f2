// Package emu is the emulated machine: it lowers a kernel to a flat program,
// binds the launch's memory, and runs tiles of warps under a deterministic
// schedule.
//
// Order of events for one dispatch: Resolve and lower the module for the warp
// width (lower*.go, with function calls inlined); make a view for every
// descriptor that the kernel uses (resources.go); run the tiles (machine.go):
// in parallel when workers are allowed and nobody observes, on the premise
// that tiles are independent, and again from the start, one after the other,
// if a tile turns out to depend on another (parallel.go). A warp runs until it
// waits at a barrier or has used up its turn (tile.go); a barrier that not all
// threads of the tile reach is a finding (barrier.go), and so is a state from
// which no thread can go on (spin.go).
//
// A fault of the kernel, a divergent barrier and a livelock are findings in
// the Result. Errors are for what cannot be run: *diag.Error, class BadInput
// or Unsupported. A failure of the machine itself is a *diag.Bug.
package emu
