// What the program makes: buffers, images, modules, pipelines.
#include "layer.h"

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

enum { SHADER_MODULE_INFO = 16, REQUIRED_SUBGROUP = 1000225001, ROBUSTNESS = 1000068000, FLAGS2_PIPELINE = 1000470005 };

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

Layout *newLayout(Device *d, uint64_t handle, uint32_t n, const VkDescriptorSetLayout *sets, uint32_t m, const VkPushConstantRange *ranges) {
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
