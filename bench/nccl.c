/*
 * nccl.c - NCCL as a rival. This file needs no nccl.h: it declares the few functions as NCCL's
 * manual has them. Its streams are those of the driver under another name.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nccl.h"

#include "failure.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION_WINDOWS = 22700,
    VERSION_COPY_ENGINES = 22800,
    VERSION_OF_CONFIG = 22700, /* the one that struct nccl_config is of */
    WINDOW_ALIGNMENT = 4096
};

/* Values of NCCL's enumerations and macros. */
enum {
    RESULT_SUCCESS = 0,
    TYPE_INT8 = 0,
    TYPE_INT32 = 2,
    TYPE_FLOAT32 = 7,
    OPERATION_SUM = 0,
    WINDOW_SYMMETRIC = 1,
    POLICY_ZERO = 2,
    CONFIG_UNDEFINED = INT_MIN
};

struct nccl_id {
    char bytes[128];
};

/* ncclConfig_t of NCCL 2.27; later releases recognise it by its size and version. */
struct nccl_config {
    size_t size;
    unsigned magic;
    unsigned version;
    int blocking;
    int cluster_size;
    int least_blocks;
    int most_blocks;
    const char *net_name;
    int split_share;
    int traffic_class;
    const char *comm_name;
    int collnet;
    int policy;
    int shrink_share;
    int nvls_blocks;
};

struct nccl_functions {
    int (*get_version)(int *version);
    int (*get_unique_id)(struct nccl_id *id);
    int (*init)(void **comm, int ranks, struct nccl_id id, int rank);
    int (*init_with_config)(void **comm, int ranks, struct nccl_id id, int rank,
                            struct nccl_config *config);
    int (*destroy)(void *comm);
    const char *(*error)(int result);
    int (*all_reduce)(const void *send, void *receive, size_t count, int type, int operation,
                      void *comm, void *stream);
    int (*all_gather)(const void *send, void *receive, size_t count, int type, void *comm,
                      void *stream);
    int (*reduce_scatter)(const void *send, void *receive, size_t count, int type, int operation,
                          void *comm, void *stream);
    /* From here on NULL in releases that do not have them. */
    int (*all_to_all)(const void *send, void *receive, size_t count, int type, void *comm,
                      void *stream);
    int (*broadcast)(const void *send, void *receive, size_t count, int type, int root, void *comm,
                     void *stream);
    int (*reduce)(const void *send, void *receive, size_t count, int type, int operation, int root,
                  void *comm, void *stream);
    int (*gather)(const void *send, void *receive, size_t count, int type, int root, void *comm,
                  void *stream);
    int (*scatter)(const void *send, void *receive, size_t count, int type, int root, void *comm,
                   void *stream);
    int (*allocate)(void **memory, size_t bytes);
    int (*release)(void *memory);
    int (*window_register)(void *comm, void *memory, size_t bytes, void **window, int flags);
    int (*window_deregister)(void *comm, void *window);
};

struct nccl {
    struct nccl_functions call;
    struct device *device;
    MPI_Comm control;
    int version;
    int rank;
    int ranks;
    void *comm;    /* for ordinary memory and windows */
    void *comm_ce; /* with the policy to use no SM; NULL if there is none */
};

static void check(const struct nccl *nccl, const char *function, int result)
{
    if (result != RESULT_SUCCESS) {
        failure_stop("%s: %s (set NCCL_DEBUG=WARN to learn more)", function,
                     nccl->call.error(result));
    }
}

/* Looks a function up; remembers the first one that is missing. */
static void *symbol(void *library, const char *name, const char **missing)
{
    void *address = dlsym(library, name);
    if (address == NULL && *missing == NULL) {
        *missing = name;
    }
    return address;
}

