//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"weak"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// deviceBuffer is a launch buffer's place on the device: a guard zone, the
// data, a guard zone.
type deviceBuffer struct {
	gpu    *driver.Buffer
	stage  *driver.Buffer // nil where the host sees gpu
	size   int            // of the data
	filled bool           // the addresses that the launch asks for stand in its Data
	// covered says that a descriptor of this dispatch reaches into the zone
	// behind the data.
	covered bool
}

// newDeviceBuffer allocates room for size bytes between guard zones.
func (j *job) newDeviceBuffer(size int, usage uint32) (_ *deviceBuffer, err error) {
	whole := int64(size) + 2*guardSize
	if limit := j.a.device.Limits.Allocation; limit > 0 && uint64(whole) > limit {
		return nil, unsupported("a buffer of %d bytes: %s allocates at most %d", size, j.a.device.Name, limit)
	}
	where := driver.OnDevice
	if j.a.copying {
		where = driver.Hidden
	}
	b := &deviceBuffer{size: size}
	defer func() {
		if err != nil {
			b.destroy()
		}
	}()
	if b.gpu, err = j.l.dev.NewBuffer(whole, usage|driver.UseCopySource|driver.UseCopyTarget, where); err != nil {
		return nil, err
	}
	if b.gpu.Bytes == nil {
		b.stage, err = j.l.dev.NewBuffer(whole, driver.UseCopySource|driver.UseCopyTarget, driver.Staging)
	}
	return b, err
}

func (b *deviceBuffer) destroy() {
	if b.gpu != nil {
		b.gpu.Destroy()
	}
	if b.stage != nil {
		b.stage.Destroy()
	}
}

// bytes is the memory that the host reads and writes: zone, data, zone.
func (b *deviceBuffer) bytes() []byte {
	if b.stage != nil {
		return b.stage.Bytes
	}
	return b.gpu.Bytes
}

// upload writes the data and fresh guard zones.
func (b *deviceBuffer) upload(data []byte) {
	m := b.bytes()
	copy(m, guardZone[:])
	copy(m[guardSize:], data)
	copy(m[guardSize+b.size:], b.behind()[:])
}

// download reads the data back and gives the writes outside it.
func (b *deviceBuffer) download(to *launch.Buffer) []Write {
	m := b.bytes()
	copy(to.Data, m[guardSize:guardSize+b.size])
	before := changedGuard(to, m[:guardSize], &guardZone, -guardSize)
	return append(before, changedGuard(to, m[guardSize+b.size:], b.behind(), b.size)...)
}

// behind is the contents of the zone behind the data.
func (b *deviceBuffer) behind() *[guardSize]byte {
	if b.covered {
		return &zeroZone
	}
	return &guardZone
}

// placeBuffers finds or makes the place of every buffer that the dispatch reaches:
// those bound, and those whose addresses these hold.
func (j *job) placeBuffers() error {
	usage := map[*launch.Buffer]uint32{}
	add := func(b *launch.Buffer, use uint32) {
		if _, ok := usage[b]; !ok {
			j.order = append(j.order, b)
		}
		usage[b] |= use
	}
	for i := range j.d.Bindings {
		b := &j.d.Bindings[i]
		for _, e := range b.Elems {
			if e.Buffer != nil {
				add(e.Buffer, kinds[b.Kind].usage)
			}
		}
	}
	for _, b := range addressed(j.d) {
		add(b, driver.UseStorage|driver.UseAddress)
	}
	for _, b := range j.order {
		place, err := j.place(b, usage[b])
		if err != nil {
			var d *diag.Error
			if errors.As(err, &d) {
				return at(d, b.Pos)
			}
			return fmt.Errorf("buffer %s: %w", b.Name, err)
		}
		place.covered = false
		j.buffers[b] = place
	}
	for _, b := range j.order {
		if err := j.relocate(b); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) place(b *launch.Buffer, usage uint32) (*deviceBuffer, error) {
	if usage&driver.UseAddress == 0 {
		key := poolKey{len(b.Data), usage, j.a.copying}
		place := j.l.pool.take(key)
		if place == nil {
			var err error
			place, err = j.newDeviceBuffer(len(b.Data), usage)
			if err != nil && j.l.pool.bytes > 0 {
				j.l.pool.clear() // the memory may be there
				place, err = j.newDeviceBuffer(len(b.Data), usage)
			}
			if err != nil {
				return nil, err
			}
		}
		j.cleanup(func() { j.l.pool.give(key, place) })
		return place, nil
	}
	// Its address may be kept by the kernel until a later dispatch, which may
	// bind it in another way.
	usage |= driver.UseUniform | driver.UseUniformTexel | driver.UseStorageTexel
	key := weak.Make(b)
	old := j.l.resident[key]
	if old != nil && old.size == len(b.Data) {
		return old, nil
	}
	place, err := j.newDeviceBuffer(len(b.Data), usage)
	if err != nil {
		return nil, err
	}
	if old != nil {
		old.destroy()
	}
	j.l.resident[key] = place
	return place, nil
}

// addressed lists the buffers that hold addresses or whose address is held,
// starting from those that the dispatch binds, in a fixed order.
func addressed(d *launch.Dispatch) []*launch.Buffer {
	var queue, out []*launch.Buffer
	seen := map[*launch.Buffer]bool{}
	add := func(b *launch.Buffer) {
		if b != nil && !seen[b] {
			seen[b] = true
			queue = append(queue, b)
		}
	}
	for i := range d.Bindings {
		for _, e := range d.Bindings[i].Elems {
			add(e.Buffer)
		}
	}
	add(d.PushBuffer)
	target := map[*launch.Buffer]bool{}
	for i := 0; i < len(queue); i++ {
		for _, a := range queue[i].Addresses {
			target[a.To] = true
			add(a.To)
		}
	}
	for _, b := range queue {
		if target[b] || len(b.Addresses) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// relocate writes the addresses that b asks for into its Data, once.
func (j *job) relocate(b *launch.Buffer) error {
	place := j.buffers[b]
	if len(b.Addresses) == 0 || place.filled {
		return nil
	}
	for _, a := range b.Addresses {
		if a.At < 0 || a.At+8 > len(b.Data) || a.To == nil {
			return &diag.Error{Class: diag.BadInput, Pos: b.Pos, Msg: fmt.Sprintf("buffer %s: no room for an address at byte %d of %d", b.Name, a.At, len(b.Data))}
		}
		base := j.buffers[a.To].gpu.Address()
		if base == 0 {
			return unsupported("%s gives no address for buffer %s", j.a.device.Name, a.To.Name)
		}
		binary.LittleEndian.PutUint64(b.Data[a.At:], base+guardSize+uint64(a.Add))
	}
	place.filled = true
	return nil
}
