/*
 * ordering_stream_kernels.h - the kernels of a stream lane as programs of ordering_stream.h, right
 * and with something done wrong.
 *
 * A mixture is a text with a letter and a digit for each kernel, which all ranks run in this order:
 *     f1, f2   one turn, all to all; 1: only the first unit has data
 *     t1, t2   two turns
 *     bR       one turn, rank R to all others
 *     rR       one turn, all others to rank R
 *     pK       push of K tiles, all to all
 *     qK       the same in two legs
 *     BR, RR   push of two tiles, from rank R or to it
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_STREAM_KERNELS_H
#define SYMM_TESTS_ORDERING_STREAM_KERNELS_H

#include "tests/unit/ordering/ordering_stream.h"

/* Epochs of three bits. */
enum { STREAM_EPOCH_LAST = 7, STREAM_EPOCH_AGAIN = 2 };

/* What is done wrong. */
enum stream_fault {
    STREAM_RIGHT,
    STREAM_ONE_SLOT,
    STREAM_NO_HELLO,
    STREAM_HELLO_TO_ROOT,     /* and to nobody else */
    STREAM_HELLO_OF_ROOT,     /* in addition, only the last root asks for hellos */
    STREAM_HELLO_TOO_EARLY,   /* before the last turn has been read */
    STREAM_HELLO_AT_END,      /* of its turn: no fault, only slow */
    STREAM_LAST_IS_FULL,      /* the turn of the last epoch does not count as rooted */
    STREAM_NOT_WIPED,
    STREAM_WIPED_TOO_EARLY,   /* before the turn has been read */
    STREAM_WIPED_TOO_LATE,    /* of two turns both slots at the kernel's end */
    STREAM_WIPED_OTHER_SLOT,
    STREAM_WIPED_WITHOUT_BARRIER, /* between two turns: not all threads have read */
    STREAM_WIPED_WITHOUT_FENCE,   /* between two turns */
    STREAM_ONE_EPOCH,         /* for both turns of two */
    STREAM_PUSH_TWO_SLOTS,
    STREAM_PUSH_THREE_SLOTS,
    STREAM_PUSH_FLAG_WITHOUT_ORDER,
    STREAM_PUSH_RESULT_TOO_EARLY, /* read one step before it has been told */
    STREAM_PUSH_IS_COUNTED,   /* in the numbers that hellos tell */
};

struct stream_shape {
    int ranks, units;
    int epoch; /* of the first turn; from 4 on, slots have packets of this lap */
    const char *mixture;
    enum stream_fault fault;
    bool at_any_time; /* all stores arrive at any time, which makes many states */
};

/* Fails the test if the mixture makes no sense. */
void stream_build(const struct stream_shape *shape, struct stream_programs *programs);

#endif /* SYMM_TESTS_ORDERING_STREAM_KERNELS_H */
