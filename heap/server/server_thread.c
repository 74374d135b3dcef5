/*
 * server_thread.c - see server_thread.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/server/server_thread.h"
#include "heap/server/user.h"

/*
 * Connections taken at a time: more may be coming as fast, and those that are connected wait
 * meanwhile.
 */
enum { ACCEPTS_MOST = 64 };

/* Milliseconds without another try, after nothing could be accepted, or poll() has failed. */
enum { PAUSE_FIRST = 1, PAUSE_LAST = 64, PAUSE_OF_POLL = 10 };

/* ---- connections ----------------------------------------------------------------------------- */

static const struct symm_object nothing = {.descriptor = -1};

/* Whether the connection has got its answer (or never can) and is to be closed. */
static bool connection_answer(struct symm_server *server, const struct symm_connection *connection)
{
    (void)pthread_mutex_lock(&server->mutex);
    const struct symm_object *object = symm_objects_find(&server->objects, &connection->id);
    bool is_segment = connection->id.what == SYMM_OBJECT_SEGMENT;
    bool answered = object != NULL || is_segment || connection->id.what == SYMM_OBJECT_NOTHING;
    if (object != NULL && is_segment && connection->requester[0] != '\0' &&
        server->hook.handed_out != NULL) {
        /* Before the owner can give it back, which takes the mutex. */
        server->hook.handed_out(server->hook.data, connection->requester, connection->id.heap);
    }
    if (answered) {
        object = object != NULL ? object : &nothing;
        struct symm_reply_packet reply = {
            .answer = connection->answer,
            .magic = symm_socket_magic,
            .status = object->descriptor >= 0 ? SYMM_OK : SYMM_ERR_NOT_FOUND,
            .size = object->size,
            .detail = object->detail,
        };
        /* A failed send closes the connection, and the peer sees that. */
        (void)symm_socket_send(connection->descriptor, &reply, sizeof(reply), object->descriptor);
    }
    (void)pthread_mutex_unlock(&server->mutex);
    return answered;
}

/*
 * Whether the request has a secret that is good for what it asks for.  A process that
 * knows `tell` may not know the server's answer: `tell` was in a request to a socket that anybody
 * may have bound.
 */
static bool request_is_allowed(const struct symm_server *server,
                               const struct symm_request_packet *request,
                               struct symm_secret *answer)
{
    bool asks = symm_secret_is(&request->ask, &server->identity.ask);
    bool tells = symm_secret_is(&request->ask, &server->tell);
    *answer = asks ? server->identity.answer : server->tell;
    return asks || (tells && request->id.what == SYMM_OBJECT_NOTHING);
}

static void refuse(struct symm_server *server)
{
    (void)atomic_fetch_add_explicit(&server->refused, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&server->mutex);
    void (*tell)(void) = server->refused_warn;
    server->refused_warn = NULL;
    server->telling = tell != NULL;
    (void)pthread_mutex_unlock(&server->mutex);
    if (tell != NULL) {
        tell();
        (void)pthread_mutex_lock(&server->mutex);
        server->telling = false;
        (void)pthread_cond_broadcast(&server->told);
        (void)pthread_mutex_unlock(&server->mutex);
    }
}

/* Read a request, or notice that the peer has gone.  Returns whether to close the connection. */
static bool connection_read(struct symm_server *server, struct symm_connection *connection)
{
    struct symm_request_packet request;
    int passed;
    enum symm_status status =
        symm_socket_receive(connection->descriptor, &request, sizeof(request), &passed);
    if (passed >= 0) {
        (void)close(passed);
    }
    if (status == SYMM_PENDING) {
        return false;
    }
    if (status == SYMM_ERR_PROTOCOL ||
        (status == SYMM_OK && !request_is_allowed(server, &request, &connection->answer))) {
        refuse(server);
        return true;
    }
    if (status != SYMM_OK || request.magic != symm_socket_magic || connection->waiting) {
        return true;
    }
    connection->id = request.id;
    memcpy(connection->requester, request.requester, sizeof(connection->requester) - 1);
    if (request.id.what == SYMM_OBJECT_NOTHING && server->hook.collect != NULL) {
        server->hook.collect(server->hook.data);
    }
    connection->waiting = !connection_answer(server, connection);
    return !connection->waiting;
}

int symm_server_spare_open(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The next connection, or -1: there is none, or no descriptor for one. */
static int connection_accept(struct symm_server *server)
{
    return symm_headroom_descriptor(SYMM_DESCRIPTOR_PASSING) == SYMM_OK
               ? accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)
               : -1;
}

/*
 * The process has no descriptor left to accept a connection with.  A peer that waits for an answer
 * must get an end all the same, so one is accepted with the spare descriptor, and closed.  Another
 * thread of the program may have been quicker to take that descriptor; errno is then accept4()'s.
 */
static bool connection_turn_away(struct symm_server *server)
{
    if (server->spare >= 0) {
        (void)close(server->spare);
    }
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    int error = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    server->spare = symm_server_spare_open();
    errno = error;
    return fd >= 0;
}

/* Other users are sent away.  A peer's request has mostly come with it, and is answered at once. */
static void connection_begin(struct symm_server *server, int fd)
{
    struct symm_connection *connection = &server->connections[server->connection_count];
    *connection = (struct symm_connection){.descriptor = fd};
    bool is_stranger = symm_user_check_peer(fd) != SYMM_OK;
    if (is_stranger) {
        refuse(server);
    }
    if (is_stranger || connection_read(server, connection)) {
        (void)close(fd);
    } else {
        server->connection_count++;
    }
}

