/*
 * coll_symm_select.c - makes `--mca coll symm`, typed exactly so, run every program.
 *
 * Taken literally, that include list leaves a communicator without most collectives, and MPI_Init
 * fails.  A user who types it means "this one, above the others".  So when the list names us and
 * nobody else, we have the framework load the others too, just as if there had been no list.  Any
 * other list is the user's choice and stays as it is.  Where such a list cannot work, we say so
 * before MPI_Init fails.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm.h"

#include <stdio.h>

#include "mca/help.h"
#include "mca/once.h"

/* ---- exactly symm ---------------------------------------------------------------------------- */

/*
 * The framework filters its components once more when it opens them, by the value of its variable.
 */
static int selection_clear(void)
{
    int index = mca_base_var_find("ompi", "coll", NULL, NULL);
    if (index < 0) {
        return index;
    }
    return mca_base_var_set_value(index, "", 1, MCA_BASE_VAR_SOURCE_OVERRIDE, NULL);
}

static int others_register(mca_base_framework_t *framework)
{
    char *saved = framework->framework_selection;
    char all_but_us[] = "^symm";
    framework->framework_selection = all_but_us;
    int rc = mca_base_framework_components_register(framework, MCA_BASE_REGISTER_DEFAULT);
    framework->framework_selection = saved;
    return rc;
}

void mca_coll_symm_select_register(void)
{
    mca_base_framework_t *framework = &ompi_coll_base_framework;
    const char *selection = framework->framework_selection;
    if (selection == NULL || strcmp(selection, "symm") != 0) {
        return;
    }
    int rc = OPAL_SUCCESS;
    if (opal_list_get_size(&framework->framework_components) == 1) {
        rc = others_register(framework);
    } /* else MPI_T_init_thread() has loaded all components, whatever the list says */
    if (rc == OPAL_SUCCESS) {
        rc = selection_clear();
    }
    if (rc != OPAL_SUCCESS) {
        symm_help_show("help-coll-symm.txt", "cannot select others", rc);
    }
}

/* ---- lists that cannot work ------------------------------------------------------------------ */

/* A component that the framework has, by its name; NULL: it has none. */
static const mca_base_component_t *component_find(const char *name)
{
    mca_base_component_list_item_t *item;
    OPAL_LIST_FOREACH (item, &ompi_coll_base_framework.framework_components,
                       mca_base_component_list_item_t) {
        if (strcmp(item->cli_component->mca_component_name, name) == 0) {
            return item->cli_component;
        }
    }
    return NULL;
}

/* Open MPI makes no communicator that lacks a collective, blocking or nonblocking. */
void mca_coll_symm_select_check(void)
{
    static const char *const needed[] = {"basic", "libnbc"};
    enum { NEEDED = sizeof(needed) / sizeof(needed[0]) };
    const char *selection = ompi_coll_base_framework.framework_selection;
    char missing[64] = "";
    size_t length = 0;
    for (int i = 0; i < NEEDED; i++) {
        if (component_find(needed[i]) == NULL) {
            length += (size_t)snprintf(missing + length, sizeof(missing) - length, "%s%s",
                                       length > 0 ? "," : "", needed[i]);
        }
    }
    if (length > 0 && selection != NULL && opal_process_info.my_local_rank == 0) {
        symm_help_show("help-coll-symm.txt", "components missing", selection, missing);
    }
}

static int priority_of(const char *name)
{
    const int *priority = NULL;
    int index = mca_base_var_find("ompi", "coll", name, "priority");
    bool known = index >= 0 && mca_base_var_get_value(index, &priority, NULL, NULL) == OPAL_SUCCESS;
    return known && priority != NULL ? *priority : -1;
}

/* Where not even coll/basic is there, mca_coll_symm_select_check() has told the user. */
void mca_coll_symm_select_nothing_below(const struct ompi_communicator_t *comm)
{
    if (component_find("basic") != NULL && symm_once("nothing below")) {
        symm_help_show("help-coll-symm.txt", "nothing below", comm->c_name,
                       mca_coll_symm_component.priority, priority_of("basic"));
    }
}

/* ---- the interface --------------------------------------------------------------------------- */

bool mca_coll_symm_select_interface_is_theirs(void)
{
    const mca_base_component_t *ours = &mca_coll_symm_component.super.collm_version;
    const mca_base_component_t *theirs = component_find("basic");
    if (theirs == NULL || (theirs->mca_type_major_version == ours->mca_type_major_version &&
                           theirs->mca_type_minor_version == ours->mca_type_minor_version &&
                           theirs->mca_type_release_version == ours->mca_type_release_version)) {
        return true;
    }
    if (opal_process_info.my_local_rank == 0) {
        symm_help_show("help-coll-symm.txt", "other interface", OMPI_MAJOR_VERSION,
                       OMPI_MINOR_VERSION, ours->mca_type_major_version,
                       ours->mca_type_minor_version, ours->mca_type_release_version,
                       theirs->mca_type_major_version, theirs->mca_type_minor_version,
                       theirs->mca_type_release_version);
    }
    return false;
}
