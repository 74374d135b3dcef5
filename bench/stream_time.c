/*
 * stream_time.c - what a collective on a CUDA stream takes: in a graph that is launched again and
 * again, and queued call by call; on memory of cudaMalloc(), beside NCCL's kernels on the same and
 * on symmetric windows.
 *
 *     mpirun -n RANKS bench/stream_time [--in-place] [--rival FILE] [--blocks N] [COLLECTIVE...]
 *
 * --blocks is the key symm_blocks of a stream's info: how many blocks a kernel has at most.
 *
 * A time is the median over blocks of the mean of the calls of a block, on the slowest rank.
 * Results are looked at after each.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/call.h"
#include "bench/empty_kernel.h"
#include "bench/failure.h"
#include "bench/gpus.h"
#include "bench/nccl.h"
#include "heap/gpu/cuda_device.h"
#include "heap/team/stream_lane.h"
#include "kernels/cuda/stream/queue.h"

enum { IN_GRAPH = 20, LAUNCHES = 10, QUEUED = 200, BLOCKS = 15, SIDES = 1 + NCCL_WINDOW + 1 };

static const size_t sizes[] = {8, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10,
                               1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 64 << 20};

struct bench {
    struct gpus gpus;
    int rank, ranks;
    bool in_place;
    unsigned blocks; /* of a kernel, at most; 0: as many as are of use */
    struct symm_process *process;
    struct symm_stream_lane lane;
    struct symm_stream_queue *queue;
    struct symm_stream_limits limits;
    struct nccl *nccl; /* NULL: no rival */
};

/* A way to make calls, with its memory. */
struct way {
    const struct bench *bench;
    void *empty; /* a kernel that does nothing, instead of calls */
    bool is_own;
    struct buffers buffers;
    struct nccl_path path;
    struct call call;
};

static void need(enum symm_status status, const char *what)
{
    char text[256] = "";
    if (status != SYMM_OK) {
        symm_cuda_last_failure(text, sizeof(text));
        failure_stop("%s: %s %s", what, symm_status_string(status), text);
    }
}

/* ---- the lane -------------------------------------------------------------------------------- */

