//go:build cgo && linux && (amd64 || arm64)

package capture_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/gpu/capture"
	"ampdbg/gpu/faultlayer"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// client builds testdata/client.c, a Vulkan program that does what programs do,
// and gives it with the folder of its kernels.
func client(t *testing.T) (program, kernels string) {
	t.Helper()
	requireGPU(t)
	dir := t.TempDir()
	program = filepath.Join(dir, "client")
	if out, err := exec.Command("cc", "-std=gnu11", "-O1", "-Wall", "-Werror", "-o", program, "testdata/client.c", "-ldl", "-pthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob("testdata/*.spvasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Assemble(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".spvasm") + ".spv"
		if err := os.WriteFile(filepath.Join(dir, name), m.Encode(binary.LittleEndian), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return program, dir
}

// validation is the environment that has the validation layer see what this
// one does, with its messages on standard output; nil if it is not installed.
func validation() []string {
	found, _ := filepath.Glob("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
	if len(found) == 0 {
		return nil
	}
	return []string{"VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"}
}

// statuses counts what became of the dispatches of a process.
func statuses(p capture.Process) map[string]int {
	n := map[string]int{}
	for _, d := range p.Dispatches {
		n[d.Status]++
	}
	return n
}

func word(t *testing.T, l *launch.Launch, buffer string, at int) uint32 {
	t.Helper()
	d, err := l.Find(buffer)
	if err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(d.Buffer.Data[4*at:])
}

// Whatever a program does, the launches of its dispatches leave on the emulator
// what its device left; and the layer's calls are valid.
func TestProgramsAreCaptured(t *testing.T) {
	program, kernels := client(t)
	for _, c := range []struct {
		name     string
		captured int
		refused  int
		look     func(t *testing.T, shots []*capture.Shot)
	}{
		{"order", 2, 0, func(t *testing.T, shots []*capture.Shot) {
			if l := shots[0].Launch; word(t, l, "Out", 0) != 10 || word(t, l, "Out", 9) != 5 {
				t.Error("the memory is not that right before the first dispatch")
			}
			if l := shots[1].Launch; word(t, l, "Out", 0) != 31 {
				t.Error("the memory is not that right before the second dispatch")
			}
			if s := shots[0]; s.Name != "scale and add" || s.Label != "frame 1/sum" {
				t.Errorf("found name %q, label %q", s.Name, s.Label)
			}
			if spec := shots[0].Launch.Steps[0].(*launch.Dispatch).Spec; spec[7] != 3 {
				t.Errorf("found specialization %v", spec)
			}
		}},
		{"twice", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if word(t, shots[0].Launch, "In", 3) != 3 {
				t.Error("not the first execution was captured")
			}
		}},
		{"secondary", 1, 0, nil},
		{"template", 1, 0, nil},
		{"pushed", 2, 0, nil},
		{"dynamic", 1, 0, nil},
		{"indirect", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if shots[0].Groups != [3]uint32{4, 1, 1} {
				t.Errorf("found the grid %v", shots[0].Groups)
			}
		}},
		{"waitfirst", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if word(t, shots[0].Launch, "In", 5) != 500 {
				t.Error("the memory is not that right before the dispatch")
			}
		}},
		{"submit2", 1, 0, nil},
		{"aliased", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if n := len(shots[0].Launch.Buffers); n != 2 { // the memory, the push constants
				t.Errorf("two buffers on one memory are %d", n)
			}
		}},
		{"address", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			l := shots[0].Launch
			n := 0
			for _, b := range l.Buffers {
				n += len(b.Addresses)
			}
			if len(l.Buffers) != 4 || n != 4 { // three nodes, the push constants
				t.Errorf("%d buffers with %d addresses", len(l.Buffers), n)
			}
		}},
		{"late", 1, 0, nil},
		{"changed", 0, 1, nil},
		{"stale", 1, 0, nil},
		{"pools", 15, 0, nil},
		{"images", 1, 0, nil},
		{"layers", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if i := shots[0].Launch.Images; len(i) != 2 || !i[0].Cube || i[0].Layers != 6 || i[1].Layers != 3 {
				t.Errorf("found images %d", len(i))
			}
		}},
		{"texels", 1, 0, nil},
		{"robust", 1, 0, func(t *testing.T, shots []*capture.Shot) {
			if !shots[0].Launch.Steps[0].(*launch.Dispatch).Robust {
				t.Error("robust access is lost")
			}
		}},
		{"threads", 64, 3136, nil},
		{"many", 64, 9936, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			output, processes := under(t, capture.Settings{Every: true}, validation(), program, c.name, kernels)
			if output == "lacking\n" {
				t.Skip("the device lacks what the case needs")
			}
			if output != "ok\n" || len(processes) != 1 {
				t.Fatalf("%d processes:\n%s", len(processes), output)
			}
			p := processes[0]
			if n := statuses(p); n["captured"] != c.captured || n["refused"] != c.refused || n[""] != 0 {
				t.Errorf("expected %d captured and %d refused, found %v", c.captured, c.refused, n)
			}
			var shots []*capture.Shot
			for _, d := range p.Dispatches {
				if d.Status != "captured" {
					continue
				}
				s, err := p.Load(d.Number)
				if err != nil {
					t.Fatal(err)
				}
				if shots = append(shots, s); len(shots) <= 4 {
					agree(t, s)
				}
			}
			if c.look != nil && len(shots) == c.captured {
				c.look(t, shots)
			}
		})
	}
}

// Without a choice, the first dispatch of each kernel is captured; and what is
// chosen is what is captured.
func TestSelection(t *testing.T) {
	program, kernels := client(t)
	for _, c := range []struct {
		settings capture.Settings
		want     []uint64
	}{
		{capture.Settings{}, []uint64{1}},
		{capture.Settings{Nth: 1}, []uint64{2}},
		{capture.Settings{Ranges: []capture.Range{{First: 2, Last: 9}}}, []uint64{2}},
		{capture.Settings{Shaders: []string{"scale and add"}}, []uint64{1}},
		{capture.Settings{Shaders: []string{"main"}, Every: true}, []uint64{1, 2}},
		{capture.Settings{Shaders: []string{"another"}}, nil},
		{capture.Settings{Every: true, Shots: 1}, []uint64{1}},
		{capture.Settings{Every: true, TotalBytes: 1000}, nil},
		{capture.Settings{List: true}, nil},
	} {
		output, processes := under(t, c.settings, nil, program, "order", kernels)
		if output != "ok\n" || len(processes) != 1 {
			t.Fatalf("%d processes:\n%s", len(processes), output)
		}
		var got []uint64
		for _, d := range processes[0].Dispatches {
			if d.Status == "captured" {
				got = append(got, d.Number)
			}
			if c.settings.List && (d.Bytes <= 0 || d.Time <= 0) {
				t.Errorf("the list lacks bytes or times: %+v", d)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: expected dispatches %v, found %v", c.settings, c.want, got)
		}
	}
}

// A program that is killed in a dispatch leaves what the dispatch saw.
func TestKilledProgramLeavesItsLaunch(t *testing.T) {
	program, kernels := client(t)
	output, processes := under(t, capture.Settings{}, nil, program, "killed", kernels)
	if !strings.Contains(output, "ok\n") || len(processes) != 1 {
		t.Fatalf("%d processes:\n%s", len(processes), output)
	}
	s, err := processes[0].Load(1)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Before || s.After != nil || word(t, s.Launch, "Out", 7) != 8 {
		t.Errorf("found before %t, after %t", s.Before, s.After != nil)
	}
	reload(t, s)
}

// So does one whose driver crashes in the process, before any other thread of
// it can say a word.
func TestCrashedProgramLeavesItsLaunch(t *testing.T) {
	program, kernels := client(t)
	output, processes := under(t, capture.Settings{}, nil, program, "crashed", kernels)
	if strings.Contains(output, "ok\n") || strings.Contains(output, "lacking") {
		t.Skip("the device survives an address to nowhere, or knows none")
	}
	if len(processes) != 1 {
		t.Fatalf("%d processes:\n%s", len(processes), output)
	}
	s, err := processes[0].Load(1)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Before || s.After != nil {
		t.Fatalf("found before %t, after %t", s.Before, s.After != nil)
	}
	l, _ := reload(t, s)
	if got := kindsFound(t, l); !slices.Equal(got, []string{"null-pointer"}) {
		t.Errorf("a check of the launch finds %q", got)
	}
}

// What a program sees of a driver that fails is what it sees without the layer;
// and where the driver fails the layer, the program sees nothing.
func TestFailingDriver(t *testing.T) {
	program, kernels := client(t)
	dir := t.TempDir()
	faults, err := faultlayer.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	alone := func(fault string) string {
		cmd := exec.Command(program, "order", kernels)
		cmd.Env = append(append(os.Environ(), faults...), faultlayer.Env+"="+fault)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for fault, ours := range map[string]bool{
		"vkQueueSubmit=-4@1": false, "vkWaitForFences=-4@1": false, "vkCreateBuffer=-2@1": false, "vkAllocateMemory=-2@2": false,
		"vkCreateComputePipelines=-13@1": false, "vkCreateDevice=-3@1": false, "vkMapMemory=-5@1": false, "vkCreateShaderModule=-1@1": false,
		"vkQueueSubmit=-4@2": true, "vkCreateBuffer=-2@3": true, "vkAllocateMemory=-2@3": true, "vkMapMemory=-5@3": true, "vkGetFenceStatus=-4": true,
	} {
		want := "ok\n"
		if !ours {
			want = alone(fault)
			if want == "ok\n" {
				t.Errorf("%s: fails nothing", fault)
			}
		}
		output, _ := under(t, capture.Settings{Every: true}, append(slices.Clone(faults), faultlayer.Env+"="+fault), program, "order", kernels)
		if got := strings.TrimPrefix(output, "exit status 1\n"); got != want {
			t.Errorf("%s: expected %q, found %q", fault, want, got)
		}
	}
}

func TestLayerIsBuiltOnce(t *testing.T) {
	requireGPU(t)
	cache := t.TempDir()
	first, err := capture.Build(cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if again, err := capture.Build(cache); err != nil || again != first {
		t.Errorf("expected %s again, found %s, %v", first, again, err)
	}
	if _, err := capture.Build(t.TempDir()); err == nil || !strings.Contains(err.Error(), "C compiler") {
		t.Errorf("without a compiler: %v", err)
	}
}
