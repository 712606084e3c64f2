// Package driver is the thin layer between package gpu and Vulkan. It knows
// nothing of launches: it opens the loader, lists devices with what they can
// do, and makes the few objects that a compute dispatch needs.
//
// Vulkan is reached through github.com/vulkan-go/vulkan where its generated
// code is sound: commands whose arguments are handles, numbers, or one
// structure without slices. Commands that take slices of structures or
// strings go through C functions of our own (shim.h), because the binding
// may free its C copies while the driver still reads them, and stores Go
// pointers in them; so do the structures of Vulkan 1.1 and later, which the binding does not know.
//
// Everything that needs cgo is behind a build tag; without cgo, or on another
// system than 64-bit Linux, this package is empty.
package driver
