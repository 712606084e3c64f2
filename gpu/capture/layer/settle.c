// Submissions: what is in flight, when it is read, and the files of a shot.
//
// Nothing waits inside the program's submit: the host may be the one that
// signals what the batch waits for. Behind each submission with shots goes a
// fence of the layer's own, and the copies are read when the program learns
// that the device is done, so that files are whole before it acts on that.
#include <errno.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "layer.h"

typedef struct { VkSemaphore semaphore; uint64_t value; } Signal;
struct Submission {
	Submission *link;
	VkQueue queue;
	VkFence fence, program; // the layer's, and the program's or 0
	Shot **shots;
	Commands **timed; // command buffers with times to read
	Signal *signals;
	int shotCount, timedCount, signalCount;
};

pthread_mutex_t settling = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t flying = PTHREAD_COND_INITIALIZER;

enum { SUCCESS = 0, NOT_READY = 1, TIMEOUT = 2 };
static const uint64_t patience = 5000000000u; // ns, for what is known to be done

// Files

// writeFile writes a file whole or not at all: under another name first.
static bool writeFile(const char *name, const volatile void *data, size_t size) {
	char path[4352], temporary[4360];
	snprintf(path, sizeof path, "%s/%s", settings.folder, name);
	snprintf(temporary, sizeof temporary, "%s.part", path);
	FILE *f = fopen(temporary, "wbe");
	if (!f)
		return false;
	bool ok = fwrite((const void *)data, 1, size, f) == size;
	ok = !fclose(f) && ok;
	if (!ok || rename(temporary, path)) {
		unlink(temporary);
		return false;
	}
	return true;
}

static void hex(FILE *f, const uint8_t *data, size_t size) {
	for (size_t i = 0; i < size; i++)
		fprintf(f, "%02x", data[i]);
}

static void describeSampler(FILE *f, const VkSamplerCreateInfo *i) {
	fprintf(f, " sampler %d %d %d %d %d %d %d %.9g %.9g %.9g %u %u %d %u", i->magFilter, i->minFilter, i->mipmapMode, i->addressModeU, i->addressModeV,
		i->addressModeW, i->borderColor, i->minLod, i->maxLod, i->mipLodBias, i->unnormalizedCoordinates, i->compareEnable, i->compareOp, i->anisotropyEnable);
}

static void describeBind(FILE *f, const Bind *b) {
	if (!b->object && !b->sampler && !b->bytes)
		return;
	fprintf(f, "bind %u %u %u %d", b->set, b->binding, b->element, b->type);
	const Buffer *buffer = NULL;
	int format = 0;
	if (b->object && b->object->kind == BUFFER)
		buffer = (Buffer *)b->object;
	else if (b->object && b->object->kind == BUFFER_VIEW) {
		buffer = ((BufferView *)b->object)->buffer;
		format = ((BufferView *)b->object)->format;
	}
	if (buffer)
		fprintf(f, " buffer %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %d", buffer->number, b->begin, b->range, b->dynamic, format);
	if (b->picture >= 0)
		fprintf(f, " image %d", b->picture);
	if (b->sampler)
		describeSampler(f, &b->sampler->info);
	if (b->bytes) {
		fprintf(f, " inline ");
		hex(f, b->bytes, b->size);
	}
	fputc('\n', f);
}

