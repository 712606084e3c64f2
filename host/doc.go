// Package host is what ampdbg takes from the computer that it runs on: memory
// within a limit, and files, which are read up to a limit and written whole or
// not at all.
//
// Whoever is about to take much memory at once asks first (Need); what grows
// bit by bit is watched (Watch). So a launch that needs more than there is ends
// with an error that says how much, in place of the process.
package host
