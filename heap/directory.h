/*
 * directory.h - the segment directory: which segments of a heap are alive, for the peers to see.
 *
 * One small page of shared memory per heap, written by the owner only.  Place `i` holds the serial
 * number of the segment that lives there, or 0.  Serial numbers are never reused, so a peer's
 * mapping of a segment is good exactly while the directory still shows its serial.  `retired`
 * counts segments given back; the owner quotes it in every collective that names heap buffers, so a
 * peer scans the directory only when something has changed.
 *
 * (A ring of retired serials would do the same, but it can overflow when a peer does not look for a
 * long time; a directory cannot.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_DIRECTORY_H
#define SYMM_HEAP_DIRECTORY_H

#include <stdatomic.h>
#include <stdint.h>

enum { SYMM_SEGMENTS_MAX = 1024, SYMM_DEVICE_TEXT_SIZE = 256 };

struct symm_directory {
    uint64_t window_size; /* constant once the directory is exported, and so is `device` */
    char device[SYMM_DEVICE_TEXT_SIZE]; /* which it is, as its owner calls it; "": host memory */
    _Atomic uint32_t retired;
    _Atomic uint32_t serial[SYMM_SEGMENTS_MAX];
};

#endif /* SYMM_HEAP_DIRECTORY_H */
