// Which dispatches are captured, and the copies around them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer.h"

// Which

// Seen is what is known of all kernels with one id.
typedef struct Seen { struct Seen *link; uint64_t id; uint32_t count, refused; bool taken, named; } Seen;

static Seen *seen[1024];
static uint64_t dispatches, bytesTaken;
static uint32_t shotsTaken;
enum { LISTED = 20000, REFUSALS = 16, ELEMENTS = 4096 };

static Seen *seenOf(uint64_t id) {
	Seen **at = &seen[id % COUNT(seen)];
	while (*at && (*at)->id != id)
		at = &(*at)->link;
	if (!*at && (*at = calloc(1, sizeof **at)))
		(*at)->id = id;
	if (!*at)
		abort();
	return *at;
}

// meant reports whether a word of --shader is the kernel's: its name, its entry
// point, or how its id begins.
static bool meant(const Kernel *k, const char *word) {
	char id[20];
	snprintf(id, sizeof id, "%016llx", (unsigned long long)k->id);
	return (k->o.name && !strcmp(k->o.name, word)) || !strcmp(k->entry, word) || (strlen(word) >= 4 && !strncmp(id, word, strlen(word)));
}

static bool wanted(const Kernel *k, Seen *s, uint64_t number) {
	if (settings.list)
		return false;
	bool named = settings.shaderCount == 0;
	for (int i = 0; i < settings.shaderCount; i++)
		named |= meant(k, settings.shaders[i]);
	if (settings.rangeCount) {
		bool in = false;
		for (int i = 0; i < settings.rangeCount; i++)
			in |= settings.ranges[i].first <= number && number <= settings.ranges[i].last;
		return named && in;
	}
	return named && (settings.every || (!s->taken && s->count >= settings.nth));
}

// What

static void *grow(void *list, int count, size_t size) {
	if (count & (count - 1))
		return list; // room up to the next power of two
	void *p = realloc(list, (count ? 2 * count : 1) * size);
	if (!p)
		abort();
	return p;
}

// addPiece adds bytes of a buffer; pieces of one buffer merge where they
// overlap, and not where they touch: an access past a piece's end is to show.
static void addPiece(Shot *s, Buffer *b, VkDeviceSize begin, VkDeviceSize end, bool written) {
	if (begin >= end)
		return;
	Piece p = {.buffer = b, .begin = begin, .end = end, .written = written};
	int n = 0;
	for (int i = 0; i < s->pieceCount; i++) {
		Piece *q = &s->pieces[i];
		if (q->buffer == b && q->begin < p.end && p.begin < q->end) {
			p.begin = q->begin < p.begin ? q->begin : p.begin;
			p.end = q->end > p.end ? q->end : p.end;
			p.written |= q->written;
			drop(q->buffer);
		} else
			s->pieces[n++] = *q;
	}
	if (n == s->pieceCount)
		s->pieces = grow(s->pieces, n, sizeof p);
	keep(b);
	s->pieces[n++] = p;
	s->pieceCount = n;
}

static void addAddressed(Buffer *b, void *shot) {
	if (b->memory)
		addPiece(shot, b, 0, b->size, true);
}

// texelSize gives the bytes of a texel; 0: no format that is copied.
static uint32_t texelSize(VkFormat f) {
	static const struct { uint8_t last, size; } sizes[] = {{0, 0}, {1, 1}, {8, 2}, {15, 1}, {22, 2}, {36, 3}, {69, 4}, {76, 2}, {83, 4}, {90, 6}, {97, 8},
		{100, 4}, {103, 8}, {106, 12}, {109, 16}, {112, 8}, {115, 16}, {118, 24}, {121, 32}, {123, 4}, {124, 2}, {126, 4}, {127, 1}};
	for (size_t i = 0; i < COUNT(sizes); i++)
		if (f >= 0 && f <= sizes[i].last)
			return sizes[i].size;
	return 0;
}

static void levelExtent(const Picture *p, uint32_t level, VkExtent3D *e) {
	e->width = p->width >> level ? p->width >> level : 1;
	e->height = p->height >> level ? p->height >> level : 1;
	e->depth = p->depth >> level ? p->depth >> level : 1;
}

