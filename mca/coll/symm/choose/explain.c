/*
 * choose/explain.c - see choose/explain.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/explain.h"

#include <stdarg.h>
#include <stdio.h>

#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/report/words.h"

static const char *yes_or_no(bool condition)
{
    return condition ? "yes" : "no";
}

/* The text that says what decided a choice, as it grows. */
struct reason {
    char text[384];
    size_t length;
};

__attribute__((format(printf, 2, 3)))
static void reason_add(struct reason *reason, const char *format, ...)
{
    size_t room = sizeof(reason->text) - reason->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(reason->text + reason->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        reason->length += (size_t)length < room ? (size_t)length : room - 1;
    }
}

static void forced_explain(struct reason *reason, const struct symm_facts *facts,
                           enum symm_algorithm algorithm)
{
    int wanted = mca_coll_symm_choose_wanted(facts);
    if (wanted == (int)algorithm) {
        reason_add(reason, "as forced; ");
    } else if (facts->forced != MCA_COLL_SYMM_AUTO) {
        reason_add(reason, "%s is forced, but not possible here; ",
                   mca_coll_symm_table_word(facts->forced));
    }
}

/* Add the row, and why the algorithms of the rows before it are not possible. */
static void row_explain(struct reason *reason, const struct symm_facts *facts,
                        enum symm_algorithm algorithm)
{
    static const char *const origins[] = {"built-in", "the model's", "the file's"};
    const struct symm_row *row = mca_coll_symm_choose_row(facts, NULL);
    const char *obstacle;
    int told = -1;
    char text[SYMM_ROW_TEXT];
    for (; row != NULL && (obstacle = mca_coll_symm_choose_obstacle(row->algorithm, facts)) != NULL;
         row = mca_coll_symm_choose_row(facts, row)) {
        if (row->algorithm != told) {
            reason_add(reason, "; not %s: %s", mca_coll_symm_table_word(row->algorithm), obstacle);
        }
        told = row->algorithm;
    }
    if (row != NULL) {
        mca_coll_symm_row_format(row, text);
        reason_add(reason, "; row: %s, %s", text, origins[row->origin]);
    }
    if (row != NULL && row->origin == SYMM_ROW_FILE) {
        reason_add(reason, ", line %u", row->line);
    }
    if (row != NULL && row->algorithm != (int)algorithm) {
        reason_add(reason, ", but %s leaves the multiprocessors to the program",
                   mca_coll_symm_table_word((int)algorithm));
    }
}

static void reason_format(struct reason *reason, const struct symm_facts *facts,
                          enum symm_algorithm algorithm)
{
    forced_explain(reason, facts, algorithm);
    reason_add(reason, "all ranks reach all inputs: %s, all outputs: %s; some rank in place: %s",
               yes_or_no(facts->inputs_reachable), yes_or_no(facts->outputs_reachable),
               yes_or_no(!facts->out_of_place));
    if (mca_coll_symm_choose_wanted(facts) != (int)algorithm) {
        row_explain(reason, facts, algorithm);
    }
}

void mca_coll_symm_choice_explain(struct symm_operation *operation, const struct symm_facts *facts)
{
    enum symm_algorithm algorithm = operation->work.algorithm;
    const struct symm_call *call = operation->call;
    struct reason why = {.length = 0};
    if (!mca_coll_symm_is_news(operation->lane->module,
                               &operation->lane->module->told_algorithms[call->form][algorithm])) {
        return;
    }
    if (facts != NULL) {
        reason_format(&why, facts, algorithm);
    } else {
        bool is_long = operation->steps == &mca_coll_symm_steps_late && !operation->in_slot;
        reason_add(&why, is_long ? "other ranks have left" : "the data fit in the slot");
    }
    mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, operation->comm,
                                "%s of %zu bytes: first use of algorithm %s (%s)",
                                mca_coll_symm_form_text(call->collective, call->form),
                                call->payload_bytes, symm_algorithm_name(algorithm), why.text);
}
