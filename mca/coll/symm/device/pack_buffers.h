/*
 * device/pack_buffers.h - memory of devices for data that are packed there: what other ranks reach
 * in the place of buffers with gaps.
 *
 * Rooms are blocks of the device's heap, so peers map them like any buffer.  They are kept for the
 * next call, as a new one costs a segment, and its mapping in all ranks.  A call that finds none
 * free gets another one.  All functions are thread-safe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_PACK_BUFFERS_H
#define MCA_COLL_SYMM_DEVICE_PACK_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Take a buffer of `bytes` bytes or more, with any content.  NULL: coll_symm_device_packing does
 * not allow for it, or the device has none.  Local.
 */
void *mca_coll_symm_pack_buffer_take(int device, size_t bytes);

/* The call is over, on all ranks; NULL is no room. */
void mca_coll_symm_pack_buffer_give(int device, void *buffer);

/* The same of a call that has failed, after which a device may still write there: it is freed. */
void mca_coll_symm_pack_buffer_lose(int device, void *buffer);

/* Free the buffers of a device that no call has.  Returns whether there were any. */
bool mca_coll_symm_pack_buffers_spare(int device);

/* Free all buffers.  No call may have any. */
void mca_coll_symm_pack_buffers_close(void);

#endif /* MCA_COLL_SYMM_DEVICE_PACK_BUFFERS_H */
