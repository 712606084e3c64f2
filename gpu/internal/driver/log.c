//go:build cgo && linux && (amd64 || arm64)

#include "log.h"
#include <stdlib.h>
#include <string.h>

// A kernel in a loop can draw a message per call; past this many they are
// only counted.
enum { maxMessages = 1000 };

MessageLog *log_new(void) {
	MessageLog *l = calloc(1, sizeof *l);
	if (l) {
		pthread_mutex_init(&l->mu, NULL);
		l->tail = &l->head;
	}
	return l;
}

void message_free(Message *m) {
	while (m) {
		Message *next = m->next;
		free(m->id);
		free(m->text);
		free(m);
		m = next;
	}
}

void log_free(MessageLog *l) {
	message_free(l->head);
	pthread_mutex_destroy(&l->mu);
	free(l);
}

Message *log_take(MessageLog *l, uint64_t *dropped) {
	pthread_mutex_lock(&l->mu);
	Message *m = l->head;
	*dropped = l->dropped;
	l->head = NULL;
	l->tail = &l->head;
	l->n = 0;
	l->dropped = 0;
	pthread_mutex_unlock(&l->mu);
	return m;
}

Bool32 log_callback(int32_t severity, uint32_t types, const CallbackData *data, void *user) {
	(void)types;
	MessageLog *l = user;
	pthread_mutex_lock(&l->mu);
	Message *m = l->n < maxMessages ? calloc(1, sizeof *m) : NULL;
	if (m) {
		m->severity = severity;
		m->id = strdup(data->id ? data->id : "");
		m->text = strdup(data->message ? data->message : "");
		*l->tail = m;
		l->tail = &m->next;
		l->n++;
	} else {
		l->dropped++;
	}
	pthread_mutex_unlock(&l->mu);
	return 0;
}
