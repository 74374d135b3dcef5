/*
 * server.h - hands descriptors of a process's shared memory to its peers.
 *
 * A process exports objects (segments, directories, chunks of its arena) under an id; peers ask for
 * an id over the process's abstract socket and get the descriptor.  A request for an id that is not
 * there yet waits until it is exported, so nobody has to poll for a slower process.  Segments are
 * the exception: a peer hears of a segment only after its export, so a segment that is not there
 * has gone, and the peer is told so at once.  Requests are answered by one sleeping thread, so a
 * process that computes and does not call MPI still answers (NCCL's proxy does the same for its
 * cuMem handles).  The thread exists from the first symm_server_start_thread() on; requests that
 * come earlier wait in the socket's queue.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_SERVER_H
#define SYMM_HEAP_SERVER_SERVER_H

#include "heap/private.h"
#include "heap/server/socket.h"

struct symm_server;

/* Open the socket; no thread yet.  Errors: NO_MEMORY, SYSTEM. */
enum symm_status symm_server_create(struct symm_server **server);

/* Start answering, if that has not happened yet.  Errors: NO_MEMORY, SYSTEM. */
enum symm_status symm_server_start_thread(struct symm_server *server);

/*
 * What the thread does for its own process.  A request for SYMM_OBJECT_NOTHING is answered, by
 * saying that there is none, after `collect`.  `handed_out` hears of segments that go to processes
 * which can be told when they have gone.  `work` does a little of what is left to do and says after
 * how many milliseconds it is to be called again, -1: not before symm_server_wake().  None of them
 * may wait for another process.
 */
struct symm_server_thread_hook {
    void (*collect)(void *data);
    void (*handed_out)(void *data, const char *requester, uint32_t heap);
    int (*work)(void *data);
    void *data;
};

/* Before the thread is started; copied. */
void symm_server_set_thread_hook(struct symm_server *server,
                            const struct symm_server_thread_hook *hook);

/* Have the hook's `work` called soon, if the thread runs. */
void symm_server_wake(struct symm_server *server);

/* Stop the thread, for good; requests are no longer answered. */
void symm_server_stop_thread(struct symm_server *server);

/* Stop the thread, close the socket and forget all objects. */
void symm_server_destroy(struct symm_server *server);

/* The name by which peers ask, a secret of the job; lives as long as the server. */
const char *symm_server_name(const struct symm_server *server);

/*
 * The name that a peer is given to tell us of memory that has gone.  It is good for nothing else.
 */
const char *symm_server_name_to_tell(const struct symm_server *server);

/* How many have been sent away: other users, those without the secret, and those with nonsense. */
uint64_t symm_server_refused(const struct symm_server *server);

/*
 * Have the server's thread call `tell` when it refuses somebody, once.  Peers wait meanwhile.
 * When another call of this function returns, the earlier one's is not called any more; NULL: none
 * is.
 */
SYMM_PRIVATE void symm_server_on_refused(struct symm_server *server, void (*tell)(void));

/*
 * Offer an object.  The descriptor is duplicated; the caller keeps its own.  An id exported before
 * is replaced.  Errors: NO_MEMORY.
 */
SYMM_PRIVATE enum symm_status symm_server_export(struct symm_server *server,
                                                 const struct symm_object_id *id,
                                                 const struct symm_object *object);

/* Withdraw an object; an unknown id is fine. */
void symm_server_withdraw(struct symm_server *server, const struct symm_object_id *id);

/*
 * Around a fork(): no other thread changes the objects meanwhile, and the child finds nothing
 * locked.  False as for a heap (heap.h); then there is no end().  In the child there is no thread
 * that answers.
 */
bool symm_server_fork_begin(struct symm_server *server);
void symm_server_fork_end(struct symm_server *server);

#endif /* SYMM_HEAP_SERVER_SERVER_H */