static int pause_after(int pause)
{
    return pause == 0 ? PAUSE_FIRST : 2 * pause < PAUSE_LAST ? 2 * pause : PAUSE_LAST;
}

/*
 * Where nothing can be accepted, poll() would report the same queue again at once: so that has to
 * pause.
 */
static void connections_accept(struct symm_server *server)
{
    bool failed = false;
    if (server->spare < 0) {
        server->spare = symm_server_spare_open();
    }
    for (int i = 0; i < ACCEPTS_MOST && server->connection_count < SYMM_CONNECTIONS_MAX; i++) {
        int fd = connection_accept(server);
        if (fd >= 0) {
            connection_begin(server, fd);
        } else if ((errno != EMFILE && errno != ENFILE) || !connection_turn_away(server)) {
            failed = errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
            break;
        }
    }
    server->pause = failed ? pause_after(server->pause) : 0;
}

/* Returns the number of descriptors to poll. */
static nfds_t poll_prepare(struct symm_server *server)
{
    bool accepts = server->connection_count < SYMM_CONNECTIONS_MAX && server->pause == 0;
    server->polled[0] = (struct pollfd){.fd = server->wake, .events = POLLIN};
    server->polled[1] =
        (struct pollfd){.fd = accepts ? server->listener : -1, .events = POLLIN};
    for (size_t i = 0; i < server->connection_count; i++) {
        server->polled[SYMM_POLL_FIXED + i] =
            (struct pollfd){.fd = server->connections[i].descriptor, .events = POLLIN};
    }
    return (nfds_t)(SYMM_POLL_FIXED + server->connection_count);
}

/* Serve what poll() reported; `exported`: look at the waiting requests as well. */
static void connections_serve(struct symm_server *server, bool exported)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->connection_count; i++) {
        struct symm_connection *connection = &server->connections[i];
        bool closing = false;
        if (server->polled[SYMM_POLL_FIXED + i].revents != 0) {
            closing = connection_read(server, connection);
        }
        if (!closing && exported && connection->waiting) {
            closing = connection_answer(server, connection);
        }
        if (closing) {
            (void)close(connection->descriptor);
        } else {
            server->connections[kept++] = *connection;
        }
    }
    server->connection_count = kept;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool is_stopping(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    bool stopping = server->stopping;
    (void)pthread_mutex_unlock(&server->mutex);
    return stopping;
}

void symm_server_thread_set_polite(struct symm_server *server, bool polite)
{
    struct sched_param parameters = {0};
    int policy;
    if (atomic_exchange_explicit(&server->polite, polite, memory_order_relaxed) != polite &&
        pthread_getschedparam(server->thread, &policy, &parameters) == 0 &&
        policy == (polite ? SCHED_OTHER : SCHED_BATCH)) {
        (void)pthread_setschedparam(server->thread, polite ? SCHED_BATCH : SCHED_OTHER,
                                    &parameters);
    }
}

/*
 * Wait until there is something to do.  poll() itself may fail: for want of memory, or because the
 * program has set a limit below the number of descriptors that we have.  Then everything is tried
 * after a moment.
 */
static void work_wait(struct symm_server *server)
{
    int pause = server->hook.work != NULL ? server->hook.work(server->hook.data) : -1;
    if (pause != 0) {
        symm_server_thread_set_polite(server, false);
    }
    nfds_t count = poll_prepare(server);
    if (server->pause > 0 && (pause < 0 || pause > server->pause)) {
        pause = server->pause;
    }
    if (poll(server->polled, count, pause) < 0 && errno != EINTR) {
        (void)poll(NULL, 0, PAUSE_OF_POLL);
        for (nfds_t i = 0; i < count; i++) {
            server->polled[i].revents = POLLIN;
        }
    }
}

static void *serve(void *argument)
{
    struct symm_server *server = argument;
    while (!is_stopping(server)) {
        work_wait(server);
        bool exported = (server->polled[0].revents & POLLIN) != 0;
        if (exported) {
            uint64_t ignored;
            ssize_t got = read(server->wake, &ignored, sizeof(ignored));
            (void)got;
        }
        connections_serve(server, exported);
        if (server->polled[1].revents != 0 || server->pause > 0) {
            connections_accept(server);
        }
    }
    for (size_t i = 0; i < server->connection_count; i++) {
        (void)close(server->connections[i].descriptor);
    }
    return NULL;
}

void symm_server_thread_wake(struct symm_server *server)
{
    uint64_t one = 1;
    ssize_t written = write(server->wake, &one, sizeof(one));
    (void)written; /* EAGAIN: the counter is full, so the thread wakes anyway */
}

/*
 * The thread's stack is small, for the sake of processes with little address space.  Where the
 * libraries' thread-local variables do not fit beside it, it has the usual size.
 */
static int thread_create(struct symm_server *server)
{
    enum { STACK_SIZE = 1 << 20 }; /* it also calls the CUDA driver, to unmap what has gone */
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return error;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    error = pthread_create(&server->thread, &attributes, serve, server);
    (void)pthread_attr_destroy(&attributes);
    return error == EINVAL ? pthread_create(&server->thread, NULL, serve, server) : error;
}

int symm_server_thread_begin(struct symm_server *server)
{
    /* The program's signals are the program's: none may be delivered to this thread. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = thread_create(server);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
