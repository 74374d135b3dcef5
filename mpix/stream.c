/*
 * stream.c - streams as MPI sees them: handles with a number of users.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mpix/mpix.h"

/* ---- hexadecimal values ---------------------------------------------------------------------- */

static const char digits[] = "0123456789abcdef";

int MPIX_Info_set_hex(MPI_Info info, const char *key, const void *value, int size)
{
    const unsigned char *bytes = value;
    char text[MPI_MAX_INFO_VAL];
    if (size < 0 || 2 * (size_t)size >= sizeof(text) || (size > 0 && value == NULL)) {
        return symm_mpix_error(MPI_ERR_INFO_VALUE,
                               "MPIX_Info_set_hex: %d bytes; 0 to %d are possible", size,
                               MPI_MAX_INFO_VAL / 2 - 1);
    }
    for (int i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * size] = '\0';
    return PMPI_Info_set(info, key, text);
}

static int digit(char letter)
{
    return isxdigit((unsigned char)letter)
               ? (int)(strchr(digits, tolower((unsigned char)letter)) - digits) : -1;
}

static bool hex_read(const char *text, void *value, size_t size)
{
    unsigned char *bytes = value;
    if (strlen(text) != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* ---- streams --------------------------------------------------------------------------------- */

static bool info_get(MPI_Info info, const char *key, char *value)
{
    int found = 0;
    return PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &found) == MPI_SUCCESS && found;
}

/* The environment's word counts for streams whose info has none. */
static int path_read(MPI_Info info, struct symm_mpix_stream *stream)
{
    static const char *const words[] = {
        [SYMM_MPIX_AUTO] = "auto", [SYMM_MPIX_KERNELS] = "kernels", [SYMM_MPIX_HOST] = "host",
    };
    char value[MPI_MAX_INFO_VAL];
    const char *path = info_get(info, "symm_path", value) ? value : getenv("SYMM_STREAM_PATH");
    for (size_t i = 0; path != NULL && i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(path, words[i]) == 0) {
            stream->path = (enum symm_mpix_path)i;
            return MPI_SUCCESS;
        }
    }
    return path == NULL ? MPI_SUCCESS
                        : symm_mpix_error(MPI_ERR_INFO_VALUE,
                                          "MPIX_Stream_create: symm_path is '%s'; auto, kernels "
                                          "and host are possible", path);
}

/* Without the key the number stays. */
static int number_read(MPI_Info info, const char *key, size_t least, size_t *number)
{
    char value[MPI_MAX_INFO_VAL], *end;
    if (!info_get(info, key, value)) {
        return MPI_SUCCESS;
    }
    const unsigned long long read = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end != '\0' || read < least || read > SIZE_MAX) {
        return symm_mpix_error(MPI_ERR_INFO_VALUE,
                               "MPIX_Stream_create: %s is '%s', which is no number from %zu on",
                               key, value, least);
    }
    *number = (size_t)read;
    return MPI_SUCCESS;
}

static int info_read(MPI_Info info, struct symm_mpix_stream *stream)
{
    char value[MPI_MAX_INFO_VAL];
    if (info == MPI_INFO_NULL || !info_get(info, "type", value)) {
        return MPI_SUCCESS;
    }
    if (strcmp(value, "cudaStream_t") != 0) {
        return symm_mpix_error(MPI_ERR_INFO_VALUE,
                               "MPIX_Stream_create: type is '%s'; cudaStream_t is possible", value);
    }
    if (!info_get(info, "value", value) ||
        !hex_read(value, &stream->cuda_stream, sizeof(stream->cuda_stream))) {
        return symm_mpix_error(MPI_ERR_INFO_VALUE,
                               "MPIX_Stream_create: value is no handle; set it by "
                               "MPIX_Info_set_hex(info, \"value\", &stream, sizeof(stream))");
    }
    stream->has_gpu = true;
    int error = number_read(info, "symm_bytes", 1, &stream->bytes);
    if (error == MPI_SUCCESS) {
        error = number_read(info, "symm_blocks", SYMM_STREAM_BLOCKS_LEAST, &stream->blocks);
    }
    return error != MPI_SUCCESS ? error : path_read(info, stream);
}

int MPIX_Stream_create(MPI_Info info, MPIX_Stream *created)
{
    if (created == NULL) {
        return symm_mpix_error(MPI_ERR_ARG, "MPIX_Stream_create: no room for the stream (NULL)");
    }
    struct symm_mpix_stream *stream = calloc(1, sizeof(*stream));
    *created = MPIX_STREAM_NULL;
    if (stream == NULL) {
        return MPI_ERR_NO_MEM;
    }
    atomic_init(&stream->users, 1);
    int error = info_read(info, stream);
    if (error != MPI_SUCCESS) {
        free(stream);
        return error;
    }
    *created = stream;
    return MPI_SUCCESS;
}

int MPIX_Stream_free(MPIX_Stream *stream)
{
    if (stream == NULL || *stream == MPIX_STREAM_NULL) {
        return symm_mpix_error(MPI_ERR_ARG, "MPIX_Stream_free: MPIX_STREAM_NULL is no stream");
    }
    symm_mpix_stream_release(*stream);
    *stream = MPIX_STREAM_NULL;
    return MPI_SUCCESS;
}

void symm_mpix_stream_hold(struct symm_mpix_stream *stream)
{
    if (stream != NULL) {
        (void)atomic_fetch_add_explicit(&stream->users, 1, memory_order_relaxed);
    }
}

void symm_mpix_stream_release(struct symm_mpix_stream *stream)
{
    if (stream != NULL &&
        atomic_fetch_sub_explicit(&stream->users, 1, memory_order_acq_rel) == 1) {
        free(stream);
    }
}
