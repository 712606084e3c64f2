// Descriptor sets: their layouts, and what is written into them.
#include "layer.h"

enum { BINDING_FLAGS = 1000161000, INLINE_WRITE = 1000138002, MAX_SLOTS = 1 << 20 };

static int byBinding(const void *x, const void *y) {
	const LayoutBinding *a = x, *b = y;
	return (a->binding > b->binding) - (a->binding < b->binding);
}

VkResult CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info, const void *allocator, VkDescriptorSetLayout *out) {
	ENTER(device);
	VkResult r = next->CreateDescriptorSetLayout(device, info, allocator, out);
	if (r)
		return r;
	const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = chained(info->pNext, BINDING_FLAGS);
	pthread_mutex_lock(&L);
	SetLayout *l = find(d, SET_LAYOUT, *out);
	if (l)
		l->o.creates++; // an equal one, by the same handle
	else {
		l = add(d, SET_LAYOUT, *out, sizeof *l);
		l->descriptorBuffer = info->flags & 0x10;
		l->bindings = calloc(info->bindingCount ? info->bindingCount : 1, sizeof *l->bindings);
		for (uint32_t i = 0; l->bindings && i < info->bindingCount; i++) {
			const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
			LayoutBinding *lb = &l->bindings[l->count++];
			*lb = (LayoutBinding){.binding = b->binding, .count = b->descriptorCount, .type = b->descriptorType};
			lb->late = flags && flags->bindingCount > i && flags->pBindingFlags[i] & 3; // UPDATE_AFTER_BIND, UPDATE_UNUSED_WHILE_PENDING
			if (b->pImmutableSamplers && b->descriptorType <= COMBINED && (lb->immutable = calloc(b->descriptorCount, sizeof *lb->immutable)))
				for (uint32_t e = 0; e < b->descriptorCount; e++)
					lb->immutable[e] = keep(find(d, SAMPLER, b->pImmutableSamplers[e]));
		}
		qsort(l->bindings, l->count, sizeof *l->bindings, byBinding);
		for (uint32_t i = 0; i < l->count; i++) {
			l->bindings[i].first = l->slots;
			l->slots += l->bindings[i].type == INLINE_BLOCK ? 1 : l->bindings[i].count;
			if (l->slots > MAX_SLOTS)
				l->slots = MAX_SLOTS;
		}
	}
	pthread_mutex_unlock(&L);
	return r;
}

VkResult CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo *info, const void *allocator, VkPipelineLayout *out) {
	ENTER(device);
	VkResult r = next->CreatePipelineLayout(device, info, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	Layout *l = find(d, LAYOUT, *out);
	if (l)
		l->o.creates++;
	else
		newLayout(d, *out, info->setLayoutCount, info->pSetLayouts, info->pushConstantRangeCount, info->pPushConstantRanges);
	pthread_mutex_unlock(&L);
	return r;
}

Set *newSet(Device *d, uint64_t handle, SetLayout *layout) {
	Set *s = add(d, SET, handle, sizeof *s);
	s->layout = keep(layout);
	s->slot = layout ? calloc(layout->slots ? layout->slots : 1, sizeof *s->slot) : NULL;
	s->slots = s->slot ? layout->slots : 0;
	return s;
}

VkResult AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out) {
	ENTER(device);
	VkResult r = next->AllocateDescriptorSets(device, info, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	SetPool *p = find(d, SET_POOL, info->descriptorPool);
	if (!p)
		p = add(d, SET_POOL, info->descriptorPool, sizeof *p);
	for (uint32_t i = 0; i < info->descriptorSetCount; i++) {
		Set *s = newSet(d, out[i], find(d, SET_LAYOUT, info->pSetLayouts[i]));
		s->sibling = p->first;
		p->first = s;
	}
	pthread_mutex_unlock(&L);
	return r;
}

VkResult FreeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t n, const VkDescriptorSet *sets) {
	ENTER(device);
	pthread_mutex_lock(&L);
	SetPool *p = find(d, SET_POOL, pool);
	for (uint32_t i = 0; p && i < n; i++)
		for (Set **at = &p->first; *at; at = &(*at)->sibling)
			if ((*at)->o.handle == sets[i]) {
				*at = (*at)->sibling;
				removeObject(d, SET, sets[i]);
				break;
			}
	pthread_mutex_unlock(&L);
	return next->FreeDescriptorSets(device, pool, n, sets);
}

