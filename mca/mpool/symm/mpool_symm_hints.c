/*
 * mpool_symm_hints.c - parses the value of the info key `mpool_hints`.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include <stdio.h>
#include <strings.h>

/* The names of memory allocation kinds in MPI-4.1 section 11.4.3, and shorter ones. */
static bool kind_parse(const char *value, enum symm_kind_name *kind)
{
    static const struct {
        const char *name;
        enum symm_kind_name kind;
    } kinds[] = {
        {"host", SYMM_KIND_HOST},
        {"system", SYMM_KIND_HOST},
        {"cuda", SYMM_KIND_CUDA},
        {"cuda:device", SYMM_KIND_CUDA},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcasecmp(value, kinds[i].name) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* What one pass over the hints has found. */
struct findings {
    bool ours_named, other_named, kind_named, offended;
};

static void hint_examine(const char *hint, struct symm_hints *hints, struct findings *findings)
{
    bool known = false;
    if (strncasecmp(hint, "mpool=", 6) == 0) {
        known = true;
        if (strcasecmp(hint + 6, "symm") == 0) {
            findings->ours_named = true;
        } else {
            findings->other_named = true;
        }
    } else if (strncasecmp(hint, "kind=", 5) == 0) {
        findings->kind_named = true;
        known = kind_parse(hint + 5, &hints->kind);
    }
    if (!known && !findings->offended) {
        findings->offended = true;
        (void)snprintf(hints->offender, sizeof(hints->offender), "%s", hint);
    }
}

void mca_mpool_symm_hints_parse(const char *text, enum symm_kind_name default_kind,
                                struct symm_hints *hints)
{
    struct findings findings = {false, false, false, false};
    *hints = (struct symm_hints){.verdict = SYMM_HINTS_DEFAULT, .kind = default_kind};
    char **list = text != NULL ? opal_argv_split(text, ',') : NULL;
    if (list == NULL) {
        return;
    }
    for (int i = 0; list[i] != NULL; i++) {
        hint_examine(list[i], hints, &findings);
    }
    opal_argv_free(list);
    if (findings.other_named) {
        hints->verdict = SYMM_HINTS_OTHER;
    } else if (findings.ours_named) {
        hints->verdict = findings.offended ? SYMM_HINTS_INVALID : SYMM_HINTS_OURS;
    } else if (findings.kind_named && !findings.offended) {
        hints->verdict = SYMM_HINTS_OURS; /* no other pool knows kinds */
    } else {
        hints->verdict = SYMM_HINTS_OTHER; /* the hints are for another pool */
    }
}
