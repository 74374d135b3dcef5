# gpu_streams.sh - the steps `streams`, `host_streams` and `stream_bench` of bench/gpu_run:
# collectives on CUDA streams and in graphs. Sourced by bash.
#
# It reads what gpu_run has set ($gpus, $launch, $work), and uses its check_program.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of those who source this

# Kernels of ranks that share a GPU meet only by turns of the GPU, which takes milliseconds.
streams_launch() {
    launch+=(-x SYMM_TEST_CUDA_LIBRARY=libcuda.so.1 -x SYMM_TEST_EXPECT=1)
    ((gpus > 1)) || launch+=(-x SYMM_STREAM_PATH=kernels)
}

# A rank ends by a signal while graphs run on both: the job ends, and memory is free again.
streams_kill() {
    local file=$work/streams-killed.txt kill=3000 before after result
    ((gpus > 1)) || kill=20
    begin "$file" mpirun "${launch[@]}" -n 2 tests/streams/check_replays --kill "$kill"
    before=$(gpu_memory)
    within 60 "$file" "$MPIRUN" "${launch[@]}" -n 2 tests/streams/check_replays \
        --replays 100000000 --kill "$kill"
    result=$?
    ((result != 0 && result != 124)) || broken "a job with a killed rank ended with $result"
    sleep 2
    after=$(gpu_memory)
    echo "# the job ended with $result; MiB used of the GPUs: before $before, after $after" \
        >>"$file"
    [[ $before == "$after" ]] || broken "memory of the GPUs: before $before, after $after MiB"
    within 60 "$file" "$MPIRUN" "${launch[@]}" -n 2 tests/streams/check_replays --replays 10 ||
        broken 'the next job'
}

# Calls that the host makes; ranks may share a GPU.
step_host_streams() {
    local case
    say 'calls on streams that the host makes'
    (
        begin_apart
        launch+=(-x SYMM_TEST_CUDA_LIBRARY=libcuda.so.1 -x SYMM_TEST_EXPECT=1)
        launch+=(-x SYMM_STREAM_PATH=host)
        seconds=120 check_program "$work/streams-host.txt" 2 tests/streams/check_streams \
            --threads --rounds 100
        seconds=60 check_program "$work/streams-host-4.txt" 4 tests/streams/check_streams \
            --threads --rounds 50
        for case in lives abort size late finalize; do
            seconds=60 check_program "$work/streams-host-$case.txt" 2 tests/streams/check_ends \
                "$case"
        done
        exit "$status"
    ) || status=1
}

step_streams() {
    local case seconds rounds=150 replays=${STREAM_REPLAYS:-200000}
    ((gpus > 1)) || { rounds=5 && replays=20; }
    say 'collectives on streams'
    step_host_streams
    (
        begin_apart
        streams_launch
        seconds=120 check_program "$work/streams-calls.txt" 2 tests/streams/check_streams \
            --rounds "$rounds"
        seconds=60 check_program "$work/streams-arguments.txt" 2 tests/streams/check_arguments
        seconds=60 check_program "$work/streams-factors.txt" 2 tests/streams/check_factors
        seconds=60 check_program "$work/streams-several.txt" 2 tests/streams/check_several
        for case in lives many abort abort-idle overlap size operation path order late finalize; do
            seconds=60 check_program "$work/streams-$case.txt" 2 tests/streams/check_ends "$case"
        done
        say "$replays times 50 calls"
        seconds=200 check_program "$work/streams-replays.txt" 2 tests/streams/check_replays \
            --replays "$replays"
        streams_kill
        if find_checker; then
            say 'compute-sanitizer memcheck'
            seconds=100 check_program "$work/streams-sanitizer.txt" 2 "$checker" --tool memcheck \
                --error-exitcode 9 tests/streams/check_streams --rounds 4
        else
            broken 'there is no compute-sanitizer'
        fi
        exit "$status"
    ) || status=1
}

# Out of place for all; in place for those that have less to do so.
step_stream_bench() {
    local rivals=() seconds n nccl=${NCCL_LIBRARY:-$(nccl_of_python)}
    ((gpus >= 2)) || { broken 'stream_bench: needs two GPUs, one for each rank'; return; }
    [[ ! -e $nccl ]] || rivals=(--rival "$nccl")
    for n in $ranks; do
        say "streams: $n ranks"
        seconds=200 check_program "$work/$n-ranks-streams.txt" "$n" bench/stream_time \
            "${rivals[@]}" allreduce allgather reduce_scatter_block alltoall bcast
        seconds=100 check_program "$work/$n-ranks-streams-in-place.txt" "$n" bench/stream_time \
            --in-place "${rivals[@]}" allreduce allgather reduce_scatter_block
    done
}
