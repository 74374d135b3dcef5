/*
 * server.c - see server.h.
 *
 * Locking: `mutex` guards the object table and the fact whether the thread runs.  Connections belong
 * to the thread alone.  An export while the thread runs writes to an eventfd, which makes the thread
 * look again at the requests that wait.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heap/server.h"

enum { TABLE_SIZE = 256, CONNECTIONS_MAX = 1024, POLL_FIXED = 2 };

/*
 * Connections taken at a time: others may be coming as fast, and who is connected waits meanwhile.
 */
enum { ACCEPTS_MOST = 64 };

/* Milliseconds without another try, after nothing could be accepted, or poll() has failed. */
enum { PAUSE_FIRST = 1, PAUSE_LAST = 64, PAUSE_OF_POLL = 10 };

struct entry {
    struct symm_object_id id;
    struct symm_object object;
    struct entry *next;
};

struct connection {
    int descriptor;
    bool waiting; /* `id` has been asked for and is not there yet */
    struct symm_object_id id;
    char requester[SYMM_SOCKET_NAME_SIZE];
};

struct symm_server {
    int listener;
    int wake; /* eventfd: something was exported, or the thread is to stop */
    int spare; /* a descriptor to give up when there is none to accept a connection with; or -1 */
    int pause; /* milliseconds until the next try to accept; 0: the last one has not failed */
    char name[SYMM_SOCKET_NAME_SIZE];
    pthread_mutex_t mutex;
    struct entry *table[TABLE_SIZE];
    bool running, stopping;
    atomic_bool polite; /* the thread does not preempt others when it wakes */
    struct symm_server_helper helper; /* its functions may be NULL */
    pthread_t thread;
    struct connection connections[CONNECTIONS_MAX];
    size_t connection_count;
    struct pollfd polled[POLL_FIXED + CONNECTIONS_MAX];
};

/* ---- the table of objects ------------------------------------------------------------------- */

static struct entry **table_chain(struct symm_server *server, const struct symm_object_id *id)
{
    const unsigned char *byte = (const unsigned char *)id;
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < sizeof(*id); i++) {
        hash = (hash ^ byte[i]) * UINT32_C(16777619);
    }
    return &server->table[hash % TABLE_SIZE];
}

/* The link that points to the entry, or to the NULL at the end of its chain. */
static struct entry **table_find(struct symm_server *server, const struct symm_object_id *id)
{
    struct entry **link = table_chain(server, id);
    while (*link != NULL && memcmp(&(*link)->id, id, sizeof(*id)) != 0) {
        link = &(*link)->next;
    }
    return link;
}

static void entry_remove(struct entry **link)
{
    struct entry *entry = *link;
    *link = entry->next;
    if (entry->object.descriptor >= 0) {
        (void)close(entry->object.descriptor);
    }
    free(entry);
}

static void wake_thread(struct symm_server *server)
{
    uint64_t one = 1;
    ssize_t written = write(server->wake, &one, sizeof(one));
    (void)written; /* EAGAIN: the counter is full, so the thread wakes anyway */
}

