/*
 * nccl_double.c - a TEST DOUBLE of NCCL for symm_bench --rival nccl=FILE, never installed: the
 * functions that the benchmark calls, between processes of one machine, through a shared file, with
 * copies by whatever stands for the CUDA driver (SYMM_BENCH_CUDA_LIBRARY). It does in the call what
 * NCCL does on a stream. From the environment:
 *   NCCL_DOUBLE_VERSION  what ncclGetVersion() says, 22809 if not set
 *   NCCL_DOUBLE_WRONG    =plain, =window or =CE: results of this way have one byte that is wrong
 *   NCCL_DOUBLE_FAIL     the name of a function that fails
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "tests/users/doubles/driver.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Everything else is hidden. */
#define EXPORTED __attribute__((visibility("default")))

enum {
    SUCCESS = 0,
    INTERNAL_ERROR = 3,
    INVALID_ARGUMENT = 4,
    TYPE_INT8 = 0,
    TYPE_INT32 = 2,
    TYPE_FLOAT32 = 7,
    POLICY_ZERO = 2,
    RANKS_MOST = 8,
    PIECE = 64 << 10,
    WINDOWS_MOST = 16
};

struct shared {
    _Atomic int arrived;
    _Atomic int generation;
    unsigned char piece[RANKS_MOST][PIECE];
};

struct window {
    struct comm *comm;
    uintptr_t first;
    size_t bytes;
};

struct comm {
    struct shared *shared;
    int ranks;
    int rank;
    int policy;
};

typedef struct {
    char file[128];
} unique_id;

struct config {
    size_t size;
    unsigned magic;
    unsigned version;
    int before_policy[4];
    const char *net_name;
    int share[2];
    const char *comm_name;
    int collnet;
    int policy;
};

static struct window windows[WINDOWS_MOST];

int ncclGetVersion(int *version);
int ncclGetUniqueId(unique_id *id);
int ncclCommInitRank(struct comm **comm, int ranks, unique_id id, int rank);
int ncclCommInitRankConfig(struct comm **comm, int ranks, unique_id id, int rank,
                           struct config *config);
int ncclCommDestroy(struct comm *comm);
const char *ncclGetErrorString(int result);
int ncclMemAlloc(void **memory, size_t bytes);
int ncclMemFree(void *memory);
int ncclCommWindowRegister(struct comm *comm, void *memory, size_t bytes, struct window **window,
                           int flags);
int ncclCommWindowDeregister(struct comm *comm, struct window *window);
int ncclAllReduce(const void *send, void *receive, size_t count, int type, int operation,
                  struct comm *comm, void *stream);
int ncclAllGather(const void *send, void *receive, size_t count, int type, struct comm *comm,
                  void *stream);
int ncclReduceScatter(const void *send, void *receive, size_t count, int type, int operation,
                      struct comm *comm, void *stream);
int ncclAlltoAll(const void *send, void *receive, size_t count, int type, struct comm *comm,
                 void *stream);

static bool is_set_to(const char *variable, const char *value)
{
    const char *text = getenv(variable);
    return text != NULL && strcmp(text, value) == 0;
}

#define FAIL_IF_ASKED() \
    if (is_set_to("NCCL_DOUBLE_FAIL", __func__)) return INTERNAL_ERROR

/* ---- communicators --------------------------------------------------------------------------- */

static void meet(struct comm *comm)
{
    struct shared *shared = comm->shared;
    int generation = atomic_load(&shared->generation);
    if (atomic_fetch_add(&shared->arrived, 1) + 1 == comm->ranks) {
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->generation, 1);
        return;
    }
    while (generation == atomic_load(&shared->generation)) {
        sched_yield();
    }
}

EXPORTED int ncclGetVersion(int *version)
{
    const char *text = getenv("NCCL_DOUBLE_VERSION");
    FAIL_IF_ASKED();
    *version = text != NULL ? atoi(text) : 22809;
    return SUCCESS;
}

EXPORTED int ncclGetUniqueId(unique_id *id)
{
    const char *folder = getenv("TMPDIR");
    FAIL_IF_ASKED();
    snprintf(id->file, sizeof(id->file), "%s/nccl-double.XXXXXX",
             folder != NULL ? folder : "/tmp");
    int file = mkstemp(id->file);
    if (file < 0 || ftruncate(file, sizeof(struct shared)) != 0) {
        return INTERNAL_ERROR;
    }
    close(file);
    return SUCCESS;
}

