/*
 * parameter.h - registers a component's MCA parameters, and rejects invalid values.
 *
 * Open MPI itself takes "abc" and "1e9" for the numbers 0 and 1, and -5 for a size of 16 EiB.
 * Here a value that is not a number, or out of range, is rejected: one message per job and node
 * names the value and says which ones are allowed, and the default is used.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_PARAMETER_H
#define SYMM_MCA_PARAMETER_H

#include "mca/ompi_compat.h"

/* What parameters of all types have.  `ompi_info` shows the descriptions. */
struct symm_parameter {
    const char *name; /* without the component's prefix */
    const char *description;
    mca_base_var_info_lvl_t level; /* 1 and 2: what users need; 5 and 6: for those who tune */
};

/* The valid sizes in bytes: multiples of `unit` from `least` to `most`, and 0 if `zero` is set. */
struct symm_size_range {
    size_t least, most, unit;
    bool zero;
};

/* Each sets *storage to the default first, and to the user's value if there is a valid one. */

void symm_parameter_bool(const mca_base_component_t *component,
                         const struct symm_parameter *parameter, bool otherwise, bool *storage);

void symm_parameter_int(const mca_base_component_t *component,
                        const struct symm_parameter *parameter, int least, int most, int otherwise,
                        int *storage);

void symm_parameter_size(const mca_base_component_t *component,
                         const struct symm_parameter *parameter,
                         const struct symm_size_range *range, size_t otherwise, size_t *storage);

/* Any text.  Open MPI owns *storage. */
void symm_parameter_text(const mca_base_component_t *component,
                         const struct symm_parameter *parameter, const char *otherwise,
                         char **storage);

/*
 * One of `values`, which end with a NULL string.  The first one is the default.  Old words
 * (old_words.h) are understood.
 */
void symm_parameter_choice(const mca_base_component_t *component,
                           const struct symm_parameter *parameter,
                           const mca_base_var_enum_value_t *values, int *storage);

/*
 * One of `values`, which MPI_T can change while the program runs.  A new value takes effect when
 * the component next reads it.
 */
void symm_parameter_changeable_choice(const mca_base_component_t *component,
                                      const struct symm_parameter *parameter,
                                      const mca_base_var_enum_value_t *values, int *storage);

#endif /* SYMM_MCA_PARAMETER_H */
