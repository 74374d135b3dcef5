/*
 * old_words.h - words that users may still write for what has another name now.
 *
 * A word that a release replaces stays valid for one minor release more: in names and values of
 * parameters, in files of coll_symm_table, and in names of performance variables.  A user who
 * writes it is told the new one; of variables both are there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_OLD_WORDS_H
#define SYMM_MCA_OLD_WORDS_H

/* A word until 0.2, and what it is called since 0.3. Both are static. */
struct symm_old_word {
    const char *old_word, *word;
};

/* All of them; the last one has NULL for both words. */
extern const struct symm_old_word symm_old_words[];

/* The descriptions of performance variables with old names begin with this. */
#define SYMM_OLD_VARIABLE "Old name, until 0.4. "

/* What the old word `word` is called now; NULL: it is no old word. */
const char *symm_word_now(const char *word);

/* The old word for what is called `word` now; NULL: there was no other. */
const char *symm_word_formerly(const char *word);

/*
 * Tell the user that `old_word` in `where` (a parameter, or a file) is called `word` now. One
 * process of a job does on each node, once for each word.
 */
void symm_old_word_warn(const char *where, const char *old_word, const char *word);

#endif /* SYMM_MCA_OLD_WORDS_H */
