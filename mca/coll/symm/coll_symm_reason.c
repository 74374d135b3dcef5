/*
 * coll_symm_reason.c - see coll_symm_reason.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_reason.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "mca/help.h"

enum { STATUS_BITS = 8, STATUS_MASK = (1 << STATUS_BITS) - 1 };

int mca_coll_symm_reason(enum symm_status status, int error)
{
    bool has_error = status == SYMM_ERR_NO_MEMORY || status == SYMM_ERR_SYSTEM;
    return has_error ? (int)status | error << STATUS_BITS : (int)status;
}

/* What to do about it, as a topic of the help texts. */
static const char *topic_of(enum symm_status status)
{
    switch (status) {
    case SYMM_ERR_UNREACHABLE:
    case SYMM_ERR_PEER_LOST:
        return "cannot share memory: unreachable";
    case SYMM_ERR_PERMISSION:
        return "cannot share memory: other user";
    case SYMM_ERR_NO_MEMORY:
        return "cannot share memory: limit";
    default:
        return "cannot share memory: refused";
    }
}

static atomic_flag told = ATOMIC_FLAG_INIT;

void mca_coll_symm_reason_is_told(void)
{
    (void)atomic_flag_test_and_set(&told);
}

void mca_coll_symm_reason_tell(const char *communicator, int rank, int reason)
{
    enum symm_status status = (enum symm_status)(reason & STATUS_MASK);
    int error = reason >> STATUS_BITS;
    char text[200];
    if (atomic_flag_test_and_set(&told)) {
        return;
    }
    (void)snprintf(text, sizeof(text), "%s%s%s", symm_status_string(status),
                   error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    symm_help_show("help-coll-symm.txt", topic_of(status), communicator, rank, text);
}
