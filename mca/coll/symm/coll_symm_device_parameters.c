/*
 * coll_symm_device_parameters.c - the parameters of calls on device memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm.h"
#include "mca/parameter.h"

static const mca_base_var_enum_value_t host_copies_values[] = {
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

static const struct symm_size_range scratch_range = {
    .least = 1 << 20, .most = (size_t)8 << 30, .unit = 1, .zero = true};
static const struct symm_size_range packing_range = {
    .least = 1 << 20, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range pads_range = {
    .least = 256 << 10, .most = (size_t)8 << 30, .unit = 1, .zero = true};
static const struct symm_size_range ipc_bytes_range = {
    .least = 1 << 20, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range least_range = {
    .least = 1, .most = (size_t)1 << 40, .unit = 1, .zero = true};
static const struct symm_size_range pinned_range = {
    .least = 64 << 10, .most = (size_t)1 << 40, .unit = 1, .zero = true};

static const struct symm_parameter host_copies_parameter = {
    "host_copies",
    "Whether device buffers of collectives that this component does not serve are copied to host "
    "memory for the component below, and the results copied back. auto: if Open MPI itself does "
    "not know device memory (opal_cuda_support), or its UCX has not loaded libucm_cuda.so; and for "
    "nonblocking and persistent reductions. always: in any case. never: not at all; these calls "
    "end in a segmentation fault unless Open MPI itself knows device memory",
    OPAL_INFO_LVL_2};

static const struct symm_parameter host_pinned_parameter = {
    "host_pinned",
    "The most bytes of pinned host memory that a process keeps for copies of device buffers. A "
    "call needs a block for each of its buffers. Those that do not fit are copied through ordinary "
    "memory, two to three times slower. 65536 to 1099511627776; suffixes k, m and g are "
    "understood. 0: none",
    OPAL_INFO_LVL_2};

static const struct symm_parameter device_scratch_parameter = {
    "device_scratch",
    "The most bytes of a device's memory that a process takes as scratch, for data on their way "
    "between devices. Large all-reduces need scratch, and so do calls on buffers that other ranks "
    "cannot reach. 1048576 to 8589934592; suffixes k, m and g are understood. 0: none; large "
    "all-reduces then take a little longer, and calls on buffers that cannot be reached are made "
    "on copies in host memory",
    OPAL_INFO_LVL_2};

static const struct symm_parameter device_packing_parameter = {
    "device_packing",
    "The most bytes of a device's memory that a process takes to pack data with gaps in, which "
    "calls on device buffers with derived datatypes need: as many as the data that a rank sends "
    "and receives with gaps. 1048576 to 1099511627776; suffixes k, m and g are understood. 0: "
    "none. Calls that need more are made on copies in host memory",
    OPAL_INFO_LVL_5};

static const struct symm_parameter scratch_least_parameter = {
    "scratch_least",
    "Bytes from which on calls on device buffers that other ranks cannot reach go through scratch "
    "on the devices, and from which on kernels pack what has gaps there. Smaller calls are made on "
    "copies in host memory, which takes less time, where there are such copies (host_copies). 0 "
    "to 1099511627776; suffixes k, m and g are understood",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_bytes_parameter = {
    "ipc_bytes",
    "The most bytes of other processes' memory of cudaMalloc that a process has mapped at a time. "
    "The allocation that has been unused for longest is unmapped first. 1048576 to 1099511627776; "
    "suffixes k, m and g are understood. 0: none is mapped, and calls on such memory go through "
    "scratch on the devices",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_least_parameter = {
    "ipc_least",
    "Bytes from which on a buffer in memory of cudaMalloc is mapped by the other ranks. 0 to "
    "1099511627776; suffixes k, m and g are understood",
    OPAL_INFO_LVL_5};

static const struct symm_parameter ipc_uses_parameter = {
    "ipc_uses",
    "The call on an allocation of cudaMalloc in which the other ranks map it. Mapping takes 50 "
    "us, or milliseconds. 1 to 1000000. 1: in the first call",
    OPAL_INFO_LVL_5};

static const struct symm_parameter device_blocks_parameter = {
    "device_blocks",
    "The most blocks of a kernel on a device. They take their place from a computation that runs "
    "at the same time. 1 to 1024. 0: as many as are quickest",
    OPAL_INFO_LVL_5};

static const struct symm_parameter device_graphs_parameter = {
    "device_graphs",
    "Launch kernels as CUDA graphs of one node, where the driver has graphs, which takes less "
    "time. A profiler may then show graphs instead of kernels. The value may differ between ranks",
    OPAL_INFO_LVL_5};

static const struct symm_parameter device_pads_parameter = {
    "device_pads",
    "The most bytes of a device's memory that a process takes as pads, to which other ranks send "
    "small data as packets. A communicator of N ranks takes 128 KiB times N with its first small "
    "call on device buffers, up to 8 ranks, and 4 MiB times N with the first that sends more than "
    "64 KiB to a rank by packets, for which half of the value is room. 262144 to 8589934592; "
    "suffixes k, m and g are understood. 0: none; small calls then take some microseconds longer",
    OPAL_INFO_LVL_5};

static const struct symm_parameter multicast_parameter = {
    "multicast",
    "Whether device memory is reached by NVLink multicast (multimem), where the switches reduce "
    "loaded data and copy stored data. auto: where it is quicker and all ranks have it; "
    "NCCL_NVLS_ENABLE=0, NVSHMEM_DISABLE_NVLS=1 or TORCH_SYMM_MEM_DISABLE_MULTICAST=1 in the "
    "environment of one rank means never for all. never: no multicast object is made, and every "
    "algorithm adds floats in the order of the ranks. The value never of one rank is enough",
    OPAL_INFO_LVL_1};

static const struct symm_parameter multicast_blocks_parameter = {
    "multicast_blocks",
    "Blocks of a kernel that works by NVLink multicast, which needs fewer than other kernels. No "
    "more than coll_symm_device_blocks are used. 1 to 1024. 0: 16, which has yet to be measured",
    OPAL_INFO_LVL_5};

void mca_coll_symm_device_parameters_register(mca_coll_symm_component_t *component)
{
    const mca_base_component_t *base = &component->super.collm_version;
    symm_parameter_int(base, &device_blocks_parameter, 0, 1024, 0, &component->device_blocks);
    symm_parameter_bool(base, &device_graphs_parameter, true, &component->device_graphs);
    symm_parameter_size(base, &device_pads_parameter, &pads_range, 64 << 20,
                        &component->device_pads);
    symm_parameter_choice(base, &multicast_parameter, multicast_values, &component->multicast);
    symm_parameter_int(base, &multicast_blocks_parameter, 0, 1024, 0,
                       &component->multicast_blocks);
    symm_parameter_size(base, &device_scratch_parameter, &scratch_range, 512 << 20,
                        &component->device_scratch);
    symm_parameter_size(base, &device_packing_parameter, &packing_range, (size_t)2 << 30,
                        &component->device_packing);
    symm_parameter_size(base, &scratch_least_parameter, &least_range, 8 << 10,
                        &component->scratch_least);
    symm_parameter_size(base, &ipc_bytes_parameter, &ipc_bytes_range, (size_t)16 << 30,
                        &component->ipc_bytes);
    symm_parameter_size(base, &ipc_least_parameter, &least_range, 0,
                        &component->ipc_least);
    symm_parameter_int(base, &ipc_uses_parameter, 1, 1000000, 2, &component->ipc_uses);
    symm_parameter_choice(base, &host_copies_parameter, host_copies_values,
                          &component->host_copies);
    symm_parameter_size(base, &host_pinned_parameter, &pinned_range, 1 << 30,
                        &component->host_pinned);
}
