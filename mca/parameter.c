/*
 * parameter.c - see parameter.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/parameter.h"

#include <errno.h>
#include <stdio.h>

#include "mca/help.h"
#include "mca/old_words.h"

enum { NAME_SIZE = 160, TEXT_SIZE = 256 };

static void name_format(const mca_base_component_t *component, const char *name,
                        char full_name[NAME_SIZE])
{
    (void)snprintf(full_name, NAME_SIZE, "%s_%s_%s", component->mca_type_name,
                   component->mca_component_name, name);
}

/*
 * The text that the user wrote, if it came by the environment; mpirun passes --mca that way, too.
 */
static const char *text_find(const char *full_name)
{
    char variable[NAME_SIZE + sizeof("OMPI_MCA_")];
    (void)snprintf(variable, sizeof(variable), "OMPI_MCA_%s", full_name);
    return getenv(variable);
}

/* Open MPI has a message of its own for this, which it mostly does not print (4.1, 5.0). */
static void old_name_register(const mca_base_component_t *component, int index,
                              const char *name, const char *old_name)
{
    char full_name[NAME_SIZE], old_full_name[NAME_SIZE];
    (void)mca_base_var_register_synonym(index, component->mca_project_name,
                                        component->mca_type_name, component->mca_component_name,
                                        old_name, MCA_BASE_VAR_SYN_FLAG_DEPRECATED);
    name_format(component, name, full_name);
    name_format(component, old_name, old_full_name);
    if (text_find(old_full_name) != NULL) {
        symm_old_word_warn("names of MCA parameters", old_full_name, full_name);
    }
}

static void variable_register(const mca_base_component_t *component,
                              const struct symm_parameter *parameter, mca_base_var_type_t type,
                              mca_base_var_enum_t *values, bool can_change, void *storage)
{
    int index = mca_base_component_var_register(
        component, parameter->name, parameter->description, type, values, 0,
        can_change ? MCA_BASE_VAR_FLAG_SETTABLE : 0, parameter->level,
        can_change ? MCA_BASE_VAR_SCOPE_LOCAL : MCA_BASE_VAR_SCOPE_READONLY, storage);
    const char *old_name = symm_word_formerly(parameter->name);
    if (index >= 0 && old_name != NULL) {
        old_name_register(component, index, parameter->name, old_name);
    }
}

