/*
 * links.c - see links.h.
 *
 * The driver does not name the kind of a link.  Of the links that GPUs have, NVLink alone has
 * atomics of the other GPU's memory ("native"), which is an attribute.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "heap/multicast.h"
#include "info/links.h"

/* ---- links ----------------------------------------------------------------------------------- */

enum link { LINK_NONE, LINK_PCIE, LINK_NVLINK, LINK_COUNT };

static bool access_get(const struct symm_cuda *cuda, CUdevice one, CUdevice other)
{
    int can = 0;
    return cuda->cuDeviceCanAccessPeer != NULL &&
           cuda->cuDeviceCanAccessPeer(&can, one, other) == CUDA_SUCCESS && can != 0;
}

static enum link link_get(const struct symm_cuda *cuda, int first, int second)
{
    CUdevice one, other;
    int atomics = 0;
    if (cuda->cuDeviceGet(&one, first) != CUDA_SUCCESS ||
        cuda->cuDeviceGet(&other, second) != CUDA_SUCCESS || !access_get(cuda, one, other) ||
        !access_get(cuda, other, one)) {
        return LINK_NONE;
    }
    if (cuda->cuDeviceGetP2PAttribute != NULL) {
        (void)cuda->cuDeviceGetP2PAttribute(
            &atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, one, other);
    }
    return atomics != 0 ? LINK_NVLINK : LINK_PCIE;
}

/* Pairs of each kind, as far as they fit. */
struct pairs {
    char text[512];
    size_t length;
    int count;
};

static void pair_add(struct pairs *pairs, int first, int second)
{
    pairs->count++;
    if (pairs->length < sizeof(pairs->text)) {
        int added = snprintf(pairs->text + pairs->length, sizeof(pairs->text) - pairs->length,
                             "%s%d-%d", pairs->count > 1 ? " " : "", first, second);
        pairs->length += (size_t)added;
    }
}

static void pairs_tell(enum link link, const struct pairs *pairs, int all,
                       struct findings *findings)
{
    static const char *const texts[LINK_COUNT] = {
        [LINK_NONE] = "no peer access between GPUs",
        [LINK_PCIE] = "peer access without NVLink between GPUs",
        [LINK_NVLINK] = "peer access over NVLink between GPUs",
    };
    static const char *const values[LINK_COUNT] = {"none", "pcie", "nvlink"};
    static const enum finding_status statuses[LINK_COUNT] = {FINDING_PROBLEM, FINDING_NOTE,
                                                             FINDING_OK};
    if (pairs->count == 0) {
        return;
    }
    bool every = pairs->count == all && all > 1;
    finding_add(findings, TOPIC_GPUS, statuses[link], "link", "%s %s", texts[link],
                every ? "of every pair" : pairs->text);
    finding_value(findings, "%s", values[link]);
    if (link == LINK_NONE) {
        finding_remedy(findings, "see nvidia-smi topo -p2p rw; calls on memory of such GPUs are "
                                 "made on copies in host memory");
    }
}

void links_look(const struct symm_cuda *cuda, int count, struct findings *findings)
{
    struct pairs pairs[LINK_COUNT] = {{.count = 0}};
    for (int first = 0; first < count; first++) {
        for (int second = first + 1; second < count; second++) {
            pair_add(&pairs[link_get(cuda, first, second)], first, second);
        }
    }
    for (int link = 0; link < LINK_COUNT; link++) {
        pairs_tell((enum link)link, &pairs[link], count * (count - 1) / 2, findings);
    }
}

/* ---- multicast ------------------------------------------------------------------------------- */

static bool devices_have_it(const struct symm_cuda *cuda, int count)
{
    for (int i = 0; i < count; i++) {
        CUdevice device;
        int able = 0;
        if (cuda->cuDeviceGet(&device, i) != CUDA_SUCCESS ||
            cuda->cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, device) !=
                CUDA_SUCCESS ||
            able == 0) {
            return false;
        }
    }
    return count > 1;
}

void multicast_look(const struct symm_cuda *cuda, int count, const char *features,
                    const struct settings *settings, struct findings *findings)
{
    const char *variable = NULL, *parameter = settings_value(settings, "coll_symm_multicast");
    if (!devices_have_it(cuda, count)) {
        finding_add(findings, TOPIC_GPUS, FINDING_OK, "multicast",
                    "NVLink multicast: %s; all collectives work without",
                    count > 1 ? "the GPUs do not have it" : "there are no two GPUs");
        finding_value(findings, "no");
    } else if (strstr(features, "unicast") != NULL) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "multicast",
                    "NVLink multicast: this build has loops in its place "
                    "(--enable-multicast=unicast)");
        finding_value(findings, "not built");
        finding_remedy(findings, "configure without --enable-multicast=unicast");
    } else if (strstr(features, "multicast") == NULL) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "multicast",
                    "NVLink multicast: the GPUs have it, and it is left out of this build "
                    "(--disable-multicast)");
        finding_value(findings, "not built");
        finding_remedy(findings, "configure without --disable-multicast");
    } else if (parameter != NULL && strcmp(parameter, "never") == 0) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "multicast",
                    "NVLink multicast: forbidden by coll_symm_multicast=never");
        finding_value(findings, "forbidden");
        finding_remedy(findings, "leave coll_symm_multicast out, unless there is a reason for it");
    } else if (symm_multicast_opted_out(&variable)) {
        finding_add(findings, TOPIC_GPUS, FINDING_NOTE, "multicast",
                    "NVLink multicast: forbidden by %s, which is in the environment", variable);
        finding_value(findings, "forbidden");
        finding_remedy(findings, "unset %.*s, unless there is a reason for it",
                       (int)strcspn(variable, "="), variable);
    } else {
        finding_add(findings, TOPIC_GPUS, FINDING_OK, "multicast",
                    "NVLink multicast: the GPUs have it, and nobody has forbidden it");
        finding_value(findings, "yes");
    }
}
