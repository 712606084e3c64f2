package spirv

// checkUses checks id operands.
func (r *resolver) checkUses() {}
