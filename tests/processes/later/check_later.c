/*
 * Random collectives, blocking, nonblocking and persistent, in any mixture: several outstanding on
 * several communicators, completed in any order by all functions that MPI has for that, started in
 * other orders on other ranks, which also come late, by one thread or two. Results are computed
 * apart, and all memory around them is looked at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   --operations N  so many on each thread (3000; with --quick 600)
 *   --threads N     1 or 2 (1)
 *   --seconds T     end after so long, if the operations have not ended before
 *
 * SYMM_TEST_SEED repeats a run. SYMM_TEST_CUDA_LIBRARY is a driver: buffers are then on devices as
 * well.
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/harness.h"
#include "tests/processes/later/later_data.h"
#include "tests/processes/later/later_worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2, COMMS = 3, PERIOD = 50 }; /* steps between looks at the clock */
static const enum later_place place_of_persistent[LATER_PERSISTENTS] = {
    LATER_RENEWED, LATER_WORLD, LATER_SHARED, LATER_PART, LATER_SHARED};

static struct later_worker workers[THREADS];
static int threads = 1;
static uint64_t operations = 3000;
static double seconds;

/* ---- where a rank stands when it is ended ---------------------------------------------------- */

static void say_where(int signal_number)
{
    for (int i = 0; i < threads; i++) {
        ssize_t written = write(STDERR_FILENO, workers[i].where, strlen(workers[i].where));
        (void)written;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* ---- persistent operations ------------------------------------------------------------------- */

static void persistent_make(struct later_worker *worker, int i)
{
    struct later_call *call = &worker->calls[LATER_OUTSTANDING + i];
    uint64_t index = (uint64_t)worker->index, rank = (uint64_t)test_rank;
    uint64_t place = worker->step * LATER_AT_A_TIME + (uint64_t)i;
    call->comm = worker->comms[place_of_persistent[i]];
    call->request = MPI_REQUEST_NULL;
    if (call->comm.comm != MPI_COMM_NULL) {
        call->form = TEST_PERSISTENT;
        later_draw(call, test_random(test_stream(index, 0, 6), place),
                   test_random(test_stream(index, rank, 7), place));
        later_stand(worker, "makes a persistent operation");
        later_make(call);
    }
}

static void persistent_free(struct later_worker *worker, int i)
{
    struct later_call *call = &worker->calls[LATER_OUTSTANDING + i];
    later_complete(worker, LATER_OUTSTANDING + i);
    if (call->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&call->request);
        test_check(call->request == MPI_REQUEST_NULL, "the persistent request is gone");
    }
}

/* Those on a communicator of this thread alone. */
static void persistents_renew(struct later_worker *worker)
{
    for (int i = 0; i < LATER_PERSISTENTS; i++) {
        if (place_of_persistent[i] != LATER_SHARED) {
            persistent_free(worker, i);
            persistent_make(worker, i);
        }
    }
}

/* Start some of them, in an order of this rank's. */
static void persistents_start(struct later_worker *worker, unsigned some, uint64_t own)
{
    MPI_Request requests[LATER_PERSISTENTS];
    int order[LATER_PERSISTENTS], count = 0;
    for (int i = 0; i < LATER_PERSISTENTS; i++) {
        bool is_there = worker->calls[LATER_OUTSTANDING + i].request != MPI_REQUEST_NULL;
        if (is_there && (some >> i & 1) != 0) {
            later_stand(worker, "waits for a persistent operation");
            later_complete(worker, LATER_OUTSTANDING + i);
            order[count++] = i;
        }
    }
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(own % (uint64_t)(i + 1)), moved = order[i];
        own /= (uint64_t)(i + 1);
        order[i] = order[other];
        order[other] = moved;
    }
    later_stand(worker, "starts persistent operations");
    for (int i = 0; i < count; i++) {
        struct later_call *call = &worker->calls[LATER_OUTSTANDING + order[i]];
        later_begin(worker, call, worker->step * LATER_AT_A_TIME + (uint64_t)order[i]);
        requests[i] = call->request;
    }
    if (own % 2 == 0) {
        MPI_Startall(count, requests);
    }
    for (int i = 0; i < count; i++) {
        if (own % 2 == 1) {
            MPI_Start(&requests[i]);
        }
        worker->calls[LATER_OUTSTANDING + order[i]].request = requests[i];
        worker->active[LATER_OUTSTANDING + order[i]] = true;
    }
}

/* ---- communicators --------------------------------------------------------------------------- */

static struct later_comm comm_described(MPI_Comm comm)
{
    struct later_comm described = {.comm = comm};
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &described.rank);
        MPI_Comm_size(comm, &described.size);
    }
    return described;
}

