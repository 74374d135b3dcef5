/*
 * request.h - ask a peer's server for an object, without waiting.
 *
 * A request is begun and then tested until it says something else than SYMM_PENDING.  It stays
 * pending while the peer lives and has not exported the object yet, or while the queue of those who
 * connect to the peer is full.  Anybody can fill that queue, so it is no failure; connecting is
 * tried again, less and less often.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_REQUEST_H
#define SYMM_HEAP_SERVER_REQUEST_H

#include <stdbool.h>

#include "heap/private.h"
#include "heap/server/socket.h"

/* Owned by the caller; not thread-safe. */
struct symm_request {
    bool under_way; /* begun, and without an answer so far; all zero: it is not */
    int descriptor; /* -1: not connected */
    const char *name;
    const char *requester; /* NULL: nobody who could be told */
    struct symm_object_id id;
    int64_t delay; /* nanoseconds from the last try to connect to the next; 0: none failed */
    int64_t next;  /* when that is, of CLOCK_MONOTONIC */
};

/*
 * Say what is wanted from the server called `name`, which must outlive the request.  So must
 * `requester`, which the caller may set then: symm_server_name_to_tell() of its own server, if it
 * is to be told when a segment has gone.
 */
SYMM_PRIVATE void symm_request_begin(struct symm_request *request, const char *name,
                                     const struct symm_object_id *id);

/*
 * Go on with it.  SYMM_OK: *object is there, and the caller closes its descriptor.  Errors:
 * PENDING, UNREACHABLE, PEER_LOST, PERMISSION, NOT_FOUND, PROTOCOL, NO_MEMORY, SYSTEM; after
 * anything but PENDING the request is over.
 */
SYMM_PRIVATE enum symm_status symm_request_test(struct symm_request *request,
                                                struct symm_object *object);

/* Begin the request unless it is under way, and go on with it as symm_request_test() does. */
enum symm_status symm_request_ask(struct symm_request *request, const char *name,
                                  const struct symm_object_id *id,
                                  struct symm_object *object);

/* Give up; also fine for a request that is over, or all zero. */
SYMM_PRIVATE void symm_request_cancel(struct symm_request *request);

#endif /* SYMM_HEAP_SERVER_REQUEST_H */
