/*
 * data/pack.c - see data/pack.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/pack.h"

/* ---- layouts --------------------------------------------------------------------------------- */

void mca_coll_symm_layout_describe(struct symm_layout *layout, struct ompi_datatype_t *dtype,
                                   size_t count)
{
    ptrdiff_t lower, extent, true_extent;
    size_t size = mca_coll_symm_bytes(dtype, 1);
    *layout = (struct symm_layout){
        .dtype = dtype, .count = count, .bytes = size * count, .dense = true, .repeats = true};
    if (layout->bytes == 0) {
        return;
    }
    ompi_datatype_get_extent(dtype, &lower, &extent);
    ompi_datatype_get_true_extent(dtype, &layout->start, &true_extent);
    layout->repeats = (size_t)extent == size;
    /*
     * The last condition holds if the parts of an element lie in memory in the order in which its
     * type names them.  Other orders have to be packed, because ranks may have different ones.
     */
    layout->dense = (size_t)true_extent == size && (layout->repeats || count == 1) &&
                    ompi_datatype_is_contiguous_memory_layout(dtype, count == 1 ? 1 : 2);
}

size_t mca_coll_symm_layout_span(const struct symm_layout *layout)
{
    ptrdiff_t lower, extent, true_extent;
    size_t distance, span;
    if (layout->bytes == 0) {
        return 0;
    }
    ompi_datatype_get_extent(layout->dtype, &lower, &extent);
    ompi_datatype_get_true_extent(layout->dtype, &lower, &true_extent);
    if (extent < 0 || true_extent < 0 ||
        __builtin_mul_overflow((size_t)extent, layout->count - 1, &distance) ||
        __builtin_add_overflow(distance, (size_t)true_extent, &span)) {
        return SIZE_MAX;
    }
    return span;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* One call of the convertor packs everything, because the room has exactly the size of the data. */
void mca_coll_symm_pack(const struct symm_layout *layout, const void *buffer, void *packed)
{
    opal_convertor_t convertor;
    struct iovec room = {.iov_base = packed, .iov_len = layout->bytes};
    uint32_t rooms = 1;
    size_t moved = layout->bytes;
    if (layout->dense) {
        memcpy(packed, mca_coll_symm_at(buffer, layout->start), layout->bytes);
        return;
    }
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void)opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &layout->dtype->super,
                                                   layout->count, buffer, 0, &convertor);
    (void)opal_convertor_pack(&convertor, &room, &rooms, &moved);
    OBJ_DESTRUCT(&convertor);
}

void mca_coll_symm_unpack(const struct symm_layout *layout, const void *packed, void *buffer)
{
    opal_convertor_t convertor;
    struct iovec data = {.iov_base = symm_ompi_unconst(packed), .iov_len = layout->bytes};
    uint32_t pieces = 1;
    size_t moved = layout->bytes;
    if (layout->dense) {
        memcpy(mca_coll_symm_at(buffer, layout->start), packed, layout->bytes);
        return;
    }
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void)opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &layout->dtype->super,
                                                   layout->count, buffer, 0, &convertor);
    (void)opal_convertor_unpack(&convertor, &data, &pieces, &moved);
    OBJ_DESTRUCT(&convertor);
}

void *mca_coll_symm_layout_block(const struct symm_layout *layout, void *buffer, int rank)
{
    ptrdiff_t lower, extent;
    if (layout->bytes == 0) {
        return buffer;
    }
    ompi_datatype_get_extent(layout->dtype, &lower, &extent);
    return mca_coll_symm_at(buffer, (ptrdiff_t)layout->count * extent * rank);
}
