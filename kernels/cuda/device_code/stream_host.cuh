/*
 * stream_host.cuh - kernels on a stream lane on the host, for tests: one thread does what the
 * blocks of a device do, all sends before anything is waited for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_HOST_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_HOST_CUH

#include <cstdlib>

namespace symm {

/* A kernel of `blocks` times `threads`. */
struct host_stream {
    const symm_cuda_stream &arguments;
    uint32_t blocks, threads;
    frame begun[SYMM_STREAM_BLOCKS];
    uint32_t why;

    host_stream(const void *memory, uint32_t blocks, uint32_t threads)
        : arguments(*static_cast<const symm_cuda_stream *>(memory)), blocks(blocks),
          threads(threads), why(SYMM_STREAM_SOUND)
    {
    }

    /* For each thread of each block, in their order. */
    template <class Step> void each(Step step)
    {
        for (uint32_t block = 0; block < blocks; block++) {
            for (uint32_t thread = 0; thread < threads && why == SYMM_STREAM_SOUND; thread++) {
                step(place{block, thread, threads});
            }
        }
    }

    void begin()
    {
        each([&](place at) { begun[at.block] = frame_begin(arguments, at, why); });
    }

    void tell(uint32_t turns)
    {
        each([&](place at) {
            frame_tell(arguments, at, turns, begun[at.block]);
            if (frame_overlaps(begun[at.block])) {
                why |= SYMM_STREAM_OVERLAPPED;
            }
        });
    }

    turn number(uint32_t block, uint32_t i) const
    {
        return turn_of(arguments, epoch(block, i));
    }

    uint32_t epoch(uint32_t block, uint32_t i) const
    {
        return i == 0 ? begun[block].epoch : epoch_behind(begun[block].epoch);
    }

    void wipe(uint32_t i)
    {
        each([&](place at) {
            if (is_wiped(epoch(at.block, i))) {
                slot_wipe(arguments, at, number(at.block, i));
            }
        });
    }

    void end(uint32_t turns)
    {
        wipe(turns - 1);
        for (uint32_t block = 0; block < blocks && why == SYMM_STREAM_SOUND; block++) {
            frame_end(arguments, place{block, 0, threads}, begun[block], turns);
        }
        if (why != SYMM_STREAM_SOUND) {
            lane_poison(arguments, why);
        }
    }
};

template <class Body>
void stream_turn(const void *memory, unsigned blocks, unsigned threads)
{
    host_stream run(memory, blocks, threads);
    run.begin();
    run.each([&](place at) {
        Body::send(run.arguments, at, run.number(at.block, 0),
                   typename Body::early(run.arguments, at));
    });
    run.tell(1);
    run.each([&](place at) {
        Body::receive(run.arguments, at, run.number(at.block, 0),
                      typename Body::early(run.arguments, at), run.why);
    });
    run.end(1);
}

template <class Body>
void stream_two_turns(const void *memory, unsigned blocks, unsigned threads)
{
    host_stream run(memory, blocks, threads);
    typedef typename Body::result result;
    result *results = static_cast<result *>(
        std::calloc(static_cast<size_t>(blocks) * threads, sizeof(result)));
    run.begin();
    run.each([&](place at) { Body::send(run.arguments, at, run.number(at.block, 0)); });
    run.tell(2);
    run.each([&](place at) {
        Body::reduce(run.arguments, at, run.number(at.block, 0),
                     results[at.block * threads + at.thread], run.why);
    });
    run.wipe(0);
    run.each([&](place at) {
        Body::send_result(run.arguments, at, run.number(at.block, 1),
                          results[at.block * threads + at.thread]);
    });
    run.each([&](place at) {
        Body::receive_result(run.arguments, at, run.number(at.block, 1), run.why);
    });
    run.end(2);
    std::free(results);
}

} // namespace symm

#define SYMM_CUDA_STREAM_ENTRY(name, run, ...)                                                     \
    static void name(const void *memory, unsigned blocks, unsigned block_threads)                  \
    {                                                                                              \
        symm::run<__VA_ARGS__>(memory, blocks, block_threads);                                     \
    }                                                                                              \
    static symm_cuda_host_kernel name##_kernel = {#name, sizeof(symm_cuda_stream), name, NULL};    \
    static const symm_cuda_host_registration name##_registration(&name##_kernel);

#define SYMM_CUDA_STREAM_KERNEL(name, ...) SYMM_CUDA_STREAM_ENTRY(name, stream_turn, __VA_ARGS__)
#define SYMM_CUDA_STREAM_KERNEL_2(name, ...)                                                       \
    SYMM_CUDA_STREAM_ENTRY(name, stream_two_turns, __VA_ARGS__)

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_HOST_CUH */
