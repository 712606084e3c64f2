package launch

import (
	"errors"
	"fmt"

	"ampdbg/amber"
	"ampdbg/diag"
)

// MaxBytes is how much memory a launch may declare in all.
const MaxBytes = 8 << 30

// maxErrors is where building a launch stops reporting.
const maxErrors = 20

// ScriptOptions is what a script's launch is made with.
type ScriptOptions struct {
	// Read opens a file that the script names, by the path in the script. nil:
	// no file can be read.
	Read func(path string) ([]byte, error)
	// Tools compile what is not SPIR-V; nil means the installed ones.
	Tools Tools
	// MaxBytes bounds the memory of all buffers and images; 0 means the
	// package's MaxBytes.
	MaxBytes int64
	// Entry, if not empty, names the entry point in place of the script's.
	Entry string
}

// FromScript makes the launch that a script describes: shaders that a RUN
// needs are compiled, memory is allocated and initialised. The error joins one
// *diag.Error per problem, in file order; unusable input comes before what is
// unsupported.
func FromScript(s *amber.Script, opt ScriptOptions) (*Launch, error) {
	if opt.Tools == nil {
		opt.Tools = InstalledTools{}
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = MaxBytes
	}
	b := &builder{
		script:    s,
		opt:       opt,
		launch:    &Launch{Name: s.File},
		names:     map[string]int{},
		structs:   map[string]*amber.Struct{},
		types:     map[structKey]*DataType{},
		virtual:   map[string]*amber.VirtualFile{},
		shaders:   map[string]*amber.Shader{},
		memory:    map[string]*memory{},
		samplers:  map[string]*Sampler{},
		pipelines: map[string]*pipeline{},
		modules:   map[string]*moduleResult{},
	}
	b.run()
	if err := joinErrors(b.errs); err != nil {
		return nil, err
	}
	return b.launch, nil
}

// joinErrors makes one error of a list: of the bad input only, if there is
// any.
func joinErrors(list []*diag.Error) error {
	var bad, rest []error
	for _, e := range list {
		if e.Class == diag.BadInput {
			bad = append(bad, e)
		} else {
			rest = append(rest, e)
		}
	}
	if bad == nil {
		bad = rest
	}
	if len(bad) == 1 {
		return bad[0]
	}
	return errors.Join(bad...)
}

// builder makes a Launch from a script.
type builder struct {
	script    *amber.Script
	opt       ScriptOptions
	launch    *Launch
	errs      []*diag.Error
	names     map[string]int // declarations so far, by kind and name: where
	structs   map[string]*amber.Struct
	types     map[structKey]*DataType
	virtual   map[string]*amber.VirtualFile
	shaders   map[string]*amber.Shader
	memory    map[string]*memory
	samplers  map[string]*Sampler
	pipelines map[string]*pipeline
	modules   map[string]*moduleResult
	robust    bool
	bytes     int64 // allocated so far
}

// run goes over the script three times: what is declared and how memory is
// used; memory and pipelines; commands.
func (b *builder) run() {
	images := b.boundAsImage()
	for _, s := range b.script.Stmts {
		b.note(b.declare(s))
	}
	for _, s := range b.script.Stmts {
		switch s := s.(type) {
		case *amber.Struct:
			_, err := b.structType(s.Name.Text, Std430)
			b.note(err)
		case *amber.Buffer:
			b.note(b.allocate(s, images[s.Name.Text]))
		case *amber.Sampler:
			b.note(b.sampler(s))
		case *amber.Pipeline:
			b.note(b.pipeline(s))
		}
	}
	for _, s := range b.script.Stmts {
		if decl, ok := s.(*amber.Buffer); ok && b.memory[decl.Name.Text] != nil {
			b.link(b.memory[decl.Name.Text])
		}
	}
	if len(b.errs) > 0 {
		return // commands would only repeat them
	}
	for _, s := range b.script.Stmts {
		step, err := b.command(s)
		b.note(err)
		if step != nil {
			b.launch.Steps = append(b.launch.Steps, step)
		}
	}
}

// note records an error.
func (b *builder) note(err error) {
	if err == nil || len(b.errs) >= maxErrors {
		return
	}
	var d *diag.Error
	if !errors.As(err, &d) {
		d = &diag.Error{Pos: diag.Pos{File: b.script.File}, Msg: err.Error()}
	}
	b.errs = append(b.errs, d)
}

func (b *builder) bad(w amber.Word, format string, args ...any) error {
	return &diag.Error{Pos: b.script.WordPos(w), Msg: fmt.Sprintf(format, args...)}
}

func (b *builder) unsupported(w amber.Word, format string, args ...any) error {
	return &diag.Error{Class: diag.Unsupported, Pos: b.script.WordPos(w), Msg: "unsupported: " + fmt.Sprintf(format, args...)}
}

// unique checks that a name is declared once.
func (b *builder) unique(kind string, w amber.Word) error {
	key := kind + "\x00" + w.Text
	if first, dup := b.names[key]; dup {
		return b.bad(w, "%s %s is declared twice, first at %s", kind, w.Text, b.script.Pos(first))
	}
	b.names[key] = w.Off
	return nil
}

// declare takes note of what needs no other declaration.
func (b *builder) declare(s amber.Stmt) error {
	switch s := s.(type) {
	case *amber.Require:
		return b.require(s)
	case *amber.EngineData:
		b.launch.FenceTimeoutMS = int(s.Value.Value)
	case *amber.VirtualFile:
		b.virtual[s.Path.Text] = s
		return b.unique("virtual file", s.Path)
	case *amber.Struct:
		b.structs[s.Name.Text] = s
		return b.unique("struct", s.Name)
	case *amber.Shader:
		b.shaders[s.Name.Text] = s
		return b.unique("shader", s.Name)
	case *amber.Buffer:
		return b.unique("buffer", s.Name)
	case *amber.Sampler:
		return b.unique("sampler", s.Name)
	case *amber.Pipeline:
		return b.unique("pipeline", s.Name)
	}
	return nil
}

// boundAsImage gives the names of buffers that some pipeline binds as images.
func (b *builder) boundAsImage() map[string]bool {
	images := map[string]bool{}
	for _, s := range b.script.Stmts {
		p, ok := s.(*amber.Pipeline)
		if !ok {
			continue
		}
		for _, s := range p.Body {
			bind, ok := s.(*amber.Bind)
			if !ok || bind.Sampler {
				continue
			}
			if k, known := descriptorKinds[bind.As.Text]; known && k.isImage() {
				for _, n := range bind.Names {
					images[n.Text] = true
				}
			}
		}
	}
	return images
}

// read opens a file that the script names at w.
func (b *builder) read(w amber.Word) ([]byte, error) {
	if b.opt.Read == nil {
		return nil, b.bad(w, "file %s cannot be read here", w.Text)
	}
	data, err := b.opt.Read(w.Text)
	if err != nil {
		return nil, cannotRead(b.script.WordPos(w), err)
	}
	return data, nil
}