// describe writes the file that says what a shot is; how is what became of it.
static void describe(const Shot *s, const char *how) {
	char *text = NULL, word[1024], name[64];
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return;
	const Kernel *k = s->kernel;
	const volatile uint32_t *groups = s->grid.indirect ? (const volatile uint32_t *)(s->mapped + AT_GROUPS) : s->grid.groups;
	fprintf(f, "shot %" PRIu64 " %s\n%s", s->number, how, s->device->about);
	fprintf(f, "copies %d %" PRIu64 "\n", AT_COPIES, s->after);
	fprintf(f, "kernel %016" PRIx64 "\nmodule %016" PRIx64 ".spv\nentry %s\n", k->id, k->code->hash, plain(k->entry, word, sizeof word));
	fprintf(f, "name %s\n", plain(k->o.name, word, sizeof word));
	fprintf(f, "label %s\n", plain(s->label, word, sizeof word));
	fprintf(f, "stage %u %u %d %d\n", k->stageFlags, k->subgroup, k->storageRobustness, k->code->addresses);
	for (uint32_t i = 0; i < k->specCount; i++)
		fprintf(f, "spec %u %u %" PRIx64 "\n", k->spec[i].id, k->spec[i].size, k->spec[i].value);
	fprintf(f, "groups %u %u %u %d\n", groups[0], groups[1], groups[2], s->grid.indirect);
	if (k->layout && k->layout->pushSize) {
		fprintf(f, "push ");
		hex(f, s->push, k->layout->pushSize);
		fputc('\n', f);
	}
	for (int i = 0; i < s->pieceCount; i++) {
		const Piece *p = &s->pieces[i];
		fprintf(f, "piece %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 " %s\n", p->buffer->number, p->buffer->memory,
			p->buffer->offset, p->begin, p->end, p->before - AT_COPIES, p->written ? (int64_t)(p->after - s->after) : -1, p->buffer->address,
			plain(p->buffer->o.name, word, sizeof word));
	}
	for (int i = 0; i < s->pictureCount; i++) {
		const Picture *p = &s->pictures[i];
		fprintf(f, "image %d %d %u %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %s\n", p->view->format, p->view->type, p->width, p->height, p->depth,
			p->view->range.levelCount, p->view->range.layerCount, p->size, p->before - AT_COPIES, p->written ? (int64_t)(p->after - s->after) : -1,
			plain(p->view->image->o.name, word, sizeof word));
	}
	for (int i = 0; i < s->bindCount; i++)
		describeBind(f, &s->binds[i]);
	fputs("end\n", f);
	if (!fclose(f)) {
		snprintf(name, sizeof name, "shot-%08" PRIu64 ".txt", s->number);
		writeFile(name, text, size);
	}
	free(text);
}

static void writeModule(const Code *c) {
	char name[64], path[4352];
	snprintf(name, sizeof name, "%016" PRIx64 ".spv", c->hash);
	snprintf(path, sizeof path, "%s/%s", settings.folder, name);
	if (access(path, F_OK))
		writeFile(name, c->words, c->size);
}

static void writeMemory(const Shot *s, const char *suffix, VkDeviceSize from, VkDeviceSize to) {
	char name[64];
	snprintf(name, sizeof name, "shot-%08" PRIu64 ".%s", s->number, suffix);
	writeFile(name, s->mapped + from, to - from);
}

static bool marked(const Shot *s) { return *(const volatile uint32_t *)(s->mapped + AT_MARK) != 0; }

static void writeBefore(Shot *s) {
	if (s->early || !marked(s))
		return;
	__sync_synchronize();
	writeMemory(s, "before", AT_COPIES, s->after);
	s->early = true;
}

// finish writes what there is of a shot whose execution ended.
static void finish(Shot *s, bool lost) {
	writeBefore(s);
	if (!lost && s->early)
		writeMemory(s, "after", s->after, s->total);
	describe(s, !s->early ? "submitted" : lost ? "lost" : "done");
	s->state = DONE;
}

// Submissions in flight

static void readTimes(Device *d, Commands *c) {
	if (c->o.dead || !c->queries)
		return;
	for (int i = 0; i < c->timeCount; i++) {
		uint64_t t[2];
		if (!d->next.GetQueryPoolResults(d->handle, c->queries, 2 * i, 2, sizeof t, t, sizeof *t, 1))
			note("time %" PRIu64 " %.0f\n", c->times[i], (double)(t[1] - t[0]) * d->timestampPeriod);
	}
}

