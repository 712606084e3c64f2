// What the program makes and binds.
#include "layer.h"

#define ENTER(handle) Device *d = deviceOf(handle); Next *next = &d->next
#define LOCKED(...) do { pthread_mutex_lock(&L); __VA_ARGS__; pthread_mutex_unlock(&L); } while (0)

static void *copyOf(const void *data, size_t size) {
	void *p = malloc(size ? size : 1);
	if (!p)
		abort();
	return size ? memcpy(p, data, size) : p;
}

// Buffers

enum { TRANSFER_SRC = 1, SPARSE = 1, FLAGS2 = 1000470006 };

// withSource gives a buffer's create info the usage that copies need. Where
// VkBufferUsageFlags2CreateInfo has the usage, it can be replaced only at the
// head of the chain, since structures before it have sizes unknown here.
static bool withSource(VkBufferCreateInfo *info, VkBufferUsageFlags2CreateInfo *flags2) {
	const VkBufferUsageFlags2CreateInfo *f = chained(info->pNext, FLAGS2);
	if (!f) {
		info->usage |= TRANSFER_SRC;
		return true;
	}
	if (f != info->pNext)
		return f->usage & TRANSFER_SRC;
	*flags2 = *f;
	flags2->usage |= TRANSFER_SRC;
	info->pNext = flags2;
	return true;
}

VkResult CreateBuffer(VkDevice device, const VkBufferCreateInfo *info, const void *allocator, VkBuffer *out) {
	ENTER(device);
	VkBufferCreateInfo copy = *info;
	VkBufferUsageFlags2CreateInfo flags2;
	bool copyable = withSource(&copy, &flags2);
	VkResult r = next->CreateBuffer(device, &copy, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	static uint32_t number;
	Buffer *b = add(d, BUFFER, *out, sizeof *b);
	b->size = info->size;
	b->usage = info->usage;
	b->sparse = info->flags & SPARSE;
	b->copyable = copyable;
	b->number = number++;
	pthread_mutex_unlock(&L);
	return r;
}

void GetDeviceBufferMemoryRequirements(VkDevice device, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *out) {
	ENTER(device);
	(void)d;
	VkBufferCreateInfo copy = *info->pCreateInfo;
	VkBufferUsageFlags2CreateInfo flags2;
	withSource(&copy, &flags2);
	VkDeviceBufferMemoryRequirements changed = *info;
	changed.pCreateInfo = &copy;
	next->GetDeviceBufferMemoryRequirements(device, &changed, out);
}

static void bound(Device *d, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
	Buffer *b = find(d, BUFFER, buffer);
	if (b)
		b->memory = memory, b->offset = offset;
}

VkResult BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
	ENTER(device);
	VkResult r = next->BindBufferMemory(device, buffer, memory, offset);
	if (!r)
		LOCKED(bound(d, buffer, memory, offset));
	return r;
}

VkResult BindBufferMemory2(VkDevice device, uint32_t n, const VkBindBufferMemoryInfo *infos) {
	ENTER(device);
	VkResult r = next->BindBufferMemory2(device, n, infos);
	for (uint32_t i = 0; !r && i < n; i++)
		LOCKED(bound(d, infos[i].buffer, infos[i].memory, infos[i].memoryOffset));
	return r;
}

VkDeviceAddress GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo *info) {
	ENTER(device);
	VkDeviceAddress a = next->GetBufferDeviceAddress(device, info);
	pthread_mutex_lock(&L);
	Buffer *b = find(d, BUFFER, info->buffer);
	if (b)
		b->address = a;
	pthread_mutex_unlock(&L);
	return a;
}

#define DESTROY(name, kind, type) \
	void name(VkDevice device, type object, const void *allocator) { \
		ENTER(device); \
		LOCKED(removeObject(d, kind, object)); \
		next->name(device, object, allocator); \
	}
