/*
 * The three forms of summing up the parts.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "exchange.h"

#include <stdlib.h>

/*
 * Persistent collectives are part of MPI 4. Open MPI 4.1 has them as an extension, with a prefix.
 */
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION >= 5
#define HAVE_PERSISTENT 1
#else
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAVE_PERSISTENT 1
#define MPI_Allreduce_init MPIX_Allreduce_init
#else
#define HAVE_PERSISTENT 0
#endif
#endif

const char *exchange_form_name(enum exchange_form form)
{
    static const char *const names[] = {"blocking", "nonblocking", "persistent"};

    return names[form];
}

bool exchange_form_exists(enum exchange_form form)
{
    return form != EXCHANGE_PERSISTENT || HAVE_PERSISTENT;
}

/* What MPI gets of a part. */
static double *address(const struct exchange *exchange, const struct buffer *buffer)
{
    return memory_address(&exchange->collectives->memory, buffer);
}

static void prepare(struct exchange *exchange, struct exchange_part *part)
{
#if HAVE_PERSISTENT
    MPI_Allreduce_init(address(exchange, &part->own), address(exchange, &part->total),
                       part->own.count, MPI_DOUBLE, MPI_SUM, exchange->collectives->comm,
                       MPI_INFO_NULL, &part->request);
#else
    (void)exchange;
    (void)part;
    abort(); /* exchange_form_exists() said so */
#endif
}

void exchange_open(struct exchange *exchange, struct collectives *collectives,
                   enum exchange_form form, const int *counts, int parts)
{
    int total = 0;
    double start;

    *exchange = (struct exchange){.collectives = collectives, .form = form, .parts = parts};
    for (int i = 0; i < parts; i++) {
        total += counts[i];
    }
    exchange->own = memory_allocate(&collectives->memory, total);
    exchange->total = memory_allocate(&collectives->memory, total);
    for (int i = 0, begin = 0; i < parts; begin += counts[i], i++) {
        exchange->part[i].own = memory_part(&exchange->own, begin, counts[i]);
        exchange->part[i].total = memory_part(&exchange->total, begin, counts[i]);
    }
    start = MPI_Wtime();
    for (int i = 0; form == EXCHANGE_PERSISTENT && i < parts; i++) {
        prepare(exchange, &exchange->part[i]);
    }
    exchange->seconds = MPI_Wtime() - start;
}

void exchange_close(struct exchange *exchange)
{
    for (int i = 0; exchange->form == EXCHANGE_PERSISTENT && i < exchange->parts; i++) {
        MPI_Request_free(&exchange->part[i].request);
    }
    memory_free(&exchange->collectives->memory, &exchange->own);
    memory_free(&exchange->collectives->memory, &exchange->total);
}

/* One call for everything; exchange_wait() finds the sums there. */
static void sum_all(struct exchange *exchange)
{
    double start = collectives_begin(exchange->collectives, &exchange->own);

    MPI_Allreduce(address(exchange, &exchange->own), address(exchange, &exchange->total),
                  exchange->own.count, MPI_DOUBLE, MPI_SUM, exchange->collectives->comm);
    exchange->seconds += collectives_end(exchange->collectives, &exchange->total, start);
}

static void start_sum(struct exchange *exchange, struct exchange_part *part)
{
    double start = collectives_begin(exchange->collectives, &part->own);

    if (exchange->form == EXCHANGE_PERSISTENT) {
        MPI_Start(&part->request);
    } else {
        MPI_Iallreduce(address(exchange, &part->own), address(exchange, &part->total),
                       part->own.count, MPI_DOUBLE, MPI_SUM, exchange->collectives->comm,
                       &part->request);
    }
    exchange->seconds += MPI_Wtime() - start;
}

void exchange_send(struct exchange *exchange, int part)
{
    exchange->ready++;
    if (exchange->form != EXCHANGE_BLOCKING) {
        start_sum(exchange, &exchange->part[part]);
    } else if (exchange->ready == exchange->parts) {
        sum_all(exchange);
    }
}

void exchange_wait(struct exchange *exchange, int part)
{
    double start = MPI_Wtime();

    if (exchange->form != EXCHANGE_BLOCKING) {
        MPI_Wait(&exchange->part[part].request, MPI_STATUS_IGNORE);
        exchange->seconds +=
            collectives_end(exchange->collectives, &exchange->part[part].total, start);
    }
}

void exchange_end_step(struct exchange *exchange)
{
    int calls = exchange->form == EXCHANGE_BLOCKING ? 1 : exchange->parts;

    collectives_record(&exchange->collectives->allreduce, calls,
                       (size_t)exchange->own.count * sizeof(double), exchange->seconds);
    exchange->ready = 0;
    exchange->seconds = 0.0;
}