/* The file goes when all have it. */
EXPORTED int ncclCommInitRank(struct comm **made, int ranks, unique_id id, int rank)
{
    int file = open(id.file, O_RDWR | O_CLOEXEC);
    struct comm *comm = calloc(1, sizeof(*comm));
    FAIL_IF_ASKED();
    if (file < 0 || comm == NULL || ranks > RANKS_MOST) {
        return INVALID_ARGUMENT;
    }
    comm->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if ((void *)comm->shared == MAP_FAILED) {
        return INTERNAL_ERROR;
    }
    comm->ranks = ranks;
    comm->rank = rank;
    meet(comm);
    if (rank == 0) {
        unlink(id.file);
    }
    *made = comm;
    return SUCCESS;
}

EXPORTED int ncclCommInitRankConfig(struct comm **made, int ranks, unique_id id, int rank,
                                    struct config *config)
{
    FAIL_IF_ASKED();
    if (config->magic != 0xcafebeef || config->version < 22700 || config->collnet != INT_MIN) {
        return INVALID_ARGUMENT;
    }
    int result = ncclCommInitRank(made, ranks, id, rank);
    if (SUCCESS == result) {
        (*made)->policy = config->policy;
    }
    return result;
}

EXPORTED int ncclCommDestroy(struct comm *comm)
{
    FAIL_IF_ASKED();
    for (int i = 0; i < WINDOWS_MOST; i++) {
        if (windows[i].comm == comm) {
            return INVALID_ARGUMENT;
        }
    }
    munmap(comm->shared, sizeof(struct shared));
    free(comm);
    return SUCCESS;
}

EXPORTED const char *ncclGetErrorString(int result)
{
    return result == INVALID_ARGUMENT ? "invalid argument" : "internal error";
}

/* ---- memory ---------------------------------------------------------------------------------- */

EXPORTED int ncclMemAlloc(void **memory, size_t bytes)
{
    CUdeviceptr address;
    FAIL_IF_ASKED();
    if (DRIVER(cuMemAlloc)(&address, bytes) != CUDA_SUCCESS) {
        return INTERNAL_ERROR;
    }
    *memory = (void *)(uintptr_t)address;
    return SUCCESS;
}

EXPORTED int ncclMemFree(void *memory)
{
    FAIL_IF_ASKED();
    return DRIVER(cuMemFree)(driver_address(memory)) == CUDA_SUCCESS ? SUCCESS : INTERNAL_ERROR;
}

EXPORTED int ncclCommWindowRegister(struct comm *comm, void *memory, size_t bytes,
                                    struct window **window, int flags)
{
    FAIL_IF_ASKED();
    if (flags != 1 || bytes % 4096 != 0) {
        return INVALID_ARGUMENT;
    }
    meet(comm);
    for (int i = 0; i < WINDOWS_MOST; i++) {
        if (windows[i].comm == NULL) {
            windows[i] = (struct window){comm, (uintptr_t)memory, bytes};
            *window = &windows[i];
            return SUCCESS;
        }
    }
    return INTERNAL_ERROR;
}

EXPORTED int ncclCommWindowDeregister(struct comm *comm, struct window *window)
{
    FAIL_IF_ASKED();
    if (window->comm != comm) {
        return INVALID_ARGUMENT;
    }
    window->comm = NULL;
    return SUCCESS;
}