static const char *functions_look_up(struct nccl_functions *call, void *library)
{
    const char *missing = NULL;
    const char *optional = NULL;
#define LOOK_UP(member, name, what) call->member = (__typeof__(call->member)) \
    symbol(library, name, what)
    LOOK_UP(get_version, "ncclGetVersion", &missing);
    LOOK_UP(get_unique_id, "ncclGetUniqueId", &missing);
    LOOK_UP(init, "ncclCommInitRank", &missing);
    LOOK_UP(destroy, "ncclCommDestroy", &missing);
    LOOK_UP(error, "ncclGetErrorString", &missing);
    LOOK_UP(all_reduce, "ncclAllReduce", &missing);
    LOOK_UP(all_gather, "ncclAllGather", &missing);
    LOOK_UP(reduce_scatter, "ncclReduceScatter", &missing);
    LOOK_UP(all_to_all, "ncclAlltoAll", &optional);
    LOOK_UP(broadcast, "ncclBroadcast", &optional);
    LOOK_UP(reduce, "ncclReduce", &optional);
    LOOK_UP(gather, "ncclGather", &optional); /* 2.28 */
    LOOK_UP(scatter, "ncclScatter", &optional);
    LOOK_UP(init_with_config, "ncclCommInitRankConfig", &optional);
    LOOK_UP(allocate, "ncclMemAlloc", &optional);
    LOOK_UP(release, "ncclMemFree", &optional);
    LOOK_UP(window_register, "ncclCommWindowRegister", &optional);
    LOOK_UP(window_deregister, "ncclCommWindowDeregister", &optional);
#undef LOOK_UP
    return missing;
}

static bool library_open(struct nccl *nccl, const char *file, char *text)
{
    const char *name = file != NULL ? file : "libnccl.so.2";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(text, FAILURE_LENGTH,
                 "there is no NCCL: %s; name the library with --rival nccl=FILE", dlerror());
        return false;
    }
    const char *missing = functions_look_up(&nccl->call, library);
    if (missing != NULL) {
        snprintf(text, FAILURE_LENGTH, "%s lacks %s", name, missing);
        return false;
    }
    int result = nccl->call.get_version(&nccl->version);
    if (result != RESULT_SUCCESS) {
        snprintf(text, FAILURE_LENGTH, "ncclGetVersion: %s", nccl->call.error(result));
        return false;
    }
    return true;
}

static struct nccl_id id_share(const struct nccl *nccl)
{
    struct nccl_id id;
    memset(&id, 0, sizeof(id));
    if (nccl->rank == 0) {
        check(nccl, "ncclGetUniqueId", nccl->call.get_unique_id(&id));
    }
    MPI_Bcast(&id, sizeof(id), MPI_CHAR, 0, nccl->control);
    return id;
}

static void comm_open(struct nccl *nccl)
{
    struct nccl_id id = id_share(nccl);
    check(nccl, "ncclCommInitRank",
          nccl->call.init(&nccl->comm, nccl->ranks, id, nccl->rank));
}

static void comm_ce_open(struct nccl *nccl)
{
    struct nccl_config config = {
        .size = sizeof(config),
        .magic = 0xcafebeef,
        .version = VERSION_OF_CONFIG,
        .blocking = CONFIG_UNDEFINED,
        .cluster_size = CONFIG_UNDEFINED,
        .least_blocks = CONFIG_UNDEFINED,
        .most_blocks = CONFIG_UNDEFINED,
        .net_name = NULL,
        .split_share = CONFIG_UNDEFINED,
        .traffic_class = CONFIG_UNDEFINED,
        .comm_name = NULL,
        .collnet = CONFIG_UNDEFINED,
        .policy = POLICY_ZERO,
        .shrink_share = CONFIG_UNDEFINED,
        .nvls_blocks = CONFIG_UNDEFINED
    };
    struct nccl_id id = id_share(nccl);
    check(nccl, "ncclCommInitRankConfig",
          nccl->call.init_with_config(&nccl->comm_ce, nccl->ranks, id, nccl->rank, &config));
}

static bool has_windows(const struct nccl *nccl)
{
    return nccl->version >= VERSION_WINDOWS && nccl->call.allocate != NULL &&
           nccl->call.release != NULL && nccl->call.window_register != NULL &&
           nccl->call.window_deregister != NULL;
}

