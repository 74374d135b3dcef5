/*
 * fatbins.c - the benchmarks' own kernels, compiled (probe.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "bench/probes/probe.h"
#include "kernels/cuda/launch/embed.h"

SYMM_EMBED(probe_fatbin_packets, "bench/probes/packet_litmus.fatbin");
SYMM_EMBED(probe_fatbin_resident, "bench/probes/resident.fatbin");
