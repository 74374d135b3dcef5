/*
 * multicast_member.c - see multicast_member.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/multicast_member.h"

#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>

void member_set(struct fork_rank *self, const char *name, const char *value)
{
    FORK_CHECK(self, setenv(name, value, 1) == 0);
}

void member_begin(struct member *member, struct fork_rank *self, int device)
{
    member_set(self, "SYMM_STANDIN_DEVICES", "8");
    member->self = self;
    member->number = device;
    struct symm_process *process = device_process(self);
    device_driver_symbol(self, "symm_standin_left", &member->left);
    device_driver_symbol(self, "symm_standin_fail", &member->set_fault);
    device_driver_symbol(self, "symm_standin_uses", &member->uses);
    multicast_begin(&member->rank, self, process, device_heap(self, process, device));
    FORK_STATUS(self, symm_device_get(device, &member->device), SYMM_OK);
    FORK_STATUS(self, symm_device_multimem_load(member->device), SYMM_OK);
}

void member_end(struct member *member)
{
    symm_team_destroy(member->rank.team);
    FORK_CHECK(member->self, member->left("binding") == 0);
    symm_device_close_all();
    symm_process_release(member->rank.process);
}

enum symm_multicast_state member_state(struct member *member, const struct multicast_block *block)
{
    return symm_team_multicast_state(member->rank.team, block->all);
}

void member_set_up(struct member *member, const struct multicast_block *block)
{
    FORK_CHECK(member->self, symm_team_multicast_fits(member->rank.team, block->all));
    FORK_CHECK(member->self, member_state(member, block) == SYMM_MULTICAST_UNKNOWN);
    struct multicast_outcome outcome = multicast_set_up(&member->rank, block);
    FORK_STATUS(member->self, outcome.status, SYMM_OK);
    FORK_CHECK(member->self, outcome.ready && member_state(member, block) == SYMM_MULTICAST_READY);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void copy(struct member *member, void *memory, int32_t *here, bool there)
{
    struct symm_cuda_scope scope;
    CUdeviceptr device = (CUdeviceptr)(uintptr_t)memory;
    FORK_STATUS(member->self, symm_cuda_enter(member->number, &scope), SYMM_OK);
    CUresult result = there ? scope.cuda->cuMemcpyHtoDAsync(device, here, MEMBER_COUNT * 4, NULL)
                            : scope.cuda->cuMemcpyDtoHAsync(here, device, MEMBER_COUNT * 4, NULL);
    FORK_CHECK(member->self, result == CUDA_SUCCESS);
    FORK_CHECK(member->self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

static struct symm_multicast_address address_of(struct member *member,
                                                const struct multicast_block *block)
{
    struct symm_multicast_address address = {.address = NULL};
    FORK_CHECK(member->self, symm_team_multicast_fits(member->rank.team, block->all));
    FORK_CHECK(member->self,
               symm_team_multicast_address(member->rank.team, block->all, &address));
    FORK_CHECK(member->self, address.address != NULL && address.replicas == NULL);
    return address;
}

enum symm_status member_sum(struct member *member, const struct multicast_block *input,
                            const struct multicast_block *output, ptrdiff_t shift)
{
    struct symm_kernel kernel;
    struct fork_rank *self = member->self;
    int64_t size = self->size;
    struct symm_completion completion;
    struct symm_cuda_multimem arguments = {
        .unicast = {.ranks = self->size, .output_count = self->size,
                    .begin = (uint64_t)(self->rank * MEMBER_COUNT / size),
                    .end = (uint64_t)((self->rank + 1) * MEMBER_COUNT / size)},
        .input = (unsigned char *)address_of(member, input).address + shift,
        .output = address_of(member, output).address,
    };
    for (int rank = 0; rank < self->size; rank++) {
        arguments.unicast.inputs[rank] =
            symm_team_address(member->rank.team, rank, &input->all[rank]);
        arguments.unicast.outputs[rank] =
            symm_team_address(member->rank.team, rank, &output->all[rank]);
    }
    unsigned polls = 0;
    enum symm_status status = symm_device_start(member->device,
                                                symm_kernel_multimem(&kernel, SYMM_CUDA_INT32,
                                                                     SYMM_CUDA_SUM, &arguments, 0),
                                                &completion);
    while (status == SYMM_OK &&
           (status = symm_completion_test(member->device, &completion)) == SYMM_PENDING) {
        unit_pause(&polls);
        status = SYMM_OK;
    }
    return status;
}

void member_use(struct member *member, const struct multicast_block *input,
                const struct multicast_block *output, int32_t salt)
{
    struct fork_rank *self = member->self;
    int32_t numbers[MEMBER_COUNT], wanted = 0;
    for (int i = 0; i < MEMBER_COUNT; i++) {
        numbers[i] = salt * (self->rank + 1) + i;
    }
    for (int rank = 0; rank < self->size; rank++) {
        wanted += salt * (rank + 1);
    }
    copy(member, input->block, numbers, true);
    fork_rank_barrier(self);
    FORK_STATUS(self, member_sum(member, input, output, 0), SYMM_OK);
    fork_rank_barrier(self);
    copy(member, output->block, numbers, false);
    for (int i = 0; i < MEMBER_COUNT; i++) {
        FORK_CHECK(self, numbers[i] == wanted + self->size * i);
    }
    fork_rank_barrier(self);
}
