/*
 * coll_symm_parameters.c - the component's MCA parameters, with what `ompi_info` says about them.
 *
 * ompi-symm.7 lists the same parameters; tests/users/manual.tap compares.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <stdio.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/parameter.h"

static const struct symm_size_range slot_range = {.least = 64, .most = 64 << 10, .unit = 1};
static const struct symm_size_range staged_max_range = {
    .least = 1024, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range piece_range = {.least = 64 << 10, .most = 1 << 30, .unit = 1};

static const struct symm_parameter priority_parameter = {
    "priority",
    "Priority of the component. The component with the highest priority serves a collective of a "
    "communicator; coll/tuned has 30. The value must be the same in all processes. Negative: the "
    "component is not used",
    OPAL_INFO_LVL_1};

static const struct symm_parameter report_parameter = {
    "report",
    "Print one table for each node at the end of the job, on standard error: calls and bytes by "
    "algorithm, what went to the component below instead, and why",
    OPAL_INFO_LVL_1};

static const struct symm_parameter report_file_parameter = {
    "report_file",
    "A file that gets the same report as one object of JSON, with or without coll_symm_report. It "
    "must not exist. A job on several nodes writes one for each node, with a dot and the node's "
    "name behind the given one",
    OPAL_INFO_LVL_1};

static const struct symm_parameter verbose_parameter = {
    "verbose",
    "What to explain on standard error while the program runs. 0: nothing. 1: what goes wrong, "
    "and on which rank. 2: also, once for each communicator, what was selected and which "
    "component is below, or why the communicator is not served. 3: also the first use of each "
    "algorithm on a communicator, the row of the table that chose it, why the algorithms of "
    "earlier rows were not possible, and for each reason the first call that went to the "
    "component below",
    OPAL_INFO_LVL_1};

static const struct symm_parameter table_parameter = {
    "table",
    "A file of choices that precede the built-in ones, as symm_bench --tune-to writes it. The "
    "format is in ompi-symm(7). The file of a communicator's rank 0 counts. A forced algorithm "
    "precedes all choices",
    OPAL_INFO_LVL_5};

static const struct symm_parameter staged_max_parameter = {
    "allgather_staged_max",
    "Bytes of the largest block of an all-gather, gatherv or scatterv, and of all blocks of a rank "
    "in an all-to-all, that are served on memory that the other ranks cannot reach. Larger ones "
    "are left to the component below. 1024 to 1099511627776, rounded down to a multiple of 1024; "
    "suffixes k, m and g are understood. 0: no limit, but just below 1 MiB in all-to-alls of more "
    "than 8 ranks where the kernel copies between processes in one step (CMA), and there, on "
    "processors of Intel, just below 128 KiB to a rank in an all-to-all out of place and without "
    "gaps, and 256 KiB with more than two ranks. The value of a "
    "communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter slot_parameter = {
    "slot_size",
    "Bytes that a rank can send along with its message to the others, so that the call takes one "
    "round whatever memory its buffers are in. With auto, a rank sends at most 4 KiB along in an "
    "all-gather, 8 KiB in an all-reduce, reduce, gather or scan, and 16 KiB in other collectives. "
    "64 to 65536, rounded up to a multiple of 64; the suffix k is understood. The value of a "
    "communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter slots_parameter = {
    "slots",
    "How many calls of a communicator can be under way at a time. A rank that gives data without "
    "waiting for those that get them, as the root of broadcasts in a row does, gets so far ahead. "
    "Up to 64, rounded down to a power of two, and 8 at least. 0: 64 where the ranks of the node "
    "outnumber its processors, and 32 elsewhere. In any case so few, but 8 or more, that slots "
    "times ranks are 256 at most. The first 1,024 calls use 8. The value of a communicator's rank "
    "0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter piece_parameter = {
    "piece_size",
    "Bytes of a staging buffer. Data in memory that the other ranks cannot reach are copied "
    "through shared memory in pieces of this size. Each rank of a communicator that is used has "
    "four such buffers. 65536 to 1073741824; suffixes k, m and g are understood. The value of a "
    "communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter progress_thread_parameter = {
    "progress_thread",
    "Whether a thread of each process moves nonblocking and persistent collectives on host memory "
    "on while the program computes. It sleeps while none is outstanding, and takes processor time "
    "from the program otherwise. It leaves to the program's MPI calls: collectives on devices, "
    "user-defined operations, data with gaps, the first uses of a communicator and of memory, and "
    "the completion of requests",
    OPAL_INFO_LVL_1};

static const struct symm_parameter nodes_parameter = {
    "nodes",
    "Calls on communicators whose ranks are on several nodes. auto: barriers, broadcasts, reduces, "
    "all-reduces, all-gathers, reduce-scatters and all-to-alls are made by steps within nodes and "
    "between them, where that is quicker. never, in any process of a communicator: the component "
    "below makes all",
    OPAL_INFO_LVL_1};

static const mca_base_var_enum_value_t nodes_values[] = {
    {.value = MCA_COLL_SYMM_NODES_AUTO, .string = "auto"},
    {.value = MCA_COLL_SYMM_NODES_NEVER, .string = "never"},
    {.string = NULL},
};

/* ---- algorithms that are forced -------------------------------------------------------------- */

