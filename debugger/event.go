package debugger

// Event is something that happened in a session, as its listeners are told: a
// ContinuedEvent, StoppedEvent, OutputEvent, PointEvent or ExitedEvent.
//
// A command that runs makes a ContinuedEvent, then any number of OutputEvents, a
// PointEvent for each point that it left other than it was, and a StoppedEvent or
// an ExitedEvent: also when it gives an error.
type Event interface{ event() }

// ContinuedEvent says that the session runs; what stood still holds no longer.
type ContinuedEvent struct{}

// StoppedEvent says that the session stands still.
type StoppedEvent struct{ Stop Stop }

// OutputEvent is a line that the kernel printed, or a logpoint.
type OutputEvent struct {
	Text  string
	Point int // number of the logpoint; 0: the kernel
}

// PointEvent says that a point was set, changed or removed.
type PointEvent struct {
	Point   Point
	Removed bool
}

// ExitedEvent says that the launch has ended; its last dispatch can still be
// looked at.
type ExitedEvent struct{ Stop Stop }

func (ContinuedEvent) event() {}
func (StoppedEvent) event()   {}
func (OutputEvent) event()    {}
func (PointEvent) event()     {}
func (ExitedEvent) event()    {}

// Listen has f called with each event of the session, in order, by the goroutine
// in which it happens. Between a ContinuedEvent and the one that ends the command
// f finds the session running; at others it may ask the session anything.
func (s *Session) Listen(f func(Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, f)
}

// tell tells the listeners of an event. The session must not be locked.
func (s *Session) tell(e Event) {
	s.mu.Lock()
	list := s.listeners
	s.mu.Unlock()
	for _, f := range list {
		f(e)
	}
}
