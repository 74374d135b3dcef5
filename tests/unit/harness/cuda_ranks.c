/*
 * cuda_ranks.c - see cuda_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heap/gpu/cuda_context.h"

void cuda_ranks_begin(struct fork_rank *self, const char *fault)
{
    FORK_CHECK(self, setenv("SYMM_STANDIN_DEVICES", "2", 1) == 0);
    FORK_CHECK(self, fault == NULL || setenv("SYMM_STANDIN_FAIL", fault, 1) == 0);
    /* One process is all ranks, so their memory is not behind multicast addresses. */
    FORK_CHECK(self, setenv("SYMM_STANDIN_MULTICAST_ANY", "1", 1) == 0);
    device_driver_use();
}

static unsigned char *buffer_make(struct cuda_ranks *ranks, int device, size_t size)
{
    struct symm_heap *heap = NULL;
    void *block = NULL;
    FORK_STATUS(ranks->self, symm_process_device_heap(ranks->process, device, &heap), SYMM_OK);
    FORK_STATUS(ranks->self, symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    return block;
}

void cuda_ranks_clear(struct cuda_ranks *ranks)
{
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        struct symm_heap *heap = NULL;
        FORK_STATUS(ranks->self,
                    symm_process_device_heap(ranks->process, one->device_number, &heap), SYMM_OK);
        FORK_STATUS(ranks->self,
                    symm_heap_clear(heap, one->scratch - SYMM_SCRATCH_HEAD, SYMM_SCRATCH_HEAD),
                    SYMM_OK);
    }
}

bool cuda_ranks_open(struct cuda_ranks *ranks, struct fork_rank *self, int size)
{
    const struct symm_control_config config = {.payload_size = 64, .piece_size = 4096};
    struct symm_control control;
    ranks->self = self;
    ranks->size = size;
    for (int rank = 0; rank < size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        one->device_number = rank % (ranks->devices != 0 ? ranks->devices : CUDA_DEVICES);
        if (symm_device_get(one->device_number, &one->device) != SYMM_OK) {
            symm_device_close_all();
            return false;
        }
    }
    ranks->process = fork_team_process(self);
    FORK_STATUS(self, symm_control_create(&control, size, &config), SYMM_OK);
    for (int rank = 0; rank < size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        one->input = buffer_make(ranks, one->device_number, CUDA_BUFFER);
        one->output = buffer_make(ranks, one->device_number, CUDA_BUFFER);
        one->scratch =
            buffer_make(ranks, one->device_number, SYMM_SCRATCH_HEAD + CUDA_SCRATCH_MOST) +
            SYMM_SCRATCH_HEAD;
        one->team = (struct symm_team){.rank = rank, .size = size, .control = control};
    }
    cuda_ranks_clear(ranks);
    return true;
}

void cuda_ranks_close(struct cuda_ranks *ranks)
{
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        struct symm_heap *heap = NULL;
        FORK_STATUS(ranks->self,
                    symm_process_device_heap(ranks->process, one->device_number, &heap), SYMM_OK);
        FORK_STATUS(ranks->self, symm_heap_free(heap, one->input), SYMM_OK);
        FORK_STATUS(ranks->self, symm_heap_free(heap, one->output), SYMM_OK);
        FORK_STATUS(ranks->self, symm_heap_free(heap, one->scratch - SYMM_SCRATCH_HEAD), SYMM_OK);
    }
    symm_control_destroy(&ranks->ranks[0].team.control);
    symm_process_release(ranks->process);
    symm_device_close_all();
}

/* ---- memory ---------------------------------------------------------------------------------- */

