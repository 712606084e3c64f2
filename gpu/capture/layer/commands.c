// Command buffers: what is bound when they dispatch.
#include "layer.h"

static Commands *commandsOf(Device *d, VkCommandBuffer handle) { return find(d, COMMANDS, (uintptr_t)handle); }

// clearCommands forgets what a command buffer has recorded.
void clearCommands(Commands *c) {
	releaseShots(c);
	drop(c->kernel);
	c->kernel = NULL;
	for (int i = 0; i < MAX_SETS; i++) {
		drop(c->sets[i]);
		free(c->dynamic[i]);
		c->sets[i] = NULL;
		c->dynamic[i] = NULL;
	}
	while (c->labelCount)
		free(c->labels[--c->labelCount]);
	for (int i = 0; i < c->executedCount; i++)
		drop(c->executed[i]);
	free(c->executed);
	c->timeCount = 0;
	c->executed = NULL;
	c->executedCount = 0;
	c->descriptorBuffers = false;
	memset(c->push, 0, sizeof c->push);
}

static void removeCommands(Device *d, Commands *c) {
	clearCommands(c);
	if (c->queries)
		d->next.DestroyQueryPool(d->handle, c->queries, NULL);
	removeObject(d, COMMANDS, c->o.handle);
}

VkResult CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info, const void *allocator, VkCommandPool *out) {
	ENTER(device);
	VkResult r = next->CreateCommandPool(device, info, allocator, out);
	if (!r)
		LOCKED(((CommandPool *)add(d, COMMAND_POOL, *out, sizeof(CommandPool)))->family = info->queueFamilyIndex);
	return r;
}

VkResult AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out) {
	ENTER(device);
	VkResult r = next->AllocateCommandBuffers(device, info, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	CommandPool *p = find(d, COMMAND_POOL, info->commandPool);
	for (uint32_t i = 0; p && i < info->commandBufferCount; i++) {
		Commands *c = add(d, COMMANDS, (uintptr_t)out[i], sizeof *c);
		c->handle = out[i];
		c->family = p->family;
		c->sibling = p->first;
		p->first = c;
	}
	pthread_mutex_unlock(&L);
	return r;
}

void FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t n, const VkCommandBuffer *list) {
	ENTER(device);
	pthread_mutex_lock(&L);
	CommandPool *p = find(d, COMMAND_POOL, pool);
	for (uint32_t i = 0; p && i < n; i++)
		for (Commands **at = &p->first; *at; at = &(*at)->sibling)
			if ((*at)->handle == list[i]) {
				Commands *c = *at;
				*at = c->sibling;
				removeCommands(d, c);
				break;
			}
	pthread_mutex_unlock(&L);
	next->FreeCommandBuffers(device, pool, n, list);
}

VkResult ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
	ENTER(device);
	pthread_mutex_lock(&L);
	CommandPool *p = find(d, COMMAND_POOL, pool);
	for (Commands *c = p ? p->first : NULL; c; c = c->sibling)
		clearCommands(c);
	pthread_mutex_unlock(&L);
	return next->ResetCommandPool(device, pool, flags);
}

void DestroyCommandPool(VkDevice device, VkCommandPool pool, const void *allocator) {
	ENTER(device);
	pthread_mutex_lock(&L);
	CommandPool *p = find(d, COMMAND_POOL, pool);
	for (Commands *c = p ? p->first : NULL, *following; c; c = following) {
		following = c->sibling;
		removeCommands(d, c);
	}
	removeObject(d, COMMAND_POOL, pool);
	pthread_mutex_unlock(&L);
	next->DestroyCommandPool(device, pool, allocator);
}

static void cleared(Device *d, VkCommandBuffer handle, bool simultaneous) {
	pthread_mutex_lock(&L);
	Commands *c = commandsOf(d, handle);
	if (c) {
		clearCommands(c);
		c->simultaneous = simultaneous;
	}
	pthread_mutex_unlock(&L);
}

VkResult BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info) {
	ENTER(commands);
	cleared(d, commands, info->flags & 4);
	return next->BeginCommandBuffer(commands, info);
}

VkResult ResetCommandBuffer(VkCommandBuffer commands, VkCommandBufferResetFlags flags) {
	ENTER(commands);
	cleared(d, commands, false);
	return next->ResetCommandBuffer(commands, flags);
}

