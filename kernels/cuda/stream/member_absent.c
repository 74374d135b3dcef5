/*
 * member_absent.c - stream lanes in a build without CUDA: there are none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/stream/member.h"

void symm_stream_member_create(const struct symm_stream_setup *setup,
                               struct symm_stream_member **member,
                               struct symm_stream_offer *offer)
{
    (void)setup;
    memset(offer, 0, sizeof(*offer));
    (void)snprintf(offer->why, sizeof(offer->why), "the library has been built without CUDA");
    *member = NULL;
}

/* Nobody has a member: what follows is not called. */
enum symm_status symm_stream_member_connect(struct symm_stream_member *member,
                                            const struct symm_stream_offer *offers, char *why)
{
    (void)member;
    (void)offers;
    (void)why;
    return SYMM_ERR_NOT_FOUND;
}

void symm_stream_member_cancel(struct symm_stream_member *member)
{
    (void)member;
}

enum symm_status symm_stream_member_add(struct symm_stream_member *member,
                                        const struct symm_stream_call *call)
{
    (void)member;
    (void)call;
    return SYMM_ERR_NOT_FOUND;
}

bool symm_stream_member_reaches(const struct symm_stream_member *member, const void *address)
{
    (void)member;
    (void)address;
    return false;
}

enum symm_status symm_stream_member_set_stream(struct symm_stream_member *member, void *stream)
{
    (void)member;
    (void)stream;
    return SYMM_ERR_NOT_FOUND;
}

void symm_stream_member_abort(struct symm_stream_member *member)
{
    (void)member;
}

void symm_stream_member_release(struct symm_stream_member *member)
{
    (void)member;
}

bool symm_stream_member_has_failed(const struct symm_stream_member *member)
{
    (void)member;
    return true;
}

enum symm_status symm_stream_member_state(const struct symm_stream_member *member, char *text,
                                          size_t size)
{
    (void)member;
    (void)snprintf(text, size, "built without CUDA");
    return SYMM_ERR_NOT_FOUND;
}

void symm_stream_members_watch(struct symm_process *process, symm_stream_tell *tell,
                               double seconds)
{
    (void)process;
    (void)tell;
    (void)seconds;
}

int symm_stream_members_end(double seconds, int *ended)
{
    (void)seconds;
    *ended = 0;
    return 0;
}