/* Ranks with different libraries would wait for ever. */
static bool versions_agree(const struct nccl *nccl, char *text)
{
    int first = nccl->version;
    MPI_Bcast(&first, 1, MPI_INT, 0, nccl->control);
    snprintf(text, FAILURE_LENGTH, "NCCL has version %d here, %d on rank 0", nccl->version, first);
    return first == nccl->version;
}

static bool nccl_agree(struct nccl *nccl, const char *file, const struct gpus *gpus)
{
    char text[FAILURE_LENGTH] = "";
    if (gpus->shared) {
        snprintf(text, sizeof(text),
                 "NCCL wants a GPU for each rank, but ranks share one: start as "
                 "many ranks as there are GPUs");
        return failure_agree(false, text, nccl->control);
    }
    if (!failure_agree(library_open(nccl, file, text), text, nccl->control)) {
        return false;
    }
    bool same = versions_agree(nccl, text);
    return failure_agree(same, text, nccl->control);
}

bool nccl_open(struct nccl **opened, const char *file, const struct gpus *gpus, MPI_Comm control)
{
    struct nccl *nccl = calloc(1, sizeof(*nccl));
    if (nccl == NULL) {
        failure_stop("out of memory");
    }
    nccl->device = gpus->device;
    nccl->control = control;
    MPI_Comm_rank(control, &nccl->rank);
    MPI_Comm_size(control, &nccl->ranks);
    if (!nccl_agree(nccl, file, gpus)) {
        free(nccl);
        return false;
    }
    comm_open(nccl);
    if (nccl->version >= VERSION_COPY_ENGINES && has_windows(nccl) &&
        nccl->call.init_with_config != NULL) {
        comm_ce_open(nccl);
    }
    *opened = nccl;
    return true;
}

/* The library stays open, with the threads that it may still have. */
void nccl_close(struct nccl *nccl)
{
    if (nccl->comm_ce != NULL) {
        check(nccl, "ncclCommDestroy", nccl->call.destroy(nccl->comm_ce));
    }
    check(nccl, "ncclCommDestroy", nccl->call.destroy(nccl->comm));
    free(nccl);
}

void nccl_print(const struct nccl *nccl)
{
    const char *multicast = getenv("NCCL_NVLS_ENABLE");
    printf("# NCCL %d.%d.%d, NCCL_NVLS_ENABLE%s%s\n", nccl->version / 10000,
           nccl->version / 100 % 100, nccl->version % 100, multicast != NULL ? "=" : " is not set",
           multicast != NULL ? multicast : "");
}

const char *nccl_way_name(enum nccl_way way)
{
    switch (way) {
    case NCCL_PLAIN: return "plain";
    case NCCL_WINDOW: return "window";
    default: return "CE";
    }
}

static void *path_comm(const struct nccl_path *path)
{
    return path->way == NCCL_CE ? path->nccl->comm_ce : path->nccl->comm;
}

/* Windows cover whole pages. */
static unsigned char *window_open(struct nccl_path *path, int index, size_t bytes)
{
    const struct nccl *nccl = path->nccl;
    size_t whole = (bytes + WINDOW_ALIGNMENT - 1) / WINDOW_ALIGNMENT * WINDOW_ALIGNMENT;
    void *memory = NULL;
    check(nccl, "ncclMemAlloc", nccl->call.allocate(&memory, whole));
    check(nccl, "ncclCommWindowRegister",
          nccl->call.window_register(path_comm(path), memory, whole, &path->windows[index],
                                     WINDOW_SYMMETRIC));
    device_fill(nccl->device, memory, 0, whole);
    return memory;
}

bool nccl_path_open(struct nccl_path *path, const struct nccl *nccl, enum nccl_way way,
                    enum collective collective, size_t send_bytes, size_t receive_bytes)
{
    memset(path, 0, sizeof(*path));
    path->nccl = nccl;
    path->way = way;
    if (call_exchanges(collective) && nccl->call.all_to_all == NULL) { /* before 2.28 */
        return false;
    }
    if (way == NCCL_PLAIN) {
        buffers_open(&path->buffers, MEMORY_CUDAMALLOC, nccl->device, send_bytes, receive_bytes);
        return true;
    }
    if (!has_windows(nccl) ||
        (way == NCCL_CE && (nccl->comm_ce == NULL || collective != COLLECTIVE_ALLGATHER))) {
        return false;
    }
    path->buffers.device = nccl->device;
    path->buffers.send = window_open(path, 0, send_bytes + BUFFERS_GUARD);
    path->buffers.receive = window_open(path, 1, receive_bytes + BUFFERS_GUARD);
    return true;
}

