/*
 * finding.c - see finding.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/finding.h"

enum { TEXT_MOST = 2048 };

static void *memory_or_end(void *memory)
{
    if (memory == NULL) {
        (void)fputs("symm_info: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

char *text_copy(const char *text)
{
    return memory_or_end(strdup(text));
}

/* What separates fields and findings in packed form, and line ends, become spaces. */
static char *text_make(const char *format, va_list arguments)
{
    char text[TEXT_MOST];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    for (char *at = text; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    }
    return text_copy(text);
}

static struct finding *finding_new(struct findings *findings)
{
    if (findings->count == findings->room) {
        findings->room = 2 * findings->room + 16;
        findings->list =
            memory_or_end(realloc(findings->list, findings->room * sizeof(*findings->list)));
    }
    return &findings->list[findings->count++];
}

void finding_add(struct findings *findings, enum finding_topic topic, enum finding_status status,
                 const char *key, const char *format, ...)
{
    struct finding *finding = finding_new(findings);
    va_list arguments;
    va_start(arguments, format);
    *finding = (struct finding){
        .topic = topic,
        .status = status,
        .key = text_copy(key),
        .value = text_copy(""),
        .text = text_make(format, arguments),
        .remedy = text_copy(""),
        .ranks = text_copy(""),
    };
    va_end(arguments);
}

void finding_value(struct findings *findings, const char *format, ...)
{
    struct finding *finding = &findings->list[findings->count - 1];
    va_list arguments;
    va_start(arguments, format);
    free(finding->value);
    finding->value = text_make(format, arguments);
    va_end(arguments);
}

void finding_remedy(struct findings *findings, const char *format, ...)
{
    struct finding *finding = &findings->list[findings->count - 1];
    va_list arguments;
    va_start(arguments, format);
    free(finding->remedy);
    finding->remedy = text_make(format, arguments);
    va_end(arguments);
}

const struct finding *finding_find(const struct findings *findings, const char *key)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->list[i].key, key) == 0) {
            return &findings->list[i];
        }
    }
    return NULL;
}

size_t finding_count(const struct findings *findings, enum finding_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        count += findings->list[i].status == status;
    }
    return count;
}

void finding_copy(struct findings *findings, const struct finding *finding, const char *ranks)
{
    struct finding *copy = finding_new(findings);
    *copy = (struct finding){
        .topic = finding->topic,
        .status = finding->status,
        .key = text_copy(finding->key),
        .value = text_copy(finding->value),
        .text = text_copy(finding->text),
        .remedy = text_copy(finding->remedy),
        .ranks = text_copy(ranks),
    };
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->list[i];
        free(finding->key);
        free(finding->value);
        free(finding->text);
        free(finding->remedy);
        free(finding->ranks);
    }
    free(findings->list);
    *findings = (struct findings){.count = 0};
}

/* ---- travelling ------------------------------------------------------------------------------ */

/* A line for each finding: topic, status, and four texts, with tabs between them. */
char *findings_pack(const struct findings *findings)
{
    size_t size = 1;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        size += strlen(finding->key) + strlen(finding->value) + strlen(finding->text) +
                strlen(finding->remedy) + 32;
    }
    char *packed = memory_or_end(malloc(size));
    size_t length = 0;
    packed[0] = '\0';
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        length += (size_t)snprintf(packed + length, size - length, "%d\t%d\t%s\t%s\t%s\t%s\n",
                                   (int)finding->topic, (int)finding->status, finding->key,
                                   finding->value, finding->text, finding->remedy);
    }
    return packed;
}

enum { FIELDS = 6 };

static void line_unpack(struct findings *findings, char *line)
{
    char *fields[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (*line == '\t') {
            *line++ = '\0';
        }
    }
    int topic = atoi(fields[0]), status = atoi(fields[1]);
    if (topic >= 0 && topic < TOPIC_COUNT && status >= 0 && status < FINDING_STATUS_COUNT) {
        const struct finding finding = {
            .topic = (enum finding_topic)topic,
            .status = (enum finding_status)status,
            .key = fields[2],
            .value = fields[3],
            .text = fields[4],
            .remedy = fields[5],
        };
        finding_copy(findings, &finding, "");
    }
}

void findings_unpack(struct findings *findings, const char *packed)
{
    char *copy = text_copy(packed);
    for (char *line = copy; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        line_unpack(findings, line);
        line = next;
    }
    free(copy);
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *finding_status_word(enum finding_status status)
{
    static const char *const words[FINDING_STATUS_COUNT] = {"ok", "note", "problem"};
    return words[status];
}

static const struct {
    const char *heading, *word;
} topics[TOPIC_COUNT] = {
    [TOPIC_OMPI] = {"Open MPI", "ompi"},
    [TOPIC_COMPONENTS] = {"Components", "components"},
    [TOPIC_SETTINGS] = {"Settings", "settings"},
    [TOPIC_SYSTEM] = {"System", "system"},
    [TOPIC_GPUS] = {"GPUs", "gpus"},
    [TOPIC_RANKS] = {"Ranks", "ranks"},
    [TOPIC_SERVED] = {"Collectives", "served"},
};

const char *finding_topic_heading(enum finding_topic topic)
{
    return topics[topic].heading;
}

const char *finding_topic_word(enum finding_topic topic)
{
    return topics[topic].word;
}
