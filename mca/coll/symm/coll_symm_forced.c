/*
 * coll_symm_forced.c - the MCA parameters that force an algorithm, one for each collective.
 *
 * ompi-symm.7 lists the same words; tests/manual.tap compares.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/algorithm.h"
#include "mca/coll/symm/coll_symm.h"
#include "mca/parameter.h"

/* What forces an algorithm; a collective without a name here has no such parameter. */
static const struct symm_parameter forced_parameters[SYMM_COLLECTIVE_COUNT] = {
    [SYMM_ALLREDUCE] = {
        "allreduce_algorithm",
        "Algorithm of MPI_Allreduce, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers; every rank reduces a slice. staged_one_shot: through shared "
        "memory of the component, any buffers; every rank reduces everything. one_shot: every "
        "rank reads all ranks' inputs and reduces everything. two_shot: every rank reduces a "
        "slice and stores it in all ranks' outputs. In device memory one_shot and two_shot are "
        "made by kernels, and these algorithms are possible as well. push: kernels store the "
        "slices of each input in the memory of the ranks that reduce them. copy_engine: copy "
        "engines move the slices instead. scratch: through memory of the component on the "
        "devices, any buffers there. multimem: by multicast; every rank reduces a slice in one "
        "load of each element and stores it in all outputs at once. multimem_one_shot: by "
        "multicast, in device memory; every rank reduces everything, for integers and bits",
        OPAL_INFO_LVL_5},
    [SYMM_ALLGATHER] = {
        "allgather_algorithm",
        "Algorithm of MPI_Allgather, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank reads all ranks' inputs. push: every rank "
        "stores its input in all ranks' outputs. copy_engine: in device memory, every rank copies "
        "its input to all ranks' outputs without a kernel. kernel: in device memory, every rank "
        "copies its input to all ranks' outputs by a kernel. scratch: through memory of the "
        "component on the devices, any buffers there. multimem: by multicast, every rank stores "
        "its input in all outputs at once",
        OPAL_INFO_LVL_5},
    [SYMM_REDUCE_SCATTER] = {
        "reduce_scatter_algorithm",
        "Algorithm of MPI_Reduce_scatter, where the buffers allow it. The value of a "
        "communicator's rank 0 counts. auto: chosen call by call. slot: the data travel with the "
        "ranks' messages to each other (up to coll_symm_slot_size). staged: through shared memory "
        "of the component, any buffers. pull: every rank reads its block of all ranks' inputs; in "
        "device memory by a kernel. push: in device memory, kernels store the blocks in memory of "
        "the component on the owners' devices, any buffers there. copy_engine: copy engines move "
        "them there",
        OPAL_INFO_LVL_5},
    [SYMM_REDUCE_SCATTER_BLOCK] = {
        "reduce_scatter_block_algorithm",
        "Algorithm of MPI_Reduce_scatter_block, where the buffers allow it. The value of a "
        "communicator's rank 0 counts. auto: chosen call by call. slot: the data travel with the "
        "ranks' messages to each other (up to coll_symm_slot_size). staged: through shared memory "
        "of the component, any buffers. pull: every rank reads its block of all ranks' inputs; in "
        "device memory by a kernel. push: in device memory, kernels store the blocks in memory of "
        "the component on the owners' devices, any buffers there. copy_engine: copy engines move "
        "them there",
        OPAL_INFO_LVL_5},
    [SYMM_SCAN] = {
        "scan_algorithm",
        "Algorithm of MPI_Scan, where the buffers allow it. The value of a communicator's rank 0 "
        "counts. auto: chosen call by call. slot: the data travel with the ranks' messages to each "
        "other (up to coll_symm_slot_size). staged: results go from rank to rank through shared "
        "memory of the component, any buffers. two_shot: every rank makes all results of a part, "
        "and stores them to all; in device memory by a kernel. pull: in device memory, every rank "
        "reads the inputs of the ranks before it by a kernel. scratch: as pull, through memory of "
        "the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_EXSCAN] = {
        "exscan_algorithm",
        "Algorithm of MPI_Exscan, where the buffers allow it. The value of a communicator's rank 0 "
        "counts. auto: chosen call by call. slot: the data travel with the ranks' messages to each "
        "other (up to coll_symm_slot_size). staged: results go from rank to rank through shared "
        "memory of the component, any buffers. two_shot: every rank makes all results of a part, "
        "and stores them to all; in device memory by a kernel. pull: in device memory, every rank "
        "reads the inputs of the ranks before it by a kernel. scratch: as pull, through memory of "
        "the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_ALLTOALL] = {
        "alltoall_algorithm",
        "Algorithm of MPI_Alltoall, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank copies what is for it out of all ranks' inputs. "
        "copy_engine: in device memory, every rank copies its blocks to all ranks' outputs "
        "without a kernel. kernel: in device memory, every rank does so by a kernel. scratch: through "
        "memory of the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_ALLGATHERV] = {
        "allgatherv_algorithm",
        "Algorithm of MPI_Allgatherv, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank copies what is for it out of all ranks' inputs. "
        "copy_engine: in device memory, every rank copies its input to all ranks' outputs "
        "without a kernel. kernel: in device memory, every rank does so by a kernel. scratch: through "
        "memory of the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_ALLTOALLV] = {
        "alltoallv_algorithm",
        "Algorithm of MPI_Alltoallv, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank copies what is for it out of all ranks' inputs. "
        "copy_engine: in device memory, every rank copies its blocks to all ranks' outputs "
        "without a kernel. kernel: in device memory, every rank does so by a kernel. scratch: through "
        "memory of the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_ALLTOALLW] = {
        "alltoallw_algorithm",
        "Algorithm of MPI_Alltoallw, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank copies what is for it out of all ranks' inputs. "
        "copy_engine: in device memory, every rank copies its blocks to all ranks' outputs "
        "without a kernel. kernel: in device memory, every rank does so by a kernel. scratch: through "
        "memory of the component on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_BCAST] = {
        "bcast_algorithm",
        "Algorithm of MPI_Bcast, where the buffers allow it. The value of a communicator's rank 0"
        " counts. auto: chosen call by call. slot: the data travel with the ranks' messages to "
        "each other (up to coll_symm_slot_size). staged: through shared memory of the component, "
        "any buffers. pull: every rank reads the root's input. push: in device memory, a kernel "
        "of the root stores to all outputs. copy_engine: copy engines of the root do so. pass: in"
        " device memory, the root stores a slice to each of the others, who pass on what they "
        "got. scratch: in device memory, through memory of the component there, any buffers. "
        "multimem: in device memory, the root stores to all outputs at once, by multicast",
        OPAL_INFO_LVL_5},
    [SYMM_REDUCE] = {
        "reduce_algorithm",
        "Algorithm of MPI_Reduce, where the buffers allow it. The value of a communicator's rank "
        "0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages to "
        "each other (up to coll_symm_slot_size). staged: through shared memory of the component, "
        "any buffers. one_shot: the root reads all inputs and reduces everything. two_shot: every"
        " rank, in device memory all but the root, reduces a slice and stores it in the root's "
        "output. In device memory both are made by kernels. scratch: in device memory, through "
        "memory of the component there, any buffers",
        OPAL_INFO_LVL_5},
    [SYMM_GATHER] = {
        "gather_algorithm",
        "Algorithm of MPI_Gather, where the buffers allow it. The value of a communicator's rank "
        "0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages to "
        "each other (up to coll_symm_slot_size). staged: through shared memory of the component, "
        "any buffers. pull: the root reads all ranks' inputs. push: every rank stores its block "
        "in the root's output, in device memory by a kernel. copy_engine: in device memory, copy "
        "engines do so. scratch: in device memory, through memory of the component there, any "
        "buffers",
        OPAL_INFO_LVL_5},
    [SYMM_SCATTER] = {
        "scatter_algorithm",
        "Algorithm of MPI_Scatter, where the buffers allow it. The value of a communicator's rank"
        " 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages to "
        "each other (up to coll_symm_slot_size). staged: through shared memory of the component, "
        "any buffers. pull: every rank reads its block of the root's input. push: in device "
        "memory, a kernel of the root stores the blocks in all outputs. copy_engine: copy engines"
        " of the root do so. scratch: in device memory, through memory of the component there, "
        "any buffers",
        OPAL_INFO_LVL_5},
    [SYMM_GATHERV] = {
        "gatherv_algorithm",
        "Algorithm of MPI_Gatherv, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: the root reads all ranks' inputs. "
        "copy_engine: in device memory, copies without a kernel of every rank's block to the root's output. "
        "kernel: in device memory, the same by a kernel. scratch: through memory of the component "
        "on the devices, any buffers there",
        OPAL_INFO_LVL_5},
    [SYMM_SCATTERV] = {
        "scatterv_algorithm",
        "Algorithm of MPI_Scatterv, where the buffers allow it. The value of a communicator's "
        "rank 0 counts. auto: chosen call by call. slot: the data travel with the ranks' messages "
        "to each other (up to coll_symm_slot_size). staged: through shared memory of the "
        "component, any buffers. pull: every rank reads its block of the root's input. "
        "copy_engine: in device memory, copies without a kernel of the root's blocks to all outputs. "
        "kernel: in device memory, the same by a kernel. scratch: through memory of the component "
        "on the devices, any buffers there",
        OPAL_INFO_LVL_5},
};

