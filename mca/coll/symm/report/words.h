/*
 * report/words.h - what users read for reasons of a fallback and for communicators that are not
 * served.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_WORDS_H
#define MCA_COLL_SYMM_REPORT_WORDS_H

#include "mca/coll/symm/report/counters.h"

/* Words for tables and messages: "datatype with gaps", "ranks on several nodes". */
const char *mca_coll_symm_reason_text(enum symm_reason reason);
const char *mca_coll_symm_unserved_text(enum symm_unserved why);
const char *mca_coll_symm_host_copy_why_text(enum symm_mpi_function function,
                                             enum symm_host_copy_why why);

/* How a call over several nodes is made: "flat", "leaders", "rails". */
const char *mca_coll_symm_plan_text(enum symm_nodes_plan plan);

/* The name of a collective that we serve: "allreduce", "iallreduce" or "allreduce_init". */
const char *mca_coll_symm_form_text(enum symm_collective collective, enum symm_call_form form);

/* Whether a call of the collective can have this reason. */
bool mca_coll_symm_reason_is_of(enum symm_reason reason, enum symm_collective collective);

/* What a user can do about a reason.  NULL: nothing. */
const char *mca_coll_symm_reason_remedy(enum symm_reason reason);

/* One word for each, for the names of variables: "gaps", "nodes". */
const char *mca_coll_symm_reason_name(enum symm_reason reason);
const char *mca_coll_symm_unserved_name(enum symm_unserved why);

#endif /* MCA_COLL_SYMM_REPORT_WORDS_H */
