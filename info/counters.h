/*
 * counters.h - the counters of coll/symm, as MPI_T performance variables: who has served a call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_COUNTERS_H
#define INFO_COUNTERS_H

#include "info/mpi_library.h"

struct counter {
    char name[96];         /* without "coll_symm_" and "_calls" */
    char description[192]; /* empty if there is none */
    MPI_T_pvar_handle handle;
    unsigned long long before;
};

enum { COUNTERS_MOST = 2048 };

/* Between MPI_Init and MPI_Finalize.  No counters: the component is not in this job. */
struct counters {
    const struct mpi_library *mpi;
    MPI_T_pvar_session session;
    bool is_open;
    int count;
    struct counter list[COUNTERS_MOST];
};

void counters_open(struct counters *counters, const struct mpi_library *mpi);
void counters_close(struct counters *counters);

/* Remember what they are now. */
void counters_mark(struct counters *counters);

/*
 * The first counter of this collective ("allreduce"), or of whatever begins so, that has grown
 * since; NULL: none.  What was made on copies in host memory comes last.
 */
const struct counter *counters_grown(const struct counters *counters, const char *beginning);

#endif /* INFO_COUNTERS_H */
