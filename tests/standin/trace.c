/*
 * trace.c - see trace.h.
 *
 * SYMM_STANDIN_TRACE=FILE  each process adds a line to FILE.rank.RANK for each kernel, graph, copy
 *     and fill that it gives to a stream; outside of MPI jobs to FILE.process.PID.  A line "process
 *     PROGRAM" comes first.  What a thread does after symm_standin_watch(0) is left out.
 *
 *     kernel NAME BLOCKSxTHREADS stream N: WORD ...
 *
 * Words are those of the kernel's argument, in hexadecimal, N*WORD where N of them are equal.  What
 * differs from run to run is left out: an address is written as @ and how far behind its
 * reservation's begin it is, or as @host; the word behind @host as #, since that is where kernels
 * are told what to store there.  Streams are numbered as the process makes them.
 *
 * The order of lines is that in which the program's threads call the driver.  To compare two runs
 * of a program, fix what it does by time: see "The stand-in driver" in docs/testing.md.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORD_SIZE = 32, LINE_SIZE = 256 + STANDIN_ARGUMENTS_MAX / sizeof(uint64_t) * WORD_SIZE };

/* ---- the file -------------------------------------------------------------------------------- */

static int file_open(const char *name)
{
    char path[4096], head[256];
    bool has_rank = standin_rank() >= 0;
    (void)snprintf(path, sizeof path, "%s.%s.%ld", name, has_rank ? "rank" : "process",
                   has_rank ? standin_rank() : (long)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int length = snprintf(head, sizeof head, "process %s\n", program_invocation_short_name);
    if (file < 0 || write(file, head, (size_t)length) != length) {
        standin_say("SYMM_STANDIN_TRACE: cannot write to %s", path);
        abort(); /* a trace that lacks something would look like an equal one */
    }
    return file;
}

static bool is_asked(void)
{
    static int asked = -1;
    if (asked < 0) {
        const char *name = getenv("SYMM_STANDIN_TRACE");
        asked = name != NULL && *name != '\0';
    }
    return asked && standin_fault_is_watched();
}

/* One write a line: lines of several processes do not mix. */
static void line_write(const char *line, size_t length)
{
    static int file = -1;
    if (file < 0) {
        file = file_open(getenv("SYMM_STANDIN_TRACE"));
    }
    if (write(file, line, length) != (ssize_t)length) {
        standin_say("SYMM_STANDIN_TRACE: a line has not been written");
        abort();
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Returns whether it is the address of pinned host memory. */
static bool word_write(uint64_t word, bool is_behind_host, char text[WORD_SIZE])
{
    const struct standin_reservation *reservation = standin_reservation_at(word);
    bool is_host = word != 0 && reservation == NULL && standin_address_is_pinned(word, 1);
    if (is_host) {
        (void)snprintf(text, WORD_SIZE, "@host");
    } else if (is_behind_host) {
        (void)snprintf(text, WORD_SIZE, "#");
    } else if (reservation != NULL) {
        (void)snprintf(text, WORD_SIZE, "@%" PRIx64, word - reservation->base);
    } else {
        (void)snprintf(text, WORD_SIZE, "%" PRIx64, word);
    }
    return is_host;
}

static size_t words_write(const uint64_t *words, size_t count, char *line)
{
    size_t length = 0;
    bool is_behind_host = false;
    for (size_t i = 0; i < count;) {
        char text[WORD_SIZE];
        size_t same = 1;
        is_behind_host = word_write(words[i], is_behind_host, text);
        while (i + same < count && words[i + same] == words[i] && !is_behind_host) {
            same++;
        }
        length += (size_t)(same > 1 ? sprintf(line + length, " %zu*%s", same, text)
                                    : sprintf(line + length, " %s", text));
        i += same;
    }
    return length;
}

/* ---- lines ----------------------------------------------------------------------------------- */

void standin_trace_kernel(const char *what, const struct standin_kept_launch *kept, CUstream stream)
{
    static char line[LINE_SIZE];
    const struct standin_launch *launch = &kept->launch;
    const struct symm_cuda_host_kernel *kernel = launch->function->kernel;
    if (!is_asked()) {
        return;
    }
    size_t length = (size_t)sprintf(line, "%s %s %ux%u stream %llu:", what, kernel->name,
                                    launch->blocks, launch->block_threads, stream->id);
    length += words_write(kept->argument, kernel->arguments_size / sizeof(uint64_t), line + length);
    line[length++] = '\n';
    line_write(line, length);
}

void standin_trace_graph(CUstream stream)
{
    char line[64];
    if (is_asked()) {
        line_write(line, (size_t)sprintf(line, "graph stream %llu\n", stream->id));
    }
}

void standin_trace_copy(enum standin_place target, enum standin_place source, size_t bytes,
                        size_t rows, CUstream stream)
{
    static const char *const places[] = {
        [STANDIN_PAGEABLE] = "pageable", [STANDIN_PINNED] = "pinned",
        [STANDIN_ON_DEVICE] = "device",
    };
    char line[128];
    if (is_asked()) {
        line_write(line, (size_t)sprintf(line, "copy %s to %s %zux%zu stream %llu\n",
                                         places[source], places[target], bytes, rows, stream->id));
    }
}

void standin_trace_fill(unsigned value, size_t bytes, CUstream stream)
{
    char line[128];
    if (is_asked()) {
        line_write(line, (size_t)sprintf(line, "fill %u %zu stream %llu\n", value, bytes,
                                         stream->id));
    }
}
