/*
 * finding.h - what symm_info has found: a list of sentences, each with a status and perhaps a
 * remedy.
 *
 * The code that adds a finding knows nothing of how it is printed, nor of other ranks.  Text that
 * is too long is cut; without memory the program ends.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_FINDING_H
#define INFO_FINDING_H

#include <stddef.h>

enum finding_status { FINDING_OK, FINDING_NOTE, FINDING_PROBLEM, FINDING_STATUS_COUNT };

/* Findings are printed in this order. */
enum finding_topic {
    TOPIC_OMPI,
    TOPIC_COMPONENTS,
    TOPIC_SETTINGS,
    TOPIC_SYSTEM,
    TOPIC_GPUS,
    TOPIC_RANKS,
    TOPIC_SERVED,
    TOPIC_COUNT
};

struct finding {
    enum finding_topic topic;
    enum finding_status status;
    char *key;    /* for programs, such as "memfd"; several findings may have one */
    char *value;  /* for programs: a number or a name, "" if there is none */
    char *text;   /* a sentence without a full stop */
    char *remedy; /* "" if there is none */
    char *ranks;  /* "": all of the node; otherwise such as "0,2-5" */
};

struct findings {
    struct finding *list;
    size_t count, room;
};

/* Add a finding.  The other two are about the one that was added last. */
void finding_add(struct findings *findings, enum finding_topic topic, enum finding_status status,
                 const char *key, const char *format, ...) __attribute__((format(printf, 5, 6)));
void finding_value(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_remedy(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first finding with this key, or NULL. */
const struct finding *finding_find(const struct findings *findings, const char *key);

size_t finding_count(const struct findings *findings, enum finding_status status);

/* Add a copy of a finding, of these ranks. */
void finding_copy(struct findings *findings, const struct finding *finding, const char *ranks);

void findings_free(struct findings *findings);

/* All findings as one text, to be freed, and back; `ranks` do not travel. */
char *findings_pack(const struct findings *findings);
void findings_unpack(struct findings *findings, const char *packed);

/* Words of the output: "ok", "note", "problem"; a heading; its form for programs. */
const char *finding_status_word(enum finding_status status);
const char *finding_topic_heading(enum finding_topic topic);
const char *finding_topic_word(enum finding_topic topic);

/* A copy of a text; the program ends if there is no memory. */
char *text_copy(const char *text);

#endif /* INFO_FINDING_H */
