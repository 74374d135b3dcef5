/*
 * print.c - see print.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "info/print.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* Words behind an indentation, in lines of at most 100 columns; long words stay whole. */
static void wrapped_print(const char *first, const char *text, int indentation)
{
    enum { COLUMNS = 100 };
    int column = indentation + printf("%*s%s", indentation - (int)strlen(first), "", first);
    column = indentation;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column > indentation && column + 1 + (int)word > COLUMNS) {
            (void)printf("\n%*s", indentation, "");
            column = indentation;
        }
        if (column > indentation) {
            (void)putchar(' ');
            column++;
        }
        (void)fwrite(text, 1, word, stdout);
        column += (int)word;
        text += word + strspn(text + word, " ");
    }
    (void)putchar('\n');
}

static void finding_print(const struct finding *finding)
{
    enum { INDENTATION = 11 };
    char first[INDENTATION + 1], text[4096];
    (void)snprintf(first, sizeof(first), "  %-9s", finding_status_word(finding->status));
    (void)snprintf(text, sizeof(text), "%s%s%s%s", *finding->ranks != '\0' ? "rank " : "",
                   finding->ranks, *finding->ranks != '\0' ? ": " : "", finding->text);
    wrapped_print(first, text, INDENTATION);
    if (*finding->remedy != '\0') {
        (void)snprintf(text, sizeof(text), "remedy: %s", finding->remedy);
        wrapped_print("", text, INDENTATION);
    }
}

static void node_print(const struct node *node, bool is_job)
{
    if (is_job) {
        (void)printf("Node %s: %d rank%s\n", node->name, node->ranks, node->ranks == 1 ? "" : "s");
    }
    for (int topic = 0; topic < TOPIC_COUNT; topic++) {
        bool heading = false;
        for (size_t i = 0; i < node->findings.count; i++) {
            const struct finding *finding = &node->findings.list[i];
            if ((int)finding->topic == topic) {
                if (!heading) {
                    (void)printf("%s\n", finding_topic_heading(finding->topic));
                    heading = true;
                }
                finding_print(finding);
            }
        }
    }
}

static void text_print(const struct nodes *nodes, size_t problems)
{
    (void)printf("symm_info " PACKAGE_VERSION "\n");
    for (int i = 0; i < nodes->count; i++) {
        node_print(&nodes->list[i], nodes->is_job);
    }
    if (problems == 0) {
        (void)printf("ok\n");
    } else {
        (void)printf("%zu problem%s\n", problems, problems == 1 ? "" : "s");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Control characters do not occur in findings; bytes that are no UTF-8 may, in names of files. */
static void string_print(const char *text)
{
    (void)putchar('"');
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') {
            (void)printf("\\%c", byte);
        } else if (byte < ' ' || byte > '~') {
            (void)printf("\\u%04x", byte);
        } else {
            (void)putchar(byte);
        }
    }
    (void)putchar('"');
}

static void member_print(const char *before, const char *name, const char *value)
{
    (void)printf("%s\"%s\": ", before, name);
    string_print(value);
}

static void finding_print_json(const struct finding *finding, bool first)
{
    (void)printf("%s\n      {", first ? "" : ",");
    member_print("", "topic", finding_topic_word(finding->topic));
    member_print(", ", "key", finding->key);
    member_print(", ", "status", finding_status_word(finding->status));
    member_print(",\n       ", "text", finding->text);
    member_print(", ", "value", finding->value);
    member_print(", ", "remedy", finding->remedy);
    member_print(", ", "ranks", finding->ranks);
    (void)printf("}");
}

static void json_print(const struct nodes *nodes, size_t problems)
{
    (void)printf("{");
    member_print("", "program", "symm_info");
    member_print(", ", "version", PACKAGE_VERSION);
    (void)printf(", \"job\": %s, \"problems\": %zu,\n  \"nodes\": [",
                 nodes->is_job ? "true" : "false", problems);
    for (int i = 0; i < nodes->count; i++) {
        const struct node *node = &nodes->list[i];
        (void)printf("%s\n    {", i > 0 ? "," : "");
        member_print("", "name", node->name);
        (void)printf(", \"ranks\": %d, \"findings\": [", node->ranks);
        for (size_t f = 0; f < node->findings.count; f++) {
            finding_print_json(&node->findings.list[f], f == 0);
        }
        (void)printf("]}");
    }
    (void)printf("]}\n");
}

size_t nodes_print(const struct nodes *nodes, bool json)
{
    size_t problems = 0;
    for (int i = 0; i < nodes->count; i++) {
        problems += finding_count(&nodes->list[i].findings, FINDING_PROBLEM);
    }
    (json ? json_print : text_print)(nodes, problems);
    (void)fflush(stdout);
    return problems;
}
