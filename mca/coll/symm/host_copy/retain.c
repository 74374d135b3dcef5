/*
 * host_copy/retain.c - see host_copy/retain.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/retain.h"

#include <stdlib.h>

/* ---- arrays ---------------------------------------------------------------------------------- */

/* One block has room for all arrays of a buffer, whose elements take up to eight bytes each. */
enum { ARRAYS = 3, ELEMENT = 8 };

static int arrays_keep(struct symm_host_copy *copy)
{
    copy->arrays = NULL;
    if (!mca_coll_symm_host_copy_is_used(copy) || copy->side.shape == SYMM_SIDE_EVEN ||
        copy->pieces == 0) {
        return OMPI_SUCCESS;
    }
    unsigned char *room = malloc(copy->pieces * ARRAYS * ELEMENT);
    if (room == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy->arrays = room;
    copy->side.counts = symm_counts_copy(copy->side.counts, copy->pieces, room);
    room += copy->pieces * ELEMENT;
    if (copy->side.shape == SYMM_SIDE_FAR) {
        copy->side.byte_disps = symm_byte_disps_copy(copy->side.byte_disps, copy->pieces, room);
    } else {
        copy->side.disps = symm_disps_copy(copy->side.disps, copy->pieces, room);
    }
    room += copy->pieces * ELEMENT;
    if (mca_coll_symm_side_is_typed(&copy->side)) {
        struct ompi_datatype_t **kept = (struct ompi_datatype_t **)(void *)room;
        for (size_t i = 0; i < copy->pieces; i++) { /* those of empty pieces may be freed */
            kept[i] = symm_count_at(copy->side.counts, i) > 0 ? copy->side.dtypes[i] : MPI_BYTE;
        }
        copy->side.dtypes = kept;
    }
    return OMPI_SUCCESS;
}

/* ---- objects --------------------------------------------------------------------------------- */

typedef void type_use(struct ompi_datatype_t *dtype);

static void type_retain(struct ompi_datatype_t *dtype)
{
    OBJ_RETAIN(dtype);
}

static void type_release(struct ompi_datatype_t *dtype)
{
    OBJ_RELEASE(dtype);
}

/* Types that the program has made, of pieces with elements: those of others may be anything. */
static void types_each(const struct symm_host_copy *copy, type_use *use)
{
    if (!mca_coll_symm_host_copy_is_used(copy)) {
        return;
    }
    if (!mca_coll_symm_side_is_typed(&copy->side)) {
        if (!ompi_datatype_is_predefined(copy->side.dtype)) {
            use(copy->side.dtype);
        }
        return;
    }
    for (size_t i = 0; i < copy->pieces; i++) {
        if (symm_count_at(copy->side.counts, i) > 0 &&
            !ompi_datatype_is_predefined(copy->side.dtypes[i])) {
            use(copy->side.dtypes[i]);
        }
    }
}

int mca_coll_symm_host_copy_retain(struct symm_host_copy_buffers *buffers)
{
    int rc = arrays_keep(&buffers->send);
    if (rc == OMPI_SUCCESS) {
        rc = arrays_keep(&buffers->receive);
        if (rc != OMPI_SUCCESS) {
            free(buffers->send.arrays);
        }
    }
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    types_each(&buffers->send, type_retain);
    types_each(&buffers->receive, type_retain);
    if (buffers->op != NULL && !ompi_op_is_intrinsic(buffers->op)) {
        OBJ_RETAIN(buffers->op);
    }
    return OMPI_SUCCESS;
}

void mca_coll_symm_host_copy_let_go(struct symm_host_copy_buffers *buffers)
{
    types_each(&buffers->send, type_release);
    types_each(&buffers->receive, type_release);
    if (buffers->op != NULL && !ompi_op_is_intrinsic(buffers->op)) {
        OBJ_RELEASE(buffers->op);
    }
    free(buffers->send.arrays);
    free(buffers->receive.arrays);
}
