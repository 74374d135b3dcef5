/*
 * gpus_absent.c - gpus.h in a build without CUDA.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "info/gpus.h"

int gpus_look(const struct components *components, const struct settings *settings,
              struct findings *findings)
{
    bool driver = access("/dev/nvidiactl", F_OK) == 0;
    (void)components;
    (void)settings;
    finding_add(findings, TOPIC_GPUS, driver ? FINDING_PROBLEM : FINDING_NOTE, "cuda",
                "ompi-symm is built without CUDA: it serves host memory only%s",
                driver ? ", and this machine has an NVIDIA driver" : "");
    finding_remedy(findings, "build where there is a CUDA toolkit, 12.8 or newer");
    return 0;
}

bool gpus_copy(void *target, const void *source, size_t bytes, char *text, size_t size)
{
    (void)target;
    (void)source;
    (void)bytes;
    (void)snprintf(text, size, "built without CUDA");
    return false;
}
