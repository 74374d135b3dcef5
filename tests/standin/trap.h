/*
 * trap.h - calling a function that may touch memory it must not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_TRAP_H
#define SYMM_TESTS_STANDIN_TRAP_H

#include <stdbool.h>

/* Call function(argument); false if it was ended by SIGSEGV or SIGBUS. */
bool standin_trap_call(void (*function)(void *argument), void *argument);

#endif /* SYMM_TESTS_STANDIN_TRAP_H */
