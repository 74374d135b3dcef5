/*
 * driver_waits.c - which calls of the CUDA driver wait until a kernel of the program has ended.  A
 * program's kernel may wait for what another rank does after its collective.  So no call of the
 * library that does wait may be made while a collective is under way.
 *
 *     bench/probes/driver_waits [DEVICE]
 *
 * A kernel spins for 0.3 s in a stream of the program, once in one that synchronises with the
 * legacy stream and once in one that does not, and each call is timed beside it.  Its result is
 * printed as the driver gives it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "bench/probes/resident.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"
#include "bench/probes/probe.h"

enum { BYTES = 1 << 20, SPIN_US = 300000 };

/* What the calls work with; it is made anew for each of them, while the device rests. */
struct waits {
    struct probe probe;
    const struct symm_cuda *cuda;
    CUfunction function;
    CUstream beside;
    void *host, *registered;
    CUdeviceptr memory, mapping;
    CUmemGenericAllocationHandle handle;
    CUmodule module;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    struct resident_arguments idle; /* of a kernel that leaves at once */
    void *parameters[1];
    CUDA_KERNEL_NODE_PARAMS kernel;
};

/* ---- calls ----------------------------------------------------------------------------------- */

/* The first failure of several calls. */
static CUresult both(CUresult first, CUresult second)
{
    return first != CUDA_SUCCESS ? first : second;
}

static CUresult stream_create(struct waits *waits)
{
    CUstream stream = NULL;
    CUresult result = waits->cuda->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    return both(result, waits->cuda->cuStreamDestroy(stream));
}

static CUresult copy_to_host(struct waits *waits)
{
    CUresult result = waits->cuda->cuMemcpyDtoHAsync(waits->registered, waits->memory, BYTES,
                                                     waits->beside);
    return both(result, waits->cuda->cuStreamSynchronize(waits->beside));
}

static CUresult kernel_launch(struct waits *waits)
{
    CUresult result = waits->cuda->cuLaunchKernel(waits->function, 1, 1, 1, 32, 1, 1, 0,
                                                  waits->beside, waits->parameters, NULL);
    return both(result, waits->cuda->cuStreamSynchronize(waits->beside));
}

static CUresult graph_create(struct waits *waits)
{
    CUgraph graph = NULL;
    CUgraphNode node;
    CUresult result = waits->cuda->cuGraphCreate(&graph, 0);
    result = both(result, waits->cuda->cuGraphAddKernelNode(&node, graph, NULL, 0, &waits->kernel));
    return both(result, waits->cuda->cuGraphDestroy(graph));
}

static CUresult graph_instantiate(struct waits *waits)
{
    return waits->cuda->cuGraphInstantiateWithFlags(&waits->exec, waits->graph, 0);
}

static CUresult graph_upload(struct waits *waits)
{
    return waits->cuda->cuGraphUpload(waits->exec, waits->beside);
}

static CUresult graph_set(struct waits *waits)
{
    return waits->cuda->cuGraphExecKernelNodeSetParams(waits->exec, waits->node, &waits->kernel);
}

static CUresult graph_launch(struct waits *waits)
{
    CUresult result = waits->cuda->cuGraphLaunch(waits->exec, waits->beside);
    return both(result, waits->cuda->cuStreamSynchronize(waits->beside));
}

static CUresult graph_set_and_launch(struct waits *waits)
{
    CUresult result = graph_set(waits);
    return both(result, graph_launch(waits));
}

static CUresult graph_destroy(struct waits *waits)
{
    CUresult result = waits->cuda->cuGraphExecDestroy(waits->exec);
    waits->exec = NULL;
    return result;
}

static CUresult host_register(struct waits *waits)
{
    return waits->cuda->cuMemHostRegister(waits->host, BYTES, CU_MEMHOSTREGISTER_DEVICEMAP);
}

static CUresult host_unregister(struct waits *waits)
{
    return waits->cuda->cuMemHostUnregister(waits->host);
}

static CUresult module_load(struct waits *waits)
{
    return waits->cuda->cuModuleLoadData(&waits->module, probe_fatbin_resident);
}

static CUresult module_unload(struct waits *waits)
{
    return waits->cuda->cuModuleUnload(waits->module);
}

static CUresult memory_alloc(struct waits *waits)
{
    return waits->cuda->cuMemAlloc(&waits->mapping, BYTES);
}

static CUresult memory_free(struct waits *waits)
{
    return waits->cuda->cuMemFree(waits->mapping);
}

