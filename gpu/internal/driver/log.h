#ifndef AMPDBG_LOG_H
#define AMPDBG_LOG_H

#include "shim.h"
#include <pthread.h>

struct MessageLog {
	pthread_mutex_t mu;
	Message *head, **tail;
	uint64_t n, dropped;
};

// log_callback is the debug messenger's callback; user is the MessageLog. It
// may run on any thread and never enters Go.
Bool32 log_callback(int32_t severity, uint32_t types, const CallbackData *data, void *user);

#endif