/* One process of a node prints the message, because as a rule all have the same parameters. */
static void refuse(const char *full_name, const char *value, const char *allowed,
                   const char *otherwise)
{
    if (opal_process_info.my_local_rank == 0) {
        symm_help_show("help-symm.txt", "parameter refused", full_name, value, allowed, otherwise);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/*
 * Whether `text` is a whole number of 64 bits, with or without a suffix that Open MPI understands.
 */
static bool is_number(const char *text)
{
    char *end;
    errno = 0;
    (void)strtoll(text, &end, 0);
    if (end == text || errno != 0) {
        return false;
    }
    return *end == '\0' || (strchr("kKmMgG", *end) != NULL && end[1] == '\0');
}

void symm_parameter_bool(const mca_base_component_t *component,
                         const struct symm_parameter *parameter, bool otherwise, bool *storage)
{
    *storage = otherwise;
    variable_register(component, parameter, MCA_BASE_VAR_TYPE_BOOL, NULL, false, storage);
}

void symm_parameter_int(const mca_base_component_t *component,
                        const struct symm_parameter *parameter, int least, int most, int otherwise,
                        int *storage)
{
    char full_name[NAME_SIZE], value[TEXT_SIZE], allowed[TEXT_SIZE], instead[TEXT_SIZE];
    *storage = otherwise;
    variable_register(component, parameter, MCA_BASE_VAR_TYPE_INT, NULL, false, storage);
    name_format(component, parameter->name, full_name);
    const char *text = text_find(full_name);
    /* Check the text's number, too, because 4294967297 has become 1 in an int. */
    bool fits = text == NULL || (is_number(text) && strtoll(text, NULL, 0) >= least &&
                                 strtoll(text, NULL, 0) <= most);
    if (fits && *storage >= least && *storage <= most) {
        return;
    }
    (void)snprintf(value, sizeof(value), "%d", *storage);
    (void)snprintf(allowed, sizeof(allowed), "a whole number from %d to %d", least, most);
    (void)snprintf(instead, sizeof(instead), "%d", otherwise);
    refuse(full_name, text != NULL ? text : value, allowed, instead);
    *storage = otherwise;
}

static bool range_has(const struct symm_size_range *range, size_t size)
{
    return (size == 0 && range->zero) ||
           (size >= range->least && size <= range->most && size % range->unit == 0);
}

static void range_describe(const struct symm_size_range *range, char text[TEXT_SIZE])
{
    char unit[TEXT_SIZE / 2] = "";
    if (range->unit > 1) {
        (void)snprintf(unit, sizeof(unit), ", in multiples of %zu", range->unit);
    }
    (void)snprintf(text, TEXT_SIZE, "%s%zu to %zu bytes%s", range->zero ? "0, or from " : "from ",
                   range->least, range->most, unit);
}

void symm_parameter_size(const mca_base_component_t *component,
                         const struct symm_parameter *parameter,
                         const struct symm_size_range *range, size_t otherwise, size_t *storage)
{
    char full_name[NAME_SIZE], value[TEXT_SIZE], allowed[TEXT_SIZE], instead[TEXT_SIZE];
    *storage = otherwise;
    variable_register(component, parameter, MCA_BASE_VAR_TYPE_SIZE_T, NULL, false, storage);
    name_format(component, parameter->name, full_name);
    const char *text = text_find(full_name);
    if ((text == NULL || is_number(text)) && range_has(range, *storage)) {
        return;
    }
    (void)snprintf(value, sizeof(value), "%zd", (ssize_t)*storage);
    range_describe(range, allowed);
    (void)snprintf(instead, sizeof(instead), "%zu", otherwise);
    refuse(full_name, text != NULL ? text : value, allowed, instead);
    *storage = otherwise;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Open MPI copies the default. */
void symm_parameter_text(const mca_base_component_t *component,
                         const struct symm_parameter *parameter, const char *otherwise,
                         char **storage)
{
    *storage = symm_ompi_unconst(otherwise);
    variable_register(component, parameter, MCA_BASE_VAR_TYPE_STRING, NULL, false, storage);
}

/* ---- choices --------------------------------------------------------------------------------- */

/*
 * Open MPI's own function that finds an enumeration's value.  It is the same for all enumerations.
 */
static mca_base_var_enum_vfs_fn_t value_find;

static void values_list(const mca_base_var_enum_t *values, char text[TEXT_SIZE])
{
    size_t length = (size_t)snprintf(text, TEXT_SIZE, "one of");
    for (int i = 0; i < values->enum_value_count && length < TEXT_SIZE; i++) {
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, "%s %s", i > 0 ? "," : "",
                                   values->enum_values[i].string);
    }
}

/*
 * Finds a value as value_find() does, also by an old word, but prints our message for an unknown
 * one, because Open MPI's may be lost (help.h).
 */
static int value_find_or_refuse(mca_base_var_enum_t *values, const char *text, int *value)
{
    char allowed[TEXT_SIZE];
    const char *now = symm_word_now(text);
    if (value_find(values, text, value) == OPAL_SUCCESS) {
        return OPAL_SUCCESS;
    }
    if (now != NULL && value_find(values, now, value) == OPAL_SUCCESS) {
        symm_old_word_warn(values->enum_name, text, now);
    } else {
        *value = values->enum_values[0].value;
        values_list(values, allowed);
        refuse(values->enum_name, text, allowed, values->enum_values[0].string);
    }
    return OPAL_SUCCESS;
}

static void choice_register(const mca_base_component_t *component,
                            const struct symm_parameter *parameter,
                            const mca_base_var_enum_value_t *values, bool can_change, int *storage)
{
    char full_name[NAME_SIZE];
    mca_base_var_enum_t *enumerator = NULL;
    *storage = values[0].value;
    name_format(component, parameter->name, full_name);
    if (mca_base_var_enum_create(full_name, values, &enumerator) == OPAL_SUCCESS) {
        value_find = enumerator->value_from_string;
        enumerator->value_from_string = value_find_or_refuse;
    }
    variable_register(component, parameter, MCA_BASE_VAR_TYPE_INT, enumerator, can_change,
                      storage);
    if (enumerator != NULL) {
        OBJ_RELEASE(enumerator);
    }
}

void symm_parameter_choice(const mca_base_component_t *component,
                           const struct symm_parameter *parameter,
                           const mca_base_var_enum_value_t *values, int *storage)
{
    choice_register(component, parameter, values, false, storage);
}

void symm_parameter_changeable_choice(const mca_base_component_t *component,
                                      const struct symm_parameter *parameter,
                                      const mca_base_var_enum_value_t *values, int *storage)
{
    choice_register(component, parameter, values, true, storage);
}
