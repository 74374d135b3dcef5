/*
 * report/verbose.c - see report/verbose.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/verbose.h"

#include <stdarg.h>
#include <stdio.h>

#include "mca/coll/symm/report/words.h"

enum { LINE_SIZE = 768 };

static int stream = -1;

void mca_coll_symm_verbose_open(void)
{
    if (stream < 0) {
        stream = opal_output_open(NULL);
        opal_output_set_verbosity(stream, mca_coll_symm_component.verbose);
    }
}

void mca_coll_symm_verbose_close(void)
{
    if (stream >= 0) {
        opal_output_close(stream);
        stream = -1;
    }
}

/* One line; `subject` goes in front. */
static void line_print(int level, const char *subject, const char *format, va_list arguments)
{
    char text[LINE_SIZE];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    opal_output_verbose(level, stream, "coll:symm: %s%s", subject, text);
}

void mca_coll_symm_verbose(int level, const char *format, ...)
{
    va_list arguments;
    if (mca_coll_symm_is_verbose(level)) {
        va_start(arguments, format);
        line_print(level, "", format, arguments);
        va_end(arguments);
    }
}

void mca_coll_symm_verbose_about(int level, const struct ompi_communicator_t *comm,
                                 const char *format, ...)
{
    char subject[MPI_MAX_OBJECT_NAME + 32];
    va_list arguments;
    if (mca_coll_symm_is_verbose(level)) {
        (void)snprintf(subject, sizeof(subject), "%s (cid %u): ", comm->c_name,
                       symm_ompi_comm_number(comm));
        va_start(arguments, format);
        line_print(level, subject, format, arguments);
        va_end(arguments);
    }
}

/* ---- communicators --------------------------------------------------------------------------- */

/* The component whose module stood in the table before: Open MPI keeps a list of those enabled. */
static const char *component_name(const struct ompi_communicator_t *comm,
                                  const mca_coll_base_module_t *module)
{
    opal_list_t *enabled = comm->c_coll->module_list;
    const opal_list_item_t *item = enabled != NULL ? opal_list_get_first(enabled) : NULL;
    for (; item != NULL && item != opal_list_get_end(enabled); item = opal_list_get_next(item)) {
        const mca_coll_base_avail_coll_t *available = (const mca_coll_base_avail_coll_t *)item;
        if (available->ac_module == module) {
            return available->ac_component_name;
        }
    }
    return "another component";
}

/* A parameter's value as the user writes it. */
static const char *algorithm_text(int forced)
{
    return forced == MCA_COLL_SYMM_AUTO ? "auto" : mca_coll_symm_table_word(forced);
}

void mca_coll_symm_verbose_selected(const struct mca_coll_symm_module_t *module,
                                    const struct ompi_communicator_t *comm)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    if (!mca_coll_symm_is_verbose(SYMM_VERBOSE_COMMUNICATORS) || module->vote.rank != 0) {
        return;
    }
    mca_coll_symm_verbose_about(
        SYMM_VERBOSE_COMMUNICATORS, comm,
        "%d ranks on node %s: selected for MPI_Allreduce (before: %s, algorithm: %s) and "
        "MPI_Allgather (before: %s, algorithm: %s); slots of %zu bytes, pieces of %zu bytes",
        module->vote.size, opal_process_info.nodename,
        component_name(comm, module->super.below_table.coll_allreduce_module),
        algorithm_text(component->allreduce_algorithm),
        component_name(comm, module->super.below_table.coll_allgather_module),
        algorithm_text(component->allgather_algorithm), component->slot_size,
        component->piece_size);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Whether rank 0 has yet to say this, by a bit in `told`. */
static bool is_news(const struct symm_operation *operation, uint32_t *told, int bit)
{
    uint32_t mask = UINT32_C(1) << bit;
    bool news = operation->module->vote.rank == 0 && (*told & mask) == 0;
    *told |= mask;
    return news;
}

static const char *yes_or_no(bool condition)
{
    return condition ? "yes" : "no";
}

/* What a choice was made by, as it grows. */
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
        reason_add(reason, "%s is forced, but not possible here; ", algorithm_text(facts->forced));
    }
}

/* The row, and what those before it have wanted in vain. */
static void row_explain(struct reason *reason, const struct symm_facts *facts)
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
}

static void reason_format(struct reason *reason, const struct symm_facts *facts,
                          enum symm_algorithm algorithm)
{
    forced_explain(reason, facts, algorithm);
    reason_add(reason, "all ranks reach all inputs: %s, all outputs: %s; some rank in place: %s",
               yes_or_no(facts->inputs_reachable), yes_or_no(facts->outputs_reachable),
               yes_or_no(!facts->out_of_place));
    if (mca_coll_symm_choose_wanted(facts) != (int)algorithm) {
        row_explain(reason, facts);
    }
}

void mca_coll_symm_choice_explain(struct symm_operation *operation, const struct symm_facts *facts)
{
    enum symm_algorithm algorithm = operation->run.algorithm;
    const struct symm_call *call = operation->call;
    struct reason why = {.length = 0};
    if (!is_news(operation, &operation->module->told_algorithms, (int)algorithm)) {
        return;
    }
    if (facts != NULL) {
        reason_format(&why, facts, algorithm);
    } else {
        reason_add(&why, "the data fit in the slot");
    }
    mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, operation->comm,
                                "%s of %zu bytes: first use of algorithm %s (%s)",
                                mca_coll_symm_collective_text(call->collective),
                                call->payload_bytes, symm_algorithm_name(algorithm), why.text);
}

void mca_coll_symm_fallback_explain(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    enum symm_reason reason = operation->reason;
    char who[32] = "";
    if (reason == SYMM_REASON_PEER) {
        int rank = operation->seen; /* the line that was read last */
        reason = operation->peer_reason;
        (void)snprintf(who, sizeof(who), ", because of rank %d", rank);
    } else if (operation->veto != SYMM_REASON_NONE && operation->veto != SYMM_REASON_LEFT) {
        (void)snprintf(who, sizeof(who), ", because of rank 0");
    }
    int bit = (int)call->collective * SYMM_REASON_COUNT + (int)operation->reason;
    if (is_news(operation, &operation->module->told_fallbacks, bit)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, operation->comm,
                                    "%s of %zu bytes: goes to the component before%s: %s",
                                    mca_coll_symm_collective_text(call->collective),
                                    call->payload_bytes, who,
                                    mca_coll_symm_reason_text(reason));
    }
}
