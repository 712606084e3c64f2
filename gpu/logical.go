//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"strings"
	"weak"

	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// logical is a VkDevice with a certain set of features and what lives on it
// between dispatches.
type logical struct {
	key       string
	dev       *driver.Device
	pipelines *cache[pipelineKey, *driver.Pipeline]
	pool      pool
	// resident are the buffers whose address was given out: they stay where
	// they are as long as the launch's buffer lives.
	resident map[weak.Pointer[launch.Buffer]]*deviceBuffer
}

// maxPipelines bounds the pipelines kept per logical device.
const maxPipelines = 256

// logical gives the VkDevice with exactly the features and extensions of the
// needs.
func (a *Accelerator) logical(n needs) (*logical, error) {
	features, extensions := n.names("feature"), n.names("extension")
	key := strings.Join(features, " ") + "|" + strings.Join(extensions, " ")
	if l := a.logicals[key]; l != nil {
		l.sweep()
		return l, nil
	}
	dev, err := a.physical.NewDevice(features, extensions)
	if err != nil {
		return nil, err
	}
	l := &logical{key: key, dev: dev, resident: map[weak.Pointer[launch.Buffer]]*deviceBuffer{}}
	l.pipelines = newCache[pipelineKey](maxPipelines, (*driver.Pipeline).Destroy)
	a.logicals[key] = l
	return l, nil
}

// sweep frees the resident buffers whose launch is gone.
func (l *logical) sweep() {
	for p, b := range l.resident {
		if p.Value() == nil {
			b.destroy()
			delete(l.resident, p)
		}
	}
}

func (l *logical) destroy() {
	for _, b := range l.resident {
		b.destroy()
	}
	l.pool.clear()
	l.pipelines.clear()
	l.dev.Destroy()
}

// pipelineKey names a pipeline by all that goes into it.
type pipelineKey struct {
	program  programKey
	layout   string
	push     int
	subgroup launch.Subgroup
}
