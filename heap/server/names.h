/*
 * names.h - the names of servers, and the secrets in them.
 *
 * A name is "SOCKET:ASK:ANSWER".  SOCKET is the abstract socket that the server listens at, which
 * /proc/net/unix shows to everybody in the network namespace.  ASK and ANSWER are random numbers
 * that only the processes of the job know, because names travel by the data that MPI_Init
 * exchanges.  A request carries ASK, and a reply carries ANSWER.  So a process that does
 * not know the name gets no memory, and one that has bound the socket of a process that has ended
 * is not believed.
 *
 * "SOCKET:SECRET" is the name of a server for those who may know less: the secret is both.
 *
 * A whole name is a secret: it is never printed, and nothing is bound to it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_NAMES_H
#define SYMM_HEAP_SERVER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/symm.h"

/* 128 bits, which nobody guesses. */
enum { SYMM_SECRET_SIZE = 16 };

struct symm_secret {
    uint8_t bytes[SYMM_SECRET_SIZE];
};

/* As strings, with the closing 0. */
enum { SYMM_SOCKET_NAME_SIZE = 44, SYMM_NAME_SIZE = 112 };

struct symm_name {
    char socket[SYMM_SOCKET_NAME_SIZE];
    struct symm_secret ask, answer;
};

/* A secret, or a name, that nobody else has.  Errors: SYSTEM. */
enum symm_status symm_secret_make(struct symm_secret *secret);
enum symm_status symm_name_make(struct symm_name *name);

/* In a time that does not depend on where they differ. */
bool symm_secret_is(const struct symm_secret *secret, const struct symm_secret *other);

void symm_name_format(const struct symm_name *name, char text[SYMM_NAME_SIZE]);

/* "SOCKET:SECRET", for a server that also takes `secret`. */
void symm_name_format_for(const struct symm_name *name, const struct symm_secret *secret,
                          char text[SYMM_NAME_SIZE]);

/* Either form.  Errors: ARGUMENT. */
enum symm_status symm_name_parse(const char *text, struct symm_name *name);

/* Whether two texts, each in either form, name one server. */
bool symm_name_is_of(const char *text, const char *other);

#endif /* SYMM_HEAP_SERVER_NAMES_H */
