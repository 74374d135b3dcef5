/*
 * stranger.c - see stranger.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/request_wait.h"
#include "tests/unit/harness/stranger.h"

#include <grp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { OTHER_USER = 65534 };

int connect_blindly(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strcspn(name, ":");
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    memcpy(&address.sun_path[1], name, length);
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

int listen_blindly(char name[SYMM_NAME_SIZE])
{
    struct symm_name made;
    int fd = -1;
    if (symm_name_make(&made) != SYMM_OK || symm_socket_listen(made.socket, &fd) != SYMM_OK) {
        return -1;
    }
    symm_name_format(&made, name);
    return fd;
}

struct symm_name secrets_of(const char *name)
{
    struct symm_name words = {.socket = ""};
    (void)symm_name_parse(name, &words);
    return words;
}

struct symm_request_packet request_for(const char *name, uint32_t object)
{
    return (struct symm_request_packet){
        .ask = secrets_of(name).ask, .magic = symm_socket_magic, .id = object_id(object)};
}

void become_another_user(void)
{
    if (setgroups(0, NULL) != 0 || setgid(OTHER_USER) != 0 || setuid(OTHER_USER) != 0) {
        fork_rank_skip();
    }
}
