// The table of what the program made, by device, kind and handle.
#include "layer.h"

enum { BUCKETS = 1 << 15 };
static Object *buckets[BUCKETS];

static Object **bucket(Device *d, Kind kind, uint64_t handle) {
	uint64_t h = (handle ^ (uintptr_t)d ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;
	return &buckets[h >> 49];
}

void *find(Device *d, Kind kind, uint64_t handle) {
	for (Object *o = *bucket(d, kind, handle); o; o = o->link)
		if (o->handle == handle && o->kind == kind && o->device == d)
			return o;
	return NULL;
}

static void take(Object *o) {
	for (Object **at = bucket(o->device, o->kind, o->handle); *at; at = &(*at)->link)
		if (*at == o) {
			*at = o->link;
			o->dead = true;
			drop(o);
			return;
		}
}

// add makes an object of size bytes. An old one of the same handle, of which
// the destruction was not seen, goes.
void *add(Device *d, Kind kind, uint64_t handle, size_t size) {
	Object *old = find(d, kind, handle);
	if (old)
		take(old);
	Object *o = calloc(1, size);
	if (!o)
		abort();
	o->device = d, o->handle = handle, o->kind = kind, o->refs = o->creates = 1;
	if (handle) { // else it is the layer's own, and in no table
		Object **at = bucket(d, kind, handle);
		o->link = *at;
		*at = o;
	}
	return o;
}

// removeObject is the program's destruction. Drivers may give one handle for
// several equal layouts or samplers: it goes with the last.
void removeObject(Device *d, Kind kind, uint64_t handle) {
	Object *o = handle ? find(d, kind, handle) : NULL;
	if (o && --o->creates == 0)
		take(o);
}

void *keep(void *object) {
	if (object)
		((Object *)object)->refs++;
	return object;
}

void dropCode(Code *c) {
	if (c && --c->refs == 0) {
		free(c->words);
		free(c->variables);
		free(c);
	}
}

static void clearSlots(Set *s) {
	for (uint32_t i = 0; i < s->slots; i++) {
		drop(s->slot[i].object);
		drop(s->slot[i].sampler);
		free(s->slot[i].bytes);
	}
	free(s->slot);
}

void drop(void *object) {
	Object *o = object;
	if (!o || --o->refs > 0)
		return;
	switch (o->kind) {
	case BUFFER: case IMAGE: case SAMPLER: case SET_POOL: case COMMAND_POOL:
		break;
	case BUFFER_VIEW:
		drop(((BufferView *)o)->buffer);
		break;
	case IMAGE_VIEW:
		drop(((ImageView *)o)->image);
		break;
	case MODULE:
		dropCode(((Module *)o)->code);
		break;
	case KERNEL: {
		Kernel *k = object;
		dropCode(k->code);
		drop(k->layout);
		free(k->entry);
		free(k->spec);
		break;
	}
	case SET_LAYOUT: {
		SetLayout *l = object;
		for (uint32_t i = 0; i < l->count; i++) {
			for (uint32_t e = 0; l->bindings[i].immutable && e < l->bindings[i].count; e++)
				drop(l->bindings[i].immutable[e]);
			free(l->bindings[i].immutable);
		}
		free(l->bindings);
		break;
	}
	case LAYOUT: {
		Layout *l = object;
		for (uint32_t i = 0; i < l->count; i++)
			drop(l->sets[i]);
		free(l->sets);
		break;
	}
	case SET:
		clearSlots(object);
		drop(((Set *)o)->layout);
		break;
	case TEMPLATE:
		free(((Template *)o)->entries);
		break;
	case COMMANDS:
		break; // cleared when it was freed
	}
	free(o->name);
	free(o);
}

// dropAll forgets what the program leaves behind when it destroys a device.
void dropAll(Device *d) {
	for (int again = 1; again;) {
		again = 0;
		for (int i = 0; i < BUCKETS; i++)
			for (Object *o = buckets[i]; o; o = o->link)
				if (o->device == d) {
					if (o->kind == COMMANDS) {
						Commands *c = (Commands *)o;
						clearCommands(c);
						if (c->queries)
							d->next.DestroyQueryPool(d->handle, c->queries, NULL);
					}
					take(o);
					again = 1;
					break;
				}
	}
}

// eachAddressed visits the buffers that shaders may reach by address.
void eachAddressed(Device *d, void (*f)(Buffer *, void *), void *with) {
	for (int i = 0; i < BUCKETS; i++)
		for (Object *o = buckets[i]; o; o = o->link)
			if (o->device == d && o->kind == BUFFER && ((Buffer *)o)->address)
				f((Buffer *)o, with);
}
