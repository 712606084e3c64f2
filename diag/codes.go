package diag

// explanations is the table of all kinds of finding. Its order is that of
// docs/findings.md. The race classes follow the rules of the SPIR-V and Vulkan
// memory models; the barrier classes follow OpControlBarrier.
var explanations = []Explanation{
	{
		Code: OutOfBounds, Title: "access outside of an object",
		Shows: "race/oob_buffer", Clean: "race/norace_bytes",
		Meaning: `A load, store or atomic touched bytes that do not belong to the object
its pointer was made from: a buffer, a tile_static variable, a private
variable, an array inside a struct, or an image. What such an access gives on a
device is anyone's guess. "ampdbg run" ends there; "ampdbg check" reads zero,
or drops the write, and goes on, so as to find what else is wrong.`,
		Example: `layout(set = 0, binding = 0) buffer Out { float data[]; };
void main() {
    data[gl_GlobalInvocationID.x + 1] = 0.0; // the last thread is one too far
}`,
		Cure: `Compare the index with the number of elements (data.length(), or a
push constant) before the access; grids are whole tiles, so the last tile
often sticks out over the data.

Where a kernel relies on Vulkan's robustBufferAccess, run it with --robust:
loads then give zero and stores are dropped.`,
	},
	{
		Code: NullPointer, Title: "access through a null or dangling pointer",
		Shows: "race/fault_null_pointer", Clean: "race/clean_pointers",
		Meaning: `A physical pointer (buffer device address) was null, or pointed to no
buffer of the launch, when a load, store or atomic went through it.`,
		Example: `layout(buffer_reference) buffer Node { uint value; Node next; };
uint second(Node n) {
    return n.next.value; // next is 0 at the end of the list
}`,
		Cure: `Test the pointer against 0 before following it, and check that the
address in the input really is that of a buffer which the launch declares.`,
	},
	{
		Code: Misaligned, Title: "access at an address that breaks its alignment",
		Shows: "race/fault_misaligned", Clean: "race/clean_pointers",
		Meaning: `The address of an access is no multiple of the alignment that its
Aligned operand promises, or of the size that the scalar or the atomic needs.
Devices may fault, tear the access or touch other bytes.`,
		Example: `layout(buffer_reference, buffer_reference_align = 16) buffer Block { vec4 v; };
vec4 at(uint64_t base) {
    return Block(base + 4).v; // promised 16, given 4
}`,
		Cure: `Promise only the alignment that holds (buffer_reference_align), or pad
the data so that it does hold.`,
	},
	{
		Code: ReadOnly, Title: "write to memory that is declared read-only",
		Shows: "race/fault_read_only", Clean: "race/norace_barrier",
		Meaning: `A store or atomic went to memory that the module decorates NonWritable
or that is bound in a read-only way, such as a uniform buffer.`,
		Example: `OpDecorate %buffer NonWritable
OpStore %at %sum ; at is an element of buffer`,
		Cure: `Write to a buffer that is declared writable, or drop the decoration.`,
	},
	{
		Code: DivergentBarrier, Title: "barrier that not all threads of the tile reach together",
		Shows: "diverge/diverge_exited_in_warp", Clean: "diverge/clean_exited",
		Meaning: `A tile barrier is defined only if every thread of the tile executes the
same dynamic instance of it: the same instruction, reached through the same
calls, in the same iteration of every loop. A thread that returned early is no
exception. On a device the tile hangs, or goes on with memory half written.

The report lists who waits, who does not and where those threads are, and the
branch that split them. Execution goes on with the threads that came.`,
		Example: `if (gl_LocalInvocationID.x < 8) {
    barrier(); // the other threads of the tile never come
}`,
		Cure: `Move the barrier out of the divergent flow: let all threads reach it and
guard the work before and after it instead.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierExited, Title: "barrier after some threads have returned",
		Shows: "diverge/diverge_exited_in_warp", Clean: "diverge/clean_exited",
		Meaning: `Some threads of the tile returned from the kernel while the others wait
at a barrier. The classic is an early return of the threads that lie outside
of the data.`,
		Example: `if (gl_GlobalInvocationID.x >= n) return;
tile[gl_LocalInvocationID.x] = data[gl_GlobalInvocationID.x];
barrier();`,
		Cure: `Keep all threads alive up to the last barrier: guard each access with
the condition instead of returning.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierMissing, Title: "barrier that some threads go past",
		Shows: "diverge/diverge_missing_in_warp", Clean: "diverge/clean_missing",
		Meaning: `Some threads wait at a barrier; the others are elsewhere and can no
longer come to it.`,
		Example: `if (gl_LocalInvocationID.x % 2 == 0) {
    barrier();
}`,
		Cure: `Put the barrier where every thread passes.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierOther, Title: "threads of one tile wait at different barriers",
		Shows: "diverge/diverge_other_barrier_in_warp", Clean: "diverge/clean_other_barrier",
		Meaning: `Every thread waits at a barrier, but not at the same one: two barrier
instructions, typically one in each arm of a branch.`,
		Example: `if (gl_LocalInvocationID.x < 8) {
    a[gl_LocalInvocationID.x] = 1;
    barrier();
} else {
    b[gl_LocalInvocationID.x] = 2;
    barrier();
}`,
		Cure: `Use one barrier after the two arms.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierOtherIteration, Title: "threads meet at one barrier in different iterations of a loop",
		Shows: "diverge/diverge_other_iteration_across_warps", Clean: "diverge/clean_other_iteration",
		Meaning: `All threads are at the same barrier instruction, but some are an
iteration of a surrounding loop ahead of others.`,
		Example: `for (uint i = 0; i < 2; i++) {
    if (i == choice[g]) {
        barrier(); // each thread waits in the iteration of its choice
    }
}`,
		Cure: `Make the number of rounds the same for the whole tile, from values that
are uniform in it, and guard the work inside.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierOtherCallSite, Title: "threads meet at one barrier through different calls",
		Shows: "diverge/diverge_other_call_site_in_warp", Clean: "diverge/clean_other_call_site",
		Meaning: `All threads are at the same barrier instruction inside a function, but
they came there through different calls. Those are different instances of the
barrier.`,
		Example: `void sync() { barrier(); }
void main() {
    if (gl_LocalInvocationID.x < 8) sync(); else sync();
}`,
		Cure: `Call the function once, outside of the branch.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierFallthrough, Title: "threads reach a barrier through different cases of a switch",
		Shows: "diverge/diverge_fallthrough_in_warp", Clean: "diverge/clean_fallthrough",
		Meaning: `A barrier in one case of a switch was reached by some threads directly
and by others that fell through from the case before it.`,
		Example: `switch (gl_LocalInvocationID.x & 1u) {
case 0: a[gl_LocalInvocationID.x] = 1; // falls through
case 1: barrier();
}`,
		Cure: `Put the barrier after the switch.`,
	},
	{
		Code: DivergentBarrier, Class: BarrierAfterDivergentReturn, Title: "barrier in a function that some threads have left",
		Shows: "diverge/diverge_after_divergent_return_in_warp", Clean: "diverge/clean_after_divergent_return",
		Meaning: `Some threads returned from a function early; the others go on in it and
meet a barrier there.`,
		Example: `void load(uint i) {
    if (i >= n) return; // these threads wait for nobody
    tile[i] = data[i];
    barrier();
}`,
		Cure: `Turn the early return into a condition around the work, or move the
barrier to the caller.`,
	},
	{
		Code: Deadlock, Title: "threads that wait for each other forever",
		Shows: "spin/spin_lock_across_warps", Clean: "spin/clean_handoff_tile0_waits",
		Meaning: `No thread of the tile can go on: all that are left wait, and what they
wait for cannot come any more. The report lists who waits for what and where.`,
		Example: `shared uint ready;
void main() {
    if (gl_LocalInvocationID.x == 0) { barrier(); atomicExchange(ready, 1); }
    else { while (atomicAdd(ready, 0) == 0) {} barrier(); }
}`,
		Cure: `Order the waits so that they form no circle; wait with the barrier, not
with a spin loop, inside a tile.`,
	},
	{
		Code: Livelock, Title: "threads that spin without any change of state",
		Shows: "spin/spin_flag_never_set", Clean: "spin/clean_handoff_tile0_waits",
		Meaning: `A full round over all live warps changed neither memory nor registers:
the loops that run will run forever. Nothing promises that a thread makes
progress while another one spins, so waiting for another lane of the same warp
or for a tile that has not started may hang on every device.`,
		Example: `while (atomicOr(flag, 0) == 0) { // nobody sets it
}`,
		Cure: `Let one thread per warp or tile take the lock, replace the lock by an
atomic operation on the value, or split the kernel into two dispatches.`,
	},
	{
		Code: ExpectFailed, Title: "expectation of the launch that does not hold",
		Shows: "race/expect_failed", Clean: "race/clean_division_by_zero",
		Meaning: `An EXPECT of the script found other values in a buffer or image than it
asks for. The report shows the first difference and how many more there are.`,
		Example: `EXPECT result IDX 0 EQ 100 50 34 25 20 20 16 101 # the last is 100`,
		Cure: `Correct the kernel, or the expectation. Where floating-point values
differ in the last place only, give the EXPECT a TOLERANCE.`,
	},
	{
		Code: UnreachableExecuted, Title: "OpUnreachable was executed",
		Shows: "race/fault_unreachable_executed", Clean: "race/clean_unreachable",
		Meaning: `The module says of a place that control never comes there, and a thread
did. Compilers emit it after switches without a default, or after loops that
they take to be endless.`,
		Example: `OpSwitch %which %default 0 %some 1 %some 2 %some
%default = OpLabel
OpUnreachable ; which was 3`,
		Cure: `Handle the missing case in the source.`,
	},
	{
		Code: Race, Title: "data race",
		Shows: "race/race_intra_tile_shared", Clean: "race/norace_barrier",
		Meaning: `Two threads accessed the same bytes, at least one of them wrote, they
were not both atomics that include each other, and nothing orders one before
the other. The outcome depends on the device and the day.

Only accesses that were executed count. A write of the value that was already
there is a write. Running in lockstep orders nothing.

Every race also says which hazard it is, RAW (read after write), WAR (write
after read) or WAW (write after write), and whether the two threads belong to
one tile or to two.`,
		Example: `shared uint sums[64];
sums[i] = v;
total = sums[i + 1]; // written by the neighbour: now or later?`,
		Cure: `Put a barrier with a fence for that memory between the two accesses, give
each thread memory of its own, or make both accesses atomic.`,
	},
	{
		Code: Race, Class: RaceSameInstruction, Title: "threads of one warp collide in one instruction",
		Shows: "race/race_same_instruction", Clean: "race/norace_components",
		Meaning: `Two lanes of one warp wrote the same bytes in the same instruction. Which
one wins is undefined.`,
		Example: `sums[gl_LocalInvocationID.x / 2] = v;`,
		Cure:    `Let one lane write, reduce first, or use an atomic.`,
	},
	{
		Code: Race, Class: RaceLockstep, Title: "race that only lockstep execution would order",
		Shows: "race/race_lockstep", Clean: "race/norace_subgroup_barrier",
		Meaning: `Two lanes of one warp accessed the same bytes in different instructions
with no barrier between. Kernels from the days of implicit warp lockstep do
this; no current model promises that the lanes stay together.`,
		Example: `sums[i] += sums[i + 2];
sums[i] += sums[i + 1]; // relies on all lanes having done the line above`,
		Cure: `Put subgroupMemoryBarrierShared() and subgroupBarrier() between the
steps, or barrier(). --assume-lockstep silences this class.`,
	},
	{
		Code: Race, Class: RaceIntraTile, Title: "race between warps of one tile",
		Shows: "race/race_intra_tile_shared", Clean: "race/norace_reuse",
		Meaning: `Two threads in different warps of one tile accessed the same bytes in the
same interval between two barriers.`,
		Example: `tile[i] = data[gl_GlobalInvocationID.x];
out_[gl_GlobalInvocationID.x] = tile[63 - i];`,
		Cure: `Put a barrier between the write and the read. In a loop two are needed:
one after the writes, and one before the next round writes again.`,
	},
	{
		Code: Race, Class: RaceUnfencedBarrier, Title: "barrier whose fence does not cover the memory",
		Shows: "race/race_unfenced_barrier", Clean: "race/norace_fenced_barrier",
		Meaning: `A barrier lies between the two accesses, but its memory semantics leave
out the class of memory that they touch. GLSL's barrier() fences shared memory
only, not storage buffers.`,
		Example: `data[i] = v;        // a storage buffer
barrier();          // orders shared memory only
w = data[i + 1];`,
		Cure: `Write memoryBarrierBuffer(); barrier(); memoryBarrierBuffer(); or
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
gl_SemanticsAcquireRelease).`,
	},
	{
		Code: Race, Class: RaceHalfFenced, Title: "barrier with a fence on one side only", Severity: SeverityWarning,
		Shows: "race/race_half_fenced", Clean: "race/norace_fences_around_barrier",
		Meaning: `There is a fence for that memory before the barrier but none after it, as
in the very common memoryBarrierBuffer(); barrier();. Taken literally the
writes are released and never acquired. Drivers are known to be lenient.`,
		Example: `data[i] = v;
memoryBarrierBuffer();
barrier();
w = data[i + 1];`,
		Cure: `Add a memory barrier after the barrier as well, or use one
controlBarrier with both semantics. --strict makes this an error.`,
	},
	{
		Code: Race, Class: RaceInterTile, Title: "race between tiles",
		Shows: "race/race_inter_tile", Clean: "race/norace_two_dispatches",
		Meaning: `Threads of different tiles of one dispatch accessed the same bytes. No
barrier works across tiles.`,
		Example: `total[0] += partial; // every tile`,
		Cure: `Use an atomic, give each tile an element of its own and combine them in
a second dispatch, or hand over through a release and acquire of a flag at
device scope.`,
	},
	{
		Code: Race, Class: RaceScope, Title: "synchronization whose scope is too narrow",
		Shows: "race/race_scope", Clean: "race/norace_release_acquire",
		Meaning: `A release and an acquire chain lies between the accesses, but one end has
a scope that does not include the other thread, such as Workgroup scope between
two tiles.`,
		Example: `mail = 42;
memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
atomicStore(flag, 1u, gl_ScopeDevice, 0, 0); // another tile waits for it`,
		Cure: `Use gl_ScopeDevice (or gl_ScopeQueueFamily) at both ends.`,
	},
	{
		Code: Race, Class: RaceFenceClass, Title: "synchronization that leaves out the class of memory",
		Shows: "race/race_fence_class", Clean: "race/norace_release_fence",
		Meaning: `A fence or a release and acquire chain lies between the accesses, but one
end lacks the storage class of the data: it orders shared memory while the data
is in a buffer, or the other way round.`,
		Example: `while (atomicLoad(flag, gl_ScopeDevice, 0, 0) == 0) {
}
memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsAcquire);
result[0] = mail; // mail is in a buffer`,
		Cure: `Name every class of memory that the data lives in, at both ends.`,
	},
	{
		Code: Race, Class: RaceNoAcquire, Title: "a release that nothing acquires",
		Shows: "race/race_no_acquire", Clean: "race/norace_release_acquire",
		Meaning: `The thread of the first access releases, by an atomic or a fence before one,
and the thread of the second access reads that atomic, but does not acquire: what
it reads afterwards may be older. The finding names both lines.`,
		Example: `if (atomicLoad(flag, gl_ScopeDevice, 0, 0) == 1) // no acquire
    result[0] = data;`,
		Cure: `Give the atomic that reads gl_SemanticsAcquire and the class of the data, or
put an acquire fence after it.`,
	},
	{
		Code: Race, Class: RaceNoRelease, Title: "an acquire that nothing releases to",
		Shows: "race/race_no_release", Clean: "race/norace_release_acquire",
		Meaning: `The thread of the second access acquires through an atomic that the thread
of the first access wrote after it, but did not release. The finding names both
lines.`,
		Example: `data = 7;
atomicStore(flag, 1u, gl_ScopeDevice, 0, 0); // no release`,
		Cure: `Give the atomic that writes gl_SemanticsRelease and the class of the data, or
put a release fence before it.`,
	},
	{
		Code: Race, Class: RaceUnavailable, Title: "a write that nothing makes available",
		Shows: "race/strict_unavailable_barrier", Clean: "race/norace_available_coherent_barrier",
		Meaning: `Barriers, fences or atomics order the write before the other access, but no
operation between them makes it available to a domain that both threads are in:
MakeAvailable in the semantics of the release, or MakePointerAvailable at the
store. Looked for with --strict, in modules of the Vulkan memory model.`,
		Example: `layout(set = 0, binding = 1) nonprivate buffer Data { uint data[]; }; // not coherent
data[l] = l;
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
result[l] = data[7 - l];`,
		Cure: `Add gl_SemanticsMakeAvailable and gl_SemanticsMakeVisible, or declare the
buffer coherent at the scope of both threads.`,
	},
	{
		Code: Race, Class: RaceInvisible, Title: "a read to which nothing makes the write visible",
		Shows: "race/strict_invisible_barrier", Clean: "race/norace_available_coherent_barrier",
		Meaning: `The write is ordered before the read and has been made available, but no
operation makes it visible to the thread that reads: MakeVisible in the semantics
of the acquire, or MakePointerVisible at the load. Looked for with --strict, in
modules of the Vulkan memory model.`,
		Example: `data[l] = l;
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
               gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable);
result[l] = data[7 - l]; // made available, but not visible`,
		Cure: `Add gl_SemanticsMakeVisible to the acquire, or declare the buffer coherent at
the scope of both threads.`,
	},
	{
		Code: Race, Class: RaceAtomicScope, Title: "atomics whose scopes do not include each other",
		Shows: "race/race_atomic_scope", Clean: "race/norace_atomic_scope",
		Meaning: `Two atomics touched the same bytes from different tiles, and one of them
has Workgroup scope or smaller: it is atomic within its own tile only.`,
		Example: `atomicAdd(result[0], 1u, gl_ScopeWorkgroup, 0, 0); // by two tiles`,
		Cure:    `Give the atomics device scope.`,
	},
	{
		Code: Race, Class: RaceAtomicPlain, Title: "atomic and plain access to the same bytes",
		Shows: "race/race_atomic_plain", Clean: "race/norace_atomic_and_plain_loads",
		Meaning: `One thread used an atomic, another a plain load or store, with nothing
to order them. Atomicity takes two.`,
		Example: `atomicAdd(count, 1);
if (count > limit) return; // a plain read`,
		Cure: `Make the plain access atomic as well (atomicLoad, or atomicAdd of 0), or
put a barrier between.`,
	},
	{
		Code: Race, Class: RaceAtomicSize, Title: "overlapping atomics of different size or place",
		Shows: "race/race_atomic_size", Clean: "race/norace_atomics",
		Meaning: `Two atomics overlap without touching exactly the same bytes, so they are
not atomic towards each other.`,
		Example: `atomicAdd(Long(at).v, 1ul); // 8 bytes
atomicAdd(Short(at).v, 1u); // the lower 4 of them, through another view`,
		Cure: `Use one width for one location.`,
	},
	{
		Code: Race, Class: RaceSameValue, Title: "race in which both threads write the same value", Severity: SeverityWarning,
		Shows: "race/race_same_value", Clean: "race/norace_reads",
		Meaning: `Several threads wrote the same value to the same bytes. It is a race by
the letter of the model; on today's devices the result is that value.

--same-value=unchanged silences writes of what memory already holds;
--same-value=uniform-writes silences stores of equal bytes.`,
		Example: `found[0] = 1u; // by every thread that finds something`,
		Cure:    `Use an atomic (atomicOr, atomicStore), or let one thread write.`,
	},
	{
		Code: Race, Class: RacePadding, Title: "race on padding bytes only", Severity: SeverityWarning,
		Shows: "race/race_padding", Clean: "race/norace_components",
		Meaning: `A copy of a whole struct or vector wrote padding bytes that another
thread's access covers too; no member is shared.`,
		Example: `struct Part { float a; vec3 p; };
part[1] = part[0]; // with the padding after a
word[10] = 5.0; // by another thread, in that padding`,
		Cure: `Write the members one by one, or give each thread a whole element.`,
	},
	{
		Code: Race, Class: RaceAliasedBinding, Title: "the same memory through two bindings", Severity: SeverityWarning,
		Shows: "race/race_aliased_binding", Clean: "race/norace_two_read_bindings",
		Meaning: `One thread accessed the memory through one binding and another thread
through a second one. Without the Aliased decoration and matching
availability operations a barrier does not order such accesses.`,
		Example: `layout(set = 0, binding = 1) buffer A { uint a[]; };
layout(set = 0, binding = 2) buffer B { uint b[]; }; // bound to the same buffer
a[l] = l;
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
result[l] = b[7 - l];`,
		Cure: `Bind the memory once, or declare both bindings Aliased and coherent.
--strict makes this an error.`,
	},
	{
		Code: Race, Class: RacePrivate, Title: "otherwise ordered access that is private to its thread", Severity: SeverityWarning,
		Shows: "race/race_private", Clean: "race/norace_nonprivate",
		Meaning: `The two accesses are ordered, but one of them is not marked
NonPrivatePointer (in GLSL: its variable is not coherent), so in the Vulkan
memory model the ordering does not apply to it. Off by default for modules
that do not declare that memory model.`,
		Example: `layout(set = 0, binding = 1) buffer Data { uint data[]; }; // not coherent
data[l] = l;
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
               gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
result[l] = data[7 - l];`,
		Cure: `Declare the buffer coherent or workgroupcoherent.`,
	},
	{
		Code: Uninitialized, Title: "use of memory that no one wrote",
		Shows: "race/uninit_tile_static", Clean: "race/norace_uninitialised_but_unused",
		Meaning: `A value that was read from memory never written (tile_static, private,
or a buffer that the launch leaves uninitialized) came to a use that matters:
a branch, an address, or a store to a buffer. The report shows where the value
came from.`,
		Example: `shared uint sums[64];
void main() {
    if (gl_LocalInvocationID.x == 0) result = sums[0];
}`,
		Cure: `Write the memory first, with a barrier between the writes and the
reads of other threads; look for elements that the writing loop leaves out.`,
	},
	{
		Code: UndefinedValue, Title: "operation whose result is undefined", Severity: SeverityWarning,
		Shows: "race/undefined_division_by_zero", Clean: "race/clean_division_by_zero",
		Meaning: `An operation was executed with operands for which its result is undefined.
The emulator picks a fixed value; devices pick others.

A division by zero or one that overflows, a remainder of negative operands, and
what must be the same in all lanes and is not, is reported where it is executed.
Any other undefined result is reported where it matters: where it steers a
branch, is part of an address, or is stored to a buffer. One that a select or a
branch leaves aside is none.`,
		Example: `uint share = total / count; // count is 0 in the first tile`,
		Cure:    `Test the operands first.`,
	},
	{
		Code: UndefinedValue, Class: UndefOperand, Title: "OpUndef came to a use that matters", Severity: SeverityWarning,
		Shows: "race/uninit_undef", Clean: "race/norace_uninitialised_but_unused",
		Meaning: `A value that the module itself declares undefined steered a branch or an
address, or was stored to a buffer. Compilers make one of a local variable that
is read before it is written.`,
		Example: `uint best;
for (uint i = 0; i < n; i++) if (a[i] > a[best]) best = i;`,
		Cure: `Give the variable a value where it is declared.`,
	},
	{
		Code: UndefinedValue, Class: UndefDivisionByZero, Title: "integer division by zero", Severity: SeverityWarning,
		Shows: "race/undefined_division_by_zero", Clean: "race/clean_division_by_zero",
		Meaning: `The divisor of an integer division or remainder was 0.`,
		Example: `uint row = i / width; // width is 0`,
		Cure:    `Test the divisor, or use max(width, 1u).`,
	},
	{
		Code: UndefinedValue, Class: UndefDivisionOverflow, Title: "integer quotient that does not fit", Severity: SeverityWarning,
		Shows: "race/undefined_division_overflow", Clean: "race/clean_division_overflow",
		Meaning: `The lowest integer was divided by -1, or a remainder of the two was taken:
the quotient is one more than the highest integer. Some processors fault.`,
		Example: `int turned = level / sign; // level is -2147483648, sign is -1`,
		Cure: `Treat a divisor of -1 apart: negate, after a test for the lowest
integer.`,
	},
	{
		Code: UndefinedValue, Class: UndefShiftRange, Title: "shift by the width of the operand or more", Severity: SeverityWarning,
		Shows: "race/undefined_shift_range", Clean: "race/clean_shift_range",
		Meaning: `The shift amount is not below the number of bits of the value that is
shifted.`,
		Example: `uint mask = (1u << n) - 1u; // n is 32`,
		Cure:    `Treat the full width apart, or mask the amount.`,
	},
	{
		Code: UndefinedValue, Class: UndefBitFieldRange, Title: "bit field that reaches past its base", Severity: SeverityWarning,
		Shows: "race/undefined_bit_field_range", Clean: "race/clean_bit_field_range",
		Meaning: `The offset of a bitfieldInsert or bitfieldExtract, the number of bits, or
their sum is greater than the width of the value.`,
		Example: `uint high = bitfieldExtract(word, 24, bits); // bits is 12`,
		Cure:    `Keep offset + bits at the width or below, with min() or a test.`,
	},
	{
		Code: UndefinedValue, Class: UndefConversionRange, Title: "float that does not fit the integer", Severity: SeverityWarning,
		Shows: "race/undefined_conversion_range", Clean: "race/clean_conversion_range",
		Meaning: `A conversion from floating point to integer got a NaN, an infinity or a
value that the integer type cannot hold.`,
		Example: `uint bin = uint(x * 256.0); // x is -0.1`,
		Cure:    `Clamp before the conversion.`,
	},
	{
		Code: UndefinedValue, Class: UndefNegativeRemainder, Title: "remainder of negative operands", Severity: SeverityWarning,
		Shows: "race/undefined_negative_remainder", Clean: "race/clean_negative_remainder",
		Meaning: `An OpSRem or OpSMod got a negative operand. Vulkan leaves the result
undefined.`,
		Example: `int slot = key % 64; // key is negative`,
		Cure:    `Use unsigned operands, or add the modulus before taking the remainder.`,
	},
	{
		Code: UndefinedValue, Class: UndefFloatDomain, Title: "function outside of its domain", Severity: SeverityWarning,
		Shows: "race/undefined_float_domain", Clean: "race/clean_float_domain",
		Meaning: `A function got operands for which it has no value: sqrt of a negative
number; inversesqrt, log or log2 of 0 or less; pow of a negative number, or of 0
to a power of 0 or less; asin or acos beyond -1 to 1, acosh below 1, atanh at -1
or 1 and beyond; atan(0, 0); mod by 0; frexp of an infinity or a NaN; the
inverse of a singular matrix. Some devices give NaN, others a number.`,
		Example: `float radius = sqrt(1.0 - x * x); // x is 1.0000001`,
		Cure: `Clamp the operand to the domain, as in sqrt(max(v, 0.0)). Note that
pow(x, 2.0) is x * x for positive x only.`,
	},
	{
		Code: UndefinedValue, Class: UndefCrossedEdges, Title: "minimum above the maximum, or edges in the wrong order", Severity: SeverityWarning,
		Shows: "race/undefined_crossed_edges", Clean: "race/clean_crossed_edges",
		Meaning: `The minimum of a clamp was greater than its maximum, or the first edge of
a smoothstep was not below the second.`,
		Example: `float shade = smoothstep(1.0, 0.0, d); // meant to fall`,
		Cure: `Give the edges in order: 1.0 - smoothstep(0.0, 1.0, d). Before a clamp
whose range may be empty, test it.`,
	},
	{
		Code: UndefinedValue, Class: UndefExponentRange, Title: "ldexp beyond the exponents of the format", Severity: SeverityWarning,
		Shows: "race/undefined_exponent_range", Clean: "race/clean_exponent_range",
		Meaning: `ldexp got an exponent above 16, 128 or 1024 (for 16, 32 or 64 bits), or
its product is greater than the largest number.`,
		Example: `float scaled = ldexp(x, 200); // x is 1e-20`,
		Cure:    `Limit the exponent, or scale in two steps.`,
	},
	{
		Code: UndefinedValue, Class: UndefNaNOperand, Title: "minimum or maximum of a NaN", Severity: SeverityNote,
		Shows: "race/undefined_nan_operand", Clean: "race/clean_nan_operand",
		Meaning: `min, max or clamp got a NaN: whether the result is the NaN or the other
operand is not defined.`,
		Example: `peak = max(peak, level); // level is 0.0 / 0.0`,
		Cure: `Test with isnan() first, or use NMin, NMax and NClamp of GLSL.std.450,
which give the number.`,
	},
	{
		Code: UndefinedValue, Class: UndefZeroVector, Title: "direction of a zero vector", Severity: SeverityWarning,
		Shows: "race/undefined_zero_vector", Clean: "race/clean_zero_vector",
		Meaning: `normalize got a vector of zeros, which has no direction. Some devices
give NaN, others zeros.`,
		Example: `vec3 direction = normalize(b - a); // a is b`,
		Cure:    `Test the length first.`,
	},
	{
		Code: UndefinedValue, Class: UndefComponentIndex, Title: "index beyond the components of a vector", Severity: SeverityWarning,
		Shows: "race/undefined_component_index", Clean: "race/clean_component_index",
		Meaning: `A component of a vector was chosen by an index that is not below their
number.`,
		Example: `float part = (a + b)[i]; // a and b are vec4, i is 4`,
		Cure:    `Keep the index in range, for example with i & 3.`,
	},
	{
		Code: UndefinedValue, Class: UndefInactiveLane, Title: "value of a lane that does not take part", Severity: SeverityWarning,
		Shows: "race/undefined_inactive_lane", Clean: "race/clean_inactive_lane",
		Meaning: `A subgroup operation (shuffle, broadcast, rotate, a quad operation, a bit
of a ballot) read from a lane that is inactive there, or outside of the
subgroup, or asked for the first or last lane of a ballot that has none, and
the value came to a use that matters.`,
		Example: `uint next = subgroupShuffleDown(x, 1); // the last lane has no next
result[gl_GlobalInvocationID.x] = next - x;`,
		Cure: `Use the value only in lanes whose source takes part, let all lanes
execute the operation, or compute the source modulo gl_SubgroupSize. A kernel
that assumes a larger subgroup than it got reads outside of it, too: see
--warp.`,
	},
	{
		Code: UndefinedValue, Class: UndefNonUniformLane, Title: "lane to read that is not the same for all", Severity: SeverityWarning,
		Shows: "race/undefined_nonuniform_lane", Clean: "race/clean_nonuniform_lane",
		Meaning: `The lane of a broadcast, the index of a quad broadcast or the distance of a
rotation differed between the lanes. It has to be the same for all.`,
		Example: `float v = subgroupBroadcast(x, gl_SubgroupInvocationID / 2u);`,
		Cure:    `Use subgroupShuffle, whose operand may differ.`,
	},
	{
		Code: UndefinedValue, Class: UndefNonUniformDescriptor, Title: "descriptor that differs between lanes without NonUniform", Severity: SeverityWarning,
		Shows: "race/undefined_nonuniform_descriptor", Clean: "race/clean_nonuniform_descriptor",
		Meaning: `Lanes of one warp chose different descriptors of an array of buffers or
images, and neither the index nor the access is decorated NonUniform. A device
may take one lane's descriptor for all.`,
		Example: `result[l] = tables[l % 2u].data[l];`,
		Cure: `Write tables[nonuniformEXT(index)] (GL_EXT_nonuniform_qualifier), or
NonUniformResourceIndex in HLSL.`,
	},
	{
		Code: UndefinedValue, Class: UndefFalseAssumption, Title: "assumption that does not hold", Severity: SeverityWarning,
		Shows: "race/undefined_false_assumption", Clean: "race/clean_false_assumption",
		Meaning: `The condition of an OpAssumeTrueKHR was false. The compiler was allowed to
build on it.`,
		Example: `%less = OpULessThan %bool %l %limit
OpAssumeTrueKHR %less ; l is 7, and so is limit`,
		Cure: `Correct the assumption, or the data.`,
	},
	{
		Code: Difference, Title: "two machines leave different results",
		Meaning: `After a dispatch, a buffer or an image does not hold the same on two
machines that began with the same memory: integers differ at all, or floats by
more than the operations allow that can reach them. The report shows the first
numbers that differ, and of each the thread and the line that wrote it last on
the emulator, with the values that the thread gave it.

The tolerance follows from the module: exact where all operations have to be
exact, or else from the loosest operation; it is printed with its reason. Where
a number exceeds it, the emulator runs the dispatch again with a running error
bound beside each value, which then decides, and is printed.`,
		Example: `layout(set = 0, binding = 0) buffer Out { float r[]; };
r[i] = r[i] * scale; // 3.0 on the emulator, 3.5 on the device`,
		Cure: `Look for what the two machines may see differently: a missing barrier
("ampdbg check" finds it), an assumption on the size of warps, operations whose
result is undefined, a branch on a float. Where the kernel
is right, it is the driver's compiler. --ulp, --abs and --rel set a tolerance;
"precise" (NoContraction) makes additions and multiplications exact.`,
	},
	{
		Code: Difference, Class: DifferenceRacy, Title: "different results where a race or an unwritten read touches them",
		Meaning: `A number differs, and a race, or a read of memory that no one wrote,
touches it: two machines, or two runs of one, may leave different results
there. The race is the fault, the difference its consequence.`,
		Example: `shared float s[64];
s[i] = x[i];
y[i] = s[63 - i]; // no barrier between`,
		Cure: `Cure the race, which is reported too, and compare again.`,
	},
	{
		Code: Validation, Title: "message of Vulkan's validation layer",
		Meaning: `With --validate a launch runs under VK_LAYER_KHRONOS_validation, which
found a use of Vulkan that is not valid, or a shader that breaks a rule. The
message carries the rule's name (VUID-...), by which the Vulkan specification
explains it.`,
		Example: `VUID-vkCmdDispatch-None-02697: descriptor set 0 is not compatible with the
pipeline layout`,
		Cure: `Where the message is about the shader or about what is bound to it,
change the launch. Where it is about a call, it is a bug in ampdbg.`,
	},
	{
		Code: OrderDependent, Title: "result that depends on the order of threads", Severity: SeverityWarning,
		Meaning: `A dispatch began with the same memory under two schedules and left
different memory, and no race explains it: atomics keep accesses apart, they
do not say which comes first. The report names the first element that differs,
what it holds under each of the two schedules, and who wrote it last.

Only --repeat-seeds looks for it. A dispatch that begins with different memory,
because one before it left such, is not reported again. Sums of floats differ
in their last places, since every order rounds otherwise.`,
		Example: `if (gl_LocalInvocationID.x == 0) atomicExchange(count, 0);
else atomicAdd(count, 1); // before or after it is set back?`,
		Cure: `Put a barrier or a new dispatch between what must come first and the
rest, or let the value decide who wins (atomicMax). Where every order of the
elements is as good, as in a list that threads append to, --unordered NAME says
so.`,
	},
}
