/*
 * options_check.c - see options_check.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "options_check.h"

#include "form.h"

#include <mpi.h>
#include <mpi-ext.h>

struct check {
    const struct options *options;
    char *message;
    size_t length;
};

static bool refuse(const struct check *check, const char *what, const char *value,
                   const char *remedy)
{
    snprintf(check->message, check->length, "%s '%s': %s", what, value, remedy);
    return false;
}

/* What --chosen and --tune-to exclude. */
static bool choice_check(const struct check *check)
{
    const struct options *options = check->options;
    const char *name = options->tune_file != NULL ? "--tune-to" : "--chosen";
    if (options->tune_file == NULL && !options->show_choice) {
        return true;
    }
    if (options->compare || options->rival ||
        (options->tune_file != NULL && options->show_choice)) {
        return refuse(check, "option", name,
                      "leave out --compare, --rival, and one of --chosen and --tune-to: each is a "
                      "run of its own");
    }
    if (options->tune_file != NULL && options->in_place) {
        return refuse(check, "option", name, "it times both places: leave out --in-place");
    }
    if (options->tune_file != NULL &&
        (options->memory == MEMORY_MALLOC || memory_is_cudamalloc(options->memory))) {
        return refuse(check, "option", name,
                      "it needs memory in which all algorithms are possible: --memory alloc or "
                      "cuda");
    }
    return true;
}

/* What --beside excludes. */
static bool beside_check(const struct check *check)
{
    const struct options *options = check->options;
    if (!options->has_beside) {
        return true;
    }
    const char *memory = memory_word(options->beside);
    if (options->compare || options->rival || options->show_choice ||
        options->tune_file != NULL || options->form != FORM_BLOCKING) {
        return refuse(check, "option", "--beside",
                      "leave out --compare, --rival, --chosen, --tune-to and --form: it compares "
                      "blocking calls in two kinds of memory");
    }
    if (options->beside == options->memory) {
        return refuse(check, "memory", memory, "--memory and --beside name the same kind");
    }
    if (memory_is_gpu(options->beside) != memory_is_gpu(options->memory)) {
        return refuse(check, "memory", memory,
                      "--memory and --beside want two kinds of GPU memory, or two of the host");
    }
    return true;
}

/* What calls that are not blocking exclude. */
static bool form_check(const struct check *check)
{
    const struct options *options = check->options;
    if (options->form == FORM_BLOCKING) {
        return options->tests == 0 ||
               refuse(check, "option", "--tests", "it needs --form nonblocking or persistent");
    }
    if (options->rival || options->show_choice || options->tune_file != NULL) {
        return refuse(check, "option", "--form",
                      "--rival, --chosen and --tune-to make blocking calls: leave one out");
    }
    if (options->compare && memory_is_gpu(options->memory)) {
        return refuse(check, "option", "--form",
                      "coll/libnbc does not know GPUs: leave out --compare, or use memory of the "
                      "host");
    }
    if (options->form == FORM_PERSISTENT && !form_has_persistent()) {
        return refuse(check, "form", "persistent", "this Open MPI has no persistent collectives");
    }
    return true;
}

/* Whether collectives on GPU memory can be called without the component. */
static bool open_mpi_knows_gpus(void)
{
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

bool options_check(const struct options *options, char *message, size_t length)
{
    struct check check = {options, message, length};
    bool gpu = memory_is_gpu(options->memory);
    if (options->rival && !gpu) {
        return refuse(&check, "rival", "nccl",
                      "it needs --memory cuda, cudamalloc or cudamalloc-odd");
    }
    if (options->compare && gpu && !open_mpi_knows_gpus()) {
        return refuse(&check, "option", "--compare",
                      "it needs memory of the host: this Open MPI's own components do not know "
                      "GPUs");
    }
    if (options->chosen[COLLECTIVE_BARRIER] &&
        (options->rival || options->has_beside || options->show_choice ||
         options->tune_file != NULL)) {
        return refuse(&check, "collective", "barrier",
                      "it has no data: leave it out with --rival, --beside, --chosen and "
                      "--tune-to");
    }
    if (options->rival &&
        (options->chosen[COLLECTIVE_SCAN] || options->chosen[COLLECTIVE_EXSCAN])) {
        return refuse(&check, "collective",
                      options->chosen[COLLECTIVE_SCAN] ? "scan" : "exscan",
                      "NCCL has none: leave it out with --rival");
    }
    return beside_check(&check) && form_check(&check) && choice_check(&check);
}
