/*
 * obstacles.c - settings that are in the way of our components, and components with a higher
 * priority; see settings.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/settings.h"

/* Where a setting stands, and how it goes away. */
static void place_print(const struct setting *setting, char *place, size_t size)
{
    if (setting->line > 0) {
        (void)snprintf(place, size, "line %d of %s", setting->line, setting->source);
    } else {
        (void)snprintf(place, size, "the environment or mpirun --mca (OMPI_MCA_%s)",
                       setting->name);
    }
}

static void removal_advise(const struct setting *setting, struct findings *findings)
{
    if (setting->line > 0) {
        finding_remedy(findings, "remove line %d of %s", setting->line, setting->source);
    } else {
        finding_remedy(findings, "unset OMPI_MCA_%s, or drop --mca %s", setting->name,
                       setting->name);
    }
}

/* ---- lists of components --------------------------------------------------------------------- */

static bool list_names(const char *list, const char *name)
{
    size_t length = strlen(name);
    list += strspn(list, "^ ");
    while (*list != '\0') {
        size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, name, length) == 0) {
            return true;
        }
        list += word + (list[word] == ',');
    }
    return false;
}

/* Whether a framework's list, or no list, lets Open MPI use a component. */
static bool list_allows(const char *list, const char *name)
{
    return list == NULL || *list == '\0' || list_names(list, name) == (*list != '^');
}

/* coll_symm_select.c has `--mca coll symm` mean "this one, and the others below". */
static bool list_is_complete(const char *list)
{
    return strcmp(list, "symm") == 0 || (list_allows(list, "basic") && list_allows(list, "libnbc"));
}

static void list_look(const struct setting *setting, struct findings *findings)
{
    char place[512];
    place_print(setting, place, sizeof(place));
    if (!list_allows(setting->value, "symm")) {
        finding_add(findings, TOPIC_SETTINGS, FINDING_PROBLEM, setting->name,
                    "%s=%s excludes %s/symm: %s", setting->name, setting->value, setting->name,
                    place);
        removal_advise(setting, findings);
    } else if (strcmp(setting->name, "coll") == 0 && !list_is_complete(setting->value)) {
        finding_add(findings, TOPIC_SETTINGS, FINDING_PROBLEM, setting->name,
                    "coll=%s leaves out basic or libnbc, without which Open MPI makes no "
                    "communicator: %s",
                    setting->value, place);
        finding_remedy(findings, "coll=symm with no other name, or none at all");
    } else {
        finding_add(findings, TOPIC_SETTINGS, FINDING_OK, setting->name, "%s=%s: %s",
                    setting->name, setting->value, place);
    }
    finding_value(findings, "%s", setting->value);
}

/* ---- our parameters -------------------------------------------------------------------------- */

/* A name that no parameter has, where Open MPI has registered ours. */
static bool is_unknown(const struct setting *setting, const struct ompi *ompi)
{
    const char *probe = strncmp(setting->name, "coll", 4) == 0 ? "coll_symm_priority"
                                                               : "mpool_symm_priority";
    char *ours = ompi_variable(ompi, probe), *known = ompi_variable(ompi, setting->name);
    bool unknown = ours != NULL && known == NULL;
    free(ours);
    free(known);
    return unknown;
}

static void parameter_look(const struct setting *setting, const struct ompi *ompi,
                           struct findings *findings)
{
    char place[512];
    place_print(setting, place, sizeof(place));
    if (is_unknown(setting, ompi)) {
        finding_add(findings, TOPIC_SETTINGS, FINDING_PROBLEM, setting->name,
                    "there is no parameter %s, and Open MPI does not complain: %s", setting->name,
                    place);
        finding_remedy(findings, "copy the name from man ompi-symm");
    } else if (strcmp(setting->name, "coll_symm_priority") == 0 && *setting->value == '-') {
        finding_add(findings, TOPIC_SETTINGS, FINDING_PROBLEM, setting->name,
                    "coll_symm_priority=%s: a negative priority excludes coll/symm: %s",
                    setting->value, place);
        removal_advise(setting, findings);
    } else {
        finding_add(findings, TOPIC_SETTINGS, FINDING_NOTE, setting->name, "%s=%s: %s",
                    setting->name, setting->value, place);
    }
    finding_value(findings, "%s", setting->value);
}