void cuda_ranks_put(struct cuda_ranks *ranks, int rank, void *memory, const void *from, size_t size)
{
    struct symm_cuda_scope scope;
    FORK_STATUS(ranks->self, symm_cuda_enter(ranks->ranks[rank].device_number, &scope), SYMM_OK);
    CUdeviceptr there = (CUdeviceptr)(uintptr_t)memory;
    FORK_CHECK(ranks->self,
               scope.cuda->cuMemcpyHtoDAsync(there, from, size, NULL) == CUDA_SUCCESS);
    FORK_CHECK(ranks->self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

void cuda_ranks_get(struct cuda_ranks *ranks, int rank, const void *memory, void *to, size_t size)
{
    struct symm_cuda_scope scope;
    FORK_STATUS(ranks->self, symm_cuda_enter(ranks->ranks[rank].device_number, &scope), SYMM_OK);
    CUdeviceptr there = (CUdeviceptr)(uintptr_t)memory;
    FORK_CHECK(ranks->self,
               scope.cuda->cuMemcpyDtoHAsync(to, there, size, NULL) == CUDA_SUCCESS);
    FORK_CHECK(ranks->self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int64_t milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void cuda_ranks_prepare(struct cuda_ranks *ranks, const struct symm_work *prototype,
                        void *const *inputs, void *const *outputs)
{
    ranks->sequence++;
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        ranks->inputs[rank] = inputs[rank];
        ranks->outputs[rank] = outputs[rank];
        ranks->scratches[rank] = one->scratch;
        one->work = *prototype;
        one->run = (struct symm_run){.work = &one->work, .failed_rank = 1000};
        one->work.team = &one->team;
        one->work.sequence = ranks->sequence;
        one->work.device = one->device;
        one->work.input = inputs[rank];
        one->work.output = outputs[rank];
        one->work.inputs = ranks->inputs;
        one->work.outputs = ranks->outputs;
        one->work.scratches = ranks->scratches;
        one->work.blocks = ranks->blocks == NULL ? NULL : ranks->blocks[rank];
        one->work.scratch_size = prototype->scratch_size != 0 ? prototype->scratch_size
                                                              : CUDA_SCRATCH;
        if (rank == 0 && ranks->first_limit != 0) {
            one->work.block_limit = ranks->first_limit;
        }
        one->status = SYMM_PENDING;
    }
}

void cuda_ranks_make(struct cuda_ranks *ranks)
{
    unsigned polls = 0;
    int ended = 0;
    if (ranks->watch != NULL) {
        ranks->watch(1);
    }
    int64_t first_begins = milliseconds() + ranks->late_ms;
    while (ended < ranks->size) {
        for (int rank = 0; rank < ranks->size; rank++) {
            struct cuda_rank *one = &ranks->ranks[rank];
            bool waits = ranks->late_ms > 0 && rank == 0 && milliseconds() < first_begins;
            if (one->status == SYMM_PENDING && !waits) {
                one->status = symm_run_step(&one->run);
                FORK_CHECK(ranks->self,
                           one->status == SYMM_PENDING || one->status == SYMM_OK);
                ended += one->status == SYMM_OK;
            }
        }
        unit_pause(&polls);
    }
    if (ranks->watch != NULL) {
        ranks->watch(0);
    }
}

void cuda_ranks_call(struct cuda_ranks *ranks, const struct symm_work *prototype,
                     void *const *inputs, void *const *outputs)
{
    cuda_ranks_prepare(ranks, prototype, inputs, outputs);
    cuda_ranks_make(ranks);
}

/* Nothing is under way, except that the kernel has said at the end that it was late. */
static bool has_ended(struct symm_completion completion)
{
    static const struct symm_completion none;
    completion.late = false;
    return memcmp(&completion, &none, sizeof(none)) == 0;
}

unsigned cuda_ranks_give_up(struct cuda_ranks *ranks, int rank, int steps)
{
    struct symm_run *run = &ranks->ranks[rank].run;
    unsigned polls = 0, asked = 0;
    for (int step = 0; step < steps; step++) {
        FORK_STATUS(ranks->self, symm_run_step(run), SYMM_PENDING);
    }
    for (; symm_run_give_up(run) == SYMM_PENDING; asked++) {
        unit_pause(&polls);
    }
    FORK_CHECK(ranks->self, has_ended(run->completion));
    FORK_CHECK(ranks->self, has_ended(run->completions[0]));
    for (int i = 0; i < SYMM_PIPELINE_DEPTH; i++) {
        FORK_CHECK(ranks->self, has_ended(run->pipeline.pushes[i]));
    }
    return asked;
}

int cuda_ranks_failed(struct cuda_ranks *ranks)
{
    int failed = ranks->ranks[0].run.failed_rank;
    FORK_CHECK(ranks->self, failed < ranks->size);
    for (int rank = 0; rank < ranks->size; rank++) {
        const struct symm_run *run = &ranks->ranks[rank].run;
        FORK_CHECK(ranks->self, run->failed_rank == failed);
        FORK_CHECK(ranks->self, (run->failure == SYMM_OK) == (failed < 0));
    }
    return failed;
}

void cuda_ranks_check_heads(struct cuda_ranks *ranks)
{
    static const unsigned char zeros[SYMM_SCRATCH_HEAD];
    static unsigned char head[SYMM_SCRATCH_HEAD];
    for (int rank = 0; rank < ranks->size; rank++) {
        cuda_ranks_get(ranks, rank, ranks->ranks[rank].scratch - SYMM_SCRATCH_HEAD, head,
                       sizeof(head));
        FORK_CHECK(ranks->self, memcmp(head, zeros, sizeof(head)) == 0);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void plan_run(struct fork_rank *self, void *context)
{
    const struct cuda_plan *plan = context;
    struct cuda_ranks ranks = {0};
    FORK_CHECK(self, plan->delay == NULL || setenv("SYMM_STANDIN_DELAY", plan->delay, 1) == 0);
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, plan->least));
    plan->body(&ranks);
    cuda_ranks_close(&ranks);
}

void cuda_test(void **state)
{
    struct cuda_plan plan = *(const struct cuda_plan *)*state;
    for (; plan.least <= plan.most; plan.least++) {
        fork_ranks_run(1, plan_run, &plan);
    }
}

void cuda_fault_begin(struct cuda_ranks *ranks, struct fork_rank *self,
                      const struct cuda_fault *fault)
{
    char text[100];
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    symm_device_use_graphs(false);
    device_driver_symbol(self, "symm_standin_watch", &ranks->watch);
    ranks->watch(0);
    ranks->fault_is_for_good = strcmp(fault->what, "kernel") == 0 ||
                               strcmp(fault->what, "copy") == 0;
}

static const struct cuda_faults *faults; /* of the test that is run */

static void fault_run(struct fork_rank *self, void *context)
{
    struct cuda_ranks ranks = {0};
    cuda_fault_begin(&ranks, self, context);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 4));
    ranks.late_ms = (int)unit_patience((unsigned)faults->late_ms);
    FORK_CHECK(self, faults->make(&ranks, faults->call) == SYMM_ERR_SYSTEM);
    if (!ranks.fault_is_for_good) {
        cuda_ranks_clear(&ranks);
        FORK_CHECK(self, faults->make(&ranks, faults->call) == SYMM_OK);
        cuda_ranks_close(&ranks);
    }
}

void cuda_faults_test(void **state)
{
    static const char *const names[] = {"cuLaunchKernel", "kernel"};
    faults = *state;
    cuda_faults_run(names, sizeof(names) / sizeof(*names), faults->uses, 1, 1, fault_run);
}

void cuda_faults_run(const char *const *names, size_t count, int uses, int step, int ranks,
                     fork_body *body)
{
    enum { AT_A_TIME = 4 };
    struct cuda_fault some[AT_A_TIME];
    struct fork_ranks processes[AT_A_TIME];
    int each = (uses + step - 1) / step, all = (int)count * each;
    for (int next = 0, begun = 0, ended = 0;; ended++) {
        for (; next < all && begun < ended + AT_A_TIME; next++) {
            if (!unit_leaves_out((uint64_t)next)) {
                int which = begun++ % AT_A_TIME;
                some[which] = (struct cuda_fault){names[next / each], 1 + next % each * step};
                fork_ranks_start(&processes[which], ranks, body, &some[which]);
            }
        }
        if (ended == begun) {
            return;
        }
        print_message("# %s, use %d\n", some[ended % AT_A_TIME].what, some[ended % AT_A_TIME].use);
        fork_ranks_join(&processes[ended % AT_A_TIME]);
    }
}