// addPicture adds a view's part of an image, and says why it cannot.
static const char *addPicture(Shot *s, ImageView *v, VkImageLayout layout, bool written, int *index) {
	Image *i = v->image;
	VkImageAspectFlags a = v->range.aspectMask;
	if (!i || i->o.dead || v->o.dead)
		return "a view of an image that is gone";
	if (i->info.samples != 1)
		return "a multisampled image";
	if (!i->copyable)
		return "an image that cannot be copied";
	if (v->swizzled)
		return "an image view that permutes components";
	if (!texelSize(v->format) || a & (a - 1))
		return "an image of a format that is not captured";
	if ((i->info.imageType == 2) != (v->type == 2))
		return "a view of slices of a 3D image";
	for (int k = 0; k < s->pictureCount; k++) {
		Picture *p = &s->pictures[k];
		const VkImageSubresourceRange *x = &p->view->range, *y = &v->range;
		if (p->view->image != i || x->baseMipLevel >= y->baseMipLevel + y->levelCount || y->baseMipLevel >= x->baseMipLevel + x->levelCount ||
			x->baseArrayLayer >= y->baseArrayLayer + y->layerCount || y->baseArrayLayer >= x->baseArrayLayer + x->layerCount)
			continue;
		if (memcmp(x, y, sizeof *x) || p->view->format != v->format || p->view->type != v->type || p->layout != layout)
			return "views that share a part of an image";
		p->written |= written;
		*index = k;
		return NULL;
	}
	uint32_t base = v->range.baseMipLevel;
	VkExtent3D e = i->info.extent;
	Picture p = {.view = keep(v), .layout = layout, .written = written, .width = e.width >> base ? e.width >> base : 1,
		.height = e.height >> base ? e.height >> base : 1, .depth = e.depth >> base ? e.depth >> base : 1};
	for (uint32_t level = 0; level < v->range.levelCount; level++) {
		levelExtent(&p, level, &e);
		p.size += (VkDeviceSize)e.width * e.height * e.depth * v->range.layerCount * texelSize(v->format);
	}
	s->pictures = grow(s->pictures, s->pictureCount, sizeof p);
	*index = s->pictureCount;
	s->pictures[s->pictureCount++] = p;
	return NULL;
}

static bool writes(VkDescriptorType t) { return t == STORAGE_IMAGE || t == STORAGE_TEXEL || t == STORAGE_BUFFER || t == STORAGE_DYNAMIC; }

static void addBind(Shot *s, Bind b) {
	keep(b.object);
	keep(b.sampler);
	keep(b.late);
	s->binds = grow(s->binds, s->bindCount, sizeof b);
	s->binds[s->bindCount++] = b;
}

// addSlot adds what a descriptor leads to. One that is empty, or leads to what
// is gone, is one that the program does not use; where it may still be written,
// it is remembered.
static const char *addSlot(Shot *s, Bind b, Slot *slot, bool readOnly) {
	const char *why = NULL;
	Object *o = slot->object;
	bool written = writes(b.type) && !readOnly, whole = true;
	if (b.type == SAMPLER_TYPE || b.type == COMBINED) {
		if (!b.sampler)
			b.sampler = slot->sampler;
		whole = b.sampler;
	}
	if (b.type != SAMPLER_TYPE && (!o || o->dead))
		whole = false;
	if (!whole)
		b.sampler = NULL;
	else if (b.type == UNIFORM_TEXEL || b.type == STORAGE_TEXEL) {
		BufferView *v = (BufferView *)o;
		if ((whole = v->buffer && !v->buffer->o.dead)) {
			b.begin = v->offset;
			b.range = v->range == ~0ull ? v->buffer->size - v->offset : v->range;
			addPiece(s, v->buffer, b.begin, b.begin + b.range, written);
		}
	} else if (b.type <= STORAGE_TEXEL && b.type != SAMPLER_TYPE)
		why = addPicture(s, (ImageView *)o, slot->layout, written, &b.picture);
	else if (b.type != SAMPLER_TYPE) {
		Buffer *buffer = (Buffer *)o;
		b.begin = slot->offset + b.dynamic;
		if ((whole = b.begin < buffer->size)) {
			b.range = slot->range > buffer->size - b.begin ? buffer->size - b.begin : slot->range;
			addPiece(s, buffer, b.begin, b.begin + b.range, written);
		}
	}
	b.object = whole ? o : NULL;
	if (!why && (whole || b.late))
		addBind(s, b);
	return why;
}