/* ---- priorities ------------------------------------------------------------------------------ */

struct rivals {
    const struct settings *settings;
    struct findings *findings;
    long ours;
    int above;
};

/* The component's name in coll_NAME_priority. */
static bool rival_name(const char *variable, char *name, size_t size)
{
    static const char start[] = "coll_", end[] = "_priority";
    size_t length = strlen(variable);
    if (length <= sizeof(start) + sizeof(end) - 2 ||
        strcmp(variable + length - (sizeof(end) - 1), end) != 0) {
        return false;
    }
    (void)snprintf(name, size, "%.*s", (int)(length - (sizeof(start) + sizeof(end) - 2)),
                   variable + sizeof(start) - 1);
    return true;
}

/*
 * Those that stand aside: coll/self takes communicators of one rank, coll/inter
 * inter-communicators, and these hand every call on to the component below.
 */
static bool is_no_rival(const char *name)
{
    static const char *const names[] = {"symm", "self", "inter", "sync", "monitoring", "demo"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void rival_look(const char *variable, const char *value, void *argument)
{
    struct rivals *rivals = argument;
    char name[64];
    if (!rival_name(variable, name, sizeof(name)) || is_no_rival(name) ||
        strtol(value, NULL, 10) <= rivals->ours ||
        !list_allows(settings_value(rivals->settings, "coll"), name)) {
        return;
    }
    rivals->above++;
    finding_add(rivals->findings, TOPIC_SETTINGS, FINDING_PROBLEM, "priority",
                "coll/%s has priority %s, above coll/symm with %ld: collectives that it has are "
                "its own",
                name, value, rivals->ours);
    finding_value(rivals->findings, "%s", name);
    finding_remedy(rivals->findings,
                   "--mca %s %ld, or --mca coll ^%s; or a higher coll_symm_priority", variable,
                   rivals->ours - 1, name);
}

static void priorities_look(const struct settings *settings, const struct ompi *ompi,
                            struct findings *findings)
{
    char *priority = ompi_variable(ompi, "coll_symm_priority");
    if (priority == NULL || !list_allows(settings_value(settings, "coll"), "symm")) {
        free(priority);
        return; /* the component is missing, or excluded; that is told elsewhere */
    }
    struct rivals rivals = {
        .settings = settings, .findings = findings, .ours = strtol(priority, NULL, 10)};
    if (rivals.ours >= 0) {
        ompi_variables(ompi, "coll_", rival_look, &rivals);
    }
    if (rivals.ours >= 0 && rivals.above == 0) {
        finding_add(findings, TOPIC_SETTINGS, FINDING_OK, "priority",
                    "coll/symm has priority %ld, above all other coll components", rivals.ours);
        finding_value(findings, "%ld", rivals.ours);
    }
    free(priority);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void settings_look(const struct settings *settings, const struct ompi *ompi,
                   struct findings *findings)
{
    size_t before = findings->count;
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *setting = &settings->list[i];
        if (strcmp(setting->name, "coll") == 0 || strcmp(setting->name, "mpool") == 0) {
            if (*setting->value != '\0') {
                list_look(setting, findings);
            }
        } else if (strncmp(setting->name, "coll_symm_", 10) == 0 ||
                   strncmp(setting->name, "mpool_symm_", 11) == 0) {
            parameter_look(setting, ompi, findings);
        }
    }
    if (findings->count == before) {
        finding_add(findings, TOPIC_SETTINGS, FINDING_OK, "settings",
                    "nothing is set for coll, mpool and our components, neither in the "
                    "environment nor in %s",
                    ompi->files);
    }
    priorities_look(settings, ompi, findings);
}