static void window_close(struct nccl_path *path, int index, void *memory)
{
    const struct nccl *nccl = path->nccl;
    if (path->windows[index] != NULL) {
        check(nccl, "ncclCommWindowDeregister",
              nccl->call.window_deregister(path_comm(path), path->windows[index]));
    }
    check(nccl, "ncclMemFree", nccl->call.release(memory));
}

void nccl_path_close(struct nccl_path *path)
{
    if (path->way == NCCL_PLAIN) {
        buffers_close(&path->buffers);
        return;
    }
    window_close(path, 0, path->buffers.send);
    window_close(path, 1, path->buffers.receive);
}

/* Ends the job if this release does not have the function. */
static void wanted(const char *function, bool is_there)
{
    if (!is_there) {
        failure_stop("this NCCL has no %s", function);
    }
}

static void rooted_start(const struct nccl_path *path, const struct call *call, int type,
                         void *stream)
{
    enum { ROOT = 0 };
    const struct nccl_functions *functions = &path->nccl->call;
    const void *input = call_input(call);
    void *result = call_result(call), *comm = path_comm(path);
    size_t count = (size_t)call_count(call);
    switch (call->collective) {
    case COLLECTIVE_BCAST:
        wanted("ncclBroadcast", functions->broadcast != NULL);
        check(path->nccl, "ncclBroadcast",
              functions->broadcast(input, result, count, TYPE_INT8, ROOT, comm, stream));
        break;
    case COLLECTIVE_REDUCE:
        wanted("ncclReduce", functions->reduce != NULL);
        check(path->nccl, "ncclReduce",
              functions->reduce(input, result, count, type, OPERATION_SUM, ROOT, comm, stream));
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV: /* with equal counts */
        wanted("ncclGather", functions->gather != NULL);
        check(path->nccl, "ncclGather",
              functions->gather(input, result, count, TYPE_INT8, ROOT, comm, stream));
        break;
    default:
        wanted("ncclScatter", functions->scatter != NULL);
        result = call_has_result(call) ? result : (unsigned char *)call->buffers->send;
        check(path->nccl, "ncclScatter",
              functions->scatter(input, result, count, TYPE_INT8, ROOT, comm, stream));
        break;
    }
}

void nccl_path_start(const struct nccl_path *path, const struct call *call, void *stream)
{
    const struct nccl *nccl = path->nccl;
    const void *input = call_input(call);
    void *result = call_result(call), *comm = path_comm(path);
    size_t count = (size_t)call_count(call);
    int type = call->element == ELEMENT_INT ? TYPE_INT32 : TYPE_FLOAT32;
    if (call_is_rooted(call->collective)) {
        rooted_start(path, call, type, stream);
    } else if (call_scatters(call->collective)) {
        check(nccl, "ncclReduceScatter",
              nccl->call.reduce_scatter(input, result, count, type, OPERATION_SUM, comm, stream));
    } else if (call_reduces(call->collective)) {
        check(nccl, "ncclAllReduce",
              nccl->call.all_reduce(input, result, count, type, OPERATION_SUM, comm, stream));
    } else if (call_exchanges(call->collective)) {
        check(nccl, "ncclAlltoAll",
              nccl->call.all_to_all(input, result, count, TYPE_INT8, comm, stream));
    } else {
        check(nccl, "ncclAllGather",
              nccl->call.all_gather(input, result, count, TYPE_INT8, comm, stream));
    }
}

void nccl_path_run(const struct nccl_path *path, const struct call *call)
{
    const struct device *device = path->nccl->device;
    nccl_path_start(path, call, device_stream(device));
    device_wait(device);
}