static void emptySetPool(Device *d, VkDescriptorPool pool) {
	SetPool *p = find(d, SET_POOL, pool);
	for (Set *s = p ? p->first : NULL, *following; s; s = following) {
		following = s->sibling;
		removeObject(d, SET, s->o.handle);
	}
	if (p)
		p->first = NULL;
}

VkResult ResetDescriptorPool(VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags) {
	ENTER(device);
	LOCKED(emptySetPool(d, pool));
	return next->ResetDescriptorPool(device, pool, flags);
}

void DestroyDescriptorPool(VkDevice device, VkDescriptorPool pool, const void *allocator) {
	ENTER(device);
	LOCKED(emptySetPool(d, pool); removeObject(d, SET_POOL, pool));
	next->DestroyDescriptorPool(device, pool, allocator);
}

// Walk goes over descriptors from an element of a binding on, into the bindings
// that follow.
typedef struct { Set *set; uint32_t binding, element; } Walk;

LayoutBinding *bindingAt(Set *s, uint32_t number) {
	for (uint32_t i = 0; s && s->layout && i < s->layout->count; i++)
		if (s->layout->bindings[i].binding == number)
			return &s->layout->bindings[i];
	return NULL;
}

static Slot *step(Walk *w) {
	LayoutBinding *b = bindingAt(w->set, w->binding);
	if (!b)
		return NULL;
	LayoutBinding *end = w->set->layout->bindings + w->set->layout->count;
	while (w->element >= b->count) {
		w->element -= b->count;
		if (++b == end)
			return NULL;
		w->binding = b->binding;
	}
	uint32_t at = b->first + w->element++;
	return at < w->set->slots ? &w->set->slot[at] : NULL;
}

static void setSlot(Device *d, Slot *s, VkDescriptorType type, const VkDescriptorImageInfo *image, const VkDescriptorBufferInfo *buffer, const VkBufferView *texel) {
	drop(s->object);
	drop(s->sampler);
	*s = (Slot){.type = type, .written = true, .bytes = s->bytes};
	if (type == UNIFORM_TEXEL || type == STORAGE_TEXEL)
		s->object = keep(*texel ? find(d, BUFFER_VIEW, *texel) : NULL);
	else if (type <= STORAGE_TEXEL) {
		if (type <= COMBINED)
			s->sampler = keep(image->sampler ? find(d, SAMPLER, image->sampler) : NULL);
		if (type != SAMPLER_TYPE)
			s->object = keep(image->imageView ? find(d, IMAGE_VIEW, image->imageView) : NULL);
		s->layout = image->imageLayout;
	} else if (type <= STORAGE_DYNAMIC) {
		s->object = keep(buffer->buffer ? find(d, BUFFER, buffer->buffer) : NULL);
		s->offset = buffer->offset;
		s->range = buffer->range;
	}
}

static void setBytes(Set *set, uint32_t binding, uint32_t at, const void *data, uint32_t size) {
	LayoutBinding *b = bindingAt(set, binding);
	if (!b || b->first >= set->slots || at > b->count || size > b->count - at)
		return;
	Slot *s = &set->slot[b->first];
	if (!s->bytes && !(s->bytes = calloc(1, b->count)))
		return;
	s->type = INLINE_BLOCK;
	s->written = true;
	memcpy(s->bytes + at, data, size);
}