// gather finds what the kernel can reach; it says why it cannot be captured.
static const char *gather(Shot *s, Commands *c) {
	Kernel *k = s->kernel;
	for (int i = 0; i < k->code->count; i++) {
		Variable *v = &k->code->variables[i];
		Set *set = v->set < MAX_SETS ? c->sets[v->set] : NULL;
		LayoutBinding *lb = bindingAt(set, v->binding);
		if (!lb || lb->first >= set->slots)
			continue;
		uint32_t dynamic = 0;
		for (LayoutBinding *p = set->layout->bindings; p < lb; p++)
			dynamic += isDynamic(p->type) ? p->count : 0;
		Bind b = {.set = v->set, .binding = v->binding, .type = lb->type, .picture = -1, .slot = lb->first};
		Slot *slot = &set->slot[lb->first];
		if (lb->type == INLINE_BLOCK) {
			if (slot->bytes && (b.bytes = malloc(lb->count))) {
				memcpy(b.bytes, slot->bytes, b.size = lb->count);
				addBind(s, b);
			}
			continue;
		}
		int used = 0;
		for (uint32_t e = 0; e < lb->count && lb->first + e < set->slots; e++, slot++) {
			b.element = e;
			b.slot = lb->first + e;
			b.late = lb->late ? set : NULL;
			b.sampler = lb->immutable ? lb->immutable[e] : NULL;
			if (slot->written)
				b.type = slot->type;
			else if (!(b.sampler && lb->type == SAMPLER_TYPE) && !(b.late && e < ELEMENTS))
				continue;
			else
				b.type = lb->type;
			if (slot->written && ++used > ELEMENTS)
				return "an array of more than 4096 descriptors";
			b.dynamic = isDynamic(b.type) && c->dynamic[v->set] ? c->dynamic[v->set][dynamic + e] : 0;
			const char *why = addSlot(s, b, slot, v->readOnly);
			if (why)
				return why;
		}
	}
	if (k->code->addresses)
		eachAddressed(s->device, addAddressed, s);
	for (int i = 0; i < s->pieceCount; i++) {
		if (s->pieces[i].buffer->sparse)
			return "a sparse buffer";
		if (!s->pieces[i].buffer->copyable)
			return "a buffer that cannot be copied";
	}
	return NULL;
}

// changedLate reports whether a descriptor is no longer what it was when the
// dispatch was recorded; some may change until the submission.
bool changedLate(const Shot *s) {
	for (int i = 0; i < s->bindCount; i++) {
		const Bind *b = &s->binds[i];
		if (!b->late || b->slot >= b->late->slots)
			continue;
		const Slot *now = &b->late->slot[b->slot];
		if (now->object != b->object || (b->object && b->object->dead) || (b->object && b->object->kind == BUFFER && now->offset + b->dynamic != b->begin))
			return true;
	}
	return false;
}

static VkDeviceSize place(VkDeviceSize *at, VkDeviceSize size) {
	VkDeviceSize here = (*at + 95) / 96 * 96; // of texels of 1 to 32 bytes
	*at = here + size;
	return here;
}

static void layOut(Shot *s) {
	VkDeviceSize at = AT_COPIES;
	for (int i = 0; i < s->pieceCount; i++)
		s->pieces[i].before = place(&at, s->pieces[i].end - s->pieces[i].begin);
	for (int i = 0; i < s->pictureCount; i++)
		s->pictures[i].before = place(&at, s->pictures[i].size);
	s->after = place(&at, 0);
	for (int i = 0; i < s->pieceCount; i++)
		if (s->pieces[i].written)
			s->pieces[i].after = place(&at, s->pieces[i].end - s->pieces[i].begin);
	for (int i = 0; i < s->pictureCount; i++)
		if (s->pictures[i].written)
			s->pictures[i].after = place(&at, s->pictures[i].size);
	s->total = (at + 3) & ~3ull;
}

