/*
 * errors.c - errors with a sentence that says what was wrong, and what to do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heap/gpu/cuda_device.h"
#include "mpix/mpix.h"

#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h> /* MPIX_ERR_PROC_FAILED, where it is built for failures of processes */
#endif

/* MPI keeps codes for good, so a program that makes one error a million times gets one code. */
enum { CODES = 64 };
static struct {
    int error_class, code;
    char text[MPI_MAX_ERROR_STRING];
} codes[CODES];
static int code_count;
static int stream_class = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int code_locked(int error_class, const char *text)
{
    for (int i = 0; i < code_count; i++) {
        if (codes[i].error_class == error_class && strcmp(codes[i].text, text) == 0) {
            return codes[i].code;
        }
    }
    if (code_count == CODES ||
        PMPI_Add_error_code(error_class, &codes[code_count].code) != MPI_SUCCESS ||
        PMPI_Add_error_string(codes[code_count].code, text) != MPI_SUCCESS) {
        return error_class;
    }
    codes[code_count].error_class = error_class;
    (void)snprintf(codes[code_count].text, sizeof(codes[0].text), "%s", text);
    return codes[code_count++].code;
}

int symm_mpix_error(int error_class, const char *format, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)pthread_mutex_lock(&mutex);
    int code = code_locked(error_class, text);
    (void)pthread_mutex_unlock(&mutex);
    return code;
}

int symm_mpix_refused(int error_class, const char *call, enum symm_status status)
{
    char failure[SYMM_CUDA_TEXT_SIZE];
    symm_cuda_last_failure(failure, sizeof(failure));
    return symm_mpix_error(error_class, "%s: %s", call,
                           failure[0] != '\0' ? failure : symm_status_string(status));
}

int symm_mpix_raise(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS) {
        (void)PMPI_Comm_call_errhandler(comm, error);
    }
    return error;
}

int symm_mpix_failure_class(enum symm_status status)
{
#ifdef MPIX_ERR_PROC_FAILED
    if (status == SYMM_ERR_UNREACHABLE) {
        return MPIX_ERR_PROC_FAILED;
    }
#endif
    (void)status;
    return symm_mpix_err_stream();
}

int symm_mpix_err_stream(void)
{
    (void)pthread_mutex_lock(&mutex);
    if (stream_class < 0 && PMPI_Add_error_class(&stream_class) == MPI_SUCCESS) {
        (void)PMPI_Add_error_string(stream_class, "MPIX_ERR_STREAM: work on a stream has failed");
    }
    const int found = stream_class < 0 ? MPI_ERR_OTHER : stream_class;
    (void)pthread_mutex_unlock(&mutex);
    return found;
}
