/*
 * meeting.c - see meeting.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench/meeting.h"

#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/clock.h"
#include "heap/team/control.h"

enum { RANKS = 2, MEETINGS = 20000, PAYLOAD = 64, POLLS_BEFORE_YIELDING = 2000 };

static void wait_a_little(unsigned *polls)
{
    if (++*polls % POLLS_BEFORE_YIELDING == 0) {
        (void)sched_yield(); /* the other one may need this processor */
    }
}

/* As ranks begin a call: each posts a line, with where its buffers are, and reads all. */
static void agree(const struct symm_control *control, int rank, uint64_t sequence)
{
    unsigned polls = 0;
    struct symm_line *own = symm_control_line(control, sequence, rank);
    memset(own->payload, rank, PAYLOAD);
    symm_line_post(own, sequence);
    for (int other = 0; other < RANKS; other++) {
        while (!symm_line_is_posted(symm_control_line(control, sequence, other), sequence)) {
            wait_a_little(&polls);
        }
    }
}

/* As they end it. */
static void depart(const struct symm_control *control, int rank, uint64_t sequence)
{
    unsigned polls = 0;
    int seen = 0;
    symm_phase_raise(control, sequence, rank, 1);
    while (!symm_phase_reached(control, sequence, 1, &seen)) {
        wait_a_little(&polls);
    }
}

static struct meeting_times meet(const struct symm_control *control, int rank)
{
    struct meeting_times times;
    uint64_t sequence = 1;
    depart(control, rank, sequence++); /* both are there */
    double begin = clock_us();
    for (int i = 0; i < MEETINGS; i++) {
        agree(control, rank, sequence++);
    }
    times.agree_us = (clock_us() - begin) / MEETINGS;
    begin = clock_us();
    for (int i = 0; i < MEETINGS; i++) {
        depart(control, rank, sequence++);
    }
    times.depart_us = (clock_us() - begin) / MEETINGS;
    return times;
}

bool meeting_measure(struct meeting_times *times)
{
    const struct symm_control_config config = {.payload_size = PAYLOAD, .piece_size = 4096};
    struct symm_control control;
    int status;
    if (symm_control_create(&control, RANKS, &config) != SYMM_OK) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        (void)meet(&control, 1);
        _exit(0);
    }
    if (child > 0) {
        *times = meet(&control, 0);
        (void)waitpid(child, &status, 0);
    }
    symm_control_destroy(&control);
    return child > 0;
}
