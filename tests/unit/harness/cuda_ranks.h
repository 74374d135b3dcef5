/*
 * cuda_ranks.h - several ranks in one process, for the algorithms on devices: each has buffers on a
 * device of the stand-in driver (rank modulo two) and a run, and all runs are stepped in turn.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CUDA_RANKS_H
#define SYMM_TESTS_CUDA_RANKS_H

#include "tests/unit/harness/fork_team.h"

#include "kernels/cuda/launch/device.h"
#include "kernels/run.h"
#include "tests/standin/kernels.h"

enum {
    CUDA_RANKS_MOST = 5,
    CUDA_BUFFER = 64 * 1024, /* bytes */
    CUDA_SCRATCH = 4 * 1024, /* so that slices are cut into several pieces */
    CUDA_SCRATCH_MOST = 64 * 1024,
    CUDA_DEVICES = 2,
};

/* A function of the driver, or what the stand-in calls so, that fails at its `use`-th use. */
struct cuda_fault {
    const char *what;
    int use;
};

struct cuda_rank {
    struct symm_device *device;
    int device_number;
    unsigned char *input, *output; /* on the device, CUDA_BUFFER each */
    unsigned char *scratch;        /* likewise, CUDA_SCRATCH_MOST behind a head */
    struct symm_team team;
    struct symm_run run;
    enum symm_status status;
};

struct cuda_ranks {
    struct fork_rank *self;
    struct symm_process *process;
    int size;
    int devices; /* that ranks have in turn; 0: CUDA_DEVICES */
    unsigned first_limit; /* of rank 0's blocks; 0: as the others */
    int late_ms; /* by which rank 0 begins a call later than the others */
    uint64_t sequence;
    struct symm_block *const *blocks; /* the ranks' tables in exchanges; otherwise NULL */
    symm_standin_watch_function *watch; /* if faults are to come in calls only; otherwise NULL */
    struct cuda_rank ranks[CUDA_RANKS_MOST];
};

/*
 * To do first in a rank of fork_ranks: the driver, with `fault` as SYMM_STANDIN_FAIL (NULL: none).
 */
void cuda_ranks_begin(struct fork_rank *self, const char *fault);

/* The devices for `size` ranks; false, and nothing held, if one cannot be got. */
bool cuda_ranks_open(struct cuda_ranks *ranks, struct fork_rank *self, int size);
void cuda_ranks_close(struct cuda_ranks *ranks);

/* Write zeros over the head of a rank's scratch, as is done after a call that has failed. */
void cuda_ranks_clear(struct cuda_ranks *ranks, int rank);

/* Between the device's memory and this process'. */
void cuda_ranks_put(struct cuda_ranks *ranks, int rank, void *memory, const void *from,
                    size_t size);
void cuda_ranks_get(struct cuda_ranks *ranks, int rank, const void *memory, void *to, size_t size);

/*
 * Make a call, for which `prototype` has all but what differs between ranks; scratch_size 0 is
 * CUDA_SCRATCH.  inputs[r] and outputs[r] are rank r's.  Returns when all runs have ended.
 */
void cuda_ranks_call(struct cuda_ranks *ranks, const struct symm_run *prototype,
                     void *const *inputs, void *const *outputs);

/* The rank that all ranks say has failed in the last call; below 0: none has. */
int cuda_ranks_failed(struct cuda_ranks *ranks);

/* The words in front of all scratches are zero again. */
void cuda_ranks_check_heads(struct cuda_ranks *ranks);

/*
 * Run `body`, whose context is a struct cuda_fault, in a process of its own for each of the names
 * and each of the first `uses` uses.
 */
void cuda_faults_run(const char *const *names, size_t count, int uses, fork_body *body);

#endif /* SYMM_TESTS_CUDA_RANKS_H */
