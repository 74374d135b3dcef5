/*
 * server.c - see server.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "heap/server/fork_lock.h"
#include "heap/server/server_thread.h"

/* ---- objects --------------------------------------------------------------------------------- */

enum symm_status symm_server_export(struct symm_server *server, const struct symm_object_id *id,
                                    const struct symm_object *object)
{
    struct symm_objects_entry *entry = symm_objects_prepare(id, object);
    if (entry == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_lock(&server->mutex);
    symm_objects_add(&server->objects, entry);
    if (server->running && id->what != SYMM_OBJECT_SEGMENT) { /* nobody waits for a segment */
        symm_server_thread_wake(server);
    }
    (void)pthread_mutex_unlock(&server->mutex);
    return SYMM_OK;
}

void symm_server_withdraw(struct symm_server *server, const struct symm_object_id *id)
{
    (void)pthread_mutex_lock(&server->mutex);
    symm_objects_remove(&server->objects, id);
    (void)pthread_mutex_unlock(&server->mutex);
}

/* ---- life ------------------------------------------------------------------------------------ */

static enum symm_status names_make(struct symm_server *server)
{
    enum symm_status status = symm_name_make(&server->identity);
    if (status == SYMM_OK) {
        status = symm_secret_make(&server->tell);
    }
    if (status == SYMM_OK) {
        symm_name_format(&server->identity, server->name);
        symm_name_format_for(&server->identity, &server->tell, server->name_to_tell);
    }
    return status;
}

enum symm_status symm_server_create(struct symm_server **server)
{
    struct symm_server *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    (void)pthread_cond_init(&created->told, NULL);
    created->listener = -1;
    created->spare = symm_server_spare_open();
    created->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum symm_status status = created->wake >= 0 ? SYMM_OK : SYMM_ERR_SYSTEM;
    if (status == SYMM_OK) {
        status = names_make(created);
    }
    if (status == SYMM_OK) {
        status = symm_socket_listen(created->identity.socket, &created->listener);
    }
    if (status != SYMM_OK) {
        symm_server_destroy(created);
        return status;
    }
    *server = created;
    return SYMM_OK;
}

enum symm_status symm_server_start_thread(struct symm_server *server)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&server->mutex);
    if (!server->running && !server->stopping) {
        int error = symm_server_thread_begin(server);
        server->running = error == 0;
        if (error != 0) {
            status = error == EAGAIN ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
            errno = error;
        }
    }
    (void)pthread_mutex_unlock(&server->mutex);
    return status;
}

void symm_server_set_thread_hook(struct symm_server *server,
                                 const struct symm_server_thread_hook *hook)
{
    server->hook = *hook;
}

void symm_server_wake(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    if (server->running) {
        symm_server_thread_set_polite(server, true);
    }
    (void)pthread_mutex_unlock(&server->mutex);
    symm_server_thread_wake(server);
}

void symm_server_stop_thread(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    server->stopping = true;
    bool running = server->running;
    server->running = false;
    (void)pthread_mutex_unlock(&server->mutex);
    if (running) {
        symm_server_thread_wake(server);
        (void)pthread_join(server->thread, NULL);
    }
}

void symm_server_destroy(struct symm_server *server)
{
    if (server == NULL) {
        return;
    }
    symm_server_stop_thread(server);
    symm_objects_clear(&server->objects);
    if (server->listener >= 0) {
        (void)close(server->listener);
    }
    if (server->wake >= 0) {
        (void)close(server->wake);
    }
    if (server->spare >= 0) {
        (void)close(server->spare);
    }
    (void)pthread_cond_destroy(&server->told);
    (void)pthread_mutex_destroy(&server->mutex);
    free(server);
}

const char *symm_server_name(const struct symm_server *server)
{
    return server->name;
}

const char *symm_server_name_to_tell(const struct symm_server *server)
{
    return server->name_to_tell;
}

void symm_server_on_refused(struct symm_server *server, void (*tell)(void))
{
    (void)pthread_mutex_lock(&server->mutex);
    server->refused_warn = tell;
    while (server->telling) {
        (void)pthread_cond_wait(&server->told, &server->mutex);
    }
    (void)pthread_mutex_unlock(&server->mutex);
}

uint64_t symm_server_refused(const struct symm_server *server)
{
    return atomic_load_explicit(&server->refused, memory_order_relaxed);
}

/* ---- fork() ---------------------------------------------------------------------------------- */

bool symm_server_fork_begin(struct symm_server *server)
{
    return symm_fork_lock(&server->mutex);
}

void symm_server_fork_end(struct symm_server *server)
{
    (void)pthread_mutex_unlock(&server->mutex);
}
