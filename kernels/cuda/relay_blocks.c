/*
 * relay_blocks.c - see relay_blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/blocks.h"
#include "kernels/cuda/relay_blocks.h"

enum { FILL = 1, UNIT = 256 };

size_t symm_relay_blocks_piece(size_t bytes, int ranks)
{
    size_t rows = symm_cuda_scratch_rows(ranks), all = symm_relay_piece(bytes * rows, FILL);
    return all == bytes * rows ? bytes : all / rows;
}

struct symm_relay_cut symm_relay_blocks_cut(const struct symm_work *work)
{
    int ranks = work->team->size;
    size_t rows = symm_work_collective(work)->from_root ? 1 : symm_cuda_scratch_rows(ranks);
    size_t block = symm_work_largest(work);
    struct symm_relay_cut cut =
        {.row = symm_relay_row(work->scratch_size, rows * SYMM_RELAY_PARTS)};
    cut.piece = symm_least(symm_relay_blocks_piece(block, ranks), cut.row);
    if (cut.piece < block && cut.piece > UNIT) {
        cut.piece -= cut.piece % UNIT;
    }
    cut.pieces = block == 0 ? 1 : (block + cut.piece - 1) / cut.piece;
    return cut;
}

unsigned char *symm_relay_blocks_row(const struct symm_work *work, const struct symm_relay_cut *cut,
                                     int owner, int source, uint64_t piece)
{
    const size_t part = piece % SYMM_RELAY_PARTS;
    if (symm_work_collective(work)->from_root) {
        return (unsigned char *)work->scratches[owner] + part * cut->row;
    }
    return symm_cuda_scratch_row(work, owner, source, part, cut->row);
}

/* A block that is the same for all is read once. */
static struct symm_kernel *pushes_make(const struct symm_work *work,
                                       const struct symm_cuda_push *pushes, int count,
                                       struct symm_kernel *kernel)
{
    if (!symm_cuda_has_one_block(work)) {
        return symm_kernel_push(kernel, pushes, count, false, work->block_limit);
    }
    const struct symm_cuda_copy copy = symm_cuda_copy_of(pushes, count);
    return symm_kernel_copy(kernel, &copy, work->block_limit);
}

/* Store to the ranks in the order me + 1, me + 2, ... so that not all begin with the same rank. */
static struct symm_kernel *push_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    struct symm_relay_cut cut = symm_relay_blocks_cut(work);
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    int count = 0;
    for (int turn = 1; turn < work->team->size && stage < cut.pieces; turn++) {
        int rank = symm_work_rotate(work, turn);
        const struct symm_block block = symm_work_block(work, rank);
        size_t bytes, begin = symm_relay_part(&cut, block.send_bytes, stage, &bytes);
        if (bytes > 0) {
            pushes[count++] = (struct symm_cuda_push){
                .input = (const unsigned char *)work->input + block.send_at + begin,
                .output = symm_relay_blocks_row(work, &cut, rank, work->team->rank, stage),
                .bytes = bytes,
            };
        }
    }
    return count == 0 ? symm_kernel_nothing(kernel) : pushes_make(work, pushes, count, kernel);
}

int symm_relay_blocks_outs(const struct symm_work *work, const struct symm_relay_cut *cut,
                           uint64_t piece, bool with_own,
                           struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX])
{
    int count = 0, me = work->team->rank;
    for (int rank = 0; rank < work->team->size; rank++) {
        const struct symm_block block = symm_work_block(work, rank);
        size_t bytes, begin = symm_relay_part(cut, symm_block_incoming(&block), piece, &bytes);
        if (bytes == 0 || (rank == me && !with_own)) {
            continue;
        }
        const unsigned char *input =
            rank == me ? (const unsigned char *)work->input + block.send_at + begin
                       : symm_relay_blocks_row(work, cut, me, rank, piece);
        unsigned char *output = (unsigned char *)work->output + block.receive_at + begin;
        if (output != input) {
            copies[count++] = (struct symm_cuda_push){input, output, bytes};
        }
    }
    return count;
}

static struct symm_kernel *out_make(const struct symm_work *work, uint64_t stage,
                                    struct symm_kernel *kernel)
{
    struct symm_relay_cut cut = symm_relay_blocks_cut(work);
    struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX];
    int count = stage == 0 ? 0 : symm_relay_blocks_outs(work, &cut, stage - 1, true, copies);
    return count == 0 ? symm_kernel_nothing(kernel)
                      : symm_kernel_beside(kernel, copies, count, work->block_limit);
}

enum symm_status symm_relay_blocks_step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = push_make, [SYMM_STAGE_BESIDE] = out_make};
    return symm_relay_step(run, symm_relay_blocks_cut(run->work).pieces + FILL, launches);
}
