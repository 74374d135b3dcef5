/*
 * test_request_ordering.c - every execution of the end of a request that the memory model allows
 * (ordering_model.h): one thread of a process completes it (mca_coll_symm_request_complete()), and
 * another one, which is in MPI_Wait or MPI_Test, frees it and goes on with the buffers.  Each
 * promise is broken on purpose as well.
 *
 * A rank of the model is a thread.  The programs are written down here, as Open MPI's part of them
 * cannot be recorded: they show that the protocol is right, and not that the sources follow it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include "tests/unit/ordering/ordering_model.h"

/* Input and output stand for all that the completing thread has read and written. */
enum cell { INPUT, OUTPUT, CELLS };

/* Open MPI's word, and that of the request's own. */
enum word { REQ_COMPLETE, IS_OVER, WORDS };

enum thread { COMPLETING, WAITING, THREADS };

enum fault {
    RIGHT,
    NO_FENCE,       /* Open MPI's store alone, which is relaxed or acquires */
    OWN_WORD_LATE,  /* is_over is stored after req_complete */
    OWN_WORD_FIRST, /* request_free() looks at is_over, then at req_complete */
    NO_ACQUIRE,     /* Open MPI's look alone, which MPI_Test makes without acquire */
};

/* What the waiting thread has in its program. */
static int waiting_program(struct model_event *events, enum fault fault)
{
    int count = 0;
    struct model_event own = {
        .action = MODEL_EXPECT, .place = IS_OVER, .low = 1, .high = 1, .is_ordered = true};
    events[count++] = (struct model_event){ /* by Open MPI */
        .action = MODEL_AWAIT, .place = REQ_COMPLETE, .low = 1, .high = 1};
    if (fault == OWN_WORD_FIRST) {
        events[count++] = own;
    }
    if (fault != NO_ACQUIRE) {
        events[count++] = (struct model_event){
            .action = MODEL_EXPECT, .place = REQ_COMPLETE, .low = 1, .high = 1, .is_ordered = true};
    }
    if (fault != OWN_WORD_FIRST && fault != NO_ACQUIRE) {
        events[count++] = own;
    }
    events[count++] = (struct model_event){
        .action = MODEL_READ, .place = OUTPUT, .sources = {[COMPLETING] = 1, [WAITING] = -1}};
    events[count++] = (struct model_event){.action = MODEL_WRITE, .place = INPUT};
    return count;
}

static enum model_verdict verdict_of(enum fault fault)
{
    const struct model_event own = {
        .action = MODEL_STORE, .place = IS_OVER, .low = 1, .number = 1, .is_ordered = true};
    const struct model_event ompi = {
        .action = MODEL_STORE, .place = REQ_COMPLETE, .low = 1, .number = 1,
        .is_ordered = fault != NO_FENCE};
    struct model_event completing[] = {
        {.action = MODEL_READ, .place = INPUT, .sources = {-1, -1}},
        {.action = MODEL_WRITE, .place = OUTPUT},
        fault == OWN_WORD_LATE ? ompi : own,
        fault == OWN_WORD_LATE ? own : ompi,
    };
    struct model_event waiting[8];
    struct model_programs programs = {
        .ranks = THREADS, .words = WORDS, .cells = CELLS,
        .events = {completing, waiting},
        .counts = {sizeof(completing) / sizeof(*completing), waiting_program(waiting, fault)}};
    struct model_result result;
    model_explore(&programs, MODEL_EVERY_EXECUTION, &result);
    return result.verdict;
}

static void test_end(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(RIGHT), MODEL_SOUND);
}

static void test_faults_are_noticed(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(NO_FENCE), MODEL_MISREAD);
    assert_int_equal(verdict_of(OWN_WORD_LATE), MODEL_MISREAD);
    assert_int_equal(verdict_of(OWN_WORD_FIRST), MODEL_MISREAD);
    assert_int_equal(verdict_of(NO_ACQUIRE), MODEL_RACE);
}

UNIT_MAIN("test_request_ordering", 20,
    cmocka_unit_test(test_end),
    cmocka_unit_test(test_faults_are_noticed))
