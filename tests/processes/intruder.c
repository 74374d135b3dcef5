/*
 * A process that wants memory of a job that it does not belong to, and knows no more than
 * everybody: the names of sockets in /proc/net/unix, and the form of requests. check_intruders has
 * it started as another user, and as the same user in another container.
 *
 *     intruder INODE...
 *
 * The sockets with these numbers are tried, so that jobs of other tests are left in peace. It
 * prints how many servers it has asked and how many requests were answered, and ends with 0.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "heap/server/socket.h"

enum { NAMES_MOST = 64, PATIENCE_MS = 5000 };

static char names[NAMES_MOST][SYMM_SOCKET_NAME_SIZE];
static int name_count;

static int is_wanted(unsigned long inode, char **inodes)
{
    while (*inodes != NULL && strtoul(*inodes, NULL, 10) != inode) {
        inodes++;
    }
    return *inodes != NULL;
}

static void names_find(char **inodes)
{
    char line[512], name[SYMM_SOCKET_NAME_SIZE];
    unsigned long inode;
    FILE *file = fopen("/proc/net/unix", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu @%43s", &inode, name) == 2 &&
            strncmp(name, "ompi-symm-", 10) == 0 && is_wanted(inode, inodes) &&
            name_count < NAMES_MOST) {
            memcpy(names[name_count++], name, sizeof(name));
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

static int name_connect(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    memcpy(&address.sun_path[1], name, strlen(name));
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* 1 if a packet comes back, 0 if the server hangs up or is silent. */
static int is_answered(const char *name, const void *packet, size_t size)
{
    char reply[sizeof(struct symm_reply_packet)];
    struct pollfd polled = {.fd = name_connect(name), .events = POLLIN};
    ssize_t got = 0;
    if (polled.fd >= 0 && send(polled.fd, packet, size, MSG_NOSIGNAL) >= 0 &&
        poll(&polled, 1, PATIENCE_MS) == 1) {
        got = recv(polled.fd, reply, sizeof(reply), 0);
    }
    (void)close(polled.fd);
    return got > 0;
}

static int answers_of(const char *name)
{
    int answers = 0;
    for (uint32_t what = SYMM_OBJECT_DIRECTORY; what <= SYMM_OBJECT_NOTHING; what++) {
        for (uint32_t number = 0; number < 3; number++) {
            struct symm_request_packet packet = {
                .magic = symm_socket_magic, .id = {.what = what, .number = number}};
            if (what == SYMM_OBJECT_DIRECTORY || what == SYMM_OBJECT_SEGMENT) {
                (void)strcpy((char *)packet.id.key, "host");
            }
            answers += is_answered(name, &packet, sizeof(packet));
            answers += is_answered(name, &packet, sizeof(packet) / 2);
            memset(&packet.ask, 0x5a, sizeof(packet.ask));
            answers += is_answered(name, &packet, sizeof(packet));
        }
    }
    return answers;
}

int main(int argc, char **argv)
{
    int answers = 0;
    (void)argc;
    names_find(argv + 1);
    for (int i = 0; i < name_count; i++) {
        answers += answers_of(names[i]);
    }
    printf("intruder: user %u, %d servers, %d answers\n", (unsigned)geteuid(), name_count, answers);
    return 0;
}
