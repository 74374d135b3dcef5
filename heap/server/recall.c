/*
 * recall.c - see recall.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap/server/recall.h"
#include "heap/server/request.h"

struct holder {
    char name[SYMM_NAME_SIZE];
    uint32_t heaps; /* bit h: it may have segments of our heap h */
    struct holder *next;
};

struct symm_recall {
    pthread_mutex_t mutex;
    struct holder *holders;
};

/* One that is asked, while it has not answered. */
struct question {
    char name[SYMM_NAME_SIZE];
    struct symm_request request;
    bool open;
};

_Static_assert(SYMM_HEAPS_MAX <= 32, "heaps fit in a set of bits");

static const struct symm_object_id nothing = {.what = SYMM_OBJECT_NOTHING};

enum symm_status symm_recall_create(struct symm_recall **recall)
{
    struct symm_recall *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    *recall = created;
    return SYMM_OK;
}

static void holder_remove(struct holder **link)
{
    struct holder *holder = *link;
    *link = holder->next;
    free(holder);
}

void symm_recall_destroy(struct symm_recall *recall)
{
    if (recall == NULL) {
        return;
    }
    while (recall->holders != NULL) {
        holder_remove(&recall->holders);
    }
    (void)pthread_mutex_destroy(&recall->mutex);
    free(recall);
}

/* The link that points to it, or to the NULL at the end. */
static struct holder **holder_find(struct symm_recall *recall, const char *name)
{
    struct holder **link = &recall->holders;
    while (*link != NULL && !symm_name_is_of((*link)->name, name)) {
        link = &(*link)->next;
    }
    return link;
}

void symm_recall_note(struct symm_recall *recall, const char *name, uint32_t heap)
{
    uint32_t bit = heap > 0 && heap < SYMM_HEAPS_MAX ? UINT32_C(1) << heap : 0;
    (void)pthread_mutex_lock(&recall->mutex);
    struct holder **link = holder_find(recall, name);
    if (*link == NULL) {
        *link = calloc(1, sizeof(**link));
        if (*link != NULL) {
            (void)strncpy((*link)->name, name, SYMM_NAME_SIZE - 1);
        }
    }
    if (*link != NULL) {
        (*link)->heaps |= bit;
    }
    (void)pthread_mutex_unlock(&recall->mutex);
}

/* Whether the process is still there, as far as connecting shows. */
static bool holder_tell(const struct holder *holder)
{
    struct symm_request request;
    struct symm_object none;
    symm_request_begin(&request, holder->name, &nothing);
    enum symm_status status = symm_request_test(&request, &none);
    symm_request_cancel(&request); /* what has been sent is read all the same */
    return status != SYMM_ERR_UNREACHABLE;
}

void symm_recall_tell(struct symm_recall *recall, uint32_t heap)
{
    (void)pthread_mutex_lock(&recall->mutex);
    struct holder **link = &recall->holders;
    while (*link != NULL) {
        if (((*link)->heaps >> heap & 1) == 0 || holder_tell(*link)) {
            link = &(*link)->next;
        } else {
            holder_remove(link);
        }
    }
    (void)pthread_mutex_unlock(&recall->mutex);
}

/* Questions to all holders; NULL if there are none, or no memory for them. */
static struct question *questions_begin(struct symm_recall *recall, size_t *count)
{
    size_t i = 0;
    *count = 0;
    (void)pthread_mutex_lock(&recall->mutex);
    for (const struct holder *holder = recall->holders; holder; holder = holder->next) {
        ++*count;
    }
    struct question *questions = *count > 0 ? calloc(*count, sizeof(*questions)) : NULL;
    for (const struct holder *holder = recall->holders; questions != NULL && holder;
         holder = holder->next, i++) {
        memcpy(questions[i].name, holder->name, sizeof(holder->name));
        symm_request_begin(&questions[i].request, questions[i].name, &nothing);
        questions[i].open = true;
    }
    (void)pthread_mutex_unlock(&recall->mutex);
    return questions;
}

/* Go on with all; the first that has no answer yet, or NULL. */
static struct question *questions_test(struct question *questions, size_t count)
{
    struct question *first = NULL;
    struct symm_object none;
    for (size_t i = 0; i < count; i++) {
        if (questions[i].open) {
            questions[i].open = symm_request_test(&questions[i].request, &none) == SYMM_PENDING;
        }
        if (questions[i].open && first == NULL) {
            first = &questions[i];
        }
    }
    return first;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void symm_recall_wait(struct symm_recall *recall, double seconds)
{
    enum { POLL_MS = 10, CONNECT_MS = 1 };
    size_t count;
    double end = seconds_now() + seconds;
    const struct question *waited_for;
    struct question *questions = questions_begin(recall, &count);
    while (questions != NULL && (waited_for = questions_test(questions, count)) != NULL &&
           seconds_now() < end) {
        struct pollfd polled = {.fd = waited_for->request.descriptor, .events = POLLIN};
        (void)poll(&polled, 1, polled.fd < 0 ? CONNECT_MS : POLL_MS);
    }
    for (size_t i = 0; questions != NULL && i < count; i++) {
        symm_request_cancel(&questions[i].request);
    }
    free(questions);
}
