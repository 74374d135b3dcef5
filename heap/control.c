/*
 * control.c - making and mapping control memory; control.h has its layout and its use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/control.h"
#include "heap/headroom.h"
#include "heap/memfd.h"
#include "heap/socket.h"

enum { PAGE = 4096 };

/* First in the memory, written by rank 0 before anybody else gets the descriptor. */
struct control_header {
    uint32_t magic;
    uint32_t size;
    uint64_t payload_size;
    uint64_t piece_size;
    uint64_t extra_size;
    unsigned char extra[] __attribute__((aligned(16)));
};

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Where everything lies, from the numbers of the header; returns the bytes in all. */
static size_t lay_out(struct symm_control *control)
{
    size_t ranks = (size_t)control->size;
    unsigned char *base = control->memory;
    size_t offset = round_up(sizeof(struct control_header) + control->extra_size, PAGE);
    size_t payload = control->payload_size > SYMM_PAYLOAD_LEAST ? control->payload_size
                                                                 : SYMM_PAYLOAD_LEAST;
    control->line_stride = round_up(SYMM_HEADER_SIZE + payload, SYMM_CACHE_LINE);
    size_t finished = offset;
    offset += ranks * sizeof(struct symm_word);
    size_t phases = offset;
    offset += SYMM_RING * ranks * sizeof(struct symm_word);
    size_t lines = offset;
    offset = round_up(offset + SYMM_RING * ranks * control->line_stride, PAGE);
    size_t stages = offset;
    offset += ranks * SYMM_STAGE_BUFFERS * control->piece_size;
    if (base != NULL) {
        control->extra = ((struct control_header *)control->memory)->extra;
        control->finished = (struct symm_word *)(void *)(base + finished);
        control->phases = (struct symm_word *)(void *)(base + phases);
        control->lines = base + lines;
        control->stages = base + stages;
    }
    return offset;
}

static enum symm_status map_and_lay_out(struct symm_control *control, int descriptor)
{
    control->memory = NULL;
    control->memory_size = lay_out(control);
    enum symm_status status = symm_headroom_take(control->memory_size);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_memfd_map(descriptor, control->memory_size, &control->memory);
    if (status == SYMM_OK) {
        (void)lay_out(control);
    } else {
        symm_headroom_give();
    }
    return status;
}

enum symm_status symm_control_create(struct symm_control *control, int size,
                                     const struct symm_control_config *config, int *descriptor)
{
    *control = (struct symm_control){
        .size = size,
        .payload_size = round_up(config->payload_size + (config->payload_size == 0),
                                 SYMM_CACHE_LINE),
        .piece_size = round_up(config->piece_size + (config->piece_size == 0), PAGE),
        .extra_size = config->extra_size < SYMM_EXTRA_MOST ? config->extra_size : SYMM_EXTRA_MOST,
    };
    enum symm_status status = symm_memfd_create("symm-control", lay_out(control), descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    status = map_and_lay_out(control, *descriptor);
    if (status != SYMM_OK) {
        (void)close(*descriptor);
        return status;
    }
    struct control_header *header = control->memory;
    *header = (struct control_header){
        .magic = symm_socket_magic,
        .size = (uint32_t)size,
        .payload_size = control->payload_size,
        .piece_size = control->piece_size,
        .extra_size = control->extra_size,
    };
    if (control->extra_size > 0) {
        memcpy(header->extra, config->extra, control->extra_size);
    }
    return SYMM_OK;
}

enum symm_status symm_control_attach(struct symm_control *control, int size, int descriptor)
{
    struct control_header header;
    struct stat file;
    *control = (struct symm_control){.size = size};
    ssize_t got = pread(descriptor, &header, sizeof(header), 0);
    if (got < 0 || fstat(descriptor, &file) != 0) {
        return SYMM_ERR_SYSTEM;
    }
    if (got != (ssize_t)sizeof(header)) {
        return SYMM_ERR_PROTOCOL;
    }
    control->payload_size = header.payload_size;
    control->piece_size = header.piece_size;
    control->extra_size = header.extra_size;
    if (header.magic != symm_socket_magic || header.size != (uint32_t)size ||
        header.extra_size > SYMM_EXTRA_MOST || lay_out(control) != (size_t)file.st_size) {
        return SYMM_ERR_PROTOCOL;
    }
    enum symm_status status = symm_memfd_check(descriptor, (size_t)file.st_size);
    return status == SYMM_OK ? map_and_lay_out(control, descriptor) : status;
}

void symm_control_detach(struct symm_control *control)
{
    if (control->memory != NULL) {
        (void)munmap(control->memory, control->memory_size);
        symm_headroom_give();
        *control = (struct symm_control){.size = control->size};
    }
}
