/*
 * help.h - messages for the user, from the components' help texts (help-*.txt).
 *
 * The texts are installed in SYMM_HELP_DIR.  The folder that the component was loaded from is
 * searched first, because a build tree has copies of the texts there (mca/local.mk).  If the
 * environment variable SYMM_HELP_DIR is set, the folders that it lists are searched instead of
 * both.
 *
 * The texts have the form of Open MPI's, and messages look like Open MPI's.  But they are read
 * here, because Open MPI 6.0 reads no files: its texts are in its library.  They go straight to
 * standard error.  Open MPI's opal_show_help() sends them to mpirun, which merges duplicates, but
 * mpirun 4.1.4 loses about one in three of them.  So if all ranks know of a problem, only rank 0
 * may print a message.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MCA_HELP_H
#define SYMM_MCA_HELP_H

/*
 * Find out where the component's file is, before the program can change its working directory.  Has
 * to be called before the first message.
 */
void symm_help_open(void);

/*
 * Print the text `topic` of `file`.  The arguments are those of the text's conversions, as for
 * printf.
 */
void symm_help_show(const char *file, const char *topic, ...);

#endif /* SYMM_MCA_HELP_H */
