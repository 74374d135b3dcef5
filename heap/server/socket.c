/*
 * socket.c - see socket.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/server/socket.h"
#include "heap/server/user.h"

/*
 * Anybody can fill the queue, and a peer then waits for all who are in front of it: with six
 * flooding processes 2 ms a request for 64 places, 6 ms for 256, 27 ms for 1024.  A process that
 * finds the queue full tries again.
 */
enum { BACKLOG = 64 };

static enum symm_status status_of_errno(void)
{
    switch (errno) {
    case EAGAIN:
        return SYMM_PENDING;
    case ENOMEM:
    case ENOBUFS:
    case EMFILE:
    case ENFILE:
        return SYMM_ERR_NO_MEMORY;
    case ECONNREFUSED:
        return SYMM_ERR_UNREACHABLE;
    case EPROTO:
        return SYMM_ERR_PROTOCOL;
    case ECONNRESET:
    case EPIPE:
        return SYMM_ERR_PEER_LOST;
    default:
        return SYMM_ERR_SYSTEM;
    }
}

static socklen_t address_fill(struct sockaddr_un *address, const char *name)
{
    size_t length = strlen(name);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(&address->sun_path[1], name, length); /* the leading 0 makes it abstract */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static int socket_open(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

enum symm_status symm_socket_listen(const char name[SYMM_SOCKET_NAME_SIZE], int *descriptor)
{
    int fd = socket_open();
    if (fd < 0) {
        return status_of_errno();
    }
    struct sockaddr_un address;
    socklen_t length = address_fill(&address, name);
    if (bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, BACKLOG) != 0) {
        enum symm_status status = status_of_errno();
        (void)close(fd);
        return status;
    }
    *descriptor = fd;
    return SYMM_OK;
}

enum symm_status symm_socket_connect(const char name[SYMM_SOCKET_NAME_SIZE], int *descriptor)
{
    enum symm_status status = symm_headroom_descriptor(SYMM_DESCRIPTOR_PASSING);
    if (status != SYMM_OK) {
        return status;
    }
    int fd = socket_open();
    if (fd < 0) {
        return status_of_errno();
    }
    struct sockaddr_un address;
    socklen_t length = address_fill(&address, name);
    if (connect(fd, (struct sockaddr *)&address, length) != 0) {
        status = status_of_errno();
    }
    if (status == SYMM_OK) {
        status = symm_user_check_peer(fd);
    }
    if (status != SYMM_OK) {
        (void)close(fd);
        return status;
    }
    *descriptor = fd;
    return SYMM_OK;
}

enum symm_status symm_socket_send(int descriptor, const void *packet, size_t size, int passed)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec vector = {.iov_base = (void *)(uintptr_t)packet, .iov_len = size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (passed >= 0) {
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control.space);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &passed, sizeof(int));
    }
    ssize_t sent = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    return sent < 0 ? status_of_errno() : SYMM_OK;
}

/* Take the first descriptor; we never send more than one, a stranger's others must not leak. */
static void take_descriptors(struct msghdr *message, int *passed)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (*passed < 0) {
                *passed = fd;
            } else {
                (void)close(fd);
            }
        }
    }
}

enum symm_status symm_socket_receive(int descriptor, void *packet, size_t size, int *passed)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec vector = {.iov_base = packet, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &vector,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control.space),
    };
    *passed = -1;
    ssize_t received = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
    if (received == 0) {
        /*
         * A packet and the end of the connection that arrive just now: Linux looks for a packet,
         * then for the end, and may report the end first.  The packet is there at the second look.
         */
        take_descriptors(&message, passed);
        message.msg_controllen = sizeof(control.space);
        received = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
        if (received < 0 && errno == EAGAIN) {
            errno = EPROTO; /* what came was an empty packet, which nobody sends */
        }
    }
    enum symm_status status;
    if (received < 0) {
        status = status_of_errno();
    } else {
        take_descriptors(&message, passed);
        bool whole = received == (ssize_t)size && (message.msg_flags & MSG_TRUNC) == 0;
        status = whole ? SYMM_OK : received == 0 ? SYMM_ERR_PEER_LOST : SYMM_ERR_PROTOCOL;
    }
    if (status != SYMM_OK && *passed >= 0) {
        (void)close(*passed);
        *passed = -1;
    }
    return status;
}