/* Like those by which Open MPI makes communicators: they are left to coll/libnbc. */
static bool is_left(const struct later_call *call)
{
    return call->form == TEST_NONBLOCKING && call->collective == TEST_ALLREDUCE &&
           call->elements == LATER_INTS && call->operation == LATER_MAX && call->count == 1;
}

/* Requests of coll/libnbc do not hold their communicator, and crash without it (4.1.4). */
static bool holds_communicator(const struct later_call *call)
{
    return !is_left(call) && test_expects_symm();
}

/*
 * The communicator goes while calls on it are outstanding; persistent operations before it or after
 * it.
 */
static void renewed_replace(struct later_worker *worker, MPI_Comm comm, bool persistent_first)
{
    for (int i = 0; i < LATER_SLOTS; i++) {
        struct later_call *call = &worker->calls[i];
        if (call->comm.comm == worker->comms[LATER_RENEWED].comm && !holds_communicator(call)) {
            later_complete(worker, i);
        }
    }
    if (persistent_first || !holds_communicator(&worker->calls[LATER_OUTSTANDING])) {
        persistent_free(worker, 0);
    }
    MPI_Comm_free(&worker->comms[LATER_RENEWED].comm);
    worker->comms[LATER_RENEWED] = comm_described(comm);
    persistents_renew(worker);
}

/*
 * MPI_Comm_idup makes nonblocking calls on the communicator, at any time until its end, on each
 * rank at another one.  It would get the program's answers, and the program its own, in plain Open
 * MPI as well (4.1.4).
 */
static bool is_duplicating(const struct later_worker *worker)
{
    return worker->next_request != MPI_REQUEST_NULL;
}

static void renew(struct later_worker *worker, uint64_t common)
{
    MPI_Comm comm;
    MPI_Comm world = worker->comms[LATER_WORLD].comm;
    if (common % 2 == 0) {
        later_stand(worker, "duplicates a communicator");
        MPI_Comm_dup(world, &comm);
        renewed_replace(worker, comm, common / 2 % 2 == 0);
    } else {
        MPI_Comm_idup(world, &worker->next, &worker->next_request);
    }
}

