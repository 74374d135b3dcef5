/*
 * coll_nest.c - a coll component for tests that stands below ours and calls the communicator's
 * collectives from within its own, through the communicator's table.
 *
 * SYMM_TEST_NEST=calls    Before an all-reduce does its work it makes all-gathers, and the other
 *                         way round: such as are served, and one that goes below as well.  Open
 *                         MPI's main branch has such components.
 * SYMM_TEST_NEST=give-up  A call puts what stood in its slot before back there, if the slot is
 *                         this component's, and is made once more through the slot, as coll/han
 *                         of 4.1 does where it cannot help.
 *
 * Wrong results and endless recursion end the program.  It says once what it does.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/ompi_compat.h"

#include "heap/symm.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PRIORITY = 70,          /* coll/symm has 80 */
    SMALL = 20,             /* calls within a call that are served: more than the ring has slots */
    INTS_BELOW = 32 * 1024, /* of a block that the script has go below */
    DEEPEST = 20,
};

typedef struct nest_module_t {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t before;
    struct {
        bool allreduce, allgather, bcast;
    } has_given_up;
} nest_module_t;
OBJ_CLASS_DECLARATION(nest_module_t);

static __thread int depth; /* calls within calls of this component */

static bool gives_up(void)
{
    const char *text = getenv("SYMM_TEST_NEST");
    return text != NULL && strcmp(text, "give-up") == 0;
}

static void expect(bool condition, const char *what)
{
    if (!condition) {
        (void)fprintf(stderr, "coll/nest: %s\n", what);
        abort();
    }
}

static void say(const char *what)
{
    static bool said;
    if (!said) {
        said = true;
        (void)fprintf(stderr, "coll/nest: %s\n", what);
    }
}

/* ---- calls within calls ---------------------------------------------------------------------- */

static void sum_within(struct ompi_communicator_t *comm, int call)
{
    int value = ompi_comm_rank(comm) + call, sum = -1, size = ompi_comm_size(comm);
    int rc = comm->c_coll->coll_allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm,
                                          comm->c_coll->coll_allreduce_module);
    expect(rc == OMPI_SUCCESS && sum == size * (size - 1) / 2 + size * call,
           "an all-reduce within an all-gather is wrong");
}

static void gather_within(struct ompi_communicator_t *comm, size_t count)
{
    size_t size = (size_t)ompi_comm_size(comm);
    int *mine = malloc(count * sizeof(int)), *all = malloc(size * count * sizeof(int));
    expect(mine != NULL && all != NULL, "no memory");
    for (size_t i = 0; i < count; i++) {
        mine[i] = ompi_comm_rank(comm) + (int)i;
    }
    int rc = comm->c_coll->coll_allgather(mine, (symm_count_t)count, MPI_INT, all,
                                          (symm_count_t)count, MPI_INT, comm,
                                          comm->c_coll->coll_allgather_module);
    bool right = rc == OMPI_SUCCESS;
    for (size_t i = 0; i < size * count; i++) {
        right = right && all[i] == (int)(i / count + i % count);
    }
    expect(right, "an all-gather within a call is wrong");
    free(all);
    free(mine);
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* References to modules are counted up to 5.0 (coll_base_comm_select.c), and no more after that. */
#define GIVE_UP(name, comm, nest)                                                       \
    do {                                                                                \
        say("gives up its slots");                                                      \
        expect(depth < DEEPEST, "endless recursion");                                   \
        expect(!(nest)->has_given_up.name, "a call to a slot that it has given up");    \
        if ((comm)->c_coll->coll_##name##_module == &(nest)->super) {                   \
            (nest)->has_given_up.name = true;                                           \
            (comm)->c_coll->coll_##name = (nest)->before.coll_##name;                   \
            (comm)->c_coll->coll_##name##_module = (nest)->before.coll_##name##_module; \
            if (SYMM_COLL_INTERFACE < 3) {                                              \
                OBJ_RETAIN((nest)->before.coll_##name##_module);                        \
                OBJ_RELEASE(nest);                                                      \
            }                                                                           \
        }                                                                               \
    } while (0)

static int nest_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    nest_module_t *nest = (nest_module_t *)module;
    int rc;
    depth++;
    if (gives_up()) {
        GIVE_UP(allreduce, comm, nest);
        rc = comm->c_coll->coll_allreduce(sbuf, rbuf, count, dtype, op, comm,
                                          comm->c_coll->coll_allreduce_module);
    } else {
        say("makes calls within calls");
        for (int i = 0; i < SMALL && depth < 3; i++) {
            gather_within(comm, 1);
        }
        if (depth < 2) {
            gather_within(comm, INTS_BELOW);
        }
        rc = nest->before.coll_allreduce(sbuf, rbuf, count, dtype, op, comm,
                                         nest->before.coll_allreduce_module);
    }
    depth--;
    return rc;
}

static int nest_allgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                          void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                          struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    nest_module_t *nest = (nest_module_t *)module;
    int rc;
    depth++;
    if (gives_up()) {
        GIVE_UP(allgather, comm, nest);
        rc = comm->c_coll->coll_allgather(sbuf, scount, sdtype, rbuf, rcount, rdtype, comm,
                                          comm->c_coll->coll_allgather_module);
    } else {
        say("makes calls within calls");
        for (int i = 0; i < SMALL && depth < 3; i++) {
            sum_within(comm, i);
        }
        rc = nest->before.coll_allgather(sbuf, scount, sdtype, rbuf, rcount, rdtype, comm,
                                         nest->before.coll_allgather_module);
    }
    depth--;
    return rc;
}

