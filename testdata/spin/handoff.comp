#version 450
#extension GL_KHR_memory_scope_semantics : require
// One tile hands data to the other: plain writes, a release store of the flag;
// an acquire load that sees it, plain reads. The tile named by 'waiter' waits.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) coherent buffer Mail { uint flag[4]; uint mail[4]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[4]; };
layout(push_constant) uniform Args { uint waiter; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x == waiter) {
        while (atomicLoad(flag[l], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0) {
        }
        result[l] = mail[l] + 1;
    } else {
        mail[l] = 10 * (l + 1);
        atomicStore(flag[l], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    }
}
