package spirv

// readDebug resolves the module's debug information.
func (r *resolver) readDebug() {}