/* One that is never served; only gives up. */
static int nest_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root,
                      struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    nest_module_t *nest = (nest_module_t *)module;
    depth++;
    GIVE_UP(bcast, comm, nest);
    int rc = comm->c_coll->coll_bcast(buffer, count, dtype, root, comm,
                                      comm->c_coll->coll_bcast_module);
    depth--;
    return rc;
}

/* ---- the component --------------------------------------------------------------------------- */

static void nest_construct(nest_module_t *nest)
{
    memset(&nest->before, 0, sizeof(nest->before));
    memset(&nest->has_given_up, 0, sizeof(nest->has_given_up));
}

static void nest_destruct(nest_module_t *nest)
{
    if (nest->before.coll_allreduce_module != NULL) {
        OBJ_RELEASE(nest->before.coll_allreduce_module);
        OBJ_RELEASE(nest->before.coll_allgather_module);
        OBJ_RELEASE(nest->before.coll_bcast_module);
    }
}

OBJ_CLASS_INSTANCE(nest_module_t, mca_coll_base_module_t, nest_construct, nest_destruct);

/* Later releases leave it to the module to fill the table. */
#define TAKE(name, comm, nest)                                                              \
    do {                                                                                    \
        (nest)->before.coll_##name = (comm)->c_coll->coll_##name;                           \
        (nest)->before.coll_##name##_module = (comm)->c_coll->coll_##name##_module;         \
        OBJ_RETAIN((nest)->before.coll_##name##_module);                                    \
        if (SYMM_COLL_INTERFACE >= 3 && (nest)->super.coll_##name != NULL) {                \
            (comm)->c_coll->coll_##name = (nest)->super.coll_##name;                        \
            (comm)->c_coll->coll_##name##_module = &(nest)->super;                          \
        }                                                                                   \
    } while (0)

static int module_enable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
    nest_module_t *nest = (nest_module_t *)module;
    TAKE(allreduce, comm, nest);
    TAKE(allgather, comm, nest);
    TAKE(bcast, comm, nest);
    return OMPI_SUCCESS;
}

#define GIVE_BACK(name, comm, nest)                                                         \
    do {                                                                                    \
        if ((comm)->c_coll->coll_##name##_module == &(nest)->super) {                       \
            (comm)->c_coll->coll_##name = (nest)->before.coll_##name;                       \
            (comm)->c_coll->coll_##name##_module = (nest)->before.coll_##name##_module;     \
        }                                                                                   \
    } while (0)

static int module_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
    nest_module_t *nest = (nest_module_t *)module;
    if (SYMM_COLL_INTERFACE >= 3) {
        GIVE_BACK(allreduce, comm, nest);
        GIVE_BACK(allgather, comm, nest);
        GIVE_BACK(bcast, comm, nest);
    }
    return OMPI_SUCCESS;
}

static mca_coll_base_module_t *comm_query(struct ompi_communicator_t *comm, int *priority)
{
    if (OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2) {
        return NULL;
    }
    nest_module_t *nest = OBJ_NEW(nest_module_t);
    if (nest == NULL) {
        return NULL;
    }
    *priority = PRIORITY;
    nest->super.coll_module_enable = module_enable;
    nest->super.coll_module_disable = module_disable;
    nest->super.coll_allreduce = nest_allreduce;
    nest->super.coll_allgather = nest_allgather;
    if (gives_up()) {
        nest->super.coll_bcast = nest_bcast;
    }
    return &nest->super;
}

static int init_query(bool progress_threads, bool mpi_threads)
{
    (void)progress_threads;
    (void)mpi_threads;
    return OMPI_SUCCESS;
}

SYMM_API symm_coll_base_component_t mca_coll_nest_component;
symm_coll_base_component_t mca_coll_nest_component = {
    .collm_version = {
        SYMM_COLL_BASE_VERSION,
        .mca_component_name = "nest",
        MCA_BASE_MAKE_VERSION(component, 0, 0, 0),
    },
    .collm_data = { SYMM_COMPONENT_METADATA, .reserved = {0} },
    .collm_init_query = init_query,
    .collm_comm_query = comm_query,
};