static void lane_open(struct bench *bench)
{
    enum { NAME = 256 };
    char name[NAME] = "", names[SYMM_STREAM_RANKS][NAME];
    struct symm_stream_place places[SYMM_STREAM_RANKS];
    const int device = device_number(bench->gpus.device);
    symm_cuda_configure(getenv("SYMM_BENCH_CUDA_LIBRARY"));
    need(symm_process_acquire(NULL, &bench->process), "symm_process_acquire");
    need(symm_process_serve(bench->process), "symm_process_serve");
    bench->limits = symm_stream_limits_default(bench->ranks);
    if (bench->blocks > 0) {
        bench->limits.blocks = bench->blocks;
    }
    need(symm_stream_lane_take(&bench->lane, bench->process, device, bench->rank, bench->ranks,
                               symm_stream_memory_bytes(&bench->limits)), "memory of a lane");
    (void)snprintf(name, sizeof(name), "%s", symm_process_name(bench->process));
    MPI_Allgather(name, NAME, MPI_CHAR, names, NAME, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allgather(&bench->lane.place, sizeof(places[0]), MPI_BYTE, places, sizeof(places[0]),
                  MPI_BYTE, MPI_COMM_WORLD);
    for (int rank = 0; rank < bench->ranks; rank++) {
        enum symm_status status = SYMM_PENDING;
        while (status == SYMM_PENDING) {
            status = symm_stream_lane_reach(&bench->lane, rank, names[rank], &places[rank]);
        }
        need(status, "reaching the lane of a peer");
    }
    need(symm_stream_queue_create(device, bench->rank, bench->ranks, bench->lane.memory,
                                  &bench->queue), "symm_stream_queue_create");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lane_close(struct bench *bench)
{
    device_wait(bench->gpus.device);
    MPI_Barrier(MPI_COMM_WORLD);
    symm_stream_queue_destroy(bench->queue);
    symm_stream_lane_leave(&bench->lane);
    symm_process_release(bench->process);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static enum symm_collective collective_of(enum collective collective)
{
    switch (collective) {
    case COLLECTIVE_ALLREDUCE: return SYMM_ALLREDUCE;
    case COLLECTIVE_ALLGATHER: return SYMM_ALLGATHER;
    case COLLECTIVE_ALLTOALL: return SYMM_ALLTOALL;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK: return SYMM_REDUCE_SCATTER_BLOCK;
    case COLLECTIVE_BCAST: return SYMM_BCAST;
    case COLLECTIVE_REDUCE: return SYMM_REDUCE;
    case COLLECTIVE_GATHER: return SYMM_GATHER;
    case COLLECTIVE_SCATTER: return SYMM_SCATTER;
    default: return SYMM_COLLECTIVE_COUNT;
    }
}

static void way_start(const struct way *way, void *stream)
{
    const struct bench *bench = way->bench;
    if (way->empty != NULL) {
        empty_kernel_launch(way->empty, stream);
        return;
    }
    if (!way->is_own) {
        nccl_path_start(&way->path, &way->call, stream);
        return;
    }
    const struct symm_stream_call call = {
        .collective = collective_of(way->call.collective),
        .input = call_input(&way->call), .output = call_result(&way->call),
        .count = (size_t)call_count(&way->call), .type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM,
    };
    need(symm_stream_queue_add(bench->queue, &call, &bench->limits, stream),
         "symm_stream_queue_add");
}

static bool way_open(struct way *way, const struct bench *bench, int side,
                     enum collective collective, size_t bytes)
{
    *way = (struct way){.bench = bench, .is_own = side == 0};
    way->call = (struct call){
        .collective = collective, .bytes = call_round(collective, bytes, bench->ranks),
        .rank = bench->rank, .ranks = bench->ranks, .in_place = bench->in_place,
        .element = ELEMENT_FLOAT,
    };
    const size_t send = call_send_bytes(&way->call), receive = call_receive_bytes(&way->call);
    if (way->is_own) {
        buffers_open(&way->buffers, MEMORY_CUDAMALLOC, bench->gpus.device, send, receive);
        way->call.buffers = &way->buffers;
    } else {
        if (bench->nccl == NULL || !nccl_path_open(&way->path, bench->nccl, side - 1, collective,
                                                   send, receive)) {
            return false;
        }
        way->call.in_own_block = true;
        way->call.buffers = &way->path.buffers;
    }
    return true;
}

static void way_close(struct way *way)
{
    if (way->is_own) {
        buffers_close(&way->buffers);
    } else {
        nccl_path_close(&way->path);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the slowest rank. */
static double median_of(double *times)
{
    double median, slowest;
    qsort(times, BLOCKS, sizeof(*times), compare);
    median = times[BLOCKS / 2];
    MPI_Allreduce(&median, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* `graph` NULL: calls are queued one by one. */
static double time_of(const struct way *way, void *graph, void *stream)
{
    const struct device *device = way->bench->gpus.device;
    void *from = device_event_open(device), *to = device_event_open(device);
    const int count = graph != NULL ? LAUNCHES : QUEUED;
    double times[BLOCKS];
    for (int block = -3; block < BLOCKS; block++) {
        MPI_Barrier(MPI_COMM_WORLD);
        device_event_record(device, from, stream);
        for (int i = 0; i < count; i++) {
            if (graph != NULL) {
                device_graph_launch(device, graph, stream);
            } else {
                way_start(way, stream);
            }
        }
        device_event_record(device, to, stream);
        device_event_wait(device, to);
        if (block >= 0) {
            times[block] = device_event_us(device, from, to) / count /
                           (graph != NULL ? IN_GRAPH : 1);
        }
    }
    device_event_close(device, from);
    device_event_close(device, to);
    return median_of(times);
}

/* What a launch costs at least: no queued call can take less. */
static void launch_print(const struct bench *bench)
{
    const struct way way = {.bench = bench, .empty = empty_kernel_get()};
    const double time = way.empty != NULL
                            ? time_of(&way, NULL, device_stream(bench->gpus.device)) : 0;
    if (bench->rank == 0 && time > 0) {
        (void)printf("# an empty kernel, queued: %.2f us\n", time);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static float element(int rank, size_t i)
{
    return (float)((i * 7 + (size_t)rank * 3) % 61);
}

/* What is expected in element i of this rank's result. */
static float expected(const struct call *call, size_t i)
{
    const size_t block = call->bytes / ELEMENT_BYTES;
    float sum = 0;
    if (call->collective == COLLECTIVE_REDUCE_SCATTER_BLOCK) {
        i += (size_t)call->rank * (block / (size_t)call->ranks);
    }
    if (call_reduces(call->collective)) {
        for (int rank = 0; rank < call->ranks; rank++) {
            sum += element(rank, i);
        }
        return sum;
    }
    switch (call->collective) {
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_GATHER:
        return element((int)(i / block), i % block);
    case COLLECTIVE_ALLTOALL:
        return element((int)(i / block), (size_t)call->rank * block + i % block);
    case COLLECTIVE_SCATTER:
        return element(0, (size_t)call->rank * block + i);
    default:
        return element(0, i);
    }
}

/* One call on known data, outside of what is timed. */
static bool is_right(const struct way *way, void *stream)
{
    const struct call *call = &way->call;
    const struct device *device = way->bench->gpus.device;
    const size_t input = call_input_bytes(call) / ELEMENT_BYTES,
                 result = call_result_bytes(call) / ELEMENT_BYTES;
    float *data = malloc((input > result ? input : result) * sizeof(float) + sizeof(float));
    bool right = true;
    if (call_has_input(call)) {
        for (size_t i = 0; i < input; i++) {
            data[i] = element(call->rank, i);
        }
        device_store(device, call_input(call), data, input * sizeof(float));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    way_start(way, stream);
    device_wait(device);
    if (call_has_result(call)) {
        device_load(device, data, call_result(call), result * sizeof(float));
        for (size_t i = 0; i < result; i++) {
            right = right && fabsf(data[i] - expected(call, i)) == 0;
        }
    }
    free(data);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    return right;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* In a graph, and queued; below 0: not this way. */
static bool side_measure(const struct bench *bench, int side, enum collective collective,
                         size_t bytes, double times[2])
{
    struct way way;
    void *stream = device_stream(bench->gpus.device);
    times[0] = times[1] = -1;
    if (!way_open(&way, bench, side, collective, bytes)) {
        return true;
    }
    device_capture_begin(bench->gpus.device, stream);
    for (int i = 0; i < IN_GRAPH; i++) {
        way_start(&way, stream);
    }
    void *graph = device_capture_end(bench->gpus.device, stream);
    bool right = is_right(&way, stream);
    times[0] = time_of(&way, graph, stream);
    times[1] = time_of(&way, NULL, stream);
    right = is_right(&way, stream) && right;
    device_graph_close(bench->gpus.device, graph);
    way_close(&way);
    return right;
}

static void column_print(double time)
{
    if (time < 0) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.2f", time);
    }
}

static void row_measure(const struct bench *bench, enum collective collective, size_t bytes)
{
    double times[SIDES][2];
    bool right = true;
    for (int side = 0; side < SIDES; side++) {
        right = side_measure(bench, side, collective, bytes, times[side]) && right;
    }
    if (bench->rank != 0) {
        return;
    }
    (void)printf("%-9zu", bytes);
    for (int form = 0; form < 2; form++) {
        double best = INFINITY;
        for (int side = 0; side < SIDES; side++) {
            column_print(times[side][form]);
            if (side > 0 && times[side][form] >= 0) {
                best = fmin(best, times[side][form]);
            }
        }
        (void)printf(" %6.2f", isinf(best) || times[0][form] < 0 ? 0 : best / times[0][form]);
    }
    (void)printf("  %s\n", right ? "Pass" : "WRONG");
    (void)fflush(stdout);
}

static void table_measure(const struct bench *bench, enum collective collective)
{
    if (bench->rank == 0) {
        (void)printf("\n# %s%s, float32, memory of cudaMalloc, us\n"
                     "# ratio: the best rival's time, divided by this library's\n"
                     "#        in a graph                               queued\n"
                     "# Size         symm      NCCL    window  ratio      symm      NCCL    window"
                     "  ratio\n", options_collective_name(collective),
                     bench->in_place ? ", in place" : "");
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        row_measure(bench, collective, sizes[i]);
    }
}

static enum collective collective_named(const char *name)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        if (strcmp(name, options_collective_name((enum collective)i)) == 0 &&
            collective_of((enum collective)i) != SYMM_COLLECTIVE_COUNT) {
            return (enum collective)i;
        }
    }
    failure_stop("'%s': choose allreduce, allgather, alltoall, reduce_scatter_block, bcast, "
                 "reduce, gather or scatter", name);
}

static unsigned blocks_read(const char *text)
{
    char *end;
    const unsigned long blocks = strtoul(text, &end, 10);
    if (*end != '\0' || blocks < SYMM_STREAM_BLOCKS_LEAST || blocks > SYMM_STREAM_BLOCKS) {
        failure_stop("--blocks %s: take %d to %d", text, SYMM_STREAM_BLOCKS_LEAST,
                     SYMM_STREAM_BLOCKS);
    }
    return (unsigned)blocks;
}

int main(int argc, char **argv)
{
    struct bench bench = {.in_place = false};
    const char *rival = NULL;
    int first = 1;
    failure_program = "stream_time";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--in-place") == 0) {
            bench.in_place = true;
        } else if (strcmp(argv[first], "--rival") == 0 && first + 1 < argc) {
            rival = argv[++first];
        } else if (strcmp(argv[first], "--blocks") == 0 && first + 1 < argc) {
            bench.blocks = blocks_read(argv[++first]);
        } else {
            failure_stop("'%s': the options are --in-place, --rival FILE and --blocks N",
                         argv[first]);
        }
    }
    if (bench.ranks < 2 || bench.ranks > SYMM_STREAM_RANKS) {
        failure_stop("start it with mpirun -n 2 to -n %d", SYMM_STREAM_RANKS);
    }
    if (!gpus_open(&bench.gpus, MPI_COMM_WORLD)) {
        MPI_Finalize();
        return 1;
    }
    gpus_print(&bench.gpus, MPI_COMM_WORLD);
    if (rival != NULL && nccl_open(&bench.nccl, rival, &bench.gpus, MPI_COMM_WORLD)) {
        nccl_print(bench.nccl);
    }
    lane_open(&bench);
    launch_print(&bench);
    if (first == argc) {
        table_measure(&bench, COLLECTIVE_ALLREDUCE);
    }
    for (; first < argc; first++) {
        table_measure(&bench, collective_named(argv[first]));
    }
    lane_close(&bench);
    if (bench.nccl != NULL) {
        nccl_close(bench.nccl);
    }
    gpus_close(&bench.gpus);
    MPI_Finalize();
    return 0;
}
