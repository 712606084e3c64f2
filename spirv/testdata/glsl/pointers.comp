#version 460
#extension GL_EXT_buffer_reference : enable
#extension GL_EXT_buffer_reference2 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_atomic_float : enable
#extension GL_EXT_nonuniform_qualifier : enable
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_EXT_debug_printf : enable
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(buffer_reference) buffer List;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer List { float value; List next; };
layout(set = 0, binding = 0) buffer Root { List head; float sum; int flag; } roots[];
layout(push_constant) uniform P { uint which; };

void main() {
	List l = roots[nonuniformEXT(which)].head;
	for (int i = 0; i < 8 && uint64_t(l) != 0ul; i++) {
		atomicAdd(roots[which].sum, l.value);
		debugPrintfEXT("node %d \"%f\"\\", i, l.value);
		l = l.next;
	}
	atomicStore(roots[which].flag, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}
