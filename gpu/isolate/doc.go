// Package isolate runs launches on Vulkan devices in another process, so that
// a driver which crashes or hangs ends that process and not this one.
//
// It offers what package gpu does (devices, accelerators, dispatches) over a
// child: this program once more, which ServeChild turns into a server of
// requests.
//
//	host.go         a Host starts children and lends them out, one after the other
//	accelerator.go  a device in a child; a child that died is replaced
//	process.go      one child: asked, watched, killed
//	death.go        what a child died of; lastwords.go reads it off
//	serve.go        the child's side
//	wire.go         requests and replies on the pipes
//	encode.go       a dispatch as it is sent, and put together again
//
// The child tells of each phase of a dispatch as it begins, so that the error
// about its death names what was being done. Whatever happens to the child is
// one *diag.Error; the next dispatch runs in a new child, on a device that is
// opened anew. Device addresses given out before are void then.
//
// What it does not do: it is no sandbox. A child may do what this program may.
package isolate
