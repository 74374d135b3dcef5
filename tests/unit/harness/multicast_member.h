/*
 * multicast_member.h - a rank with a device of the stand-in driver that sets up multicast groups,
 * and sums by multicast in them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_MULTICAST_MEMBER_H
#define SYMM_TESTS_MULTICAST_MEMBER_H

#include "tests/unit/harness/multicast_ranks.h"

#include "kernels/cuda/launch/multimem.h"
#include "tests/standin/kernels.h"

enum { MEMBER_COUNT = 1000 }; /* of int32_t that are summed */

/* A rank with a device, and what the stand-in tells of itself. */
struct member {
    struct multicast_rank rank;
    struct fork_rank *self;
    struct symm_device *device;
    int number;
    symm_standin_left_function *left;
    symm_standin_fail_function *set_fault;
    symm_standin_uses_function *uses;
};

/* Puts a variable into the environment, for a driver that is not open yet. */
void member_set(struct fork_rank *self, const char *name, const char *value);

/*
 * All ranks together; each on the device that it names. At the end nothing must be bound any more.
 */
void member_begin(struct member *member, struct fork_rank *self, int device);
void member_end(struct member *member);

/* Of the block's group. */
enum symm_multicast_state member_state(struct member *member, const struct multicast_block *block);

/* All set up a block's group, of which nothing is known yet; it must succeed. */
void member_set_up(struct member *member, const struct multicast_block *block);

/* A two-shot sum by multicast; the status of the launch, or of the kernel.  `shift`: mistakes. */
enum symm_status member_sum(struct member *member, const struct multicast_block *input,
                            const struct multicast_block *output, ptrdiff_t shift);

/* The same of numbers that differ by rank and `salt`, and a look at the results. */
void member_use(struct member *member, const struct multicast_block *input,
                const struct multicast_block *output, int32_t salt);

#endif /* SYMM_TESTS_MULTICAST_MEMBER_H */
