/*
 * stream_members.h - forked ranks with members of stream lanes (kernels/cuda/stream/member.h): each
 * has a device of the stand-in driver (rank modulo their number), and streams of the program's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STREAM_MEMBERS_H
#define SYMM_TESTS_STREAM_MEMBERS_H

#include "kernels/cuda/stream/member_state.h"
#include "tests/standin/kernels.h"
#include "tests/unit/harness/device_memory.h"

enum { MEMBERS_COUNT = 500 }; /* elements of a sum */

/* A rank; the program's functions of the driver, which never fail by SYMM_STANDIN_FAIL. */
struct members {
    struct fork_rank *self;
    struct symm_process *process;
    int device;
    bool shares_devices, is_fatal;
    CUstream stream;
    CUdeviceptr numbers; /* of the sums, in place */
    __typeof__(cuLaunchHostFunc) *host_function;
    __typeof__(cuStreamBeginCapture) *capture_begin;
    __typeof__(cuStreamEndCapture) *capture_end;
    __typeof__(cuDevicePrimaryCtxReset) *reset;
    symm_standin_fail_function *let_fail;
    symm_standin_watch_function *watch;
    symm_standin_left_function *left;
};

/* First thing in a rank. */
void members_begin(struct members *members, struct fork_rank *self, int device);

/* A stream of a device. */
CUstream members_stream(const struct members *members, int device);

/* Bring the offers of all ranks to all. */
void members_exchange(struct fork_rank *self, const struct symm_stream_offer *own,
                      struct symm_stream_offer *all);

/* A part in a lane of all ranks, for the stream, not connected; its offer is good. */
struct symm_stream_member *members_create(const struct members *members, CUstream stream,
                                          struct symm_stream_offer *offer);

/* Until the answer is not SYMM_PENDING. */
enum symm_status members_connect(struct symm_stream_member *member,
                                 const struct symm_stream_offer *offers, char *why);

/* All of it, which has to go well, on all ranks. */
struct symm_stream_member *members_make(const struct members *members, CUstream stream);

/* A sum of the numbers, in place. */
enum symm_status members_sum(const struct members *members, struct symm_stream_member *member,
                             size_t count);

/* Element i is first * i from now on; and is found to be. */
void members_put(const struct members *members, uint64_t first);
void members_check(const struct members *members, CUstream stream, uint64_t first);

void members_await(const struct members *members, CUstream stream);
bool members_is_done(const struct members *members, CUstream stream);

/* Blocks of the device's heap. */
size_t members_blocks(const struct members *members);

/* Look at released members until the device's heap has so many blocks. */
void members_until(const struct members *members, size_t blocks);

#endif /* SYMM_TESTS_STREAM_MEMBERS_H */
