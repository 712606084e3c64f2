#version 450
#extension GL_KHR_memory_scope_semantics : require
// A spin lock taken by every thread, with an acquire and a release: the thread
// that gets it waits for the other lanes of its warp, which wait for the lock.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Lock { uint lock; uint count; };

void main() {
    while (atomicCompSwap(lock, 0, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire,
                          gl_StorageSemanticsBuffer, gl_SemanticsAcquire) != 0) {
    }
    count++;
    atomicStore(lock, 0u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
