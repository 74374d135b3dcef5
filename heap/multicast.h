/*
 * multicast.h - one address for the buffers of all ranks: loads from it reduce them, stores to it
 * go to all.
 *
 * In device memory that is a multicast object of the driver: each rank adds its device, binds a
 * segment of its own, and maps the object; NVLink's switches do the rest.  In host memory it is
 * software, with the same life cycle: the object tells which segment each rank has bound, and
 * kernels go through all of them.
 *
 * A *group* is one segment of each rank, and has an object of its own.  It is set up in three
 * steps,
 *     begin; create, vote; join, vote; bind, vote; settle
 * because binding waits, in the driver, until all devices have been added: so whatever fails has to
 * be agreed on before the next step.  All ranks of a team make the same calls with the same
 * arguments, so they hold the same groups in the same states.  A group ends when its team does,
 * when a team has too many, or soon after one of its segments has gone; the owner of a segment
 * unbinds it before its memory goes.
 *
 * Thread-safety is that of team.h; the owner of a segment may give it back in another thread at any
 * time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_MULTICAST_H
#define SYMM_HEAP_MULTICAST_H

#include "heap/heap.h"
#include "heap/private.h"

/*
 * Whether the user has forbidden NVLink multicast by a variable that other libraries have for that:
 * NCCL_NVLS_ENABLE=0, NVSHMEM_DISABLE_NVLS=1, TORCH_SYMM_MEM_DISABLE_MULTICAST=1.  *variable
 * (unless it is NULL): the assignment, as a text that stays.  The environment is read once.  Never
 * in a build with loops in the place of NVLink multicast (--enable-multicast=unicast), which makes
 * none.
 */
SYMM_PRIVATE bool symm_multicast_opted_out(const char **variable);

/*
 * Whether memory of this heap can take part.  Host memory can.  Memory of a device can if device
 * and driver have multicast, this library was built with it, and nobody has opted out.
 */
SYMM_PRIVATE bool symm_heap_multicast_able(struct symm_heap *heap);

#endif /* SYMM_HEAP_MULTICAST_H */
