/*
 * entry/reduction.h - what the entries of collectives that reduce share: elements, operations and
 * what is agreed about them.
 *
 * The reduction goes through Open MPI's op framework.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_REDUCTION_H
#define MCA_COLL_SYMM_ENTRY_REDUCTION_H

#include "mca/coll/symm/base/call.h"
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/fast/fast.h"

/* The functions of struct symm_reduction.  Their context is the call. */
void mca_coll_symm_reduction_reduce(void *context, const void *source, void *target, size_t count);
void mca_coll_symm_reduction_combine(void *context, const void *left, const void *right,
                                     void *target, size_t count);

/* Why a call with device buffers is not served, as far as its operation and type say. */
enum symm_reason mca_coll_symm_reduction_device_veto(struct symm_call *call);

static inline bool mca_coll_symm_reduction_has_combine(const struct ompi_op_t *op,
                                                       const struct ompi_datatype_t *dtype)
{
    return ompi_op_is_intrinsic((ompi_op_t *)(uintptr_t)op) && ompi_datatype_is_predefined(dtype) &&
           op->o_3buff_intrinsic.fns[ompi_op_ddt_map[dtype->id]] != NULL;
}

/*
 * Elements are copied whole, from one to the next.  For predefined types, pair types included, C's
 * structs are copied in the same way.  A derived type may have gaps, which are the program's and
 * must not be touched, so elements travel without them.  There are `results` elements in the
 * output.
 */
__attribute__((always_inline))
static inline void mca_coll_symm_elements_describe(struct symm_call *call, size_t results)
{
    bool predefined = ompi_datatype_is_predefined(call->dtype);
    call->gaps = 0;
    call->shift = 0;
    if (ompi_op_is_intrinsic(call->op) && predefined) {
        call->payload_bytes = call->count * call->extent;
        return;
    }
    mca_coll_symm_layout_describe(&call->input.layout, call->dtype, call->count);
    call->output.layout = call->input.layout;
    call->payload_bytes = call->input.layout.bytes;
    call->input.address = call->input.at;
    call->output.address = call->output.at;
    if (results != call->count) {
        mca_coll_symm_layout_describe(&call->output.layout, call->dtype, results);
    }
    if (!call->input.layout.dense || !call->input.layout.repeats) {
        call->gaps = SYMM_GAPS_INPUT | SYMM_GAPS_OUTPUT;
    }
    if (!predefined) {
        call->shift = call->input.layout.start;
        call->input.at = mca_coll_symm_at(call->input.at, call->shift);
        call->output.at = mca_coll_symm_at(call->output.at, call->shift);
    }
}

/* Whether transfer/packed_reduce.c has room for an element with gaps. */
static inline bool mca_coll_symm_element_fits(struct ompi_datatype_t *dtype)
{
    struct symm_layout one;
    mca_coll_symm_layout_describe(&one, dtype, 1);
    return mca_coll_symm_layout_span(&one) <= SYMM_SCRATCH_SIZE - SYMM_CACHE_LINE;
}

__attribute__((always_inline))
static inline enum symm_reason mca_coll_symm_reduction_veto(struct symm_call *call)
{
    if (call->device >= 0 || call->asymmetric) {
        return mca_coll_symm_reduction_device_veto(call);
    }
    if (call->gaps != 0 && !mca_coll_symm_element_fits(call->dtype)) {
        return SYMM_REASON_GAPS;
    }
    if (call->extent > SYMM_SCRATCH_SIZE) { /* no piece of a staging buffer is smaller */
        return SYMM_REASON_ELEMENT;
    }
    return SYMM_REASON_NONE;
}

/*
 * The class of an element: integer, floating point, complex or something else.  Handles and ids
 * tell too much apart: MPI_LONG, MPI_LONG_LONG and MPI_INT64_T are different ones and may meet in
 * practice.
 */
