package launch

import (
	"path/filepath"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/spirv"
)

// Sources looks sources up among those that the launch's modules carry, then
// on disk as FileSources does: as named, and in the folder of the script.
func Sources(l *Launch, opt *LoadOptions) diag.Sources {
	disk := FileSources(opt, l.Name)
	var all diag.Sources
	return func(file string) (string, bool) {
		if all == nil { // modules are resolved if someone asks
			var list []diag.Sources
			seen := map[*spirv.Module]bool{}
			for _, d := range Dispatches(l.Steps) {
				if seen[d.Module] {
					continue
				}
				seen[d.Module] = true
				if u, err := spirv.Resolve(d.Module, d.Spec); err == nil {
					list = append([]diag.Sources{u.Source}, list...)
				}
			}
			list = append(list, disk, func(file string) (string, bool) {
				if filepath.IsAbs(file) {
					return "", false
				}
				return disk(filepath.Join(filepath.Dir(l.Name), file))
			})
			all = diag.FirstOf(list...)
		}
		return all(file)
	}
}

// FileSources reads sources from disk, at most once each: files anywhere or,
// where loading is confined, in the folder of a script only.
func FileSources(opt *LoadOptions, script string) diag.Sources {
	type text struct {
		s  string
		ok bool
	}
	seen := map[string]text{}
	return func(file string) (string, bool) {
		t, known := seen[file]
		if !known {
			path, err := file, error(nil)
			if opt.Confine {
				path, err = host.Inside(filepath.Dir(script), file)
			}
			if err == nil {
				var data []byte
				data, err = host.ReadFile(path, host.MaxText)
				t = text{string(data), err == nil}
			}
			seen[file] = t
		}
		return t.s, t.ok
	}
}
