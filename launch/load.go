package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/spirv"
)

// LoadOptions is how to launch a file. All but Entry and Tools are for a bare
// module; a script says these things itself.
type LoadOptions struct {
	Entry  string    // the entry point; "" is main, or the only one of a module
	Groups [3]uint32 // tiles; 0 in all means 1, 1, 1
	// Binds are SET.BINDING=[KIND] TYPE[N][:INIT]; the forms are listed at (*binder).bind.
	Binds []string
	// Push is TYPE:VALUE,…[;TYPE:VALUE,…]… for the push constants, laid out by
	// std430's rules one behind the other.
	Push string
	// Spec are ID=TYPE:VALUE.
	Spec      []string
	TargetEnv string // for a GLSL or HLSL file; "" is vulkan1.2
	Tools     Tools  // nil means the installed ones
	// Confine lets a script name files in its own folder and below it only.
	Confine bool
}

// Load makes the launch of a file: an AmberScript (.amber), a module (.spv,
// .spvasm) or a shader (.comp, .glsl, .hlsl). A module of which a variable is
// left unbound that its entry point uses is a *diag.Error of class BadInput.
func Load(path string, opt LoadOptions) (*Launch, error) {
	text, err := readFile(path, host.MaxText)
	if err != nil {
		return nil, err
	}
	if opt.Tools == nil {
		opt.Tools = InstalledTools{}
	}
	ext := strings.ToLower(filepath.Ext(path))
	if ext == ".amber" {
		if err := opt.forScript(path); err != nil {
			return nil, err
		}
		if err := host.Need(textCost*int64(len(text)), "the text of "+path); err != nil {
			return nil, err
		}
		s, errs := amber.Parse(path, text)
		if len(errs) > 0 {
			return nil, joinErrors(errs)
		}
		return FromScript(s, ScriptOptions{Entry: opt.Entry, Tools: opt.Tools, Read: opt.files(path)})
	}
	if err := host.Need(textCost*int64(len(text)), "the module "+path); err != nil {
		return nil, err
	}
	m, err := loadModule(path, ext, text, opt)
	if err != nil {
		return nil, err
	}
	return fromModule(m, opt)
}

// forScript refuses options that a script has no use for.
func (opt LoadOptions) forScript(path string) error {
	if opt.TargetEnv != "" {
		return &diag.Error{Pos: diag.Pos{File: path}, Msg: "a script says itself what to compile its shaders for (TARGET_ENV)"}
	}
	if opt.Groups != [3]uint32{} || opt.Binds != nil || opt.Push != "" || opt.Spec != nil {
		return &diag.Error{Pos: diag.Pos{File: path}, Msg: "a script says itself what to bind and run: tiles, bindings, push constants and specialization are for a bare module"}
	}
	return nil
}

// loadModule reads or compiles a bare module.
func loadModule(path, ext string, text []byte, opt LoadOptions) (*spirv.Module, error) {
	env := opt.TargetEnv
	if env == "" {
		env = "vulkan1.2"
	} else if _, err := envVersion(env); err != nil {
		return nil, &diag.Error{Msg: err.Error()}
	} else if ext == ".spv" || ext == ".spvasm" {
		return nil, &diag.Error{Pos: diag.Pos{File: path}, Msg: "a module in SPIR-V is compiled already: a target environment is for GLSL and HLSL"}
	}
	src := Source{Language: "GLSL", File: path, Line: 1, Text: string(text), Entry: opt.Entry, TargetEnv: env}
	switch ext {
	case ".spv":
		return spirv.Decode(path, text)
	case ".spvasm":
		return spirv.Assemble(path, string(text))
	case ".hlsl":
		src.Language = "HLSL"
		fallthrough
	case ".comp", ".glsl":
		if src.Entry == "" {
			src.Entry = "main"
		}
		data, err := opt.Tools.Compile(src)
		var d *diag.Error
		if errors.As(err, &d) && !d.Pos.IsValid() {
			placed := *d
			placed.Pos.File = path
			return nil, &placed
		}
		if err != nil {
			return nil, err
		}
		return spirv.Decode(path, data)
	}
	if len(text) >= 4 {
		if w := binary.LittleEndian.Uint32(text); w == spirvMagic || w == swap(spirvMagic) {
			return spirv.Decode(path, text)
		}
	}
	return nil, &diag.Error{Pos: diag.Pos{File: path}, Msg: fmt.Sprintf("unknown kind of file %q: expected .amber, .spv, .spvasm, .comp, .glsl or .hlsl", ext)}
}

// textCost is about how many bytes a byte of a script or a module takes when it
// is parsed.
const textCost = 16

// spirvMagic is the first word of a SPIR-V binary.
const spirvMagic = 0x07230203

func swap(w uint32) uint32 { return w>>24 | w>>8&0xff00 | w<<8&0xff0000 | w<<24 }

// readFile reads a file that a flag names.
func readFile(path string, most int64) ([]byte, error) {
	data, err := host.ReadFile(path, most)
	if err != nil {
		return nil, cannotRead(diag.Pos{}, err)
	}
	return data, nil
}

// cannotRead is the error of a file that cannot be read, or not in the memory
// that there is.
func cannotRead(pos diag.Pos, err error) error {
	out := &diag.Error{Pos: pos, Msg: "cannot read the file", Err: err}
	var d *diag.Error
	if errors.As(err, &d) {
		out.Class = d.Class
	}
	return out
}

// files gives how a script's files are read.
func (opt *LoadOptions) files(script string) func(name string) ([]byte, error) {
	dir := filepath.Dir(script)
	return func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		if opt.Confine {
			real, err := host.Inside(dir, name)
			if err != nil {
				return nil, err
			}
			name = real
		}
		return host.ReadFile(name, MaxBytes)
	}
}
