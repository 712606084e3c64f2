package gpu

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/launch"
)

func unsupported(format string, args ...any) *diag.Error {
	return &diag.Error{Class: diag.Unsupported, Msg: fmt.Sprintf(format, args...)}
}

func badInput(format string, args ...any) *diag.Error {
	return &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf(format, args...)}
}

// at gives an error the position p if it has none.
func at(err *diag.Error, p diag.Pos) *diag.Error {
	if !err.Pos.IsValid() {
		err.Pos = p
	}
	return err
}

// bindingError is an error about a binding of a dispatch.
func bindingError(class diag.ErrorClass, b *launch.Binding, format string, args ...any) *diag.Error {
	return &diag.Error{Class: class, Pos: b.Pos, Msg: fmt.Sprintf("set %d binding %d: ", b.Set, b.Binding) + fmt.Sprintf(format, args...)}
}