// WITH runs a statement on a command buffer's state c.
#define WITH(...) do { pthread_mutex_lock(&L); Commands *c = commandsOf(d, commands); if (c) { __VA_ARGS__; } pthread_mutex_unlock(&L); } while (0)

static void bindKernel(Commands *c, Kernel *k) {
	keep(k);
	drop(c->kernel);
	c->kernel = k;
}

void CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
	ENTER(commands);
	next->CmdBindPipeline(commands, point, pipeline);
	if (point == COMPUTE_POINT)
		WITH(bindKernel(c, find(d, KERNEL, pipeline)));
}

void CmdBindShadersEXT(VkCommandBuffer commands, uint32_t n, const VkShaderStageFlagBits *stages, const VkShaderEXT *shaders) {
	ENTER(commands);
	next->CmdBindShadersEXT(commands, n, stages, shaders);
	for (uint32_t i = 0; i < n; i++)
		if (stages[i] == COMPUTE)
			WITH(bindKernel(c, shaders && shaders[i] ? find(d, KERNEL, shaders[i]) : NULL));
}

// bindSets binds sets, and gives each its dynamic offsets: they come set by
// set, within a set by binding and element.
static void bindSets(Device *d, Commands *c, uint32_t first, uint32_t n, const VkDescriptorSet *sets, uint32_t m, const uint32_t *offsets) {
	for (uint32_t i = 0; i < n && first + i < MAX_SETS; i++) {
		uint32_t at = first + i;
		Set *s = keep(sets[i] ? find(d, SET, sets[i]) : NULL);
		drop(c->sets[at]);
		free(c->dynamic[at]);
		c->sets[at] = s;
		c->dynamic[at] = NULL;
		uint32_t count = 0;
		for (uint32_t b = 0; s && s->layout && b < s->layout->count; b++)
			count += isDynamic(s->layout->bindings[b].type) ? s->layout->bindings[b].count : 0;
		if (count && count <= m) {
			c->dynamic[at] = copyOf(offsets, count * sizeof *offsets);
			offsets += count;
			m -= count;
		}
	}
}

void CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first, uint32_t n, const VkDescriptorSet *sets, uint32_t m, const uint32_t *offsets) {
	ENTER(commands);
	next->CmdBindDescriptorSets(commands, point, layout, first, n, sets, m, offsets);
	if (point == COMPUTE_POINT)
		WITH(bindSets(d, c, first, n, sets, m, offsets));
}

void CmdBindDescriptorSets2(VkCommandBuffer commands, const VkBindDescriptorSetsInfo *info) {
	ENTER(commands);
	next->CmdBindDescriptorSets2(commands, info);
	if (info->stageFlags & COMPUTE)
		WITH(bindSets(d, c, info->firstSet, info->descriptorSetCount, info->pDescriptorSets, info->dynamicOffsetCount, info->pDynamicOffsets));
}

void CmdBindDescriptorBuffersEXT(VkCommandBuffer commands, uint32_t n, const void *infos) {
	ENTER(commands);
	next->CmdBindDescriptorBuffersEXT(commands, n, infos);
	WITH(c->descriptorBuffers = true);
}

static void push(Commands *c, VkShaderStageFlags stages, uint32_t offset, uint32_t size, const void *values) {
	if (stages & COMPUTE && offset <= MAX_PUSH && size <= MAX_PUSH - offset)
		memcpy(c->push + offset, values, size);
}

void CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size, const void *values) {
	ENTER(commands);
	next->CmdPushConstants(commands, layout, stages, offset, size, values);
	WITH(push(c, stages, offset, size, values));
}

void CmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo *info) {
	ENTER(commands);
	next->CmdPushConstants2(commands, info);
	WITH(push(c, info->stageFlags, info->offset, info->size, info->pValues));
}

// pushSet gives the set of the layer's own that stands for pushed descriptors.
static Set *pushSet(Device *d, Commands *c, VkPipelineLayout layout, uint32_t number) {
	Layout *l = find(d, LAYOUT, layout);
	if (number >= MAX_SETS || !l || number >= l->count)
		return NULL;
	Set *s = c->sets[number];
	if (s && !s->o.handle && s->layout == l->sets[number])
		return s;
	drop(s);
	free(c->dynamic[number]);
	c->dynamic[number] = NULL;
	return c->sets[number] = newSet(d, 0, l->sets[number]);
}