enum { DEVICE_LOCAL = 1, HOST_VISIBLE = 2, HOST_COHERENT = 4, HOST_CACHED = 8, TRANSFER_DST = 2, PAGE = 4096, HOST_ALLOCATION = 0x80 };
enum { EXTERNAL_BUFFER = 1000072000, IMPORT_HOST = 1000178000, HOST_PROPERTIES = 1000178001 };

// bestType chooses a type of memory for the copies. What is cached is read far
// faster; that it is coherent saves invalidating it, and there always is some.
static int bestType(const Device *d, uint32_t bits) {
	int best = -1, bestScore = -1;
	for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags f = d->memory.memoryTypes[i].propertyFlags;
		int score = (f & HOST_CACHED ? 2 : 0) + (f & DEVICE_LOCAL ? 0 : 1);
		if (bits >> i & 1 && (f & (HOST_VISIBLE | HOST_COHERENT)) == (HOST_VISIBLE | HOST_COHERENT) && score > bestScore)
			best = i, bestScore = score;
	}
	return best;
}

void shotFile(const Shot *s, const char *suffix, char *out, size_t size) {
	snprintf(out, size, "%s/shot-%08llu.%s", settings.folder, (unsigned long long)s->number, suffix);
}

// mapFile maps a new file of size bytes, all of which the disk has.
static void *mapFile(const Shot *s, size_t size) {
	char path[4200];
	shotFile(s, "staging", path, sizeof path);
	int f = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f < 0)
		return NULL;
	void *p = posix_fallocate(f, 0, size) ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	close(f);
	if (p != MAP_FAILED)
		return p;
	unlink(path);
	return NULL;
}

static void unstage(Device *d, Shot *s) {
	if (s->staging)
		d->next.DestroyBuffer(d->handle, s->staging, NULL);
	if (s->memory)
		d->next.FreeMemory(d->handle, s->memory, NULL);
	if (s->inFile) {
		char path[4200];
		shotFile(s, "staging", path, sizeof path);
		munmap((void *)s->mapped, s->inFile);
		unlink(path);
	}
	s->staging = 0, s->memory = 0, s->mapped = NULL, s->inFile = 0;
}

// stageAs makes the buffer for the copies: in memory of the driver's, or in a
// file. A device that runs in this process takes it along when it crashes, and
// the file stays.
static bool stageAs(Device *d, Shot *s, bool inFile) {
	Next *next = &d->next;
	VkExternalMemoryBufferCreateInfo external = {.sType = EXTERNAL_BUFFER, .handleTypes = HOST_ALLOCATION};
	VkBufferCreateInfo info = {.sType = 12, .pNext = inFile ? &external : NULL, .size = s->total, .usage = TRANSFER_DST};
	if (next->CreateBuffer(d->handle, &info, NULL, &s->staging)) {
		s->staging = 0;
		return false;
	}
	VkMemoryRequirements r;
	next->GetBufferMemoryRequirements(d->handle, s->staging, &r);
	VkMemoryAllocateInfo allocate = {.sType = 5, .allocationSize = r.size};
	VkImportMemoryHostPointerInfoEXT import = {.sType = IMPORT_HOST, .handleType = HOST_ALLOCATION};
	if (inFile) {
		VkMemoryHostPointerPropertiesEXT p = {.sType = HOST_PROPERTIES};
		size_t size = (r.size + PAGE - 1) / PAGE * PAGE;
		if (!(s->mapped = import.pHostPointer = mapFile(s, size)))
			return false;
		s->inFile = allocate.allocationSize = size;
		allocate.pNext = &import;
		if (next->GetMemoryHostPointerPropertiesEXT(d->handle, HOST_ALLOCATION, import.pHostPointer, &p))
			return false;
		r.memoryTypeBits &= p.memoryTypeBits;
	}
	int type = bestType(d, r.memoryTypeBits);
	allocate.memoryTypeIndex = type;
	if (type < 0 || next->AllocateMemory(d->handle, &allocate, NULL, &s->memory)) {
		s->memory = 0;
		return false;
	}
	void *mapped = NULL;
	if (next->BindBufferMemory(d->handle, s->staging, s->memory, 0) || (!inFile && next->MapMemory(d->handle, s->memory, 0, ~0ull, 0, &mapped)))
		return false;
	if (!inFile)
		s->mapped = mapped;
	memset((void *)s->mapped, 0, AT_COPIES);
	return true;
}

