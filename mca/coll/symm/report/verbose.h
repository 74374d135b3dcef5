/*
 * report/verbose.h - what --mca coll_symm_verbose explains, on a stream of its own.
 *
 * Rank 0 of a communicator tells what all its ranks know; the others speak of their own troubles
 * only.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_VERBOSE_H
#define MCA_COLL_SYMM_REPORT_VERBOSE_H

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"

/* Values of the parameter; each includes those before it. */
enum {
    SYMM_VERBOSE_TROUBLE = 1,       /* what goes wrong, and on which rank */
    SYMM_VERBOSE_COMMUNICATORS = 2, /* what was selected for a communicator, once */
    SYMM_VERBOSE_ALGORITHMS = 3,    /* the first use of each algorithm on it */
};

static inline bool mca_coll_symm_is_verbose(int level)
{
    return mca_coll_symm_component.verbose >= level;
}

/* Open the stream, as the component opens, and close it. */
void mca_coll_symm_verbose_open(void);
void mca_coll_symm_verbose_close(void);

/* Print one line, if the user wants this level. */
void mca_coll_symm_verbose(int level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same about a communicator: its name and number go in front. */
void mca_coll_symm_verbose_about(int level, const struct ompi_communicator_t *comm,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The module has been enabled: say what is served, in whose place, and with which parameters. */
void mca_coll_symm_verbose_selected(const struct mca_coll_symm_module_t *module,
                                    const struct ompi_communicator_t *comm);

/* Whether rank 0 has yet to say what *told is about.  From now on *told says that it has. */
static inline bool mca_coll_symm_is_news(const struct mca_coll_symm_module_t *module,
                                         _Atomic bool *told)
{
    return !atomic_exchange_explicit(told, true, memory_order_relaxed) &&
           module->blocking.vote.rank == 0;
}

/* What mca_coll_symm_verbose_fallback() does once the user wants it. */
void mca_coll_symm_fallback_explain(struct symm_operation *operation);

/* A call goes below: the first time for this reason, say so and say why. */
static inline void mca_coll_symm_verbose_fallback(struct symm_operation *operation)
{
    if (mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS)) {
        mca_coll_symm_fallback_explain(operation);
    }
}

#endif /* MCA_COLL_SYMM_REPORT_VERBOSE_H */