static bool is_in_window(const struct comm *comm, const void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    for (int i = 0; i < WINDOWS_MOST; i++) {
        if (windows[i].comm == comm && address >= windows[i].first &&
            address - windows[i].first < windows[i].bytes) {
            return true;
        }
    }
    return false;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static const char *way(const struct comm *comm, const void *memory)
{
    return comm->policy == POLICY_ZERO ? "CE" : is_in_window(comm, memory) ? "window" : "plain";
}

static int piece_put(struct comm *comm, const void *send, size_t offset, size_t length,
                     CUstream stream)
{
    CUdeviceptr from = driver_address(send) + offset;
    if (DRIVER(cuMemcpyDtoHAsync)(comm->shared->piece[comm->rank], from, length,
                                  stream) != CUDA_SUCCESS ||
        DRIVER(cuStreamSynchronize)(stream) != CUDA_SUCCESS) {
        return INTERNAL_ERROR;
    }
    return SUCCESS;
}

static int piece_get(void *receive, size_t offset, const void *from, size_t length,
                     CUstream stream)
{
    CUdeviceptr to = driver_address(receive) + offset;
    if (DRIVER(cuMemcpyHtoDAsync)(to, from, length, stream) != CUDA_SUCCESS ||
        DRIVER(cuStreamSynchronize)(stream) != CUDA_SUCCESS) {
        return INTERNAL_ERROR;
    }
    return SUCCESS;
}

static double value_get(int type, const unsigned char *from)
{
    float as_float;
    int32_t as_int;
    memcpy(&as_float, from, sizeof(as_float));
    memcpy(&as_int, from, sizeof(as_int));
    return type == TYPE_INT32 ? as_int : (double)as_float;
}

static void value_put(int type, unsigned char *to, double value)
{
    float as_float = (float)value;
    int32_t as_int = (int32_t)value;
    memcpy(to, type == TYPE_INT32 ? (void *)&as_int : (void *)&as_float, sizeof(as_int));
}

static void piece_sum(const struct comm *comm, int type, unsigned char *to, size_t length,
                      bool is_wrong)
{
    for (size_t i = 0; i < length; i += sizeof(float)) {
        double sum = i == 0 && is_wrong ? 1 : 0;
        for (int rank = 0; rank < comm->ranks; rank++) {
            sum += value_get(type, &comm->shared->piece[rank][i]);
        }
        value_put(type, to + i, sum);
    }
}

/* Sums a part of all inputs, in pieces.  The result goes to the owner, or, if negative, to all. */
static int part_reduce(struct comm *comm, const void *send, void *receive, size_t bytes, int type,
                       int owner, CUstream stream)
{
    static unsigned char sum[PIECE];
    int result = SUCCESS;
    for (size_t offset = 0; offset < bytes && SUCCESS == result; offset += PIECE) {
        size_t length = bytes - offset < PIECE ? bytes - offset : PIECE;
        result = piece_put(comm, send, offset, length, stream);
        meet(comm);
        piece_sum(comm, type, sum, length,
                  offset == 0 && is_set_to("NCCL_DOUBLE_WRONG", way(comm, receive)));
        if (SUCCESS == result && (owner < 0 || owner == comm->rank)) {
            result = piece_get(receive, offset, sum, length, stream);
        }
        meet(comm);
    }
    return result;
}

EXPORTED int ncclAllReduce(const void *send, void *receive, size_t count, int type, int operation,
                           struct comm *comm, void *stream)
{
    FAIL_IF_ASKED();
    if ((type != TYPE_FLOAT32 && type != TYPE_INT32) || operation != 0) {
        return INVALID_ARGUMENT;
    }
    return part_reduce(comm, send, receive, count * sizeof(float), type, -1, stream);
}

/* In place a rank's result replaces its own block. */
EXPORTED int ncclReduceScatter(const void *send, void *receive, size_t count, int type,
                               int operation, struct comm *comm, void *stream)
{
    size_t bytes = count * sizeof(float);
    const unsigned char *blocks = send;
    uintptr_t between = (uintptr_t)receive - (uintptr_t)send;
    int result = SUCCESS;
    FAIL_IF_ASKED();
    if ((type != TYPE_FLOAT32 && type != TYPE_INT32) || operation != 0 ||
        (between < (size_t)comm->ranks * bytes && between != (size_t)comm->rank * bytes)) {
        return INVALID_ARGUMENT;
    }
    for (int owner = 0; owner < comm->ranks && SUCCESS == result; owner++) {
        result = part_reduce(comm, blocks + (size_t)owner * bytes, receive, bytes, type, owner,
                             stream);
    }
    return result;
}

EXPORTED int ncclAllGather(const void *send, void *receive, size_t count, int type,
                           struct comm *comm, void *stream)
{
    int result = SUCCESS;
    FAIL_IF_ASKED();
    if (type != TYPE_INT8) {
        return INVALID_ARGUMENT;
    }
    for (size_t offset = 0; offset < count && SUCCESS == result; offset += PIECE) {
        size_t length = count - offset < PIECE ? count - offset : PIECE;
        result = piece_put(comm, send, offset, length, stream);
        if (offset == 0 && is_set_to("NCCL_DOUBLE_WRONG", way(comm, receive))) {
            comm->shared->piece[comm->rank][0] ^= 1;
        }
        meet(comm);
        for (int rank = 0; rank < comm->ranks && SUCCESS == result; rank++) {
            result = piece_get(receive, (size_t)rank * count + offset, comm->shared->piece[rank],
                               length, stream);
        }
        meet(comm);
    }
    return result;
}

/* Block by block, each of which goes from all ranks to one. */
EXPORTED int ncclAlltoAll(const void *send, void *receive, size_t count, int type,
                          struct comm *comm, void *stream)
{
    int result = SUCCESS;
    FAIL_IF_ASKED();
    if (type != TYPE_INT8 || send == receive) {
        return INVALID_ARGUMENT;
    }
    for (int owner = 0; owner < comm->ranks; owner++) {
        for (size_t offset = 0; offset < count && SUCCESS == result; offset += PIECE) {
            size_t length = count - offset < PIECE ? count - offset : PIECE;
            result = piece_put(comm, send, (size_t)owner * count + offset, length, stream);
            meet(comm);
            for (int rank = 0; rank < comm->ranks && owner == comm->rank && SUCCESS == result;
                 rank++) {
                result = piece_get(receive, (size_t)rank * count + offset,
                                   comm->shared->piece[rank], length, stream);
            }
            meet(comm);
        }
    }
    return result;
}

#else

/* A C file must not be empty. */
typedef int cuda_is_not_there;

#endif
