/*
 * check_elsewhere.c - when memory of cuMemAlloc() is mapped by the other ranks, and when they let
 * it go.
 *
 *     check_elsewhere calls | rules | lost
 *
 * "calls" makes some calls on such memory, and two on memory from MPI_Alloc_mem, after one on both;
 * results must be right; who serves them, the script sees in the report.  "rules" counts what is
 * served on mapped memory and how often the driver is asked to open or close some, for three ranks,
 * with the defaults of coll_symm_ipc_uses and _least, and 4 MiB as coll_symm_ipc_bytes: an
 * allocation of the stand-in driver has 2 MiB, so one of each of the two others has room.  "lost"
 * has rank 0 of two take its memory for freed while a thread of its is in a call on it.
 *
 * Runs on the stand-in driver named by SYMM_TEST_CUDA_LIBRARY, which must be the one that the
 * component was given.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"
#include "tests/harness/variables.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/kernels.h"

enum {
    ALLOCATION = 2 << 20,
    LARGE = (128 << 10) / (int)sizeof(unsigned), /* elements */
    SMALL = (60 << 10) / (int)sizeof(unsigned),
    OTHERS = 2, /* ranks, and what is opened for a call that needs one allocation of each */
};

static symm_standin_uses_function *standin_uses;
static symm_standin_fail_function *standin_fail;
static int served_variable = -1;

/* ---- what is counted ------------------------------------------------------------------------- */