/* Whether an algorithm on devices has its word from its counterpart in host memory. */
static bool is_like_another(const struct symm_algorithm_row *row)
{
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *other = symm_algorithm_get((enum symm_algorithm)i);
        if (other->memory == SYMM_ALGORITHM_HOST && other->on_device == row->number) {
            return true;
        }
    }
    return false;
}

/* The words of a collective's algorithms, in the order of their numbers. */
static void forced_register(const mca_base_component_t *base, enum symm_collective collective,
                            int *storage)
{
    mca_base_var_enum_value_t values[SYMM_ALGORITHM_COUNT + 2] = {
        {.value = MCA_COLL_SYMM_AUTO, .string = "auto"}};
    int count = 1;
    *storage = MCA_COLL_SYMM_AUTO;
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        if (row->collective == collective &&
            (row->memory == SYMM_ALGORITHM_HOST || !is_like_another(row))) {
            values[count++] = (mca_base_var_enum_value_t){.value = i,
                                                          .string = symm_algorithm_word(row)};
        }
    }
    if (forced_parameters[collective].name != NULL) { /* Open MPI copies the values */
        symm_parameter_changeable_choice(base, &forced_parameters[collective], values, storage);
    }
}

void mca_coll_symm_forced_register(mca_coll_symm_component_t *component)
{
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        forced_register(&component->super.collm_version, (enum symm_collective)i,
                        &component->forced[i]);
    }
}
