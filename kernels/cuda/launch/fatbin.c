/*
 * fatbin.c - see fatbin.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/embed.h"
#include "kernels/cuda/launch/fatbin.h"

SYMM_EMBED(symm_fatbin_reduce, "kernels/cuda/device_code/reduce.fatbin");
SYMM_EMBED(symm_fatbin_scan, "kernels/cuda/device_code/scan.fatbin");
SYMM_EMBED(symm_fatbin_gather, "kernels/cuda/device_code/gather.fatbin");
SYMM_EMBED(symm_fatbin_small, "kernels/cuda/device_code/small.fatbin");
SYMM_EMBED(symm_fatbin_packets, "kernels/cuda/device_code/packets.fatbin");
SYMM_EMBED(symm_fatbin_ring, "kernels/cuda/device_code/ring.fatbin");
SYMM_EMBED(symm_fatbin_stream, "kernels/cuda/device_code/stream.fatbin");
SYMM_EMBED(symm_fatbin_stream_push, "kernels/cuda/device_code/stream_push.fatbin");
#ifdef HAVE_MULTICAST
SYMM_EMBED(symm_fatbin_multimem, "kernels/cuda/device_code/multimem.fatbin");
#endif
