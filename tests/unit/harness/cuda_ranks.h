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

#include "kernels/cuda/launch/kernel.h"
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
    struct symm_work work;
    struct symm_run run;
    enum symm_status status;
};

struct cuda_ranks {
    struct fork_rank *self;
    struct symm_process *process;
    const void *inputs[CUDA_RANKS_MOST]; /* of the call that is made */
    void *outputs[CUDA_RANKS_MOST], *scratches[CUDA_RANKS_MOST];
    int size;
    int devices; /* that ranks have in turn; 0: CUDA_DEVICES */
    unsigned first_limit; /* of rank 0's blocks; 0: as the others */
    int late_ms; /* by which rank 0 begins a call later than the others */
    uint64_t sequence;
    struct symm_block *const *blocks; /* the ranks' tables in exchanges; otherwise NULL */
    symm_standin_watch_function *watch; /* if faults are to come in calls only; otherwise NULL */
    bool fault_is_for_good;
    struct cuda_rank ranks[CUDA_RANKS_MOST];
};

/*
 * To do first in a rank of fork_ranks: the driver, with `fault` as SYMM_STANDIN_FAIL (NULL: none).
 */
void cuda_ranks_begin(struct fork_rank *self, const char *fault);

/* The devices for `size` ranks; false, and nothing held, if one cannot be got. */
bool cuda_ranks_open(struct cuda_ranks *ranks, struct fork_rank *self, int size);
void cuda_ranks_close(struct cuda_ranks *ranks);

/* Write zeros over the heads of all scratches, as is done after a call that has failed. */
void cuda_ranks_clear(struct cuda_ranks *ranks);

/* Between the device's memory and this process'. */
void cuda_ranks_put(struct cuda_ranks *ranks, int rank, void *memory, const void *from,
                    size_t size);
void cuda_ranks_get(struct cuda_ranks *ranks, int rank, const void *memory, void *to, size_t size);

/*
 * Prepare a call, for which `prototype` has all but what differs between ranks; scratch_size 0 is
 * CUDA_SCRATCH.  inputs[r] and outputs[r] are rank r's.
 */
void cuda_ranks_prepare(struct cuda_ranks *ranks, const struct symm_work *prototype,
                        void *const *inputs, void *const *outputs);

/* Make it.  Returns when all runs have ended. */
void cuda_ranks_make(struct cuda_ranks *ranks);

/* Both. */
void cuda_ranks_call(struct cuda_ranks *ranks, const struct symm_work *prototype,
                     void *const *inputs, void *const *outputs);

/*
 * Instead of it one rank makes so many steps, and gives up, as if the others had died: nothing of
 * it goes on.  Returns how often it had to ask.
 */
unsigned cuda_ranks_give_up(struct cuda_ranks *ranks, int rank, int steps);

/* The rank that all ranks say has failed in the last call; below 0: none has. */
int cuda_ranks_failed(struct cuda_ranks *ranks);

/* The words in front of all scratches are zero again. */
void cuda_ranks_check_heads(struct cuda_ranks *ranks);

/* ---- tests ----------------------------------------------------------------------------------- */

/*
 * Rows of cmocka's table: a body for `size` ranks, or for each number of them from `least` to
 * `most`.  A process is all ranks of it, which are open, and closed afterwards.  `delay` is
 * SYMM_STANDIN_DELAY; NULL: the usual one.
 */
#define CUDA_TEST(body, size) CUDA_TEST_OF(body, size, size, NULL)
#define CUDA_TEST_OF(body, least, most, delay) \
    {#body, cuda_test, NULL, NULL, &(struct cuda_plan){body, least, most, delay}}

typedef void cuda_body(struct cuda_ranks *ranks);

struct cuda_plan {
    cuda_body *body;
    int least, most;
    const char *delay;
};

void cuda_test(void **state);

/* Makes a call and compares what it leaves, unless ranks say that one of them has failed. */
typedef enum symm_status cuda_call(struct cuda_ranks *ranks, const void *call);

/*
 * Rows of tests in which a kernel of some rank of four does not start, or fails on its way, for
 * each of the first `uses` kernels: the call ends on all ranks, and the next one is right.
 */
#define CUDA_FAULTS(make, call, uses, late_ms)                                                    \
    {#make " with faults", cuda_faults_test, NULL, NULL,                                           \
     &(struct cuda_faults){make, call, uses, late_ms}}

struct cuda_faults {
    cuda_call *make;
    const void *call;
    int uses, late_ms;
};

void cuda_faults_test(void **state);

/* First thing where a fault is to come in calls only.  Kernels are launched without graphs. */
void cuda_fault_begin(struct cuda_ranks *ranks, struct fork_rank *self,
                      const struct cuda_fault *fault);

/*
 * Run `body`, whose context is a struct cuda_fault, in `ranks` processes for each of the names and
 * each of the first `uses` uses, or every second one.  Some go at a time: they mostly wait.
 */
void cuda_faults_run(const char *const *names, size_t count, int uses, int step, int ranks,
                     fork_body *body);

#endif /* SYMM_TESTS_CUDA_RANKS_H */
