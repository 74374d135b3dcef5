/*
 * report/words.c - see report/words.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/words.h"

struct words {
    const char *name, *text, *remedy;
};

static const struct words reasons[SYMM_REASON_COUNT] = {
    [SYMM_REASON_NONE] = {"none", ""},
    [SYMM_REASON_GAPS] = {"gaps", "datatype with gaps, not packed",
                          "use a datatype without gaps, or pack"},
    [SYMM_REASON_UNEQUAL] = {"unequal", "sizes differ: sent, received or elements"},
    [SYMM_REASON_ELEMENT] = {"element", "elements of more than 64 KiB",
                             "use more elements of a smaller type"},
    [SYMM_REASON_USER] = {"user", "user-defined operation, which is host code",
                          "use a predefined operation, or one of symm.h"},
    [SYMM_REASON_KERNEL] = {"kernel", "no kernel for the operation and datatype",
                            "use another type; man ompi-symm has the list"},
    [SYMM_REASON_ELSEWHERE] = {"elsewhere", "device memory not from MPI_Alloc_mem",
                             "allocate it with mpool_hints \"mpool=symm,kind=cuda\""},
    [SYMM_REASON_SMALL] = {"small", "small, and not from MPI_Alloc_mem",
                           "allocate it with mpool_hints \"mpool=symm,kind=cuda\""},
    [SYMM_REASON_ASYMMETRIC] = {"mixed", "some buffers in device memory, some not",
                           "have all buffers on devices, a rank's on one"},
    [SYMM_REASON_REACH] = {"reach", "device memory that some rank cannot reach",
                           "see the message about GPUs; or coll_symm_verbose 1"},
    [SYMM_REASON_OVERLAP] = {"overlap", "in place, and a rank's block overlaps its result",
                             "use a send buffer of its own"},
    [SYMM_REASON_TABLE] = {"table", "no room for a table of all ranks' blocks",
                           "raise coll_symm_slot_size"},
    [SYMM_REASON_PEER] = {"peer", "another rank's part cannot be served"},
    [SYMM_REASON_SLOWER] = {"slower", "large, and not from MPI_Alloc_mem",
                            "allocate it with MPI_Alloc_mem"},
    [SYMM_REASON_LEFT] = {"left", "left by the table, as quicker there"},
    [SYMM_REASON_EARLY] = {"early", "few calls, and ranks share no memory yet"},
    [SYMM_REASON_DISABLED] = {"disabled", "ranks cannot share memory",
                              "see the message about it; or coll_symm_verbose 1"},
};

const char *mca_coll_symm_reason_name(enum symm_reason reason)
{
    return reasons[reason].name;
}

const char *mca_coll_symm_reason_text(enum symm_reason reason)
{
    return reasons[reason].text;
}

bool mca_coll_symm_reason_is_of(enum symm_reason reason, enum symm_collective collective)
{
    const struct symm_collective_row *row = symm_collective_get(collective);
    switch (reason) {
    case SYMM_REASON_PEER:
    case SYMM_REASON_LEFT:
    case SYMM_REASON_DISABLED:
        return true;
    case SYMM_REASON_OVERLAP:
        return row->scatters && row->has_counts;
    case SYMM_REASON_TABLE:
        return row->has_blocks;
    case SYMM_REASON_EARLY:
        return row->calls_before_set_up > 0;
    default: /* it is about data */
        return row->reads_inputs || row->writes_outputs;
    }
}

const char *mca_coll_symm_reason_remedy(enum symm_reason reason)
{
    return reasons[reason].remedy;
}

static const struct words unserved[SYMM_UNSERVED_COUNT] = {
    [SYMM_UNSERVED_NODES] = {"nodes", "ranks on several nodes"},
    [SYMM_UNSERVED_INTER] = {"inter", "inter-communicators"},
    [SYMM_UNSERVED_COMPONENT] = {
        "component", "some processes run without the component, or with another priority"},
};

const char *mca_coll_symm_unserved_name(enum symm_unserved why)
{
    return unserved[why].name;
}

const char *mca_coll_symm_unserved_text(enum symm_unserved why)
{
    return unserved[why].text;
}

const char *mca_coll_symm_plan_text(enum symm_nodes_plan plan)
{
    static const char *const texts[SYMM_NODES_PLAN_COUNT] = {"flat", "leaders", "rails"};
    return texts[plan];
}

const char *mca_coll_symm_form_text(enum symm_collective collective, enum symm_call_form form)
{
    return mca_coll_symm_function_name(mca_coll_symm_function_of(collective, form));
}

const char *mca_coll_symm_host_copy_why_text(enum symm_mpi_function function,
                                             enum symm_host_copy_why why)
{
    static const char *const texts[SYMM_HOST_COPY_WHY_COUNT] = {
        [SYMM_HOST_COPY_KIND] = "collective not served",
        [SYMM_HOST_COPY_FELL_BACK] = "as it fell back",
        [SYMM_HOST_COPY_ALONE] = "only one rank",
        [SYMM_HOST_COPY_NODES] = "ranks on several nodes",
        [SYMM_HOST_COPY_INTER] = "inter-communicator",
        [SYMM_HOST_COPY_COMPONENT] = "processes lack component",
    };
    /* Forms of calls that are never served. */
    static const char *const forms[SYMM_CALL_FORM_COUNT] = {
        [SYMM_CALL_NONBLOCKING] = "nonblocking call",
        [SYMM_CALL_PERSISTENT] = "persistent call",
    };
    const char *form = forms[mca_coll_symm_function_form(function)];
    return why == SYMM_HOST_COPY_KIND && form != NULL ? form : texts[why];
}