/* What is said of algorithms that can be forced, but for what is alike for all collectives. */
#define STAGED "through shared memory of the component, any buffers"

static const char reduce_scatter_text[] =
    STAGED ". pull: every rank reads its block of all ranks' inputs; in device memory by a "
    "kernel. push: in device memory, kernels store the blocks in memory of the component on the "
    "owners' devices, any buffers there. copy_engine: copy engines move them there";

static const char scan_text[] =
    "results go from rank to rank through shared memory of the component, any buffers. two_shot: "
    "every rank makes all results of a part, and stores them to all; in device memory by a "
    "kernel. pull: in device memory, every rank reads the inputs of the ranks before it by a "
    "kernel. scratch: as pull, through memory of the component on the devices, any buffers there";

static const char alltoall_text[] =
    STAGED ". pull: every rank copies what is for it out of all ranks' inputs. copy_engine: in "
    "device memory, every rank copies its blocks to all ranks' outputs without a kernel. kernel: "
    "in device memory, every rank does so by a kernel. scratch: through memory of the component "
    "on the devices, any buffers there";

/* A collective without a text here has no such parameter. */
static const char *const forced_texts[SYMM_COLLECTIVE_COUNT] = {
    [SYMM_ALLREDUCE] =
        STAGED "; every rank reduces a slice. staged_one_shot: through shared memory of the "
        "component, any buffers; every rank reduces everything. one_shot: every rank reads all "
        "ranks' inputs and reduces everything. two_shot: every rank reduces a slice and stores it "
        "in all ranks' outputs. In device memory one_shot and two_shot are made by kernels, and "
        "these algorithms are possible as well. push: kernels store the slices of each input in "
        "the memory of the ranks that reduce them. copy_engine: copy engines move the slices "
        "instead. scratch: through memory of the component on the devices, any buffers there. "
        "multimem: by multicast; every rank reduces a slice in one load of each element and "
        "stores it in all outputs at once. multimem_one_shot: by multicast, in device memory; "
        "every rank reduces everything, for integers and bits",
    [SYMM_ALLGATHER] =
        STAGED ". pull: every rank reads all ranks' inputs. push: every rank stores its input in "
        "all ranks' outputs. copy_engine: in device memory, every rank copies its input to all "
        "ranks' outputs without a kernel. kernel: in device memory, every rank copies its input "
        "to all ranks' outputs by a kernel. scratch: through memory of the component on the "
        "devices, any buffers there. multimem: by multicast, every rank stores its input in all "
        "outputs at once",
    [SYMM_REDUCE_SCATTER] = reduce_scatter_text,
    [SYMM_REDUCE_SCATTER_BLOCK] = reduce_scatter_text,
    [SYMM_SCAN] = scan_text,
    [SYMM_EXSCAN] = scan_text,
    [SYMM_ALLTOALL] = alltoall_text,
    [SYMM_ALLGATHERV] =
        STAGED ". pull: every rank copies what is for it out of all ranks' inputs. copy_engine: in "
        "device memory, every rank copies its input to all ranks' outputs without a kernel. "
        "kernel: in device memory, every rank does so by a kernel. scratch: through memory of the "
        "component on the devices, any buffers there",
    [SYMM_ALLTOALLV] = alltoall_text,
    [SYMM_ALLTOALLW] = alltoall_text,
    [SYMM_BCAST] =
        STAGED ". pull: every rank reads the root's input. push: in device memory, a kernel of "
        "the root stores to all outputs. copy_engine: copy engines of the root do so. chain: in "
        "device memory, copy engines of the root send the array to the next rank, and each rank's "
        "pass on what it got. scratch: in device memory, through memory of the component there, "
        "any buffers. multimem: in device memory, the root stores to all outputs at once, by "
        "multicast",
    [SYMM_REDUCE] =
        STAGED "; every rank reduces a slice. staged_one_shot: through shared memory of the "
        "component, any buffers; the root reduces everything. one_shot: the root reads all inputs "
        "and reduces everything. two_shot: every rank, in device memory all but the root, reduces "
        "a slice and stores it in the root's output. In device memory both are made by kernels. "
        "ring: in device memory, every rank adds its input to what comes from the rank before, "
        "and stores it in the next rank's memory of the component. scratch: in device memory, "
        "through memory of the component there, any buffers",
    [SYMM_GATHER] =
        STAGED ". pull: the root reads all ranks' inputs. push: every rank stores its block in the "
        "root's output, in device memory by a kernel. copy_engine: in device memory, copy engines "
        "do so. scratch: in device memory, through memory of the component there, any buffers",
    [SYMM_SCATTER] =
        STAGED ". pull: every rank reads its block of the root's input. push: in device memory, a "
        "kernel of the root stores the blocks in all outputs. copy_engine: copy engines of the "
        "root do so. scratch: in device memory, through memory of the component there, any buffers",
    [SYMM_GATHERV] =
        STAGED ". pull: the root reads all ranks' inputs. push: in host memory, the others store "
        "to the root's output. copy_engine: in device memory, copies without a kernel of every "
        "rank's block to the root's output. kernel: in device memory, the same by a kernel. "
        "scratch: through memory of the component on the devices, any buffers there",
    [SYMM_SCATTERV] =
        STAGED ". pull: every rank reads its block of the root's input. copy_engine: in device "
        "memory, copies without a kernel of the root's blocks to all outputs. kernel: in device "
        "memory, the same by a kernel. scratch: through memory of the component on the devices, "
        "any buffers there",
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

/* The words of a collective's algorithms, in the order of their numbers.  Open MPI copies all. */
static void forced_register(const mca_base_component_t *base, enum symm_collective collective,
                            int *storage)
{
    const struct symm_collective_row *called = symm_collective_get(collective);
    char name[64], description[2048];
    const struct symm_parameter parameter = {name, description, OPAL_INFO_LVL_5};
    mca_base_var_enum_value_t values[SYMM_ALGORITHM_COUNT + 2] = {
        {.value = MCA_COLL_SYMM_AUTO, .string = "auto"}};
    int count = 1;
    *storage = MCA_COLL_SYMM_AUTO;
    if (forced_texts[collective] == NULL) {
        return;
    }
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        if (row->collective == collective &&
            (row->memory == SYMM_ALGORITHM_HOST || !is_like_another(row))) {
            values[count++] = (mca_base_var_enum_value_t){.value = i,
                                                          .string = symm_algorithm_word(row)};
        }
    }
    (void)snprintf(name, sizeof(name), "%s_algorithm", called->name);
    (void)snprintf(description, sizeof(description),
                   "Algorithm of %s, where the buffers allow it. The value of a communicator's "
                   "rank 0 counts. auto: chosen call by call. inline: the data travel with the "
                   "ranks' messages to each other (up to coll_symm_slot_size). staged: %s",
                   called->mpi_name, forced_texts[collective]);
    symm_parameter_changeable_choice(base, &parameter, values, storage);
}

