package gpu

// Phase is a part of the work on a dispatch, as a verb that a sentence about
// its entry point can go on with: "compiling".
type Phase string

// The phases of a dispatch, in order. Running comes once for each repetition.
const (
	Preparing Phase = "making the device ready for"
	Compiling Phase = "compiling"
	Placing   Phase = "placing the memory of"
	Running   Phase = "running"
	Reading   Phase = "reading the results of"
)