static void renew_finish(struct later_worker *worker)
{
    if (is_duplicating(worker)) {
        later_stand(worker, "waits for a communicator");
        MPI_Wait(&worker->next_request, MPI_STATUS_IGNORE);
        renewed_replace(worker, worker->next, false);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int free_slot(struct later_worker *worker, uint64_t own)
{
    for (;;) {
        for (int i = 0; i < LATER_OUTSTANDING; i++) {
            if (!worker->active[i]) {
                return i;
            }
        }
        later_complete_some(worker, own);
        own = test_mix(own);
    }
}

static void call_make(struct later_worker *worker, uint64_t common, uint64_t own)
{
    int place = (int)(common / 4 % COMMS);
    bool blocking = common % 4 == 0 || (place == LATER_WORLD && is_duplicating(worker));
    int slot = blocking ? LATER_SLOTS : free_slot(worker, own);
    struct later_call *call = blocking ? &worker->blocking : &worker->calls[slot];
    char text[320];
    call->comm = worker->comms[place];
    if (call->comm.comm == MPI_COMM_NULL) {
        return;
    }
    call->form = blocking ? TEST_BLOCKING : TEST_NONBLOCKING;
    later_draw(call, common / 16, own);
    later_begin(worker, call, worker->step * LATER_AT_A_TIME + LATER_AT_A_TIME - 1);
    later_describe(call, text, sizeof text);
    later_stand(worker, text);
    later_make(call);
    if (blocking) {
        later_end(worker, call);
    } else {
        worker->active[slot] = true;
    }
}

static void step(struct later_worker *worker)
{
    uint64_t common = test_random(test_stream((uint64_t)worker->index, 0, 3), worker->step);
    uint64_t own = test_random(test_stream((uint64_t)worker->index, (uint64_t)test_rank, 4),
                               worker->step);
    uint64_t what = common % 128;
    common /= 128;
    if (own % 64 == 0) {
        test_delay((unsigned)(own / 64 % 500));
    }
    if (own % 5 == 1) {
        later_complete_some(worker, own / 64);
    }
    if (what < 2 && is_duplicating(worker)) {
        renew_finish(worker);
    } else if (what == 0) {
        renew(worker, common);
    } else if (what == 1) {
        persistents_renew(worker);
    } else if (what < 20) {
        persistents_start(worker, (unsigned)(common % (1 << LATER_PERSISTENTS)), own / 64);
    } else {
        call_make(worker, common, own / 64);
    }
    if (what % 16 == 2) {
        renew_finish(worker);
    }
}

/* Rank 0 looks at the clock. */
static bool goes_on(struct later_worker *worker, double begin)
{
    int go_on = worker->made < operations && (seconds <= 0 || MPI_Wtime() - begin < seconds);
    later_stand(worker, "hears whether it goes on");
    MPI_Bcast(&go_on, 1, MPI_INT, 0, worker->comms[LATER_WORLD].comm);
    return go_on;
}

static void *work(void *argument)
{
    struct later_worker *worker = argument;
    double begin = MPI_Wtime();
    later_use_device();
    worker->step = 1;
    persistents_renew(worker);
    do {
        for (int i = 0; i < PERIOD; i++) {
            worker->step++;
            step(worker);
        }
    } while (goes_on(worker, begin));
    renew_finish(worker);
    later_complete_all(worker);
    later_stand(worker, "is at its end");
    return NULL;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void worker_open(struct later_worker *worker, int index, const struct later_comm *shared)
{
    MPI_Comm comm;
    worker->index = index;
    worker->next_request = MPI_REQUEST_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    worker->comms[LATER_WORLD] = index == 0 ? comm_described(MPI_COMM_WORLD) : comm_described(comm);
    worker->comms[LATER_RENEWED] = comm_described(comm);
    if (index > 0) {
        MPI_Comm_dup(comm, &worker->comms[LATER_RENEWED].comm);
    }
    /* Without the last rank, in the other order. */
    bool is_part = test_size < 3 || test_rank < test_size - 1;
    MPI_Comm_split(MPI_COMM_WORLD, is_part ? 0 : MPI_UNDEFINED, -test_rank, &comm);
    worker->comms[LATER_PART] = comm_described(comm);
    worker->comms[LATER_SHARED] = *shared;
    for (int i = 0; i <= LATER_SLOTS; i++) {
        struct later_call *call = i == LATER_SLOTS ? &worker->blocking : &worker->calls[i];
        worker->buffers[i] = later_buffers_get();
        call->buffers = &worker->buffers[i];
        call->request = MPI_REQUEST_NULL;
    }
    for (int i = 0; i < LATER_PERSISTENTS; i++) {
        if (place_of_persistent[i] == LATER_SHARED) {
            persistent_make(worker, i);
        }
    }
}

static void worker_close(struct later_worker *worker)
{
    for (int i = 0; i < LATER_PERSISTENTS; i++) {
        persistent_free(worker, i);
    }
    for (int i = 0; i <= LATER_SLOTS; i++) {
        later_buffers_put(&worker->buffers[i]);
    }
    if (worker->comms[LATER_PART].comm != MPI_COMM_NULL) {
        MPI_Comm_free(&worker->comms[LATER_PART].comm);
    }
    MPI_Comm_free(&worker->comms[LATER_RENEWED].comm);
    if (worker->index > 0) {
        MPI_Comm_free(&worker->comms[LATER_WORLD].comm);
    }
}

/* Takes our options out of the arguments; the rest is the harness's. */
static int parse(int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--operations") == 0) {
            operations = test_number(argv[i++], value);
        } else if (strcmp(argv[i], "--threads") == 0) {
            threads = test_number(argv[i++], value) > 1 ? THREADS : 1;
        } else if (strcmp(argv[i], "--seconds") == 0) {
            seconds = (double)test_number(argv[i++], value);
        } else {
            operations = strcmp(argv[i], "--quick") == 0 ? 600 : operations;
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

int main(int argc, char **argv)
{
    MPI_Comm shared;
    argc = parse(argc, argv);
    int wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    if (test_begin(argc, argv, "check_later", wanted) < wanted) {
        return test_skip("this Open MPI does not provide MPI_THREAD_MULTIPLE");
    }
    signal(SIGTERM, say_where);
    MPI_Win window = later_shared_memory(threads);
    later_open();
    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    struct later_comm shared_comm = comm_described(shared);
    for (int i = 0; i < threads; i++) {
        worker_open(&workers[i], i, &shared_comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (threads > 1 && pthread_create(&workers[1].thread, NULL, work, &workers[1]) != 0) {
        fprintf(stderr, "check_later: cannot start a thread\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double begin = MPI_Wtime();
    (void)work(&workers[0]);
    if (threads > 1) {
        pthread_join(workers[1].thread, NULL);
    }
    if (test_rank == 0) {
        printf("check_later: %llu operations, %.1f s\n",
               (unsigned long long)(workers[0].made + workers[1].made), MPI_Wtime() - begin);
    }
    for (int i = 0; i < threads; i++) {
        worker_close(&workers[i]);
    }
    MPI_Comm_free(&shared);
    later_close();
    MPI_Win_free(&window);
    return test_end();
}
