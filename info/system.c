/*
 * system.c - what the kernel lets processes share; see system.h.
 *
 * The functions of libsymm are called that the components call later.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/memfd.h"
#include "heap/server/socket.h"
#include "heap/server/user.h"
#include "info/system.h"

/* "the status: the system's error", as far as there is one. */
static const char *failure_text(enum symm_status status, int error, char *text, size_t size)
{
    (void)snprintf(text, size, "%s%s%s", symm_status_string(status), error != 0 ? ": " : "",
                   error != 0 ? strerror(error) : "");
    return text;
}

/* ---- memory files ---------------------------------------------------------------------------- */

enum { FILE_SIZE = 4096 };

static enum symm_status memory_try(void)
{
    int descriptor;
    void *address;
    enum symm_status status = symm_memfd_create("symm_info", FILE_SIZE, &descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_memfd_check(descriptor, FILE_SIZE); /* that it is sealed */
    if (status == SYMM_OK) {
        status = symm_memfd_map(descriptor, FILE_SIZE, &address);
    }
    if (status == SYMM_OK) {
        (void)munmap(address, FILE_SIZE);
    }
    (void)close(descriptor);
    return status;
}

static void memory_look(struct findings *findings)
{
    char text[160];
    errno = 0;
    enum symm_status status = memory_try();
    if (status == SYMM_OK) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "memfd",
                    "shared memory can be made and sealed (memfd_create)");
    } else {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "memfd",
                    "no shared memory can be made (memfd_create): %s",
                    failure_text(status, errno, text, sizeof(text)));
        finding_remedy(findings, "Linux 3.17 or newer, and a container whose system call filter "
                                 "allows memfd_create; ulimit -n, ulimit -f and the cgroup's "
                                 "memory");
    }
}

/* ---- sockets --------------------------------------------------------------------------------- */

static enum symm_status socket_try(void)
{
    struct symm_name name;
    int listener, connection;
    enum symm_status status = symm_name_make(&name);
    if (status == SYMM_OK) {
        status = symm_socket_listen(name.socket, &listener);
    }
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_socket_connect(name.socket, &connection);
    if (status == SYMM_OK) {
        (void)close(connection);
    }
    (void)close(listener);
    return status;
}

static void user_look(struct findings *findings)
{
    if (symm_user_check_own() == SYMM_OK) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "user",
                    "user ids tell this user's processes from others");
    } else {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "user", "no memory is shared: %s",
                    symm_status_string(SYMM_ERR_NO_USER));
        finding_remedy(findings, "map the user of the job into the namespace: unshare -U -r, or "
                                 "the user map of the container");
    }
}

static void socket_look(struct findings *findings)
{
    char text[160];
    errno = 0;
    enum symm_status status = socket_try();
    if (status == SYMM_OK) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "sockets",
                    "processes of this user can hand each other memory (abstract sockets)");
    } else {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "sockets",
                    "processes cannot hand each other memory (abstract sockets): %s",
                    failure_text(status, errno, text, sizeof(text)));
        finding_remedy(findings, "a container whose system call filter allows sockets of "
                                 "AF_UNIX; ulimit -n");
    }
}

/* ---- copies in one step ---------------------------------------------------------------------- */

/* Yama's setting; 0 if there is no Yama. */
static int ptrace_scope(void)
{
    int scope = 0;
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (file != NULL) {
        scope = fscanf(file, "%d", &scope) == 1 ? scope : 1;
        (void)fclose(file);
    }
    return scope;
}

/* From a child's memory.  Returns 0 or the system's error. */
static int copy_try(void)
{
    static volatile char byte = 1;
    char copy = 0;
    struct iovec local = {.iov_base = &copy, .iov_len = 1};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)&byte, .iov_len = 1};
    pid_t child = fork();
    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    if (child < 0) {
        return errno;
    }
    int error = process_vm_readv(child, &local, 1, &remote, 1, 0) == 1 ? 0 : errno;
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return error;
}

static void copy_look(struct findings *findings)
{
    static const char consequence[] =
        "large messages and large all-gathers of ordinary memory take longer";
    int scope = ptrace_scope(), error = copy_try();
    if (error != 0) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_NOTE, "cma",
                    "processes cannot copy from each other in one step (CMA): "
                    "process_vm_readv: %s; %s",
                    strerror(error), consequence);
        finding_remedy(findings, "a container with the capability SYS_PTRACE, or buffers from "
                                 "MPI_Alloc_mem");
    } else if (scope != 0) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_NOTE, "cma",
                    "ranks may not copy from each other in one step (CMA): ptrace_scope is %d; "
                    "%s",
                    scope, consequence);
        finding_remedy(findings, "echo 0 >/proc/sys/kernel/yama/ptrace_scope, or buffers from "
                                 "MPI_Alloc_mem");
    } else {
        finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "cma",
                    "processes can copy from each other in one step (CMA)");
    }
}

/* ---- namespaces ------------------------------------------------------------------------------ */

static void namespace_read(const char *name, char *text, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
    ssize_t got = readlink(path, text, size - 1);
    text[got > 0 ? got : 0] = '\0';
}

/* They have to be compared with those of other ranks; alone, there is nothing to object to. */
static void namespaces_look(struct findings *findings)
{
    char net[64], ipc[64], user[64];
    namespace_read("net", net, sizeof(net));
    namespace_read("ipc", ipc, sizeof(ipc));
    namespace_read("user", user, sizeof(user));
    finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "namespace",
                "the network namespace, which has to be the same on all ranks of a node: %s", net);
    finding_value(findings, "%s", net);
    finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "namespaces",
                "other namespaces, which Open MPI below has ranks share: %s %s", ipc, user);
    finding_value(findings, "%s %s", ipc, user);
    finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "user",
                "the user, who has to be the same on all ranks of a node: %ld", (long)geteuid());
    finding_value(findings, "%ld", (long)geteuid());
}

void system_look(struct findings *findings)
{
    memory_look(findings);
    user_look(findings);
    socket_look(findings);
    copy_look(findings);
    namespaces_look(findings);
}
