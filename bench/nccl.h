/*
 * nccl.h - the rival on GPU memory: NCCL, opened when the benchmark runs. A blocking call is
 * ncclAllReduce(), ncclAllGather() or ncclReduceScatter() and waiting for its stream. There are
 * several ways to call it, each with memory of the kind that it wants:
 *   plain   ordinary GPU memory
 *   window  memory from ncclMemAlloc() in symmetric windows (NCCL 2.27)
 *   CE      the same with the policy to use no SM, which makes all-gathers use copy engines (2.28)
 * NCCL's environment variables (NCCL_NVLS_ENABLE=0, for example) have their effect.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_NCCL_H
#define BENCH_NCCL_H

#include "gpus.h"
#include "call.h"

enum nccl_way {
    NCCL_PLAIN,
    NCCL_WINDOW,
    NCCL_CE,
    NCCL_WAYS
};

struct nccl;

/* Collective over `control`, one GPU a rank. `file` may be NULL: libnccl.so.2, where the loader
 * finds it. If a rank has no NCCL, rank 0 says why, and all return false. */
bool nccl_open(struct nccl **nccl, const char *file, const struct gpus *gpus, MPI_Comm control);
void nccl_close(struct nccl *nccl);

/* Prints a line that begins with '#'. */
void nccl_print(const struct nccl *nccl);

const char *nccl_way_name(enum nccl_way way);

/* One way, with its memory. */
struct nccl_path {
    const struct nccl *nccl;
    enum nccl_way way;
    struct buffers buffers;
    void *windows[2];
};

/* Collective. False on all ranks if this NCCL has no such way for this collective. */
bool nccl_path_open(struct nccl_path *path, const struct nccl *nccl, enum nccl_way way,
                    enum collective collective, size_t send_bytes, size_t receive_bytes);
void nccl_path_close(struct nccl_path *path);

/* Starts a call on the memory of `call`, which is that of the path, and on a stream. */
void nccl_path_start(const struct nccl_path *path, const struct call *call, void *stream);

/* Makes a blocking call in the same way, on the device's stream. */
void nccl_path_run(const struct nccl_path *path, const struct call *call);

#endif