/* By name; `prepare` makes what is needed, `restore` undoes what `call` has done. */
static const struct timed {
    const char *name;
    CUresult (*prepare)(struct waits *waits);
    CUresult (*call)(struct waits *waits);
    CUresult (*restore)(struct waits *waits);
} calls[] = {
    {"cuStreamCreate, cuStreamDestroy", NULL, stream_create, NULL},
    {"cuMemcpyDtoHAsync beside, until its end", NULL, copy_to_host, NULL},
    {"cuLaunchKernel beside, until its end", NULL, kernel_launch, NULL},
    {"cuGraphCreate, cuGraphAddKernelNode", NULL, graph_create, NULL},
    {"cuGraphInstantiateWithFlags", NULL, graph_instantiate, graph_destroy},
    {"cuGraphUpload", graph_instantiate, graph_upload, graph_destroy},
    {"cuGraphLaunch without upload, until its end", graph_instantiate, graph_launch,
     graph_destroy},
    {"cuGraphExecKernelNodeSetParams", graph_instantiate, graph_set, graph_destroy},
    {"the same, and cuGraphLaunch", graph_instantiate, graph_set_and_launch, graph_destroy},
    {"cuGraphExecDestroy", graph_instantiate, graph_destroy, NULL},
    {"cuMemHostRegister", NULL, host_register, host_unregister},
    {"cuMemHostUnregister", host_register, host_unregister, NULL},
    {"cuModuleLoadData", NULL, module_load, module_unload},
    {"cuModuleUnload", module_load, module_unload, NULL},
    {"cuMemAlloc", NULL, memory_alloc, memory_free},
    {"cuMemFree", memory_alloc, memory_free, NULL},
};

/* ---- timing ---------------------------------------------------------------------------------- */

static void call_time(struct waits *waits, const struct timed *timed, CUstream stream)
{
    struct resident_arguments spin = waits->idle;
    void *parameters[] = {&spin};
    char text[160];
    spin.patience = (uint64_t)SPIN_US * 1000;
    probe_check(timed->prepare != NULL ? timed->prepare(waits) : CUDA_SUCCESS, timed->name);
    probe_check(waits->cuda->cuLaunchKernel(waits->function, 1, 1, 1, 1, 1, 1, 0, stream,
                                            parameters, NULL), "cuLaunchKernel");
    double begin = clock_us();
    CUresult result = timed->call(waits);
    double time = clock_us() - begin;
    probe_check(waits->cuda->cuStreamSynchronize(stream), "cuStreamSynchronize");
    (void)printf("%s %10.3f ms  %s%s%s\n", time > SPIN_US / 2 ? "WAITS" : "ok   ", time / 1000,
                 timed->name, result == CUDA_SUCCESS ? "" : ": ",
                 result == CUDA_SUCCESS ? "" : symm_cuda_error(result, text, sizeof(text)));
    if (result == CUDA_SUCCESS && timed->restore != NULL) {
        probe_check(timed->restore(waits), timed->name);
    }
}

static void waits_open(struct waits *waits, int number)
{
    CUdeviceptr words;
    probe_open(&waits->probe, number, probe_fatbin_resident);
    waits->cuda = waits->probe.cuda;
    waits->function = probe_function(&waits->probe, "resident");
    waits->registered = probe_host_memory(&waits->probe, BYTES, &words);
    waits->host = aligned_alloc(4096, BYTES);
    probe_memory(&waits->probe, 1, 0, BYTES, &waits->memory);
    waits->idle = (struct resident_arguments){.doorbell = words, .flag = words + 64};
    waits->parameters[0] = &waits->idle;
    waits->kernel = (CUDA_KERNEL_NODE_PARAMS){
        .func = waits->function, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32,
        .blockDimY = 1, .blockDimZ = 1, .kernelParams = waits->parameters,
        .ctx = waits->probe.context,
    };
    probe_check(waits->cuda->cuCtxPushCurrent(waits->probe.context), "cuCtxPushCurrent");
    probe_check(waits->cuda->cuStreamCreate(&waits->beside, CU_STREAM_NON_BLOCKING),
                "cuStreamCreate");
    probe_check(waits->cuda->cuGraphCreate(&waits->graph, 0), "cuGraphCreate");
    probe_check(waits->cuda->cuGraphAddKernelNode(&waits->node, waits->graph, NULL, 0,
                                                  &waits->kernel), "cuGraphAddKernelNode");
}

int main(int argc, char **argv)
{
    static struct waits waits;
    static const struct {
        const char *name;
        unsigned flags;
    } streams[] = {{"blocking", CU_STREAM_DEFAULT}, {"non-blocking", CU_STREAM_NON_BLOCKING}};
    int number = probe_device_of(argc, argv);
    char text[160];
    waits_open(&waits, number);
    symm_cuda_device_describe(number, text, sizeof(text));
    (void)printf("# %s\n", text);
    for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
        CUstream stream;
        probe_check(waits.cuda->cuStreamCreate(&stream, streams[i].flags), "cuStreamCreate");
        (void)printf("# beside a kernel of %d ms in a %s stream\n", SPIN_US / 1000,
                     streams[i].name);
        for (size_t k = 0; k < sizeof(calls) / sizeof(*calls); k++) {
            call_time(&waits, &calls[k], stream);
        }
        probe_check(waits.cuda->cuStreamDestroy(stream), "cuStreamDestroy");
    }
    return 0;
}
