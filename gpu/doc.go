// Package gpu lists Vulkan devices and runs launches on them.
//
// A dispatch goes through these stages, one file each:
//
//	usage.go     what the entry point uses: variables, atomics, modes, sizes
//	needs.go     the features and extensions that follow; what the device lacks
//	paths.go     modules that would crash a driver
//	limits.go    grid, tile, tile_static, push constants against the limits
//	logical.go   a VkDevice with exactly those features, and its pipelines
//	memory.go    buffers with guard zones around them, uploaded
//	images.go    images, views and samplers
//	samples.go   multisampled images, filled and read by a kernel of ours
//	bind.go      descriptor sets
//	run.go       record, submit, wait in short slices, read back
//	guard.go     the guard zones compared: writes outside a buffer
//
// Results come back into the Data of the launch's buffers and images, as the
// emulator leaves them. Whatever the device or the system lacks is a
// *diag.Error of class Unsupported that names it; a deadline that passes is
// one of class Budget.
//
// What it does not do: graphics, sparse resources,
// several queues. The guard zones tell of writes up to guardSize bytes beside
// a buffer; what lies farther the driver may drop, or die of. Modules are
// checked only as far as drivers are known to crash on them. What else makes
// a driver crash ends the process, and a kernel that never ends keeps its
// share of the device until the process ends: package isolate has devices in
// another one.
//
// Mesa's lavapipe (22.3), a device without hardware, ends every loop after
// 65,535 rounds, whatever the kernel says: results of longer loops are its
// own.
//
// All cgo is below gpu/internal. Without cgo, or on another system than
// 64-bit Linux, every function is present and says what is missing.
package gpu