static bool stage(Device *d, Shot *s) {
	if (d->inFiles && stageAs(d, s, true))
		return true;
	unstage(d, s);
	if (stageAs(d, s, false))
		return true;
	unstage(d, s);
	return false;
}

void dropShot(Shot *s) {
	if (!s || --s->refs > 0)
		return;
	if (s->state == RECORDED && s->mapped) // recorded, and never submitted: the kernel is free for another
		forget(s);
	Device *d = s->device;
	unstage(d, s);
	for (int i = 0; i < s->pieceCount; i++)
		drop(s->pieces[i].buffer);
	for (int i = 0; i < s->pictureCount; i++)
		drop(s->pictures[i].view);
	for (int i = 0; i < s->bindCount; i++) {
		drop(s->binds[i].object);
		drop(s->binds[i].sampler);
		drop(s->binds[i].late);
		free(s->binds[i].bytes);
	}
	drop(s->kernel);
	free(s->pieces);
	free(s->pictures);
	free(s->binds);
	free(s);
}

void releaseShots(Commands *c) {
	for (Shot *s = c->shots, *following; s; s = following) {
		following = s->link;
		dropShot(s);
	}
	c->shots = NULL;
}

void forget(Shot *s) {
	seenOf(s->kernel->id)->taken = false;
	shotsTaken--;
	bytesTaken -= s->total;
}

// Recording

enum { ALL_COMMANDS = 0x10000, COMPUTE_STAGE = 0x800, TRANSFER = 0x1000, HOST = 0x4000 };
enum { SHADER_WRITE = 0x40, TRANSFER_READ = 0x800, TRANSFER_WRITE = 0x1000, HOST_READ = 0x2000, MEMORY_READ = 0x8000, MEMORY_WRITE = 0x10000 };
enum { GENERAL = 1, TRANSFER_SOURCE = 6 };

static void barrier(Next *next, VkCommandBuffer c, uint32_t from, uint32_t access, uint32_t to, uint32_t then) {
	VkMemoryBarrier b = {.sType = 46, .srcAccessMask = access, .dstAccessMask = then};
	next->CmdPipelineBarrier(c, from, to, 0, 1, &b, 0, NULL, 0, NULL);
}

// relayout takes an image to a layout for copying, or back. Where it lies in
// GENERAL, it stays: that of a descriptor is the image's layout at the dispatch.
static void relayout(Next *next, VkCommandBuffer c, const Picture *p, bool back) {
	if (p->layout == GENERAL)
		return;
	VkImageMemoryBarrier b = {.sType = 45, .srcAccessMask = back ? TRANSFER_READ : MEMORY_WRITE, .dstAccessMask = back ? MEMORY_READ | MEMORY_WRITE : TRANSFER_READ,
		.oldLayout = back ? TRANSFER_SOURCE : p->layout, .newLayout = back ? p->layout : TRANSFER_SOURCE, .srcQueueFamilyIndex = ~0u,
		.dstQueueFamilyIndex = ~0u, .image = p->view->image->o.handle, .subresourceRange = p->view->range};
	next->CmdPipelineBarrier(c, back ? TRANSFER : ALL_COMMANDS, back ? ALL_COMMANDS : TRANSFER, 0, 0, NULL, 0, NULL, 1, &b);
}