DESTROY(DestroyBuffer, BUFFER, VkBuffer)
DESTROY(DestroyBufferView, BUFFER_VIEW, VkBufferView)
DESTROY(DestroyImage, IMAGE, VkImage)
DESTROY(DestroyImageView, IMAGE_VIEW, VkImageView)
DESTROY(DestroySampler, SAMPLER, VkSampler)
DESTROY(DestroyShaderModule, MODULE, VkShaderModule)
DESTROY(DestroyPipeline, KERNEL, VkPipeline)
DESTROY(DestroyShaderEXT, KERNEL, VkShaderEXT)
DESTROY(DestroyDescriptorSetLayout, SET_LAYOUT, VkDescriptorSetLayout)
DESTROY(DestroyPipelineLayout, LAYOUT, VkPipelineLayout)
DESTROY(DestroyDescriptorUpdateTemplate, TEMPLATE, VkDescriptorUpdateTemplate)

VkResult CreateBufferView(VkDevice device, const VkBufferViewCreateInfo *info, const void *allocator, VkBufferView *out) {
	ENTER(device);
	VkResult r = next->CreateBufferView(device, info, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	BufferView *v = add(d, BUFFER_VIEW, *out, sizeof *v);
	v->buffer = keep(find(d, BUFFER, info->buffer));
	v->format = info->format;
	v->offset = info->offset;
	v->range = info->range;
	pthread_mutex_unlock(&L);
	return r;
}

// Images

enum { SAMPLED = 4, STORAGE = 8, TRANSIENT = 0x40, OPTIMAL = 0, LINEAR = 1 };

static bool withImageSource(Device *d, VkImageCreateInfo *info) {
	VkImageFormatProperties p;
	if (info->usage & TRANSFER_SRC)
		return true;
	if (!(info->usage & (SAMPLED | STORAGE)) || info->usage & TRANSIENT || info->tiling > LINEAR ||
		d->imageFormat(d->physical, info->format, info->imageType, info->tiling, info->usage | TRANSFER_SRC, info->flags, &p))
		return false;
	info->usage |= TRANSFER_SRC;
	return true;
}

VkResult CreateImage(VkDevice device, const VkImageCreateInfo *info, const void *allocator, VkImage *out) {
	ENTER(device);
	VkImageCreateInfo copy = *info;
	bool copyable = withImageSource(d, &copy);
	VkResult r = next->CreateImage(device, &copy, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	Image *i = add(d, IMAGE, *out, sizeof *i);
	i->info = *info;
	i->copyable = copyable;
	pthread_mutex_unlock(&L);
	return r;
}

void GetDeviceImageMemoryRequirements(VkDevice device, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *out) {
	ENTER(device);
	VkImageCreateInfo copy = *info->pCreateInfo;
	withImageSource(d, &copy);
	VkDeviceImageMemoryRequirements changed = *info;
	changed.pCreateInfo = &copy;
	next->GetDeviceImageMemoryRequirements(device, &changed, out);
}

VkResult CreateImageView(VkDevice device, const VkImageViewCreateInfo *info, const void *allocator, VkImageView *out) {
	ENTER(device);
	VkResult r = next->CreateImageView(device, info, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	ImageView *v = add(d, IMAGE_VIEW, *out, sizeof *v);
	v->image = keep(find(d, IMAGE, info->image));
	v->type = info->viewType;
	v->format = info->format;
	v->range = info->subresourceRange;
	const VkComponentSwizzle s[] = {info->components.r, info->components.g, info->components.b, info->components.a};
	for (int i = 0; i < 4; i++)
		v->swizzled |= s[i] != 0 && s[i] != 3 + i; // IDENTITY; R, G, B, A
	if (v->image && v->range.levelCount == ~0u)
		v->range.levelCount = v->image->info.mipLevels - v->range.baseMipLevel;
	if (v->image && v->range.layerCount == ~0u)
		v->range.layerCount = v->image->info.arrayLayers - v->range.baseArrayLayer;
	pthread_mutex_unlock(&L);
	return r;
}

VkResult CreateSampler(VkDevice device, const VkSamplerCreateInfo *info, const void *allocator, VkSampler *out) {
	ENTER(device);
	VkResult r = next->CreateSampler(device, info, allocator, out);
	if (r)
		return r;
	pthread_mutex_lock(&L);
	Sampler *s = find(d, SAMPLER, *out);
	if (s)
		s->o.creates++;
	else {
		s = add(d, SAMPLER, *out, sizeof *s);
		s->info = *info;
	}
	pthread_mutex_unlock(&L);
	return r;
}

// Modules and pipelines

static uint64_t hash(uint64_t h, const void *data, size_t size) {
	for (const uint8_t *p = data; size--; p++)
		h = (h ^ *p) * 0x100000001b3u;
	return h;
}

static int byPlace(const void *x, const void *y) {
	const Variable *a = x, *b = y;
	return a->set != b->set ? (a->set > b->set) - (a->set < b->set) : (a->binding > b->binding) - (a->binding < b->binding);
}

// reflect finds the variables with a set and a binding, and those of them that
// the kernel cannot write. Whatever does not look like SPIR-V has none.
static void reflect(Code *c) {
	enum { CAPABILITY = 17, POINTER = 32, ARRAY = 28, RUNTIME_ARRAY = 29, STRUCT = 30, VARIABLE = 59, DECORATE = 71, MEMBER_DECORATE = 72 };
	enum { NON_WRITABLE = 24, BINDING = 33, DESCRIPTOR_SET = 34, PHYSICAL_ADDRESSES = 5347, HAS_SET = 1, HAS_BINDING = 2 };
	typedef struct { uint32_t set, binding, type, members, fixed; uint8_t has, readOnly; } Id;
	size_t n = c->size / 4;
	const uint32_t *w = c->words;
	if (n < 5 || w[0] != 0x07230203 || w[3] > 1 << 22)
		return;
	uint32_t bound = w[3];
	Id *ids = calloc(bound ? bound : 1, sizeof *ids);
	c->variables = calloc(bound ? bound : 1, sizeof *c->variables);
	for (size_t i = 5; ids && c->variables && i < n;) {
		uint32_t op = w[i] & 0xffff, len = w[i] >> 16;
		if (len == 0 || len > n - i)
			break;
		const uint32_t *a = w + i + 1;
		i += len;
		if (op == CAPABILITY && len == 2)
			c->addresses |= a[0] == PHYSICAL_ADDRESSES;
		else if (op == DECORATE && len >= 3 && a[0] < bound) {
			Id *id = &ids[a[0]];
			if (a[1] == DESCRIPTOR_SET && len == 4)
				id->set = a[2], id->has |= HAS_SET;
			else if (a[1] == BINDING && len == 4)
				id->binding = a[2], id->has |= HAS_BINDING;
			else if (a[1] == NON_WRITABLE)
				id->readOnly = 1;
		} else if (op == MEMBER_DECORATE && len == 4 && a[0] < bound && a[2] == NON_WRITABLE)
			ids[a[0]].fixed++;
		else if (op == POINTER && len == 4 && a[0] < bound && a[2] < bound)
			ids[a[0]].type = a[2];
		else if ((op == ARRAY || op == RUNTIME_ARRAY) && len >= 3 && a[0] < bound && a[1] < a[0])
			ids[a[0]].type = a[1];
		else if (op == STRUCT && a[0] < bound)
			ids[a[0]].members = len - 2;
		else if (op == VARIABLE && len >= 4 && a[1] < bound && a[0] < bound && ids[a[1]].has == (HAS_SET | HAS_BINDING)) {
			uint32_t t = ids[a[0]].type;
			for (int depth = 0; depth < 8 && ids[t].type; depth++)
				t = ids[t].type;
			bool readOnly = ids[a[1]].readOnly || (ids[t].members && ids[t].fixed >= ids[t].members);
			c->variables[c->count++] = (Variable){ids[a[1]].set, ids[a[1]].binding, readOnly};
		}
	}
	free(ids);
	if (!c->variables)
		return;
	// Several variables may share a place: one entry, written if any of them is.
	qsort(c->variables, c->count, sizeof *c->variables, byPlace);
	int kept = 0;
	for (int i = 0; i < c->count; i++)
		if (kept && !byPlace(&c->variables[kept - 1], &c->variables[i]))
			c->variables[kept - 1].readOnly &= c->variables[i].readOnly;
		else
			c->variables[kept++] = c->variables[i];
	c->count = kept;
}

static Code *newCode(const void *words, size_t size) {
	Code *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->refs = 1;
	c->size = size;
	c->words = copyOf(words, size);
	c->hash = hash(0xcbf29ce484222325u, words, size);
	reflect(c);
	return c;
}

VkResult CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info, const void *allocator, VkShaderModule *out) {
	ENTER(device);
	VkResult r = next->CreateShaderModule(device, info, allocator, out);
	if (r)
		return r;
	Code *c = newCode(info->pCode, info->codeSize);
	LOCKED(((Module *)add(d, MODULE, *out, sizeof(Module)))->code = c);
	return r;
}

static void specialize(Kernel *k, const VkSpecializationInfo *s) {
	k->spec = calloc(s && s->mapEntryCount ? s->mapEntryCount : 1, sizeof *k->spec);
	for (uint32_t i = 0; k->spec && s && i < s->mapEntryCount; i++) {
		const VkSpecializationMapEntry *e = &s->pMapEntries[i];
		if (e->size == 0 || e->size > 8 || e->offset > s->dataSize || e->size > s->dataSize - e->offset)
			continue;
		struct Spec *v = &k->spec[k->specCount++];
		v->id = e->constantID;
		v->size = e->size;
		memcpy(&v->value, (const char *)s->pData + e->offset, e->size);
	}
}

// identify gives a kernel its id, which is the same in every run.
static void identify(Kernel *k) {
	uint64_t h = k->code ? k->code->hash : 0;
	h = hash(h, k->entry, strlen(k->entry));
	for (uint32_t i = 0; i < k->specCount; i++) {
		h = hash(h, &k->spec[i].id, 8); // id and size
		h = hash(h, &k->spec[i].value, 8);
	}
	k->id = hash(h, &k->subgroup, sizeof k->subgroup);
}

enum { SHADER_MODULE_INFO = 16, REQUIRED_SUBGROUP = 1000225001, ROBUSTNESS = 1000068000, FLAGS2_PIPELINE = 1000470005, COMPUTE = 0x20, COMPUTE_POINT = 1 };

VkResult CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t n, const VkComputePipelineCreateInfo *infos, const void *allocator, VkPipeline *out) {
	ENTER(device);
	VkResult r = next->CreateComputePipelines(device, cache, n, infos, allocator, out);
	// Some may have failed and others not.
	for (uint32_t i = 0; i < n; i++) {
		if (!out[i])
			continue;
		const VkPipelineShaderStageCreateInfo *stage = &infos[i].stage;
		const VkShaderModuleCreateInfo *inlined = chained(stage->pNext, SHADER_MODULE_INFO);
		const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *size = chained(stage->pNext, REQUIRED_SUBGROUP);
		const VkPipelineRobustnessCreateInfoEXT *robust = chained(stage->pNext, ROBUSTNESS);
		const VkBufferUsageFlags2CreateInfo *flags2 = chained(infos[i].pNext, FLAGS2_PIPELINE); // of the same layout
		if (!robust)
			robust = chained(infos[i].pNext, ROBUSTNESS);
		Code *code = !stage->module && inlined ? newCode(inlined->pCode, inlined->codeSize) : NULL;
		pthread_mutex_lock(&L);
		Kernel *k = add(d, KERNEL, out[i], sizeof *k);
		Module *m = stage->module ? find(d, MODULE, stage->module) : NULL;
		if (m)
			(code = m->code)->refs++;
		k->code = code;
		k->entry = strdup(stage->pName);
		k->layout = keep(find(d, LAYOUT, infos[i].layout));
		k->stageFlags = stage->flags;
		k->subgroup = size ? size->requiredSubgroupSize : 0;
		k->storageRobustness = robust ? robust->storageBuffers : 0;
		k->descriptorBuffer = ((flags2 ? flags2->usage : infos[i].flags) & 0x20000000) != 0;
		k->o.name = m && m->o.name ? strdup(m->o.name) : NULL;
		specialize(k, stage->pSpecializationInfo);
		identify(k);
		pthread_mutex_unlock(&L);
	}
	return r;
}

static Layout *newLayout(Device *d, uint64_t handle, uint32_t n, const VkDescriptorSetLayout *sets, uint32_t m, const VkPushConstantRange *ranges) {
	Layout *l = add(d, LAYOUT, handle, sizeof *l);
	l->sets = calloc(n ? n : 1, sizeof *l->sets);
	for (uint32_t i = 0; l->sets && i < n; i++)
		l->sets[l->count++] = sets[i] ? keep(find(d, SET_LAYOUT, sets[i])) : NULL;
	for (uint32_t i = 0; i < m; i++)
		if (ranges[i].stageFlags & COMPUTE && ranges[i].offset + ranges[i].size > l->pushSize && ranges[i].offset + ranges[i].size <= MAX_PUSH)
			l->pushSize = ranges[i].offset + ranges[i].size;
	return l;
}

VkResult CreateShadersEXT(VkDevice device, uint32_t n, const VkShaderCreateInfoEXT *infos, const void *allocator, VkShaderEXT *out) {
	ENTER(device);
	VkResult r = next->CreateShadersEXT(device, n, infos, allocator, out);
	for (uint32_t i = 0; i < n; i++) {
		if (!out[i] || infos[i].stage != COMPUTE)
			continue;
		const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *size = chained(infos[i].pNext, REQUIRED_SUBGROUP);
		Code *code = infos[i].codeType == 1 ? newCode(infos[i].pCode, infos[i].codeSize) : NULL; // else a driver's binary
		pthread_mutex_lock(&L);
		Kernel *k = add(d, KERNEL, out[i], sizeof *k);
		k->code = code;
		k->entry = strdup(infos[i].pName ? infos[i].pName : "main");
		k->layout = newLayout(d, 0, infos[i].setLayoutCount, infos[i].pSetLayouts, infos[i].pushConstantRangeCount, infos[i].pPushConstantRanges);
		k->subgroup = size ? size->requiredSubgroupSize : 0;
		k->stageFlags = infos[i].flags >> 1 & 3; // VARYING_SIZE and FULL_SUBGROUPS, one bit higher than a stage's
		specialize(k, infos[i].pSpecializationInfo);
		identify(k);
		pthread_mutex_unlock(&L);
	}
	return r;
}

VkResult SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
	ENTER(device);
	static const struct { VkObjectType type; Kind kind; } kinds[] = {{9, BUFFER}, {10, IMAGE}, {15, MODULE}, {19, KERNEL}, {1000482000, KERNEL}};
	pthread_mutex_lock(&L);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		Object *o = kinds[i].type == info->objectType ? find(d, kinds[i].kind, info->objectHandle) : NULL;
		if (o) {
			free(o->name);
			o->name = info->pObjectName && *info->pObjectName ? strdup(info->pObjectName) : NULL;
		}
	}
	pthread_mutex_unlock(&L);
	return next->SetDebugUtilsObjectNameEXT ? next->SetDebugUtilsObjectNameEXT(device, info) : 0;
}

// Descriptors

enum { SAMPLER_TYPE = 0, COMBINED = 1, UNIFORM_TEXEL = 4, STORAGE_TEXEL = 5, UNIFORM_BUFFER = 6, STORAGE_BUFFER = 7, UNIFORM_DYNAMIC = 8,
	STORAGE_DYNAMIC = 9, INLINE_BLOCK = 1000138000, BINDING_FLAGS = 1000161000, VARIABLE_COUNT = 1000161003, INLINE_WRITE = 1000138002, MAX_SLOTS = 1 << 20 };

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

static Set *newSet(Device *d, uint64_t handle, SetLayout *layout) {
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

static void writeSet(Device *d, Set *set, const VkWriteDescriptorSet *w) {
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

static void writeTemplate(Device *d, Set *set, VkDescriptorUpdateTemplate handle, const char *data) {
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

// Command buffers

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

bool isDynamic(VkDescriptorType t) { return t == UNIFORM_DYNAMIC || t == STORAGE_DYNAMIC; }

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