static void pushWrites(Device *d, Commands *c, VkPipelineLayout layout, uint32_t set, uint32_t n, const VkWriteDescriptorSet *writes) {
	Set *s = pushSet(d, c, layout, set);
	for (uint32_t i = 0; s && i < n; i++)
		writeSet(d, s, &writes[i]);
}

void CmdPushDescriptorSet(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t set, uint32_t n, const VkWriteDescriptorSet *writes) {
	ENTER(commands);
	next->CmdPushDescriptorSet(commands, point, layout, set, n, writes);
	if (point == COMPUTE_POINT)
		WITH(pushWrites(d, c, layout, set, n, writes));
}

void CmdPushDescriptorSet2(VkCommandBuffer commands, const VkPushDescriptorSetInfo *info) {
	ENTER(commands);
	next->CmdPushDescriptorSet2(commands, info);
	if (info->stageFlags & COMPUTE)
		WITH(pushWrites(d, c, info->layout, info->set, info->descriptorWriteCount, info->pDescriptorWrites));
}

static void pushTemplate(Device *d, Commands *c, VkDescriptorUpdateTemplate template, VkPipelineLayout layout, uint32_t set, const void *data) {
	Template *t = find(d, TEMPLATE, template);
	Set *s = t && t->point == COMPUTE_POINT ? pushSet(d, c, layout, set) : NULL;
	if (s)
		writeTemplate(d, s, template, data);
}

void CmdPushDescriptorSetWithTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate template, VkPipelineLayout layout, uint32_t set, const void *data) {
	ENTER(commands);
	next->CmdPushDescriptorSetWithTemplate(commands, template, layout, set, data);
	WITH(pushTemplate(d, c, template, layout, set, data));
}

void CmdPushDescriptorSetWithTemplate2(VkCommandBuffer commands, const VkPushDescriptorSetWithTemplateInfo *info) {
	ENTER(commands);
	next->CmdPushDescriptorSetWithTemplate2(commands, info);
	WITH(pushTemplate(d, c, info->descriptorUpdateTemplate, info->layout, info->set, info->pData));
}

static void execute(Device *d, Commands *c, uint32_t n, const VkCommandBuffer *list) {
	Commands **all = realloc(c->executed, (c->executedCount + n) * sizeof *all);
	if (!all)
		return;
	c->executed = all;
	for (uint32_t i = 0; i < n; i++) {
		Commands *s = commandsOf(d, list[i]);
		if (s)
			c->executed[c->executedCount++] = keep(s);
	}
	// What the primary had bound is undefined from here on.
	bindKernel(c, NULL);
	for (int i = 0; i < MAX_SETS; i++) {
		drop(c->sets[i]);
		c->sets[i] = NULL;
	}
}

void CmdExecuteCommands(VkCommandBuffer commands, uint32_t n, const VkCommandBuffer *list) {
	ENTER(commands);
	next->CmdExecuteCommands(commands, n, list);
	WITH(execute(d, c, n, list));
}

void CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label) {
	ENTER(commands);
	if (next->CmdBeginDebugUtilsLabelEXT)
		next->CmdBeginDebugUtilsLabelEXT(commands, label);
	WITH(if (c->labelCount < MAX_LABELS) c->labels[c->labelCount++] = strdup(label->pLabelName));
}

void CmdEndDebugUtilsLabelEXT(VkCommandBuffer commands) {
	ENTER(commands);
	if (next->CmdEndDebugUtilsLabelEXT)
		next->CmdEndDebugUtilsLabelEXT(commands);
	WITH(if (c->labelCount) free(c->labels[--c->labelCount]));
}

// Dispatches

void CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
	ENTER(commands);
	Shot *s = beforeDispatch(d, commands, &(Grid){.groups = {x, y, z}});
	next->CmdDispatch(commands, x, y, z);
	afterDispatch(d, commands, s);
}

void CmdDispatchBase(VkCommandBuffer commands, uint32_t bx, uint32_t by, uint32_t bz, uint32_t x, uint32_t y, uint32_t z) {
	ENTER(commands);
	Shot *s = beforeDispatch(d, commands, &(Grid){.groups = {x, y, z}, .base = {bx, by, bz}});
	next->CmdDispatchBase(commands, bx, by, bz, x, y, z);
	afterDispatch(d, commands, s);
}

void CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
	ENTER(commands);
	Shot *s = beforeDispatch(d, commands, &(Grid){.indirect = true, .buffer = buffer, .offset = offset});
	next->CmdDispatchIndirect(commands, buffer, offset);
	afterDispatch(d, commands, s);
}
