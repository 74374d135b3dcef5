/*
 * tell.c - lines for users: failures that no call returns, and ranks that are late.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpix/mpix.h"

static const char *const notice_name = "SYMM_STREAM_NOTICE";
static const double notice = 60; /* seconds that a call has waited when it is told of */
static int own_rank = -1;        /* in MPI_COMM_WORLD */

void symm_mpix_tell_as(int rank)
{
    own_rank = rank;
}

/*
 * Where the program's handler ends it at an error, what its stream holds behind a failure is not
 * for anybody to read.
 */
void symm_mpix_tell(const char *text, bool is_failure, bool is_fatal)
{
    (void)fprintf(stderr, "ompi-symm: rank %d: %s\n", own_rank, text);
    if (is_failure && is_fatal) {
        abort();
    }
}

double symm_mpix_notice(void)
{
    const char *text = getenv(notice_name);
    char *end = NULL, words[256];
    const double seconds = text != NULL ? strtod(text, &end) : notice;
    if (text == NULL || (end != text && *end == '\0' && seconds >= 0)) {
        return seconds;
    }
    (void)snprintf(words, sizeof(words), "%s is '%s', which is no number of seconds; %.0f is taken",
                   notice_name, text, notice);
    symm_mpix_tell(words, false, false);
    return notice;
}

bool symm_mpix_is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    (void)PMPI_Comm_get_errhandler(comm, &handler);
    const bool ends = handler == MPI_ERRORS_ARE_FATAL;
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)PMPI_Errhandler_free(&handler);
    }
    return ends;
}