void mca_coll_symm_parameters_register(mca_coll_symm_component_t *component)
{
    const mca_base_component_t *base = &component->super.collm_version;
    symm_parameter_int(base, &priority_parameter, INT_MIN, INT_MAX, 80, &component->priority);
    symm_parameter_bool(base, &report_parameter, false, &component->report);
    symm_parameter_text(base, &report_file_parameter, "none", &component->report_file);
    symm_parameter_bool(base, &progress_thread_parameter, false, &component->progress_thread);
    symm_parameter_choice(base, &nodes_parameter, nodes_values, &component->nodes);
    symm_parameter_int(base, &verbose_parameter, 0, 100, 0, &component->verbose);
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        forced_register(base, (enum symm_collective)i, &component->forced[i]);
    }
    symm_parameter_text(base, &table_parameter, "none", &component->table);
    symm_parameter_size(base, &staged_max_parameter, &staged_max_range, 0,
                        &component->allgather_staged_max);
    symm_parameter_size(base, &slot_parameter, &slot_range, 17 << 10, &component->slot_size);
    symm_parameter_int(base, &slots_parameter, 0, SYMM_RING_MOST, 0, &component->slots);
    mca_coll_symm_device_parameters_register(component);
    symm_parameter_size(base, &piece_parameter, &piece_range, 256 << 10, &component->piece_size);
}
