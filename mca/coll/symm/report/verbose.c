/*
 * report/verbose.c - see report/verbose.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/verbose.h"

#include <stdarg.h>
#include <stdio.h>

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/report/words.h"

enum { LINE_SIZE = 1024 };

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

/*
 * The name of the component whose module stood in the table: Open MPI keeps a list of enabled
 * modules.
 */
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

/* The module below, whose function stood in the entry of a collective. */
static const mca_coll_base_module_t *module_before(const struct mca_coll_symm_module_t *module,
                                                   enum symm_collective collective)
{
    return mca_coll_symm_entry_get(&module->super.below_table,
                                   mca_coll_symm_function_of(collective, SYMM_CALL_BLOCKING)).owner;
}

/* "MPI_Allreduce (before: tuned, forced: two_shot) and ...": all that are served. */
static void collectives_format(const struct mca_coll_symm_module_t *module,
                               const struct ompi_communicator_t *comm, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT && length < size; i++) {
        enum symm_collective collective = (enum symm_collective)i;
        int forced = mca_coll_symm_component.forced[i];
        const char *between = i == 0 ? "" : i < SYMM_COLLECTIVE_COUNT - 1 ? ", " : " and ";
        const char *word = forced == MCA_COLL_SYMM_AUTO
                               ? "" : symm_algorithm_word(symm_algorithm_get(
                                          (enum symm_algorithm)forced));
        length += (size_t)snprintf(text + length, size - length, "%s%s (before: %s%s%s)", between,
                                   symm_collective_get(collective)->mpi_name,
                                   component_name(comm, module_before(module, collective)),
                                   *word != '\0' ? ", forced: " : "", word);
    }
}

void mca_coll_symm_verbose_selected(const struct mca_coll_symm_module_t *module,
                                    const struct ompi_communicator_t *comm)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    char collectives[LINE_SIZE];
    if (!mca_coll_symm_is_verbose(SYMM_VERBOSE_COMMUNICATORS) || module->blocking.vote.rank != 0) {
        return;
    }
    collectives_format(module, comm, collectives, sizeof(collectives));
    mca_coll_symm_verbose_about(
        SYMM_VERBOSE_COMMUNICATORS, comm,
        "%d ranks on node %s: selected for %s; slots of %zu bytes, pieces of %zu bytes",
        module->blocking.vote.size, opal_process_info.nodename, collectives, component->slot_size,
        component->piece_size);
}

/* ---- calls ----------------------------------------------------------------------------------- */

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
    _Atomic bool *told =
        &operation->lane->module->told_fallbacks[call->form][call->collective][operation->reason];
    if (mca_coll_symm_is_news(operation->lane->module, told)) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_ALGORITHMS, operation->comm,
                                    "%s of %zu bytes: goes to the component before%s: %s",
                                    mca_coll_symm_form_text(call->collective, call->form),
                                    call->payload_bytes, who,
                                    mca_coll_symm_reason_text(reason));
    }
}
