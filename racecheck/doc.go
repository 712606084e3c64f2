// Package racecheck finds what is wrong with a kernel: data races, uses of
// memory that no one wrote, operations without a defined result, accesses out
// of bounds, and, through the emulator, divergent barriers and kernels that
// wait for ever.
//
// A Checker runs dispatches on the emulator and watches. For each dispatch:
//
//   - The observer is shown every access, barrier and fence, and feeds the
//     detector, which knows only threads, tiles, memories and sites: tile
//     epochs, a shadow of 16 bytes for each 32-bit word, vector clocks where a
//     module synchronizes by more than barriers (docs/races.md).
//   - Faults are taken down, and the kernel goes on as robust buffer access
//     would have it.
//   - If a race was found in a module with vector clocks, the dispatch runs
//     again with clocks that tell what was missing.
//   - If no thread could go on, it runs again with warps of one thread, where a
//     lock shows what it guards.
//   - If the run was suspect, it runs again under the tracer, which follows
//     values from a read of unwritten memory to where they matter.
//
// Package kerneltest, below, does it in Go tests.
package racecheck
