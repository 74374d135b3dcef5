/*
 * socket.h - abstract AF_UNIX sockets between processes of one job, and descriptors through them.
 *
 * Abstract names live in the network namespace and vanish with the last descriptor: nothing to
 * clean up, whatever dies when.  Anybody in the namespace can connect to one.  So both ends ask the
 * kernel for the other's user (user.h) before they say anything, and both prove by a secret that
 * they are of the job (names.h): user ids do not tell containers apart that run as one user.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_SOCKET_H
#define SYMM_HEAP_SERVER_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "heap/server/names.h"

/* What can be asked for; see symm_server_export(). */
enum symm_object_kind {
    SYMM_OBJECT_DIRECTORY = 1, /* of the heap with this number; the key is its kind's name */
    SYMM_OBJECT_SEGMENT,       /* of such a heap, with this serial as the number */
    SYMM_OBJECT_ARENA,         /* chunk of the process's arena, with this serial as the number */
    SYMM_OBJECT_REPORT,        /* counters of the node */
    SYMM_OBJECT_MULTICAST,     /* of the team with this key; number: of its groups so far */
    SYMM_OBJECT_NOTHING,       /* answered when what others have freed is unmapped */
};

struct symm_object_id {
    uint32_t what;   /* enum symm_object_kind */
    uint32_t number;
    uint32_t heap;   /* of directories and segments */
    uint8_t key[20];
};

struct symm_object {
    int descriptor;  /* -1: the object is known, but refused to all who ask */
    uint64_t size;   /* bytes to map */
    uint64_t detail; /* of a segment: its offset in the owner's window */
};

/* On the wire, in one packet each; both ends are processes of the same node. */
struct symm_request_packet {
    struct symm_secret ask; /* compared before anything else is looked at */
    uint32_t magic;
    struct symm_object_id id;
    char requester[SYMM_NAME_SIZE]; /* where it is told of what has gone; "": it need not be */
};

struct symm_reply_packet {
    struct symm_secret answer; /* compared before anything else is looked at */
    uint32_t magic;
    uint32_t status; /* enum symm_status; a descriptor travels along when it is SYMM_OK */
    uint64_t size;
    uint64_t detail;
};

/* Changes with every incompatible change of the packets or of what lies in shared memory. */
static const uint32_t symm_socket_magic = UINT32_C(0x53594d09);

/* A listening, nonblocking socket with a name of symm_name_make().  Errors: NO_MEMORY, SYSTEM. */
enum symm_status symm_socket_listen(const char name[SYMM_SOCKET_NAME_SIZE], int *descriptor);

/*
 * Connect without waiting, and check that the listener has our uid.
 * Errors: PENDING (its queue is full: try again later), UNREACHABLE, PERMISSION, NO_MEMORY, SYSTEM.
 */
enum symm_status symm_socket_connect(const char name[SYMM_SOCKET_NAME_SIZE], int *descriptor);

/* Send one packet, with a descriptor unless that is -1.  Never blocks, never raises SIGPIPE. */
enum symm_status symm_socket_send(int descriptor, const void *packet, size_t size, int passed);

/*
 * Receive one packet of exactly `size` bytes; *passed is a descriptor that came along, or -1.
 * Errors: PENDING, PEER_LOST, PROTOCOL, SYSTEM.
 */
enum symm_status symm_socket_receive(int descriptor, void *packet, size_t size, int *passed);

#endif /* SYMM_HEAP_SERVER_SOCKET_H */
