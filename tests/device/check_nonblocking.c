/*
 * Every nonblocking and persistent collective on device memory, compared byte by byte with the
 * blocking one on host memory: all types, in place and not, all sorts of communicators, roots and
 * memory, one buffer or both on a device, or one rank's only; one at a time, and several under way.
 *
 * With SYMM_TEST_REDUCTIONS set, reductions only.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_communicators.h"
#include "tests/harness/harness.h"
#include "tests/harness/pending.h"
#include "tests/harness/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { UNDER_WAY = 6, ROUNDS = 60, STARTS = 2 };

static struct pending *pendings[UNDER_WAY];
static MPI_Datatype types[BLOCKING_TYPES];
static MPI_Op op;

/* ---- one at a time --------------------------------------------------------------------------- */

static void request_free(struct pending *pending)
{
    if (pending->kase.form == TEST_PERSISTENT && pending->request != MPI_REQUEST_NULL) {
        int rc = MPI_Request_free(&pending->request);
        test_check(rc == MPI_SUCCESS, "the request cannot be freed");
    }
    test_check(pending->request == MPI_REQUEST_NULL, "the request is still there");
}

static void call_check(struct pending *pending, const char *comm_name, int type)
{
    static int way;
    static uint64_t number;
    if (test_leaves_out(++number)) {
        return;
    }
    int starts = pending->kase.form == TEST_PERSISTENT ? STARTS : 1;
    way = (way + 1) % PENDING_WAYS;
    test_case("%s %s, %s, %s%s, root %d, %s: %s, %s", test_form_names[pending->kase.form],
              pending->call->name, comm_name, blocking_type_names[type],
              pending->kase.in_place ? ", in place" : "", pending->kase.root,
              cuda_memory_names[pending->memory], pending_where_names[pending->where],
              pending_way_names[way]);
    bool all_well = pending_make(pending);
    for (int i = 0; i < starts && all_well; i++) {
        if (i > 0) {
            pending_start(pending);
        }
        all_well = pending_complete(&pending, 1, way);
        if (all_well) {
            pending_check(pending);
        }
        if (starts > 1) { /* Open MPI frees a persistent request that has failed */
            MPI_Allreduce(MPI_IN_PLACE, &all_well, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
        }
    }
    request_free(pending);
}

/*
 * coll/libnbc reduces to a root in temporary memory of which it takes the beginning for the first
 * byte of data.  With types whose data begin elsewhere it writes outside of it, on host memory too
 * (4.1.4, 5.0.7).
 */
static bool corrupts_memory(const struct blocking_call *call, MPI_Datatype type)
{
    MPI_Aint begin, extent;
    MPI_Type_get_true_extent(type, &begin, &extent);
    return strcmp(call->name, "reduce") == 0 && begin != 0;
}

/* Both buffers in all memories, one buffer or one rank in turn; quickly, everything in turn. */
static void variants_check(const struct blocking_call *call, const struct blocking_case *common,
                           const char *comm_name)
{
    static int turn;
    struct pending *pending = pendings[0];
    pending->call = call;
    pending->kase = *common;
    for (int type = 0; type < BLOCKING_TYPES; type++) {
        if (corrupts_memory(call, types[type])) {
            continue;
        }
        for (int place = 0; place <= (call->may_be_in_place && !common->inter); place++) {
            pending->kase.type = types[type];
            pending->kase.in_place = place;
            for (int memory = 0; memory < CUDA_MEMORY_KINDS; memory++) {
                if (test_quick && memory != turn / 2 % CUDA_MEMORY_KINDS) {
                    continue;
                }
                turn++;
                pending->memory = (enum cuda_memory)memory;
                pending->kase.form = 1 + turn % 2;
                pending->where = PENDING_BOTH;
                call_check(pending, comm_name, type);
                pending->kase.form = 2 - turn % 2;
                pending->where = 1 + turn / 2 % (PENDING_WHERES - 1);
                call_check(pending, comm_name, type);
            }
        }
    }
}

static bool has_forms(const struct blocking_call *call, const struct blocking_case *kase,
                      bool neighbors)
{
    bool reduces = strstr(call->name, "reduce") != NULL || strstr(call->name, "scan") != NULL;
    return call->neighbors == neighbors && !(call->intra_only && kase->inter) && !call->local &&
           (reduces || getenv("SYMM_TEST_REDUCTIONS") == NULL);
}

/* `roots`: this rank is in the group that has the root, where there are two groups. */
static void communicator_check(MPI_Comm comm, const char *name, bool neighbors, bool roots)
{
    struct blocking_case kase = blocking_case_make(comm, op, roots);
    int root_group = !kase.inter || roots ? kase.size : kase.others;
    for (int i = 0; i < blocking_call_count; i++) {
        const struct blocking_call *call = &blocking_calls[i];
        if (!has_forms(call, &kase, neighbors)) {
            continue;
        }
        kase.root = 0;
        variants_check(call, &kase, name);
        if (call->rooted && root_group > 1) {
            kase.root = root_group - 1;
            variants_check(call, &kase, name);
        }
    }
}

/* ---- several under way ----------------------------------------------------------------------- */

static void several_begin(uint64_t round, const struct blocking_case *common)
{
    for (int i = 0; i < UNDER_WAY; i++) {
        struct pending *pending = pendings[i];
        /* alike on all ranks */
        uint64_t random = test_random(test_stream(round, 0, 3), (uint64_t)i);
        do {
            pending->call = &blocking_calls[random % (uint64_t)blocking_call_count];
            random = test_mix(random + 1);
        } while (!has_forms(pending->call, common, false));
        pending->kase = *common;
        pending->kase.type = types[random % BLOCKING_TYPES];
        if (corrupts_memory(pending->call, pending->kase.type)) {
            pending->kase.type = MPI_INT;
        }
        pending->kase.in_place = pending->call->may_be_in_place && random >> 8 & 1;
        pending->kase.root = (int)(random >> 16) & 0xff;
        pending->kase.root %= common->size;
        pending->kase.form = 1 + (random >> 24 & 1);
        /* Where buffers are is each rank's own business. */
        uint64_t own = test_random(test_stream(round, (uint64_t)test_rank, 4), (uint64_t)i);
        pending->memory = own % CUDA_MEMORY_KINDS;
        pending->where = (own >> 8) % PENDING_WHERES;
        pending->request = MPI_REQUEST_NULL;
        (void)pending_make(pending);
    }
}

static void several_check(void)
{
    struct blocking_case kase = blocking_case_make(MPI_COMM_WORLD, op, false);
    for (uint64_t round = 0; round < (test_quick ? ROUNDS / 4 : ROUNDS); round++) {
        int way = (int)(round % PENDING_WAYS);
        test_case("several under way, round %d, %s", (int)round, pending_way_names[way]);
        several_begin(round, &kase);
        (void)pending_complete(pendings, UNDER_WAY, way);
        for (int i = 0; i < UNDER_WAY; i++) {
            pending_check(pendings[i]);
            request_free(pendings[i]);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    int local_rank;
    test_begin(argc, argv, "check_nonblocking", MPI_THREAD_SINGLE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    cuda_memory_open(local_rank);
    for (int i = 0; i < UNDER_WAY; i++) {
        pendings[i] = calloc(1, sizeof(*pendings[i]));
        pending_buffers_get(pendings[i]);
    }
    blocking_types_make(types, &op);
    blocking_communicators_check(communicator_check);
    several_check();
    blocking_types_free(types, &op);
    for (int i = 0; i < UNDER_WAY; i++) {
        pending_buffers_put(pendings[i]);
        free(pendings[i]);
    }
    MPI_Comm_free(&node);
    return test_end();
}
