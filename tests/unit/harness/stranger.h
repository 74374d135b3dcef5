/*
 * stranger.h - clients of a server that a peer would never be: of another user, or without manners.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STRANGER_H
#define SYMM_TESTS_STRANGER_H

#include "heap/server/socket.h"
#include "tests/unit/harness/fork_ranks.h"

/*
 * Connects as a request to the server of this name does, but waits for room in the queue and asks
 * for nobody's uid.  Returns a descriptor, or -1.
 */
int connect_blindly(const char *name);

/* A socket that listens, under a name made for it.  Returns a descriptor, or -1. */
int listen_blindly(char name[SYMM_NAME_SIZE]);

/* The packet that asks the server of this name for an object. */
struct symm_request_packet request_for(const char *name, uint32_t object);

/* The words of a name. */
struct symm_name secrets_of(const char *name);

/* In a forked rank: goes on as another user, or ends the rank as one to skip. */
void become_another_user(void);

#endif /* SYMM_TESTS_STRANGER_H */
