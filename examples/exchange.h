/*
 * Sums over all ranks of numbers that become ready part by part: the gradients of a backward pass,
 * one layer's after the other. A part is on its way while the next one is computed.
 *
 * The forms differ in the calls and in nothing else:
 *   blocking     one MPI_Allreduce of all parts, when the last one is ready
 *   nonblocking  MPI_Iallreduce of each part as soon as it is ready, and MPI_Wait for each
 *   persistent   the same with MPI_Allreduce_init before the first step, and MPI_Start
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_EXCHANGE_H
#define EXAMPLES_EXCHANGE_H

#include "collectives.h"

#include <mpi.h>
#include <stdbool.h>

enum exchange_form { EXCHANGE_BLOCKING, EXCHANGE_NONBLOCKING, EXCHANGE_PERSISTENT };

enum { EXCHANGE_PARTS_MAX = 8 };

struct exchange {
    struct collectives *collectives;
    enum exchange_form form;
    struct buffer own;   /* this rank's numbers */
    struct buffer total; /* their sums */
    int parts;
    int ready; /* parts of the step at hand that are */
    struct exchange_part {
        struct buffer own; /* inside of exchange->own */
        struct buffer total;
        MPI_Request request;
    } part[EXCHANGE_PARTS_MAX];
    double seconds; /* in MPI during the step at hand */
};

/* "blocking" and so on. */
const char *exchange_form_name(enum exchange_form form);

/* Whether this MPI has the calls. */
bool exchange_form_exists(enum exchange_form form);

/*
 * `counts` has the numbers of each part, which lie one behind the other in exchange->own and
 * exchange->total. Collective.
 */
void exchange_open(struct exchange *exchange, struct collectives *collectives,
                   enum exchange_form form, const int *counts, int parts);

void exchange_close(struct exchange *exchange);

/*
 * Part `part` of exchange->own.host is ready, and stays as it is until its sum is there. All ranks
 * send all parts, in the same order.
 */
void exchange_send(struct exchange *exchange, int part);

/* After all parts were sent, once for each: returns when its sum is in exchange->total.host. */
void exchange_wait(struct exchange *exchange, int part);

/* After the last exchange_wait() of a step: takes the times down. */
void exchange_end_step(struct exchange *exchange);

#endif