static void copies(Next *next, VkCommandBuffer c, const Shot *s, bool after) {
	for (int i = 0; i < s->pieceCount; i++) {
		const Piece *p = &s->pieces[i];
		VkBufferCopy region = {p->begin, after ? p->after : p->before, p->end - p->begin};
		if (!after || p->written)
			next->CmdCopyBuffer(c, p->buffer->o.handle, s->staging, 1, &region);
	}
	for (int i = 0; i < s->pictureCount; i++) {
		const Picture *p = &s->pictures[i];
		if (after && !p->written)
			continue;
		relayout(next, c, p, false);
		VkDeviceSize at = after ? p->after : p->before;
		for (uint32_t level = 0; level < p->view->range.levelCount; level++) {
			const VkImageSubresourceRange *r = &p->view->range;
			VkBufferImageCopy region = {.bufferOffset = at, .imageSubresource = {r->aspectMask, r->baseMipLevel + level, r->baseArrayLayer, r->layerCount}};
			levelExtent(p, level, &region.imageExtent);
			next->CmdCopyImageToBuffer(c, p->view->image->o.handle, p->layout == GENERAL ? GENERAL : TRANSFER_SOURCE, s->staging, 1, &region);
			at += (VkDeviceSize)region.imageExtent.width * region.imageExtent.height * region.imageExtent.depth * r->layerCount * texelSize(p->view->format);
		}
		relayout(next, c, p, true);
	}
}

// recordBefore copies what the dispatch is about to see. The first barrier
// waits for all commands, so that what the batch's semaphores made visible
// reaches the copies too; the second orders the copies before what the
// dispatch writes.
static void recordBefore(Next *next, VkCommandBuffer c, const Shot *s) {
	barrier(next, c, ALL_COMMANDS, MEMORY_WRITE, TRANSFER, TRANSFER_READ | TRANSFER_WRITE);
	copies(next, c, s, false);
	if (s->grid.indirect)
		next->CmdCopyBuffer(c, s->grid.buffer, s->staging, 1, &(VkBufferCopy){s->grid.offset, AT_GROUPS, 12});
	barrier(next, c, TRANSFER, TRANSFER_WRITE, ALL_COMMANDS | HOST, HOST_READ | TRANSFER_WRITE);
	next->CmdFillBuffer(c, s->staging, AT_MARK, 4, 1);
	barrier(next, c, TRANSFER, TRANSFER_WRITE, ALL_COMMANDS | HOST, HOST_READ);
}

static void recordAfter(Next *next, VkCommandBuffer c, const Shot *s) {
	barrier(next, c, COMPUTE_STAGE, SHADER_WRITE, TRANSFER, TRANSFER_READ | TRANSFER_WRITE);
	copies(next, c, s, true);
	barrier(next, c, TRANSFER, TRANSFER_WRITE, ALL_COMMANDS | HOST, HOST_READ);
}

static const char *cannot(const Kernel *k, const Commands *c, const Grid *g) {
	if (!k->code)
		return "the driver got no SPIR-V (a module identifier or a binary)";
	if (k->descriptorBuffer || c->descriptorBuffers)
		return "descriptor buffers";
	if (g->base[0] || g->base[1] || g->base[2])
		return "a base other than 0";
	return NULL;
}

// consider decides on a dispatch and gathers what it reaches; L is held.
static Shot *consider(Device *d, Commands *c, const Grid *grid, uint64_t number, const char **why, VkDeviceSize *bytes) {
	Kernel *k = c->kernel;
	Seen *known = seenOf(k->id);
	bool want = wanted(k, known, number);
	known->count++;
	if (!want && !settings.list)
		return NULL;
	if ((*why = cannot(k, c, grid)))
		return NULL;
	if (want && known->refused > REFUSALS) {
		*why = "given up: refused before";
		return NULL;
	}
	Shot *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->refs = 1;
	s->device = d;
	s->kernel = keep(k);
	s->number = number;
	s->grid = *grid;
	memcpy(s->push, c->push, sizeof s->push);
	for (int i = 0, at = 0; i < c->labelCount && at < (int)sizeof s->label - 1; i++)
		at += snprintf(s->label + at, sizeof s->label - at, "%s%s", i ? "/" : "", c->labels[i]);
	*why = gather(s, c);
	layOut(s);
	*bytes = s->after - AT_COPIES;
	if (!*why && want && s->total > settings.shotBytes)
		*why = "more memory than one dispatch may take";
	if (!*why && want && (bytesTaken + s->total > settings.totalBytes || shotsTaken >= settings.maxShots))
		*why = "the limit of all captures is reached";
	if (*why || !want) {
		if (want)
			known->refused++;
		dropShot(s);
		return NULL;
	}
	known->taken = true;
	bytesTaken += s->total;
	shotsTaken++;
	return s;
}

