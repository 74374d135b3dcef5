/*
 * entry/allgather.c - MPI_Allgather: from MPI's arguments to an operation and back.
 *
 * An all-gather moves bytes.  Where the elements that a rank sends, or those that it receives, fill
 * their bytes without gaps, they are copied from and to where they lie; otherwise they are packed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/allgather.h"

#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/device/place.h"
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/host_copy/all.h"

/* Set the addresses, after the rank's own data and what it receives have been described. */
static void buffers_set(struct symm_call *call, int rank, const void *sbuf, void *rbuf)
{
    call->receive = rbuf;
    call->send = call->in_place ? mca_coll_symm_layout_block(&call->target, rbuf, rank) : sbuf;
    call->input = mca_coll_symm_at(call->send, call->source.start);
    call->output = mca_coll_symm_at(rbuf, call->target.start);
}

static enum symm_reason veto_reason(const struct symm_call *call)
{
    if (call->source.bytes != call->target.bytes) {
        return SYMM_REASON_UNEQUAL; /* an error; the component below says so or truncates */
    }
    if (call->unusable) {
        return SYMM_REASON_ELSEWHERE;
    }
    return call->asymmetric ? SYMM_REASON_ASYMMETRIC : SYMM_REASON_NONE;
}

/* Inlined, as in allreduce.c. */
__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds, int rank,
                            const void *sbuf, size_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, size_t rcount, struct ompi_datatype_t *rdtype, int ranks)
{
    mca_coll_symm_layout_describe(&call->target, rdtype, rcount);
    call->collective = SYMM_ALLGATHER;
    call->in_place = sbuf == MPI_IN_PLACE;
    if (call->in_place) {
        call->source = call->target;
    } else {
        mca_coll_symm_layout_describe(&call->source, sdtype, scount);
    }
    buffers_set(call, rank, sbuf, rbuf);
    call->gaps = (call->source.dense ? 0u : SYMM_GAPS_INPUT) |
                 (call->target.dense && call->target.repeats ? 0u : SYMM_GAPS_OUTPUT);
    call->count = call->target.bytes;
    call->agreed_count = call->target.bytes;
    call->extent = 1;
    call->input_bytes = call->target.bytes;
    call->output_bytes = call->target.bytes * (size_t)ranks;
    call->absent = 0;
    call->payload_bytes = call->target.bytes;
    mca_coll_symm_device_describe(call, kinds);
    call->veto = veto_reason(call);
    call->signature = symm_signature_pack(
        (struct symm_signature){.collective = SYMM_ALLGATHER, .extent = 1});
}

/*
 * Whether nothing is sent or received.  `sbuf` may be MPI_IN_PLACE, and then says nothing about
 * that.
 */
static bool is_without_data(const void *sbuf, size_t scount, const struct ompi_datatype_t *sdtype,
                            size_t rcount, const struct ompi_datatype_t *rdtype)
{
    return mca_coll_symm_bytes(rdtype, rcount) == 0 &&
           (sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(sdtype, scount) == 0);
}

int mca_coll_symm_allgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (is_without_data(sbuf, (size_t)scount, sdtype, (size_t)rcount, rdtype)) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLGATHER, comm, module)) {
        return MPI_ERR_OTHER;
    }
    describe(&entry.module->call, entry.module->super.kinds, ompi_comm_rank(comm), sbuf,
             (size_t)scount, sdtype, rbuf, (size_t)rcount, rdtype, ompi_comm_size(comm));
    return SYMM_ENTRY_MAKE(&entry, comm, allgather, sbuf, scount, sdtype, rbuf, rcount, rdtype);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iallgather, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, mca_coll_symm_request_comm(request),
                                    below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, allgather_init, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        const struct symm_arguments *arguments, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = *arguments;
        describe(&(*request)->call, (*request)->module->super.kinds, ompi_comm_rank(comm),
                 arguments->sbuf, (size_t)arguments->scount, arguments->sdtype, arguments->rbuf,
                 (size_t)arguments->rcount, arguments->rdtype, ompi_comm_size(comm));
    }
    return rc;
}

int mca_coll_symm_iallgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                             void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(sbuf, (size_t)scount, sdtype, (size_t)rcount, rdtype)) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_allgather_init(const void *sbuf, symm_count_t scount,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                 struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                 struct ompi_info_t *info, ompi_request_t **handle,
                                 mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(sbuf, (size_t)scount, sdtype, (size_t)rcount, rdtype)) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
