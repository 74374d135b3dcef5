/*
 * alive.c - see alive.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/server/alive.h"
#include "heap/server/names.h"
#include "heap/server/request.h"

struct symm_alive {
    struct symm_alive *next;
    unsigned users;
    bool has_gone;
    char name[SYMM_NAME_SIZE];
    struct symm_request request;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_alive *all;

static struct symm_alive *find_locked(const char *name)
{
    struct symm_alive *alive = all;
    while (alive != NULL && strcmp(alive->name, name) != 0) {
        alive = alive->next;
    }
    return alive;
}

static struct symm_alive *make_locked(const char *name)
{
    /* No heap has this number, so its directory never is there, and the request waits. */
    const struct symm_object_id never = {.what = SYMM_OBJECT_DIRECTORY, .heap = SYMM_HEAPS_MAX};
    struct symm_alive *alive = calloc(1, sizeof(*alive));
    if (alive != NULL) {
        (void)snprintf(alive->name, sizeof(alive->name), "%s", name);
        symm_request_begin(&alive->request, alive->name, &never);
        alive->next = all;
        all = alive;
    }
    return alive;
}

struct symm_alive *symm_alive_hold(const char *name)
{
    (void)pthread_mutex_lock(&mutex);
    struct symm_alive *alive = find_locked(name);
    if (alive == NULL) {
        alive = make_locked(name);
    }
    if (alive != NULL) {
        alive->users++;
    }
    (void)pthread_mutex_unlock(&mutex);
    return alive;
}

void symm_alive_release(struct symm_alive *alive)
{
    (void)pthread_mutex_lock(&mutex);
    if (--alive->users == 0) {
        struct symm_alive **link = &all;
        while (*link != alive) {
            link = &(*link)->next;
        }
        *link = alive->next;
        symm_request_cancel(&alive->request);
        free(alive);
    }
    (void)pthread_mutex_unlock(&mutex);
}

/* For want of memory or descriptors, or by a stranger's reply, nothing is known. */
static bool test_locked(struct symm_alive *alive)
{
    struct symm_object object;
    if (!alive->has_gone && alive->request.under_way) {
        enum symm_status status = symm_request_test(&alive->request, &object);
        alive->has_gone = status == SYMM_ERR_PEER_LOST || status == SYMM_ERR_UNREACHABLE;
    }
    return alive->has_gone;
}

bool symm_alive_has_gone(struct symm_alive *alive)
{
    (void)pthread_mutex_lock(&mutex);
    const bool has_gone = test_locked(alive);
    (void)pthread_mutex_unlock(&mutex);
    return has_gone;
}
