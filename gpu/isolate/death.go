package isolate

// Death says how a child ended that was not told to.
type Death struct {
	// Signal is the one that killed it, "SIGSEGV"; empty if it ended by
	// itself.
	Signal string
	// Status says the rest: "exit status 1", with the last that it wrote.
	Status string
}

// Crashed reports whether the process died of a fault in it: what the child
// does apart from Vulkan does not fault.
func (d *Death) Crashed() bool {
	return d.Signal != "" && d.Signal != "SIGKILL" && d.Signal != "SIGTERM"
}

func (d *Death) Error() string {
	if d.Signal != "" {
		return d.Signal
	}
	return d.Status
}
