/*
 * begin.c - the first and last thing in every function of the stand-in driver: the lock, whether
 * the driver is there, settings, lists of handles.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned waiting;

/* The real driver does not work in a child of fork(); neither do our threads. */
static bool forked;

bool standin_initialised;

long long standin_setting(const char *name, long long otherwise)
{
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? otherwise : strtoll(text, NULL, 0);
}

int standin_rank(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    int rank = -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && rank < 0; i++) {
        rank = (int)standin_setting(names[i], -1);
    }
    return rank;
}

void standin_say(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "stand-in driver (a test double of libcuda), process %ld: %s\n",
                  (long)getpid(), text);
}

void standin_lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

void standin_unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

/* Wakes up now and then without a reason: glibc before 2.41 loses wake-ups (its bug 25847). */
void standin_wait_for(pthread_cond_t *condition)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    (void)pthread_cond_timedwait(condition, &mutex, &until);
}

void standin_wait_change(void)
{
    waiting++;
    standin_wait_for(&changed);
    waiting--;
}

void standin_announce_change(void)
{
    if (waiting > 0) {
        (void)pthread_cond_broadcast(&changed);
    }
}

bool standin_is_forked(void)
{
    return forked;
}

static void note_fork(void)
{
    forked = true;
}

static void note_start(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
}

/* The function's index by what __func__ says: the names of prototypes end in _v2 and the like. */
static size_t function_index(const char *function)
{
    size_t length = strlen(function);
    if (length > 3 && function[length - 3] == '_' && function[length - 2] == 'v') {
        length -= 3;
    }
    size_t i = 0;
    while (i < standin_function_count &&
           (strncmp(standin_functions[i].name, function, length) != 0 ||
            standin_functions[i].name[length] != '\0')) {
        i++;
    }
    if (i == standin_function_count) {
        standin_say("%s is not in the table of functions", function);
        abort();
    }
    return i;
}

CUresult standin_begin_anytime(const char *function)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, note_start);
    if (forked) {
        return CUDA_ERROR_NOT_INITIALIZED; /* before the lock, which another thread may have had */
    }
    size_t index = function_index(function);
    standin_lock();
    CUresult result = standin_fault_use(index);
    if (result != CUDA_SUCCESS) {
        standin_unlock();
    }
    return result;
}

CUresult standin_begin(const char *function)
{
    CUresult result = standin_begin_anytime(function);
    if (result == CUDA_SUCCESS && !standin_initialised) {
        result = standin_end(CUDA_ERROR_NOT_INITIALIZED);
    }
    return result;
}

CUresult standin_begin_in_context(const char *function, CUcontext *context)
{
    CUresult result = standin_begin(function);
    if (result == CUDA_SUCCESS) {
        *context = standin_context_current();
        if (*context == NULL) {
            result = standin_end(CUDA_ERROR_INVALID_CONTEXT);
        } else if (!standin_context_is(*context)) {
            result = standin_end(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        } else if ((*context)->broken != CUDA_SUCCESS) {
            result = standin_end((*context)->broken);
        }
    }
    return result;
}

CUresult standin_end(CUresult result)
{
    standin_unlock();
    return result;
}

void standin_object_add(struct standin_objects *objects, struct standin_object *object)
{
    object->alive = true;
    object->next = objects->first;
    objects->first = object;
}

bool standin_object_is(const struct standin_objects *objects, const void *handle)
{
    const struct standin_object *object = objects->first;
    while (object != NULL && object != handle) {
        object = object->next;
    }
    return object != NULL;
}

void standin_object_bury(struct standin_objects *objects, struct standin_object *object)
{
    struct standin_object **link = &objects->first;
    while (*link != object) {
        link = &(*link)->next;
    }
    *link = object->next;
    object->alive = false;
    object->next = objects->buried;
    objects->buried = object;
}

size_t standin_object_count(const struct standin_objects *objects)
{
    size_t count = 0;
    for (const struct standin_object *object = objects->first; object; object = object->next) {
        count++;
    }
    return count;
}
