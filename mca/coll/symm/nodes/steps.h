/*
 * nodes/steps.h - a call by a plan, as steps: collectives of the node's communicator or of the
 * rail's, and work of this rank alone.
 *
 * A plan describes a piece of its call: it appends steps, none of which is made before it returns.
 * Then they are made one after the other, and the plan describes the next piece.  So plans do not
 * know in which form the program calls.  A blocking call makes each step by the blocking function.
 * In the other forms each step is a request, and the call's own request goes on when it is complete
 * (nodes/request.h).
 *
 * A rank whose step has failed takes part in all later ones with what it has, since the others wait
 * for it, and returns the first error at the end.  Where a process has died that is survived, it
 * gives the call up, and has the others do so (nodes/failures.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_STEPS_H
#define MCA_COLL_SYMM_NODES_STEPS_H

#include "kernels/cuda/launch/host_memory.h"
#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/nodes/module.h"

struct symm_nodes_call;

/* Counts and displacements of ranks, in elements, for one step; they live as long as its piece. */
struct symm_vector {
    struct symm_vector *next;
    size_t *counts;
    ptrdiff_t *disps;
    int *count_room, *disp_room; /* of the type that MPI's functions take */
};

/*
 * Room for elements of a type, in a module's scratch, or in memory of its own if they span more.
 * Addresses are as the type wants them.
 */
struct symm_room {
    void *at;
    void *held;
};

/* Append the steps of the piece at call->at.  Errors are those of this rank's memory. */
typedef int mca_coll_symm_nodes_describe_t(struct symm_nodes_call *call);

/* Work of this rank alone, with what it was given as arguments.  Returns what is for MPI. */
typedef int mca_coll_symm_nodes_work_t(struct symm_nodes_call *call,
                                       const struct symm_arguments *a);

struct symm_step {
    struct ompi_communicator_t *comm; /* NULL: work */
    mca_coll_symm_nodes_work_t *work;
    enum symm_collective collective;
    struct symm_arguments a;
    size_t bytes;            /* that this rank gives to its rail */
    ompi_request_t *request; /* of a call that is not blocking */
};

enum { SYMM_NODES_HALF = SYMM_NODES_SCRATCH / 2 };

struct symm_nodes_call {
    mca_coll_symm_nodes_t *nodes;
    enum symm_collective collective;
    enum symm_call_form form;
    enum symm_nodes_plan plan;
    size_t bytes; /* as the plan was chosen by them */
    mca_coll_symm_nodes_describe_t *describe;
    struct symm_arguments a;

    size_t at, next; /* where this piece begins, and the next one; SIZE_MAX: there is none */
    struct symm_step *steps; /* of this piece */
    size_t count, capacity, made;
    struct symm_vector *vectors;
    bool is_under_way; /* the request of the step behind those that are made */
    bool lacks_memory;
    bool is_given_up; /* other ranks are told, and wait for none of the other steps */
    int error;

    /* For plans: they get these with their first piece, and all are given back at the end. */
    struct symm_room rooms[2];
    size_t piece;                  /* elements of a piece, at most */
    int device;                    /* where slices are; -1: in host memory */
    struct symm_host_block pinned; /* then */
    unsigned char byte[2];
};

/* ---- for plans ------------------------------------------------------------------------------- */

/* Append a collective, with arguments but for the communicator. */
void mca_coll_symm_step(struct symm_nodes_call *call, struct ompi_communicator_t *comm,
                        enum symm_collective collective, struct symm_arguments arguments);

/*
 * The same between nodes, on this rank's rail, which gives so many bytes of data to it.  They are
 * counted.
 */
void mca_coll_symm_step_between(struct symm_nodes_call *call, enum symm_collective collective,
                                struct symm_arguments arguments, size_t bytes);

/* Append work, and the work that copies elements within this rank. */
void mca_coll_symm_step_work(struct symm_nodes_call *call, mca_coll_symm_nodes_work_t *work,
                             struct symm_arguments arguments);
void mca_coll_symm_step_copy(struct symm_nodes_call *call, const void *from, void *to,
                             size_t count, struct ompi_datatype_t *dtype);

/* Of `most` entries, which are 0.  NULL: there is no memory, and the call will say so. */
struct symm_vector *mca_coll_symm_vector(struct symm_nodes_call *call, int most);

/* The first `count` of its entries, as arguments.  They fit an int. */
symm_counts_t mca_coll_symm_vector_counts(const struct symm_vector *vector, int count);
symm_disps_t mca_coll_symm_vector_disps(const struct symm_vector *vector, int count);

/* Divide `total` elements among the first `parts` of `count` ranks, as evenly as it goes. */
void mca_coll_symm_vector_divide(struct symm_vector *vector, size_t total, int parts, int count);

/*
 * Get room i, for `count` elements.  A call that keeps its buffers has memory of its own; others
 * share the module's scratch, of which the rooms are `bytes` each, since one is made at a time.
 */
bool mca_coll_symm_room_open(struct symm_nodes_call *call, int i, size_t bytes,
                             struct ompi_datatype_t *dtype, size_t count);

/* `i` elements behind `buffer`. */
static inline void *mca_coll_symm_element(const void *buffer, size_t i,
                                          struct ompi_datatype_t *dtype)
{
    ptrdiff_t lower, extent;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    return (void *)((uintptr_t)buffer + i * (uintptr_t)extent);
}

/* ---- for those who make calls ---------------------------------------------------------------- */

/*
 * Describe the first piece.  Nothing has been made afterwards.  Errors: OUT_OF_RESOURCE;
 * NOT_SUPPORTED if data on a device need copies.  In any case, end().
 */
int mca_coll_symm_nodes_call_begin(struct symm_nodes_call *call);

/* Go on, a blocking call to its end, and others as far as it goes without waiting.  True: over. */
bool mca_coll_symm_nodes_call_advance(struct symm_nodes_call *call);

/* What a call that is over returns, which is for MPI. */
int mca_coll_symm_nodes_call_error(const struct symm_nodes_call *call);

/* Get the requests of a persistent call's steps.  Returns what is for MPI. */
int mca_coll_symm_nodes_call_init(struct symm_nodes_call *call);

void mca_coll_symm_nodes_call_end(struct symm_nodes_call *call);

#endif /* MCA_COLL_SYMM_NODES_STEPS_H */
