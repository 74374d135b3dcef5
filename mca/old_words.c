/*
 * old_words.c - see old_words.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/old_words.h"

#include <stdio.h>
#include <string.h>

#include "mca/help.h"
#include "mca/once.h"

/* To be removed with 0.4. */
const struct symm_old_word symm_old_words[] = {
    {"slot", "inline"},                              /* an algorithm */
    {"pass", "chain"},                               /* one of broadcasts */
    {"cuda_pass", "cuda_chain"},                     /* its counters */
    {"fallback_foreign", "fallback_elsewhere"},      /* counters of a reason */
    {"host_staging", "host_copies"},                 /* a parameter */
    {"ipc_sightings", "ipc_uses"},
    {NULL, NULL},
};

const char *symm_word_now(const char *word)
{
    const struct symm_old_word *one = symm_old_words;
    while (one->old_word != NULL && strcmp(one->old_word, word) != 0) {
        one++;
    }
    return one->word;
}

const char *symm_word_formerly(const char *word)
{
    const struct symm_old_word *one = symm_old_words;
    while (one->word != NULL && strcmp(one->word, word) != 0) {
        one++;
    }
    return one->old_word;
}

void symm_old_word_warn(const char *where, const char *old_word, const char *word)
{
    char topic[64];
    (void)snprintf(topic, sizeof(topic), "old word %s", old_word);
    if (symm_once(topic)) {
        symm_help_show("help-symm.txt", "old word", where, old_word, word);
    }
}