static void list(Device *d, const Commands *c, const Grid *g, uint64_t number, VkDeviceSize bytes, const Shot *s, const char *why) {
	Kernel *k = c->kernel;
	Seen *known = seenOf(k->id);
	char name[512], label[512], entry[512], reason[256];
	if (!known->named) {
		known->named = true;
		note("kernel %016llx %s %s\n", (unsigned long long)k->id, plain(k->entry, entry, sizeof entry), plain(k->o.name, name, sizeof name));
	}
	if (number > LISTED && !settings.list && !s && !why) {
		note("more %llu\n", (unsigned long long)number);
		return;
	}
	note("dispatch %llu %lu %u %016llx %u %u %u %lld %s%s%s %s %s\n", (unsigned long long)number, (unsigned long)pthread_self() >> 8 & 0xffffff, d->number,
		(unsigned long long)k->id, g->groups[0], g->groups[1], g->groups[2], s || settings.list ? (long long)bytes : -1ll,
		g->indirect ? "indirect," : "", k->code && k->code->addresses ? "addresses," : "", s ? "shot" : why ? "refused" : "-",
		plain(why, reason, sizeof reason), plain(c->labelCount ? c->labels[c->labelCount - 1] : NULL, label, sizeof label));
}

// timeOf starts the measurement of a dispatch; -1: there is none.
static int timeOf(Device *d, Commands *c, uint64_t number) {
	if (!settings.list || c->family >= COUNT(d->timestampBits) || !d->timestampBits[c->family] || c->timeCount == DISPATCH_TIMES)
		return -1;
	VkQueryPoolCreateInfo info = {.sType = 11, .queryType = 2, .queryCount = 2 * DISPATCH_TIMES};
	if (!c->queries && d->next.CreateQueryPool(d->handle, &info, NULL, &c->queries)) {
		c->queries = 0;
		return -1;
	}
	c->times[c->timeCount] = number;
	c->timing = true;
	return c->timeCount++;
}

enum { BOTTOM_OF_PIPE = 0x2000 };

Shot *beforeDispatch(Device *d, VkCommandBuffer handle, const Grid *grid) {
	const char *why = NULL;
	VkDeviceSize bytes = 0;
	pthread_mutex_lock(&L);
	Commands *c = find(d, COMMANDS, (uintptr_t)handle);
	if (!c || !c->kernel || !settings.on) {
		pthread_mutex_unlock(&L);
		return NULL;
	}
	uint64_t number = ++dispatches;
	Shot *s = consider(d, c, grid, number, &why, &bytes);
	if (s && !stage(d, s)) {
		why = "no memory for the copies";
		forget(s);
		dropShot(s);
		s = NULL;
	}
	list(d, c, grid, number, bytes, s, why);
	int time = timeOf(d, c, number);
	VkQueryPool queries = c->queries;
	if (s) {
		Shot **at = &c->shots;
		while (*at)
			at = &(*at)->link;
		*at = s;
	}
	pthread_mutex_unlock(&L);
	if (time >= 0) {
		d->next.CmdResetQueryPool(handle, queries, 2 * time, 2);
		d->next.CmdWriteTimestamp(handle, BOTTOM_OF_PIPE, queries, 2 * time);
	}
	if (s)
		recordBefore(&d->next, handle, s);
	return s;
}

void afterDispatch(Device *d, VkCommandBuffer handle, Shot *s) {
	if (s)
		recordAfter(&d->next, handle, s);
	if (!settings.list)
		return;
	pthread_mutex_lock(&L);
	Commands *c = find(d, COMMANDS, (uintptr_t)handle);
	int time = c && c->timing ? c->timeCount - 1 : -1;
	VkQueryPool queries = c ? c->queries : 0;
	if (c)
		c->timing = false;
	pthread_mutex_unlock(&L);
	if (time >= 0)
		d->next.CmdWriteTimestamp(handle, BOTTOM_OF_PIPE, queries, 2 * time + 1);
}