static void standin_open(void)
{
    void *library = dlopen(getenv("SYMM_TEST_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    void *uses = library != NULL ? dlsym(library, "symm_standin_uses") : NULL;
    void *fail = library != NULL ? dlsym(library, "symm_standin_fail") : NULL;
    memcpy(&standin_uses, &uses, sizeof uses);
    memcpy(&standin_fail, &fail, sizeof fail);
    if (uses == NULL || fail == NULL) {
        test_fail("SYMM_TEST_CUDA_LIBRARY does not name the stand-in driver");
        exit(2);
    }
}

static void counters_open(void)
{
    variables_open();
    served_variable = variables_find("coll_symm_allreduce_cuda_two_shot_calls");
    test_check(served_variable >= 0, "a counter of calls that two-shot has served");
}

/* How often the driver has been asked for it on this rank. */
static unsigned long uses_of(const char *function)
{
    unsigned long number = 0;
    const char *name;
    for (size_t i = 0; (name = standin_uses(i, &number)) != NULL; i++) {
        if (strcmp(name, function) == 0) {
            return number;
        }
    }
    return 0;
}

static unsigned long opened(void)
{
    return uses_of("cuIpcOpenMemHandle");
}

static unsigned long closed(void)
{
    return uses_of("cuIpcCloseMemHandle");
}

/* ---- calls ----------------------------------------------------------------------------------- */

static unsigned value_of(unsigned call, int rank, int i)
{
    return (unsigned)test_random(test_stream(call, (uint64_t)rank, 0), (uint64_t)i);
}

/*
 * Sums from one place to another; the same: in place.  Whether two-shot has done it, on buffers
 * that are mapped.
 */
static bool sum(char *send, char *receive, int count)
{
    static unsigned data[LARGE], results[LARGE], call;
    size_t bytes = (size_t)count * sizeof *data;
    unsigned long long before = served_variable >= 0 ? variables_read(served_variable) : 0;
    call++;
    for (int i = 0; i < count; i++) {
        data[i] = value_of(call, test_rank, i);
    }
    cuda_memory_write(send, data, bytes);
    MPI_Allreduce(send == receive ? MPI_IN_PLACE : send, receive, count, MPI_UNSIGNED, MPI_SUM,
                  MPI_COMM_WORLD);
    cuda_memory_read(results, receive, bytes);
    for (int i = 0; i < count; i++) {
        unsigned expected = 0;
        for (int rank = 0; rank < test_size; rank++) {
            expected += value_of(call, rank, i);
        }
        if (results[i] != expected) {
            test_fail("element %d is %#x and should be %#x", i, results[i], expected);
            break;
        }
    }
    return served_variable >= 0 && variables_read(served_variable) > before;
}

/* Input and output in one allocation. */
static bool sum_within(char *memory, int count)
{
    return sum(memory, memory + ALLOCATION / 2, count);
}

static char *allocate(void)
{
    return cuda_memory_get(CUDA_MEMORY_ALLOC, ALLOCATION);
}

static void release(char *memory)
{
    cuda_memory_put(CUDA_MEMORY_ALLOC, memory);
}

static void run_calls(void)
{
    char *kept = allocate(), *heap = cuda_memory_get(CUDA_MEMORY_MPI, ALLOCATION);
    test_case("memory of either sort");
    sum(test_rank % 2 == 1 ? kept : heap + ALLOCATION / 2, heap, LARGE);
    sum(kept, heap, LARGE);
    sum_within(heap, LARGE);
    sum_within(heap, LARGE);
    for (int call = 0; call < 4; call++) {
        char *fresh = allocate();
        test_case("call %d", call);
        sum_within(kept, LARGE);
        sum(kept, fresh, LARGE);
        sum(fresh, fresh, SMALL);
        release(fresh);
    }
    cuda_memory_put(CUDA_MEMORY_MPI, heap);
    release(kept);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/*
 * From the second call on an allocation on; another one, which as a rule has its address, is
 * another one.
 */
static void run_uses(void)
{
    char *memory = allocate(), *in_place = allocate();
    test_case("uses");
    test_check(!sum_within(memory, LARGE) && opened() == 0, "the first call maps nothing");
    test_check(sum_within(memory, LARGE) && opened() == OTHERS, "the second one does");
    test_check(sum_within(memory, LARGE) && opened() == OTHERS, "once");
    test_case("uses, in place");
    test_check(!sum(in_place, in_place, LARGE), "input and output are one use");
    test_check(sum(in_place, in_place, LARGE), "the second call is served");
    test_case("freed and allocated again");
    release(in_place);
    char *again = allocate();
    test_check(!sum(again, again, LARGE), "the first call on it");
    test_check(sum(again, again, LARGE), "the second call on it");
    release(again);
    release(memory);
}

/* Buffers below coll_symm_ipc_least. */
static void run_small(void)
{
    char *memory = allocate();
    unsigned long before = opened();
    test_case("small buffers");
    for (int call = 0; call < 3; call++) {
        test_check(!sum_within(memory, SMALL), "a small buffer is not mapped");
    }
    test_check(!sum_within(memory, LARGE) && opened() == before, "nor counted");
    release(memory);
}

/* What has been freed is closed by the others when they meet again: in other calls on devices. */
static void run_freed(void)
{
    char *memory = allocate(), *heap = cuda_memory_get(CUDA_MEMORY_MPI, ALLOCATION);
    test_case("freed");
    test_check(!sum_within(memory, LARGE) && sum_within(memory, LARGE), "it is open");
    unsigned long before = closed();
    test_check(sum_within(heap, LARGE) && closed() == before, "it stays open");
    release(memory);
    test_check(sum_within(heap, LARGE) && sum_within(heap, LARGE), "calls on other memory");
    test_check(closed() == before + OTHERS, "it has been closed");
    cuda_memory_put(CUDA_MEMORY_MPI, heap);
}

static void run_few_bytes(void)
{
    char *memory[4] = {allocate(), allocate(), allocate(), allocate()};
    test_case("what is open makes room");
    for (int i = 0; i < 4; i++) {
        test_check(!sum_within(memory[i], LARGE), "the first call on it");
    }
    unsigned long opened_before = opened(), closed_before = closed();
    for (int call = 0; call < 6; call++) {
        test_check(sum_within(memory[call % 2], LARGE), "it is served");
    }
    test_check(opened() == opened_before + 6 * OTHERS, "it has been opened for each call");
    test_check(closed() >= closed_before + 5 * OTHERS, "the other has made room");
    test_case("a call for which there is not enough room");
    test_check(!sum(memory[2], memory[3], LARGE), "it is not served");
    test_check(sum_within(memory[1], LARGE), "others are");
    opened_before = opened();
    for (int call = 0; call < 4; call++) {
        test_check(!sum(memory[2], memory[3], LARGE), "it is not served");
        test_check(sum_within(memory[1], LARGE), "others are");
    }
    test_check(opened() == opened_before, "nothing is closed for it in vain");
    for (int i = 0; i < 4; i++) {
        release(memory[i]);
    }
}

/* ---- lost ------------------------------------------------------------------------------------ */

struct late_call {
    pthread_t thread;
    MPI_Comm comm;
    char *memory;
    int error;
};

static void *late_call_make(void *argument)
{
    struct late_call *call = argument;
    cuda_memory_use(test_rank);
    call->error = MPI_Allreduce(MPI_IN_PLACE, call->memory, LARGE, MPI_UNSIGNED, MPI_SUM,
                                call->comm);
    return NULL;
}

/*
 * Until the other thread asks the driver about its buffer, and then for as long as it takes to post
 * its line.
 */
static void call_await(void)
{
    while (uses_of("cuPointerGetAttributes") == 0) {
        test_delay(100);
    }
    test_delay(100000);
}

/*
 * All that rank 0 has offered seems to have been freed; the other rank hears of it in the second
 * call.
 */
static void memory_retire(char *heap)
{
    standin_fail(test_rank == 0 ? "cuPointerGetAttribute:1+:CUDA_ERROR_INVALID_VALUE" : "");
    sum_within(heap, LARGE);
    sum_within(heap, LARGE);
    standin_fail("");
}

/* Whether the call has failed, as it should, on both ranks. */
static bool lose(MPI_Comm comm, char *memory, char *heap)
{
    struct late_call call = {.comm = comm, .memory = memory};
    int other = 0;
    standin_fail("");
    if (test_rank == 0) {
        if (pthread_create(&call.thread, NULL, late_call_make, &call) != 0) {
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        call_await();
        memory_retire(heap);
        pthread_join(call.thread, NULL);
    } else {
        memory_retire(heap);
        (void)late_call_make(&call);
    }
    MPI_Sendrecv(&call.error, 1, MPI_INT, 1 - test_rank, 0, &other, 1, MPI_INT, 1 - test_rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    test_check((call.error != 0) == (other != 0), "both ranks fail, or none");
    return call.error != 0;
}

/* What a rank has closed, all count on: the call fails everywhere, and the next ones work. */
static void run_lost(void)
{
    MPI_Comm comm;
    char *memory = allocate(), *heap = cuda_memory_get(CUDA_MEMORY_MPI, ALLOCATION);
    bool failed = false;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    sum_within(heap, LARGE);
    for (int round = 0; round < 5 && !failed; round++) { /* the thread may have come too late */
        test_case("round %d", round);
        for (int call = 0; call < 2; call++) {
            test_check(MPI_Allreduce(MPI_IN_PLACE, memory, LARGE, MPI_UNSIGNED, MPI_SUM, comm) ==
                           MPI_SUCCESS, "calls before");
        }
        failed = lose(comm, memory, heap);
    }
    test_check(failed, "a call on memory that is closed fails");
    test_case("after that");
    sum_within(memory, LARGE);
    test_check(sum_within(memory, LARGE), "calls on the memory are served again");
    MPI_Comm_free(&comm);
    cuda_memory_put(CUDA_MEMORY_MPI, heap);
    release(memory);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    bool loses = strcmp(part, "lost") == 0;
    int provided = test_begin(1, argv, "check_elsewhere",
                              loses ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    if (loses && provided < MPI_THREAD_MULTIPLE) {
        return test_skip("this Open MPI does not provide MPI_THREAD_MULTIPLE");
    }
    test_case("%s", part);
    cuda_memory_open(test_rank);
    standin_open();
    if (strcmp(part, "calls") == 0) {
        run_calls();
    } else if (strcmp(part, "rules") == 0 && test_size == 1 + OTHERS) {
        counters_open();
        run_uses();
        run_small();
        run_freed();
        run_few_bytes();
        variables_close();
    } else if (loses && test_size == 2) {
        counters_open();
        run_lost();
        variables_close();
    } else {
        test_fail("run it as: check_elsewhere calls, on %d ranks: check_elsewhere rules, "
                  "on 2 ranks: check_elsewhere lost", 1 + OTHERS);
    }
    return test_end();
}
