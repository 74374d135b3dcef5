/*
 * choose/explain.h - why an algorithm was chosen, for coll_symm_verbose.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_EXPLAIN_H
#define MCA_COLL_SYMM_CHOOSE_EXPLAIN_H

#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/report/verbose.h"

/* What mca_coll_symm_verbose_choice() does once the user wants it. */
void mca_coll_symm_choice_explain(struct symm_operation *operation, const struct symm_facts *facts);

/*
 * An algorithm is about to serve a call: the first time, say so and say why.  `facts` is NULL for a
 * payload that travels in the slot.
 */
static inline void mca_coll_symm_verbose_choice(struct symm_operation *operation,
                                                const struct symm_facts *facts)
{
    if (mca_coll_symm_is_verbose(SYMM_VERBOSE_ALGORITHMS)) {
        mca_coll_symm_choice_explain(operation, facts);
    }
}

#endif /* MCA_COLL_SYMM_CHOOSE_EXPLAIN_H */