static void freeSubmission(Device *d, Submission *s) {
	if (s->fence)
		d->next.DestroyFence(d->handle, s->fence, NULL);
	pthread_mutex_lock(&L);
	for (int i = 0; i < s->shotCount; i++)
		dropShot(s->shots[i]);
	for (int i = 0; i < s->timedCount; i++)
		drop(s->timed[i]);
	pthread_mutex_unlock(&L);
	free(s->shots);
	free(s->timed);
	free(s->signals);
	free(s);
}

// settle reads the submissions that ended. It waits for those that are due: the
// program knows that they ended, so the fence behind them is about to.
static void settle(Device *d, bool (*due)(const Submission *, const void *), const void *with) {
	if (!d->flight)
		return;
	pthread_mutex_lock(&settling);
	for (Submission **at = &d->flight; *at;) {
		Submission *s = *at;
		VkResult r = due && due(s, with) ? d->next.WaitForFences(d->handle, 1, &s->fence, 1, patience) : d->next.GetFenceStatus(d->handle, s->fence);
		if (r == NOT_READY || r == TIMEOUT) {
			at = &s->link;
			continue;
		}
		*at = s->link;
		for (int i = 0; i < s->shotCount; i++)
			finish(s->shots[i], r != SUCCESS);
		pthread_mutex_lock(&L);
		for (int i = 0; i < s->timedCount && r == SUCCESS; i++)
			readTimes(d, s->timed[i]);
		for (int i = 0; i < s->shotCount; i++)
			note("captured %" PRIu64 " %s\n", s->shots[i]->number, r == SUCCESS ? "done" : "lost");
		flushNotes();
		pthread_mutex_unlock(&L);
		freeSubmission(d, s);
	}
	pthread_mutex_unlock(&settling);
}

static bool always(const Submission *s, const void *nothing) {
	(void)s, (void)nothing;
	return true;
}

void settleDevice(Device *d) { settle(d, always, NULL); }

static bool onQueue(const Submission *s, const void *queue) { return s->queue == *(const VkQueue *)queue; }
static bool ofFence(const Submission *s, const void *fence) { return s->program == *(const VkFence *)fence; }
static bool ofShots(const Submission *s, const void *shot) {
	for (int i = 0; i < s->shotCount; i++)
		if (s->shots[i] == shot)
			return true;
	return false;
}
static bool reached(const Submission *s, const void *with) {
	const Signal *r = with;
	for (int i = 0; i < s->signalCount; i++)
		if (s->signals[i].semaphore == r->semaphore && s->signals[i].value <= r->value)
			return true;
	return false;
}