_Static_assert(OMPI_DATATYPE_FLAG_DATA_TYPE / OMPI_DATATYPE_FLAG_DATA_INT <
                   1 << SYMM_SIGNATURE_ELEMENT_BITS, "a signature has room for it");

static inline unsigned mca_coll_symm_element_class(const struct ompi_datatype_t *dtype)
{
    return (unsigned)(dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) /
           OMPI_DATATYPE_FLAG_DATA_INT; /* the lowest of these flags */
}

/*
 * Describe a call of `collective` that reduces `count` elements of each rank, of which this rank
 * gets `results`.  Of the arguments it looks at buffers, type and operation.  `counts` is what the
 * signature says of the ranks' counts; 0: they have none.
 *
 * This and what it calls are inlined also where they are used more than once: else a small blocking
 * call takes 30 instructions more.
 */
__attribute__((always_inline))
static inline void mca_coll_symm_reduction_describe(
    struct symm_call *call, enum symm_collective collective, enum symm_kinds kinds,
    const struct symm_arguments *a, size_t count, size_t results, unsigned counts)
{
    struct ompi_datatype_t *dtype = a->rdtype;
    struct ompi_op_t *op = a->op;
    bool has_result = collective != SYMM_REDUCE || results > 0;
    void *rbuf = has_result ? a->rbuf : NULL; /* it may be anything where there is no result */
    ptrdiff_t lower, extent;
    bool intrinsic = ompi_op_is_intrinsic(op);
    ompi_datatype_get_extent(dtype, &lower, &extent);
    call->collective = collective;
    call->in_place = a->sbuf == MPI_IN_PLACE || a->sbuf == rbuf;
    call->input.at = call->in_place ? rbuf : symm_ompi_unconst(a->sbuf);
    call->output.at = rbuf;
    if (collective != SYMM_ALLREDUCE && results == 0) {
        call->output.at = call->input.at; /* programs may pass anything */
    }
    call->count = count;
    call->extent = (size_t)extent;
    call->op = op;
    call->dtype = dtype;
    mca_coll_symm_elements_describe(call, results);
    call->input.bytes = count * call->extent;
    call->output.bytes = results * call->extent;
    call->absent = symm_collective_get(collective)->is_rooted && results == 0 ? SYMM_ABSENT_OUTPUT
                                                                              : 0;
    mca_coll_symm_device_describe(call, kinds);
    call->veto = mca_coll_symm_reduction_veto(call);
    if (intrinsic) {
        call->agreed_count = count;
        call->signature = symm_signature_pack((struct symm_signature){
            .collective = collective, .op = (unsigned)op->op_type,
            .element = mca_coll_symm_element_class(dtype), .root = counts,
            .extent = (size_t)extent});
    } else {
        call->agreed_count = call->payload_bytes;
        call->signature = symm_signature_pack((struct symm_signature){
            .collective = collective, .op = SYMM_SIGNATURE_USER_OP, .root = counts, .extent = 1});
    }
    call->reduction = (struct symm_reduction){
        .context = call,
        .extent = call->extent,
        .tail = ompi_datatype_is_predefined(dtype) /* others are without gaps, or packed */
                    ? (size_t)(dtype->super.ub - dtype->super.true_ub) : 0,
        .ordered = !intrinsic,
        .reduce = mca_coll_symm_reduction_reduce,
        .combine = mca_coll_symm_reduction_has_combine(op, dtype)
                       ? mca_coll_symm_reduction_combine : NULL,
    };
}

/* For a collective without data on any rank if it has none on this one (entry/entry.h). */
static inline bool mca_coll_symm_reduction_is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0;
}

/* For a collective whose small calls are made without an operation (entry/entry.h). */
static inline bool mca_coll_symm_reduction_fast(mca_coll_symm_module_t *module,
                                                const struct symm_arguments *a)
{
    (void)a;
    return mca_coll_symm_fast_reduction(module);
}

#endif /* MCA_COLL_SYMM_ENTRY_REDUCTION_H */
