/*
 * coll_symm_parameters.c - the component's MCA parameters, with what `ompi_info` says about them.
 *
 * ompi-symm.7 and README.md list the same parameters; tests/manual.tap compares.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/parameter.h"

static const mca_base_var_enum_value_t allreduce_values[] = {
    {.value = MCA_COLL_SYMM_AUTO, .string = "auto"},
    {.value = SYMM_ALLREDUCE_SLOT, .string = "slot"},
    {.value = SYMM_ALLREDUCE_STAGED, .string = "staged"},
    {.value = SYMM_ALLREDUCE_STAGED_ONE_SHOT, .string = "staged_one_shot"},
    {.value = SYMM_ALLREDUCE_ONE_SHOT, .string = "one_shot"},
    {.value = SYMM_ALLREDUCE_TWO_SHOT, .string = "two_shot"},
    {.value = SYMM_ALLREDUCE_CUDA_PUSH, .string = "push"},
    {.value = SYMM_ALLREDUCE_CUDA_COPY_ENGINE, .string = "copy_engine"},
    {.value = SYMM_ALLREDUCE_CUDA_SCRATCH, .string = "scratch"},
    {.value = SYMM_ALLREDUCE_MULTIMEM, .string = "multimem"},
    {.value = SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT, .string = "multimem_one_shot"},
    {.value = 0, .string = NULL},
};

static const mca_base_var_enum_value_t allgather_values[] = {
    {.value = MCA_COLL_SYMM_AUTO, .string = "auto"},
    {.value = SYMM_ALLGATHER_SLOT, .string = "slot"},
    {.value = SYMM_ALLGATHER_STAGED, .string = "staged"},
    {.value = SYMM_ALLGATHER_PULL, .string = "pull"},
    {.value = SYMM_ALLGATHER_PUSH, .string = "push"},
    {.value = SYMM_ALLGATHER_CUDA_COPY_ENGINE, .string = "copy_engine"},
    {.value = SYMM_ALLGATHER_CUDA_KERNEL, .string = "kernel"},
    {.value = SYMM_ALLGATHER_CUDA_SCRATCH, .string = "scratch"},
    {.value = SYMM_ALLGATHER_MULTIMEM, .string = "multimem"},
    {.value = 0, .string = NULL},
};

static const mca_base_var_enum_value_t staging_values[] = {
    {.value = MCA_COLL_SYMM_HOST_COPY_AUTO, .string = "auto"},
    {.value = MCA_COLL_SYMM_HOST_COPY_ALWAYS, .string = "always"},
    {.value = MCA_COLL_SYMM_HOST_COPY_NEVER, .string = "never"},
    {.value = 0, .string = NULL},
};

static const mca_base_var_enum_value_t multicast_values[] = {
    {.value = MCA_COLL_SYMM_MULTICAST_AUTO, .string = "auto"},
    {.value = MCA_COLL_SYMM_MULTICAST_NEVER, .string = "never"},
    {.value = 0, .string = NULL},
};

static const struct symm_size_range slot_range = {.least = 64, .most = 64 << 10, .unit = 1};
static const struct symm_size_range staged_max_range = {
    .least = 1024, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range scratch_range = {
    .least = 1 << 20, .most = (size_t)8 << 30, .unit = 1, .zero = true};
static const struct symm_size_range ipc_bytes_range = {
    .least = 1 << 20, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range least_range = {
    .least = 1, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range pinned_range = {
    .least = 64 << 10, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range piece_range = {.least = 64 << 10, .most = 1 << 30, .unit = 1};

static const struct symm_parameter priority_parameter = {
    "priority",
    "Priority of the component: of all components the one with the highest priority serves a "
    "collective of a communicator; coll/tuned has 30. Must be the same in all processes. "
    "Negative: the component is not used",
    OPAL_INFO_LVL_6};

static const struct symm_parameter report_parameter = {
    "report",
    "Print one table a node at the end of the job, on standard error: calls and bytes by "
    "algorithm, what went to other components instead, and why",
    OPAL_INFO_LVL_3};

static const struct symm_parameter verbose_parameter = {
    "verbose",
    "What to explain on standard error while the program runs. 0: nothing; 1: what goes wrong, "
    "and on which rank; 2: also, once for each communicator, what was selected and what stood "
    "there before, or why it is not served; 3: also the first use of each algorithm on a "
    "communicator, what it was chosen by, and why what was preferred was not possible, and the first "
    "call for each reason that went to another component",
    OPAL_INFO_LVL_3};

static const struct symm_parameter allreduce_parameter = {
    "allreduce_algorithm",
    "Algorithm of MPI_Allreduce; the value of a communicator's rank 0 counts. Where the buffers "
    "do not allow it, another one is used. auto: chosen call by call. slot: the data travel with "
    "the ranks' messages to each other (up to coll_symm_slot_size). staged: through shared memory "
    "of the component, any buffers; every rank reduces a slice. staged_one_shot: likewise, but "
    "every rank reduces everything. one_shot: every rank reads all ranks' inputs and reduces "
    "everything. two_shot: every rank reduces a slice and stores it in all ranks' outputs. In "
    "device memory one_shot and two_shot are possible, by kernels, and push: every rank stores the "
    "slices of its input in the memory of the ranks that reduce them; copy_engine: likewise, by "
    "copy engines; or scratch: through memory of the component on the devices, any buffers there. "
    "multimem: by multicast, every rank reduces a slice in one load of each element and stores it in all "
    "outputs at once; multimem_one_shot: in device memory, every rank reduces everything so, for "
    "integers and bits",
    OPAL_INFO_LVL_5};

static const struct symm_parameter allgather_parameter = {
    "allgather_algorithm",
    "Algorithm of MPI_Allgather; the value of a communicator's rank 0 counts. Where the buffers "
    "do not allow it, another one is used. auto: chosen call by call. slot: the data travel with "
    "the ranks' messages to each other (up to coll_symm_slot_size). staged: through shared memory "
    "of the component, any buffers. pull: every rank reads all ranks' inputs. push: every rank "
    "stores its input in all ranks' outputs. In device memory: copy_engine: every rank copies its "
    "input to all ranks' outputs, without a kernel; kernel: likewise, by a kernel; scratch: through "
    "memory of the component on the devices, any buffers there. multimem: by multicast, every rank "
    "stores its input in all outputs at once",
    OPAL_INFO_LVL_5};

static const struct symm_parameter table_parameter = {
    "table",
    "A file of choices that come before the built-in ones, as symm_bench --tune-to writes it; the format is in "
    "ompi-symm(7). The file of a communicator's rank 0 counts. Where an algorithm is forced, that one "
    "is used",
    OPAL_INFO_LVL_5};

static const struct symm_parameter staged_max_parameter = {
    "allgather_staged_max",
    "Bytes of the largest block of an all-gather that is served on memory that the other ranks "
    "cannot reach; larger ones are left to the component before. 1024 to 1099511627776, by KiB; "
    "suffixes k, m and g are understood. 0: no limit, or just below 1 MiB where the kernel copies "
    "between processes in one step (CMA). The value of a communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter slot_parameter = {
    "slot_size",
    "Bytes of data that can travel with a rank's message to the others, so that the call takes "
    "one round whatever memory its buffers are in. With auto, all ranks together: at most "
    "16 KiB, of more than 16 ranks 32 KiB (all-gathers: 64 KiB). 64 to "
    "65536, rounded up to 64; a suffix k is understood. The value of a communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter piece_parameter = {
    "piece_size",
    "Bytes of a staging buffer: data in memory that the other ranks cannot reach are copied "
    "through shared memory in pieces of this size. Each rank of a communicator that is used has "
    "four such buffers. 65536 to 1073741824; suffixes k, m and g are understood. The value of a "
    "communicator's rank 0 counts",
    OPAL_INFO_LVL_5};

static const struct symm_parameter host_staging_parameter = {
    "host_staging",
    "Whether collectives that this component does not serve find device buffers copied to host memory, "
    "and their results copied back. auto: if Open MPI itself does not know device memory "
    "(opal_cuda_support); always; never: then they end in a segmentation fault unless Open MPI does",
    OPAL_INFO_LVL_5};

static const struct symm_parameter host_pinned_parameter = {
    "host_pinned",
    "The most bytes of pinned host memory that a process keeps for copies of device buffers. Larger buffers "
    "are copied through ordinary memory, several times slower. 65536 to 1099511627776; suffixes k, m and g "
    "are understood. 0: none",
    OPAL_INFO_LVL_5};

static const struct symm_parameter device_scratch_parameter = {
    "device_scratch",
    "The most bytes of a device's memory that a process takes for data on their way between devices: "
    "when it makes a large all-reduce there, or calls on buffers that other ranks cannot reach. "
    "1048576 to 8589934592; suffixes k, m and g are understood. 0: none; large all-reduces then take a "
    "little longer, and such buffers are copied through host memory",
    OPAL_INFO_LVL_5};

static const struct symm_parameter scratch_least_parameter = {
    "scratch_least",
    "Bytes from which on calls on device buffers that other ranks cannot reach go through scratch on the devices. "
    "Smaller ones are copied through host memory, which takes less time. 0 to 1099511627776; suffixes k, m and g "
    "are understood",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_bytes_parameter = {
    "ipc_bytes",
    "The most bytes of other processes' device memory from elsewhere (cudaMalloc) that a process has mapped at a "
    "time; what has not been used for longest goes first. 1048576 to 1099511627776; suffixes k, m and g are "
    "understood. 0: none is mapped, calls on such memory go through scratch on the devices",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_least_parameter = {
    "ipc_least",
    "Bytes from which on a buffer in device memory from elsewhere (cudaMalloc) is mapped by the other ranks. "
    "0 to 1099511627776; suffixes k, m and g are understood",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_sightings_parameter = {
    "ipc_sightings",
    "In which call on an allocation of device memory from elsewhere (cudaMalloc) it is mapped by the "
    "other ranks, which takes 50 us, or milliseconds. 1 to 1000000; 1: in the first",
    OPAL_INFO_LVL_5};

static const struct symm_parameter device_blocks_parameter = {
    "device_blocks",
    "The most blocks of a kernel on a device, each of which occupies a part of a multiprocessor that "
    "a computation beside it cannot have. 1 to 1024. 0: as many as are quickest",
    OPAL_INFO_LVL_5};

static const struct symm_parameter multicast_parameter = {
    "multicast",
    "Whether GPU memory is reached by NVLink multicast (multimem), whose switches reduce and copy. auto: "
    "where it is of use and all ranks have it; NCCL_NVLS_ENABLE=0, NVSHMEM_DISABLE_NVLS=1 or "
    "TORCH_SYMM_MEM_DISABLE_MULTICAST=1 in the environment of one rank is never for all. never: no "
    "multicast object is made, and the order in which floats are added is always that of the ranks. One "
    "rank that says never is enough",
    OPAL_INFO_LVL_5};

static const struct symm_parameter multicast_blocks_parameter = {
    "multicast_blocks",
    "Blocks of a kernel that works by NVLink multicast, which needs fewer than others do; no more than "
    "coll_symm_device_blocks. 1 to 1024. 0: 16, which has yet to be measured",
    OPAL_INFO_LVL_5};

void mca_coll_symm_parameters_register(mca_coll_symm_component_t *component)
{
    const mca_base_component_t *base = &component->super.collm_version;
    symm_parameter_int(base, &priority_parameter, INT_MIN, INT_MAX, 80, &component->priority);
    symm_parameter_bool(base, &report_parameter, false, &component->report);
    symm_parameter_int(base, &verbose_parameter, 0, 100, 0, &component->verbose);
    symm_parameter_changeable_choice(base, &allreduce_parameter, allreduce_values,
                                     &component->allreduce_algorithm);
    symm_parameter_changeable_choice(base, &allgather_parameter, allgather_values,
                                     &component->allgather_algorithm);
    symm_parameter_text(base, &table_parameter, "none", &component->table);
    symm_parameter_size(base, &staged_max_parameter, &staged_max_range, 0,
                        &component->allgather_staged_max);
    symm_parameter_size(base, &slot_parameter, &slot_range, 4096, &component->slot_size);
    symm_parameter_int(base, &device_blocks_parameter, 0, 1024, 0, &component->device_blocks);
    symm_parameter_choice(base, &multicast_parameter, multicast_values, &component->multicast);
    symm_parameter_int(base, &multicast_blocks_parameter, 0, 1024, 0,
                       &component->multicast_blocks);
    symm_parameter_size(base, &device_scratch_parameter, &scratch_range, 512 << 20,
                        &component->device_scratch);
    symm_parameter_size(base, &scratch_least_parameter, &least_range, 8 << 10,
                        &component->scratch_least);
    symm_parameter_size(base, &ipc_bytes_parameter, &ipc_bytes_range, (size_t)16 << 30,
                        &component->ipc_bytes);
    symm_parameter_size(base, &ipc_least_parameter, &least_range, 0,
                        &component->ipc_least);
    symm_parameter_int(base, &ipc_sightings_parameter, 1, 1000000, 2, &component->ipc_sightings);
    symm_parameter_choice(base, &host_staging_parameter, staging_values,
                          &component->host_staging);
    symm_parameter_size(base, &host_pinned_parameter, &pinned_range, 256 << 20,
                        &component->host_pinned);
    symm_parameter_size(base, &piece_parameter, &piece_range, 256 << 10, &component->piece_size);
}
