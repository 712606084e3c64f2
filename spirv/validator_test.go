package spirv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// Go on with more mutants by: go test ./spirv -run TestValidator -v -mutants 20000 -mutant 1000
var (
	mutants     = flag.Uint64("mutants", 600, "how many mutants TestValidator compares with spirv-val")
	firstMutant = flag.Uint64("mutant", 0, "the number of each module's first one")
)

// mayRun are rules of spirv-val that a run does not need: what breaks them has
// one meaning. docs/limits.md lists them.
var mayRun = []*regexp.Regexp{
	// The order of names and annotations among each other says nothing.
	regexp.MustCompile(`^\S+ \S+ \S+ (String|Source|SourceExtension|Name|MemberName|ModuleProcessed|Decorate|MemberDecorate|DecorationGroup|GroupDecorate) is in an invalid layout section`),
	// The capability or the import says the same, and no run depends on it.
	regexp.MustCompile(`requires one of these extensions|cannot be declared without SPV_`),
	// What a machine has is the machine's to say.
	regexp.MustCompile(`Execution scope is limited to Subgroup`),
	// Instructions of a later version, and hints, mean what they mean.
	regexp.MustCompile(`requires SPIR-V version|expected AliasedPointer or RestrictPointer|loop controls must not both|OpLine Target`),
	// Arithmetic on small types is the same with the capability and without,
	// and an atomic on a variable of one thread's own is an atomic.
	regexp.MustCompile(`8- or 16-bit types|requires an additional capability|storage class forbidden by universal validation rules`),
	// Debug information is read with care of its own.
	regexp.MustCompile(`(?s)has not been defined.*Debug`),
	// A module of OpenCL is refused for its capability.
	regexp.MustCompile(`when Kernel capability is used`),
	// Blocks that nothing reaches may go where they like.
	regexp.MustCompile(`^\S+ \S+ \S+ Back-edges|branches to the loop continue target .* is not contained in the associated loop construct`),
}

// mustNotRun are rules of SPIR-V and Vulkan that spirv-val 2023 does not check,
// and what depends on the launch.
var mustNotRun = []*regexp.Regexp{
	// Tiles without threads.
	regexp.MustCompile(`has a zero$`),
	// A pointer of the Logical addressing model has no bits (SPIR-V 2.16.1).
	regexp.MustCompile(`OpBitcast: .* pointer`),
	// Types of operands that SPIR-V asks for in section 3.49 and spirv-val accepts.
	regexp.MustCompile(`Op(Subgroup|GroupNonUniform)\w+: .*(operand|result)`),
	regexp.MustCompile(`Op[SU]+Dot(AccSat)?: `),
	regexp.MustCompile(`OpSpecConstantOp: |OpExecutionModeId: `),
	regexp.MustCompile(`Op(Spec)?ConstantComposite: constituent %\d+ is of type u?int\d+, expected u?int\d+$`),
	regexp.MustCompile(`OpTypeInt: signedness `),
	// Structures inside of others, and what no memory can hold.
	regexp.MustCompile(`OpTypeStruct: members \d+ and \d+ overlap|type is larger than`),
	// Built-in variables that nothing uses.
	regexp.MustCompile(`built-in \w+ is `),
}

func anyOf(list []*regexp.Regexp, text string) bool {
	for _, r := range list {
		if r.MatchString(text) {
			return true
		}
	}
	return false
}

// spirvVal gives what spirv-val says of a module, "" if it is valid. The rules
// of layout are the widest that a device may have.
func spirvVal(t testing.TB, m *spirv.Module) string {
	cmd := exec.Command("spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout", "-")
	cmd.Stdin = bytes.NewReader(m.Encode(binary.LittleEndian))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	if _, ok := err.(*exec.ExitError); !ok {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// rules gives what Validate says of a module that comes as words. Its rules are
// those of compute shaders.
func rules(m *spirv.Module) error {
	read, err := spirv.Decode(m.Name, m.Encode(binary.LittleEndian))
	if err != nil {
		return err
	}
	u, err := spirv.Resolve(read, nil)
	if err != nil {
		return err
	}
	if err := spirv.Validate(u); err != nil {
		return err
	}
	for _, e := range u.EntryPoints {
		if e.Model != spirv.ExecutionModelGLCompute {
			return &diag.Error{Class: diag.Unsupported, Msg: "an entry point of " + e.Model.String()}
		}
	}
	if slices.Contains(u.Capabilities, spirv.CapabilityKernel) {
		return &diag.Error{Class: diag.Unsupported, Msg: "a module of OpenCL"}
	}
	return nil
}

// Only valid modules run, and all valid ones do: spirv-val and Validate
// agree on mutants of the project's modules.
func TestValidator(t *testing.T) {
	if _, err := exec.LookPath("spirv-val"); err != nil {
		t.Skip("spirv-val is not installed")
	}
	var seeds []*mutator
	for _, m := range testdata(t) {
		if v := spirvVal(t, m); v != "" {
			t.Errorf("%s: %s", m.Name, v)
		} else if err := rules(m); err != nil && !anyOf(mustNotRun, err.Error()) {
			t.Errorf("%s: %v", m.Name, err)
		} else if dir := path.Base(path.Dir(m.Name)); dir == "features" || dir == "amp" {
			seeds = append(seeds, newMutator(m))
		}
	}
	valid, invalid, unsupported := 0, 0, 0
	for i := range *mutants {
		// The mutants of a module are the same whatever other modules there are.
		x := seeds[i%uint64(len(seeds))]
		seed := *firstMutant + i/uint64(len(seeds))
		name := fnv.New64()
		name.Write([]byte(path.Base(x.m.Name)))
		r := rand.New(rand.NewPCG(seed, name.Sum64()))
		m := x.mutant(r)
		err := rules(m)
		var e *diag.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("mutant %d of %s: %v", seed, m.Name, err)
			continue
		}
		if err != nil && e.Class == diag.Unsupported {
			unsupported++
			continue
		}
		val := spirvVal(t, m)
		switch {
		case err == nil && val == "":
			valid++
		case err != nil && val != "":
			invalid++
		case err == nil && !anyOf(mayRun, val):
			t.Errorf("mutant %d of %s runs, and is invalid: %s", seed, m.Name, val)
		case err != nil && !anyOf(mustNotRun, e.Msg):
			t.Errorf("mutant %d of %s is valid, and is refused: %v", seed, m.Name, err)
		}
	}
	t.Logf("%d valid, %d invalid, %d not supported", valid, invalid, unsupported)
	if *mutants >= 500 && (valid < 50 || invalid < 50) {
		t.Error("the mutants are too much alike")
	}
}