// watch writes the memory before a dispatch while the dispatch runs: it may be
// the one that the program does not survive.
static void *watch(void *nothing) {
	for (;;) {
		bool any = false;
		pthread_mutex_lock(&settling);
		for (Device *d = devices; d; d = d->link)
			for (Submission *s = d->flight; s; s = s->link)
				for (int i = 0; i < s->shotCount; i++) {
					any = true;
					if (!s->shots[i]->early && marked(s->shots[i])) {
						writeBefore(s->shots[i]);
						describe(s->shots[i], "running");
					}
				}
		if (!any)
			pthread_cond_wait(&flying, &settling);
		pthread_mutex_unlock(&settling);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	return nothing;
}

// Submitting

// gatherShots adds the shots of a command buffer and of those that it executes;
// L is held.
static void gatherShots(Submission *s, Commands *c) {
	for (Shot *shot = c->shots; shot; shot = shot->link) {
		if (shot->state == RECORDED && changedLate(shot)) {
			char reason[128];
			note("refuse %" PRIu64 " %s\n", shot->number, plain("descriptors that changed after the recording", reason, sizeof reason));
			forget(shot);
			shot->state = DONE;
		}
		Shot **all = shot->state == RECORDED ? realloc(s->shots, (s->shotCount + 1) * sizeof *all) : NULL;
		if (!all)
			continue;
		s->shots = all;
		s->shots[s->shotCount++] = shot;
		shot->refs++;
		shot->state = PENDING;
	}
	if (c->timeCount) {
		Commands **timed = realloc(s->timed, (s->timedCount + 1) * sizeof *timed);
		if (timed) {
			s->timed = timed;
			s->timed[s->timedCount++] = keep(c);
		}
	}
	for (int i = 0; i < c->executedCount; i++)
		gatherShots(s, c->executed[i]);
}

// unread gives a shot of a command buffer that an earlier execution is still
// to be read of.
static Shot *unread(Commands *c) {
	for (Shot *s = c->shots; s; s = s->link)
		if (s->state == PENDING)
			return s;
	for (int i = 0; i < c->executedCount; i++) {
		Shot *s = unread(c->executed[i]);
		if (s)
			return s;
	}
	return NULL;
}

// begin prepares a submission of command buffers; NULL if none has shots.
static void begin(Device *d, Submission *s, VkCommandBuffer handle) {
	pthread_mutex_lock(&L);
	Commands *c = find(d, COMMANDS, (uintptr_t)handle);
	Shot *old = c ? unread(c) : NULL;
	bool wait = old && !c->simultaneous;
	pthread_mutex_unlock(&L);
	// The copies are about to be overwritten. Where the command buffer may be
	// pending twice, the first execution may depend on this one: then the
	// second's copies are read.
	if (old)
		settle(d, wait ? ofShots : NULL, old);
	pthread_mutex_lock(&L);
	if ((c = find(d, COMMANDS, (uintptr_t)handle)))
		gatherShots(s, c);
	pthread_mutex_unlock(&L);
}

// ready says that the submission is about to happen: the description of its
// shots is written, in case the program does not survive it.
static bool ready(Device *d, Submission *s) {
	static bool submitted;
	pthread_mutex_lock(&L);
	if (!submitted)
		note("submit\n");
	submitted = true;
	flushNotes();
	pthread_mutex_unlock(&L);
	if (!s->shotCount && !s->timedCount)
		return false;
	VkFenceCreateInfo info = {.sType = 8};
	if (d->next.CreateFence(d->handle, &info, NULL, &s->fence))
		s->fence = 0;
	for (int i = 0; i < s->shotCount; i++) {
		writeModule(s->shots[i]->kernel->code);
		describe(s->shots[i], "submitted");
	}
	return true;
}

// end keeps a submission that succeeded in flight, with a fence behind it. A
// failure of the layer's own is none of the program's: the shots are given up.
static void end(Device *d, Submission *s, VkResult r) {
	if (r == SUCCESS && s->fence && !d->next.QueueSubmit(s->queue, 0, NULL, s->fence)) {
		pthread_mutex_lock(&settling);
		Submission **at = &d->flight;
		while (*at)
			at = &(*at)->link;
		*at = s;
		static pthread_t watcher;
		static bool started;
		if (!started)
			started = !pthread_create(&watcher, NULL, watch, NULL);
		pthread_cond_signal(&flying);
		pthread_mutex_unlock(&settling);
		return;
	}
	pthread_mutex_lock(&L);
	for (int i = 0; i < s->shotCount; i++) {
		note("captured %" PRIu64 " unread\n", s->shots[i]->number);
		s->shots[i]->state = DONE;
	}
	flushNotes();
	pthread_mutex_unlock(&L);
	freeSubmission(d, s);
}

static void signals(Submission *s, VkSemaphore semaphore, uint64_t value) {
	Signal *all = realloc(s->signals, (s->signalCount + 1) * sizeof *all);
	if (!all)
		return;
	s->signals = all;
	s->signals[s->signalCount++] = (Signal){semaphore, value};
}

enum { TIMELINE_SUBMIT = 1000207003 };

VkResult QueueSubmit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence) {
	Device *d = deviceOf(queue);
	Submission *s = calloc(1, sizeof *s);
	if (!s)
		return d->next.QueueSubmit(queue, n, infos, fence);
	*s = (Submission){.queue = queue, .program = fence};
	for (uint32_t i = 0; i < n; i++) {
		const VkTimelineSemaphoreSubmitInfo *t = chained(infos[i].pNext, TIMELINE_SUBMIT);
		for (uint32_t k = 0; k < infos[i].commandBufferCount; k++)
			begin(d, s, infos[i].pCommandBuffers[k]);
		for (uint32_t k = 0; t && k < infos[i].signalSemaphoreCount && k < t->signalSemaphoreValueCount; k++)
			signals(s, infos[i].pSignalSemaphores[k], t->pSignalSemaphoreValues[k]);
	}
	bool follow = ready(d, s);
	VkResult r = d->next.QueueSubmit(queue, n, infos, fence);
	follow ? end(d, s, r) : freeSubmission(d, s);
	return r;
}

