/*
 * limits.c - limits of the process and of the node; see system.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "info/system.h"

enum { MIB = 1 << 20 };

/* ---- of the process -------------------------------------------------------------------------- */

/*
 * What a process has before MPI_Init is less than what it has in it: Open MPI's libraries and
 * threads take up to 192 MiB of address space and some 40 descriptors more (heap/headroom.c).
 */
enum { SPACE_OF_OMPI = 192 * MIB, DESCRIPTORS_OF_OMPI = 40 };

static const struct limit {
    int resource;
    const char *name, *option, *unit;
    rlim_t part; /* of the unit in the resource's */
    rlim_t least;
} limits[] = {
    {RLIMIT_AS, "address space", "-v", " MiB", MIB,
     SYMM_HEADROOM_SPACE + (rlim_t)SPACE_OF_OMPI},
    {RLIMIT_DATA, "data", "-d", " MiB", MIB,
     SYMM_HEADROOM_SPACE + (rlim_t)SPACE_OF_OMPI},
    {RLIMIT_NOFILE, "open files", "-n", "", 1, SYMM_HEADROOM_DESCRIPTORS + DESCRIPTORS_OF_OMPI},
    {RLIMIT_FSIZE, "size of a file", "-f", " MiB", MIB, (rlim_t)64 * MIB},
};

/* Add to the text of all limits; a limit that is low is a finding of its own. */
static size_t limit_look(const struct limit *limit, char *text, size_t size,
                         struct findings *findings)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)limit->resource, &now) != 0) {
        return 0;
    }
    if (now.rlim_cur == RLIM_INFINITY) {
        return (size_t)snprintf(text, size, "%s none (%s), ", limit->name, limit->option);
    }
    unsigned long long value = now.rlim_cur / limit->part, least = limit->least / limit->part;
    if (now.rlim_cur < limit->least) {
        char key[32];
        (void)snprintf(key, sizeof(key), "limit%s", limit->option);
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, key,
                    "%s: the limit of %llu%s (ulimit %s) is too low for sharing memory",
                    limit->name, value, limit->unit, limit->option);
        finding_value(findings, "%llu", (unsigned long long)now.rlim_cur);
        finding_remedy(findings, "ulimit %s unlimited, or at least %llu%s for each rank",
                       limit->option, least, limit->unit);
    }
    return (size_t)snprintf(text, size, "%s %llu%s (%s), ", limit->name, value, limit->unit,
                            limit->option);
}

static void process_look(struct findings *findings)
{
    char text[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits) && length < sizeof(text); i++) {
        length += limit_look(&limits[i], text + length, sizeof(text) - length, findings);
    }
    text[length >= 2 && length < sizeof(text) ? length - 2 : 0] = '\0';
    finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "limits", "limits (ulimit): %s", text);
    finding_value(findings, "%s", text);
}

/* The question that libsymm asks in MPI_Init, asked of this process. */
static void headroom_look(struct findings *findings)
{
    errno = 0;
    if (symm_headroom_to_begin() != SYMM_OK) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "headroom",
                    "a process with so little left does not share memory: %s; %d descriptors and "
                    "%zu MiB of address space have to be left",
                    strerror(errno), (int)SYMM_HEADROOM_DESCRIPTORS_FIRST,
                    (size_t)SYMM_HEADROOM_SPACE / MIB);
        finding_remedy(findings, "raise ulimit %s, and close what the job's starter leaves open",
                       errno == EMFILE ? "-n" : "-v and -d");
    }
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void mappings_look(struct findings *findings)
{
    enum { FEW = 16384 }; /* a quarter of the kernel's own default */
    long most = 0;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (file != NULL) {
        most = fscanf(file, "%ld", &most) == 1 ? most : 0;
        (void)fclose(file);
    }
    if (most <= 0) {
        return;
    }
    finding_add(findings, TOPIC_SYSTEM, most < FEW ? FINDING_PROBLEM : FINDING_OK, "mappings",
                "mappings of a process: %ld (vm.max_map_count)%s", most,
                most < FEW ? "; communicators of many ranks cannot share memory" : "");
    finding_value(findings, "%ld", most);
    if (most < FEW) {
        finding_remedy(findings, "sysctl vm.max_map_count=65530 or more");
    }
}

/* ---- /dev/shm -------------------------------------------------------------------------------- */

/* The first of two parameters that this Open MPI has: 5.0 has renamed them. */
static char *either_variable(const struct ompi *ompi, const char *name, const char *other)
{
    char *value = ompi_variable(ompi, name);
    return value != NULL ? value : ompi_variable(ompi, other);
}

static void folder_look(const char *folder, unsigned long long needed, int ranks,
                        struct findings *findings)
{
    struct statvfs space;
    if (access(folder, W_OK) != 0 || statvfs(folder, &space) != 0) {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "shm",
                    "%s cannot be used: %s; Open MPI below keeps its messages there", folder,
                    strerror(errno));
        finding_remedy(findings, "mount a tmpfs there that users may write to (containers: "
                                 "--shm-size, or --ipc=host)");
        return;
    }
    unsigned long long left = (unsigned long long)space.f_bavail * space.f_frsize;
    bool full = left < needed;
    if (!full) { /* without what is left, which differs from rank to rank */
        finding_add(findings, TOPIC_SYSTEM, FINDING_OK, "shm",
                    "%s has room for the %llu MiB that Open MPI's messages take for %d rank%s",
                    folder, needed / MIB, ranks, ranks == 1 ? "" : "s");
    } else {
        finding_add(findings, TOPIC_SYSTEM, FINDING_PROBLEM, "shm",
                    "%s is full: %llu KiB are left, and Open MPI's messages take %llu MiB for %d "
                    "rank%s",
                    folder, left / 1024, needed / MIB, ranks, ranks == 1 ? "" : "s");
        finding_value(findings, "%llu", left);
        finding_remedy(findings, "remove files of jobs that have ended from %s, or make it larger "
                                 "(containers: --shm-size)",
                       folder);
    }
}

static void shm_look(const struct ompi *ompi, int ranks, struct findings *findings)
{
    enum { USUAL = 4 * MIB };
    char *folder =
        either_variable(ompi, "btl_sm_backing_directory", "btl_vader_backing_directory");
    char *size = either_variable(ompi, "btl_sm_segment_size", "btl_vader_segment_size");
    unsigned long long each = size != NULL ? strtoull(size, NULL, 10) : USUAL;
    folder_look(folder != NULL && *folder != '\0' ? folder : "/dev/shm",
                each * (unsigned long long)ranks, ranks, findings);
    free(folder);
    free(size);
}

/* ---- cores ----------------------------------------------------------------------------------- */

int system_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static void cores_look(int ranks, struct findings *findings)
{
    int cores = system_cores();
    bool many = ranks > cores;
    finding_add(findings, TOPIC_SYSTEM, many ? FINDING_NOTE : FINDING_OK, "cores",
                "%d rank%s on %d core%s%s", ranks, ranks == 1 ? "" : "s", cores,
                cores == 1 ? "" : "s",
                many ? ": each call takes as long as the scheduler does" : "");
    finding_value(findings, "%d", cores);
    if (many) {
        finding_remedy(findings, "a rank for each core: mpirun --bind-to core");
    }
}

void limits_look(const struct ompi *ompi, int ranks, struct findings *findings)
{
    process_look(findings);
    headroom_look(findings);
    mappings_look(findings);
    shm_look(ompi, ranks, findings);
    cores_look(ranks, findings);
}
