/*
 * names.c - see names.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "heap/server/names.h"

static const char separator = ':';

enum { HEX_OF_SECRET = 2 * SYMM_SECRET_SIZE };

_Static_assert(SYMM_SOCKET_NAME_SIZE + 2 * (1 + HEX_OF_SECRET) <= SYMM_NAME_SIZE, "names fit");

enum symm_status symm_secret_make(struct symm_secret *secret)
{
    return getrandom(secret, sizeof(*secret), 0) == (ssize_t)sizeof(*secret) ? SYMM_OK
                                                                       : SYMM_ERR_SYSTEM;
}

bool symm_secret_is(const struct symm_secret *secret, const struct symm_secret *other)
{
    volatile uint8_t different = 0;
    for (size_t i = 0; i < SYMM_SECRET_SIZE; i++) {
        different |= (uint8_t)(secret->bytes[i] ^ other->bytes[i]);
    }
    return different == 0;
}

static char *secret_format(const struct symm_secret *secret, char *text)
{
    for (size_t i = 0; i < SYMM_SECRET_SIZE; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", secret->bytes[i]);
    }
    return text + HEX_OF_SECRET;
}

/* One of symm's digits; -1: none. */
static int digit_of(char letter)
{
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* What follows the word, or NULL: there is none. */
static const char *secret_parse(const char *text, struct symm_secret *secret)
{
    for (size_t i = 0; i < SYMM_SECRET_SIZE; i++, text += 2) {
        int high = digit_of(text[0]), low = high >= 0 ? digit_of(text[1]) : -1;
        if (low < 0) {
            return NULL;
        }
        secret->bytes[i] = (uint8_t)(16 * high + low);
    }
    return text;
}

enum symm_status symm_name_make(struct symm_name *name)
{
    static const char prefix[] = "ompi-symm-";
    struct symm_secret nonce; /* so that nobody binds a name before its time */
    _Static_assert(sizeof(prefix) + HEX_OF_SECRET <= SYMM_SOCKET_NAME_SIZE, "sockets' names fit");
    if (symm_secret_make(&nonce) != SYMM_OK || symm_secret_make(&name->ask) != SYMM_OK ||
        symm_secret_make(&name->answer) != SYMM_OK) {
        return SYMM_ERR_SYSTEM;
    }
    memset(name->socket, 0, sizeof(name->socket));
    memcpy(name->socket, prefix, sizeof(prefix) - 1);
    (void)secret_format(&nonce, name->socket + sizeof(prefix) - 1);
    return SYMM_OK;
}

void symm_name_format_for(const struct symm_name *name, const struct symm_secret *secret,
                          char text[SYMM_NAME_SIZE])
{
    int length = snprintf(text, SYMM_NAME_SIZE, "%s%c", name->socket, separator);
    (void)secret_format(secret, text + length);
}

void symm_name_format(const struct symm_name *name, char text[SYMM_NAME_SIZE])
{
    symm_name_format_for(name, &name->ask, text);
    char *end = text + strlen(text);
    *end = separator;
    (void)secret_format(&name->answer, end + 1);
}

enum symm_status symm_name_parse(const char *text, struct symm_name *name)
{
    size_t length = strcspn(text, ":");
    if (length >= sizeof(name->socket) || text[length] != separator) {
        return SYMM_ERR_ARGUMENT;
    }
    *name = (struct symm_name){.socket = ""};
    memcpy(name->socket, text, length);
    const char *rest = secret_parse(text + length + 1, &name->ask);
    name->answer = name->ask;
    if (rest != NULL && *rest == separator) {
        rest = secret_parse(rest + 1, &name->answer);
    }
    return rest != NULL && *rest == '\0' ? SYMM_OK : SYMM_ERR_ARGUMENT;
}

bool symm_name_is_of(const char *text, const char *other)
{
    size_t length = strcspn(text, ":");
    return length == strcspn(other, ":") && memcmp(text, other, length) == 0;
}