VkResult QueueSubmit2(VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos, VkFence fence) {
	Device *d = deviceOf(queue);
	Submission *s = calloc(1, sizeof *s);
	if (!s)
		return d->next.QueueSubmit2(queue, n, infos, fence);
	*s = (Submission){.queue = queue, .program = fence};
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; k++)
			begin(d, s, infos[i].pCommandBufferInfos[k].commandBuffer);
		for (uint32_t k = 0; k < infos[i].signalSemaphoreInfoCount; k++)
			signals(s, infos[i].pSignalSemaphoreInfos[k].semaphore, infos[i].pSignalSemaphoreInfos[k].value);
	}
	bool follow = ready(d, s);
	VkResult r = d->next.QueueSubmit2(queue, n, infos, fence);
	follow ? end(d, s, r) : freeSubmission(d, s);
	return r;
}

// Where the program learns that something ended

VkResult QueueWaitIdle(VkQueue queue) {
	Device *d = deviceOf(queue);
	VkResult r = d->next.QueueWaitIdle(queue);
	settle(d, onQueue, &queue);
	return r;
}

VkResult DeviceWaitIdle(VkDevice device) {
	Device *d = deviceOf(device);
	VkResult r = d->next.DeviceWaitIdle(device);
	settle(d, always, NULL);
	return r;
}

VkResult WaitForFences(VkDevice device, uint32_t n, const VkFence *fences, VkBool32 all, uint64_t timeout) {
	Device *d = deviceOf(device);
	VkResult r = d->next.WaitForFences(device, n, fences, all, timeout);
	if (!d->flight)
		return r;
	if (r < 0)
		settle(d, NULL, NULL);
	for (uint32_t i = 0; i < n && r == SUCCESS; i++)
		if (all || n == 1 || d->next.GetFenceStatus(device, fences[i]) == SUCCESS)
			settle(d, ofFence, &fences[i]);
	return r;
}

VkResult GetFenceStatus(VkDevice device, VkFence fence) {
	Device *d = deviceOf(device);
	VkResult r = d->next.GetFenceStatus(device, fence);
	settle(d, r == SUCCESS ? ofFence : NULL, &fence);
	return r;
}

VkResult WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
	Device *d = deviceOf(device);
	VkResult r = d->next.WaitSemaphores(device, info, timeout);
	if (!d->flight)
		return r;
	for (uint32_t i = 0; i < info->semaphoreCount && r == SUCCESS; i++) {
		Signal at = {info->pSemaphores[i], info->pValues[i]};
		if (info->flags & 1 && info->semaphoreCount > 1 && d->next.GetSemaphoreCounterValue(device, at.semaphore, &at.value))
			continue; // any of them
		settle(d, reached, &at);
	}
	return r;
}

VkResult GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *value) {
	Device *d = deviceOf(device);
	VkResult r = d->next.GetSemaphoreCounterValue(device, semaphore, value);
	if (r == SUCCESS)
		settle(d, reached, &(Signal){semaphore, *value});
	return r;
}
