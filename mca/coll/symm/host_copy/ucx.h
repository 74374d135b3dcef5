/*
 * host_copy/ucx.h - whether the UCX below can tell device memory from host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_UCX_H
#define MCA_COLL_SYMM_HOST_COPY_UCX_H

#include <stdbool.h>

/*
 * True: messages go through pml/ucx, and its UCX takes device memory for host memory.  UCX 1.22
 * keeps a cache of the memory that CUDA has allocated, and its module libucm_cuda.so fills the
 * cache.  If that module cannot be loaded, the cache stays empty without a word, and UCX reads
 * device memory with the host: a segmentation fault in uct_mm_ep_am_short() or memcpy().  The
 * module needs the CUDA runtime library that it was linked with; Python's wheel keeps it in a
 * folder of its own, libucx_cu13.libs.
 *
 * Where UCX_MEMTYPE_CACHE says no, UCX asks the driver and needs no cache.
 */
bool mca_coll_symm_ucx_is_blind(void);

#endif /* MCA_COLL_SYMM_HOST_COPY_UCX_H */