void writeSet(Device *d, Set *set, const VkWriteDescriptorSet *w) {
	if (w->descriptorType == INLINE_BLOCK) {
		const VkWriteDescriptorSetInlineUniformBlock *block = chained(w->pNext, INLINE_WRITE);
		if (block)
			setBytes(set, w->dstBinding, w->dstArrayElement, block->pData, block->dataSize);
		return;
	}
	Walk at = {set, w->dstBinding, w->dstArrayElement};
	for (uint32_t i = 0; i < w->descriptorCount; i++) {
		Slot *s = step(&at);
		if (!s || w->descriptorType > STORAGE_DYNAMIC)
			return;
		setSlot(d, s, w->descriptorType, &w->pImageInfo[i], &w->pBufferInfo[i], &w->pTexelBufferView[i]);
	}
}

static void copySet(Device *d, const VkCopyDescriptorSet *c) {
	Walk from = {find(d, SET, c->srcSet), c->srcBinding, c->srcArrayElement}, to = {find(d, SET, c->dstSet), c->dstBinding, c->dstArrayElement};
	LayoutBinding *b = bindingAt(from.set, c->srcBinding);
	if (b && b->type == INLINE_BLOCK) {
		Slot *s = b->first < from.set->slots ? &from.set->slot[b->first] : NULL;
		if (s && s->bytes && c->srcArrayElement <= b->count && c->descriptorCount <= b->count - c->srcArrayElement)
			setBytes(to.set, c->dstBinding, c->dstArrayElement, s->bytes + c->srcArrayElement, c->descriptorCount);
		return;
	}
	for (uint32_t i = 0; i < c->descriptorCount; i++) {
		Slot *s = step(&from), *t = step(&to);
		if (!s || !t)
			return;
		Slot old = *t;
		*t = *s;
		t->bytes = old.bytes;
		keep(t->object);
		keep(t->sampler);
		drop(old.object);
		drop(old.sampler);
	}
}

void UpdateDescriptorSets(VkDevice device, uint32_t n, const VkWriteDescriptorSet *writes, uint32_t m, const VkCopyDescriptorSet *copies) {
	ENTER(device);
	next->UpdateDescriptorSets(device, n, writes, m, copies);
	pthread_mutex_lock(&L);
	for (uint32_t i = 0; i < n; i++)
		writeSet(d, find(d, SET, writes[i].dstSet), &writes[i]);
	for (uint32_t i = 0; i < m; i++)
		copySet(d, &copies[i]);
	pthread_mutex_unlock(&L);
}

VkResult CreateDescriptorUpdateTemplate(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo *info, const void *allocator, VkDescriptorUpdateTemplate *out) {
	ENTER(device);
	VkResult r = next->CreateDescriptorUpdateTemplate(device, info, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	Template *t = add(d, TEMPLATE, *out, sizeof *t);
	t->entries = copyOf(info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount * sizeof *t->entries);
	t->count = info->descriptorUpdateEntryCount;
	t->point = info->templateType ? info->pipelineBindPoint : COMPUTE_POINT; // 0: for sets
	pthread_mutex_unlock(&L);
	return r;
}

void writeTemplate(Device *d, Set *set, VkDescriptorUpdateTemplate handle, const char *data) {
	Template *t = find(d, TEMPLATE, handle);
	for (uint32_t i = 0; t && i < t->count; i++) {
		const VkDescriptorUpdateTemplateEntry *e = &t->entries[i];
		if (e->descriptorType == INLINE_BLOCK) {
			setBytes(set, e->dstBinding, e->dstArrayElement, data + e->offset, e->descriptorCount);
			continue;
		}
		Walk at = {set, e->dstBinding, e->dstArrayElement};
		for (uint32_t k = 0; k < e->descriptorCount; k++) {
			const void *p = data + e->offset + k * e->stride;
			Slot *s = step(&at);
			if (!s || e->descriptorType > STORAGE_DYNAMIC)
				break;
			setSlot(d, s, e->descriptorType, p, p, p);
		}
	}
}

void UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet set, VkDescriptorUpdateTemplate template, const void *data) {
	ENTER(device);
	next->UpdateDescriptorSetWithTemplate(device, set, template, data);
	LOCKED(writeTemplate(d, find(d, SET, set), template, data));
}
