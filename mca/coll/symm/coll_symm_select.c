/*
 * coll_symm_select.c - makes `--mca coll symm`, typed exactly so, run every program.
 *
 * Taken literally, that include list leaves a communicator without most collectives, and MPI_Init
 * fails.  Who types it means "this one, above the others".  So when the list names us and nobody else,
 * we have the framework load the others too, just as if there had been no list.  Any other list is the
 * user's choice and stays as it is.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm.h"
#include "mca/help.h"

/* The framework filters once more when it opens its components, by the value of its variable. */
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