enum symm_status symm_server_export(struct symm_server *server, const struct symm_object_id *id,
                                    const struct symm_object *object)
{
    struct entry *entry = malloc(sizeof(*entry));
    if (entry == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    *entry = (struct entry){.id = *id, .object = *object};
    if (object->descriptor >= 0) {
        entry->object.descriptor = fcntl(object->descriptor, F_DUPFD_CLOEXEC, 0);
        if (entry->object.descriptor < 0) {
            free(entry);
            return SYMM_ERR_NO_MEMORY;
        }
    }
    (void)pthread_mutex_lock(&server->mutex);
    struct entry **link = table_find(server, id);
    if (*link != NULL) {
        entry_remove(link);
    }
    entry->next = *link;
    *link = entry;
    if (server->running && id->what != SYMM_OBJECT_SEGMENT) { /* for those nobody waits */
        wake_thread(server);
    }
    (void)pthread_mutex_unlock(&server->mutex);
    return SYMM_OK;
}

void symm_server_withdraw(struct symm_server *server, const struct symm_object_id *id)
{
    (void)pthread_mutex_lock(&server->mutex);
    struct entry **link = table_find(server, id);
    if (*link != NULL) {
        entry_remove(link);
    }
    (void)pthread_mutex_unlock(&server->mutex);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static const struct symm_object nothing = {.descriptor = -1};

/* Whether the connection has got its answer (or never can) and is to be closed. */
static bool connection_answer(struct symm_server *server, const struct connection *connection)
{
    (void)pthread_mutex_lock(&server->mutex);
    const struct entry *entry = *table_find(server, &connection->id);
    bool is_segment = connection->id.what == SYMM_OBJECT_SEGMENT;
    bool answered = entry != NULL || is_segment || connection->id.what == SYMM_OBJECT_NOTHING;
    if (entry != NULL && is_segment && connection->requester[0] != '\0' &&
        server->helper.handed_out != NULL) {
        /* Before the owner can give it back, which takes the mutex. */
        server->helper.handed_out(server->helper.data, connection->requester, connection->id.heap);
    }
    if (answered) {
        const struct symm_object *object = entry != NULL ? &entry->object : &nothing;
        struct symm_reply_packet reply = {
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

/* Read a request, or find that the peer has gone.  Returns whether to close the connection. */
static bool connection_read(struct symm_server *server, struct connection *connection)
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
    if (status != SYMM_OK || request.magic != symm_socket_magic || connection->waiting) {
        return true;
    }
    connection->id = request.id;
    memcpy(connection->requester, request.requester, sizeof(connection->requester) - 1);
    if (request.id.what == SYMM_OBJECT_NOTHING && server->helper.collect != NULL) {
        server->helper.collect(server->helper.data);
    }
    connection->waiting = !connection_answer(server, connection);
    return !connection->waiting;
}

static int spare_open(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
 * The process has no descriptor left to accept a connection with.  A peer that waits for an answer must
 * get an end all the same, so one is accepted with the spare descriptor, and closed.  Another
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
    server->spare = spare_open();
    errno = error;
    return fd >= 0;
}

/* Other users are sent away.  A peer's request has mostly come with it, and is answered at once. */
static void connection_begin(struct symm_server *server, int fd)
{
    struct connection *connection = &server->connections[server->connection_count];
    *connection = (struct connection){.descriptor = fd};
    if (symm_socket_check_user(fd) != SYMM_OK || connection_read(server, connection)) {
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
        server->spare = spare_open();
    }
    for (int i = 0; i < ACCEPTS_MOST && server->connection_count < CONNECTIONS_MAX; i++) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
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
    server->polled[0] = (struct pollfd){.fd = server->wake, .events = POLLIN};
    server->polled[1] = (struct pollfd){
        .fd = server->connection_count < CONNECTIONS_MAX && server->pause == 0 ? server->listener
                                                                               : -1,
        .events = POLLIN,
    };
    for (size_t i = 0; i < server->connection_count; i++) {
        server->polled[POLL_FIXED + i] =
            (struct pollfd){.fd = server->connections[i].descriptor, .events = POLLIN};
    }
    return (nfds_t)(POLL_FIXED + server->connection_count);
}

/* Serve what poll() reported; `exported`: look at the waiting requests as well. */
static void connections_serve(struct symm_server *server, bool exported)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->connection_count; i++) {
        struct connection *connection = &server->connections[i];
        bool closing = false;
        if (server->polled[POLL_FIXED + i].revents != 0) {
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

static bool is_stopping(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    bool stopping = server->stopping;
    (void)pthread_mutex_unlock(&server->mutex);
    return stopping;
}

/*
 * A thread that wakes preempts the one that woke it, if both are bound to one core: 0.7 ms of an MPI_Free_mem.
 * One of SCHED_BATCH does not.  But peers' requests are answered at once, so the thread is only while it works
 * for this process, and only where nobody has given it another policy.
 */
static void set_polite(struct symm_server *server, bool polite)
{
    struct sched_param parameters = {0};
    int policy;
    if (atomic_exchange_explicit(&server->polite, polite, memory_order_relaxed) != polite &&
        pthread_getschedparam(server->thread, &policy, &parameters) == 0 &&
        policy == (polite ? SCHED_OTHER : SCHED_BATCH)) {
        (void)pthread_setschedparam(server->thread, polite ? SCHED_BATCH : SCHED_OTHER, &parameters);
    }
}

/*
 * Wait until there is something to do.  poll() itself may fail: for want of memory, or because the
 * program has set a limit below the number of descriptors that we have.  Then everything is tried
 * after a moment.
 */
static void work_wait(struct symm_server *server)
{
    int pause = server->helper.work != NULL ? server->helper.work(server->helper.data) : -1;
    if (pause != 0) {
        set_polite(server, false);
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

/* ---- life ------------------------------------------------------------------------------------ */

enum symm_status symm_server_create(struct symm_server **server)
{
    struct symm_server *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    created->listener = -1;
    created->spare = spare_open();
    created->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum symm_status status = created->wake >= 0 ? SYMM_OK : SYMM_ERR_SYSTEM;
    if (status == SYMM_OK) {
        status = symm_socket_listen(&created->listener, created->name);
    }
    if (status != SYMM_OK) {
        symm_server_destroy(created);
        return status;
    }
    *server = created;
    return SYMM_OK;
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

enum symm_status symm_server_start_thread(struct symm_server *server)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&server->mutex);
    if (!server->running && !server->stopping) {
        /* The program's signals are the program's: none may be delivered to this thread. */
        sigset_t all, before;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        int error = thread_create(server);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        server->running = error == 0;
        if (error != 0) {
            status = error == EAGAIN ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
            errno = error;
        }
    }
    (void)pthread_mutex_unlock(&server->mutex);
    return status;
}

void symm_server_set_helper(struct symm_server *server, const struct symm_server_helper *helper)
{
    server->helper = *helper;
}

void symm_server_wake(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    if (server->running) {
        set_polite(server, true);
    }
    (void)pthread_mutex_unlock(&server->mutex);
    wake_thread(server); /* while nobody reads it, that is a number in the kernel */
}

void symm_server_stop_thread(struct symm_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    server->stopping = true;
    bool running = server->running;
    server->running = false;
    (void)pthread_mutex_unlock(&server->mutex);
    if (running) {
        wake_thread(server);
        (void)pthread_join(server->thread, NULL);
    }
}

void symm_server_destroy(struct symm_server *server)
{
    if (server == NULL) {
        return;
    }
    symm_server_stop_thread(server);
    for (size_t i = 0; i < TABLE_SIZE; i++) {
        while (server->table[i] != NULL) {
            entry_remove(&server->table[i]);
        }
    }
    if (server->listener >= 0) {
        (void)close(server->listener);
    }
    if (server->wake >= 0) {
        (void)close(server->wake);
    }
    if (server->spare >= 0) {
        (void)close(server->spare);
    }
    (void)pthread_mutex_destroy(&server->mutex);
    free(server);
}

const char *symm_server_name(const struct symm_server *server)
{
    return server->name;
}
