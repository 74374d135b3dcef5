# demo.sh - the demonstration of `./quickstart demo`: what is run, compared and drawn; sourced by
# quickstart.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

demo() {
    local ranks run flags memory=alloc without=alloc
    build_tree
    # shellcheck source=/dev/null
    . "$build/tests/env.sh"
    [[ -n $MPIRUN ]] || fail 'configure found no mpirun'
    PATH=$(dirname "$MPIRUN"):$PATH
    ranks=$(nproc)
    ranks=$((ranks < 2 ? 2 : ranks > 4 ? 4 : ranks))
    read -ra flags <<<"$MPIRUN_FLAGS"
    rm -rf "$build/demo"
    mkdir "$build/demo" && cd "$build" || exit 1

    copy=demo/benchmark.txt show 'benchmark, 2 ranks, with and without the component' \
        mpirun "${flags[@]}" -n 2 --mca coll symm bench/symm_bench --compare -m 64:1M
    if attempt 'looking for GPUs' timeout --foreground 120 mpirun "${flags[@]}" -n 2 \
        --mca coll symm examples/digits_training --memory cuda --epochs 1 --quiet; then
        # Without the component, MPI knows no devices: the program copies to the host and back.
        memory=cuda without=staged ranks=2
        copy=demo/benchmark-gpu.txt show 'benchmark in GPU memory, 2 ranks' \
            mpirun "${flags[@]}" -n 2 --mca coll symm bench/symm_bench --memory cuda -m 64:16M
        say '==> there are GPUs: the training keeps its gradients in GPU memory'
    else
        say '==> no GPUs to use (the log has the reason): the gradients are in host memory'
    fi
    show 'training on handwritten digits, 1 rank' mpirun "${flags[@]}" -n 1 \
        examples/digits_training --memory alloc --result demo/one-rank.result
    show "the same on $ranks ranks, without the component" \
        mpirun "${flags[@]}" -n "$ranks" --mca coll ^symm \
        examples/digits_training --form blocking --memory "$without" \
        --result demo/without-1.result
    show "the same on $ranks ranks, with the component and its report" \
        mpirun "${flags[@]}" -n "$ranks" --mca coll symm --mca coll_symm_report 1 \
        examples/digits_training --form blocking --memory "$memory" --result demo/with-1.result
    # Up to here each gradient was added up when all of it was there.
    show "the same on $ranks ranks, with the component and nonblocking calls" \
        mpirun "${flags[@]}" -n "$ranks" --mca coll symm examples/digits_training \
        --form nonblocking --memory "$memory" --result demo/with-nonblocking-1.result
    # Times of single runs scatter; the medians of three, taken in turn, are worth comparing.
    for run in 2 3; do
        step "run $run of 3 without and with the component, for medians of the times" \
            repeat_training "$run" "$without" "$memory" mpirun "${flags[@]}" -n "$ranks"
    done
    show 'comparison: one rank, without, with, with nonblocking calls' \
        "../examples/compare" demo/one-rank.result \
        demo/without-1.result,demo/without-2.result,demo/without-3.result \
        demo/with-1.result,demo/with-2.result,demo/with-3.result \
        demo/with-nonblocking-1.result,demo/with-nonblocking-2.result,demo/with-nonblocking-3.result
    draw
    say "==> done in $SECONDS s; full log in $log_name"
}

# The times of this demo as a picture, which nobody needs: matplotlib is not installed for it.
draw() {
    local python words='no picture drawn: no Python has matplotlib (Debian: python3-matplotlib)'
    if python=$(python_with matplotlib); then
        words="a picture of the times: ${log_name%/*}/demo/comparison.svg"
        attempt 'drawing the times' "$python" "$top/bench/plot" --run demo/benchmark*.txt \
            demo/without-?.result demo/with-?.result demo/with-nonblocking-?.result \
            --output demo/comparison.svg ||
            words='no picture drawn; the log has the reason'
    fi
    say "==> $words"
}

# repeat_training RUN MEMORY-WITHOUT MEMORY-WITH MPIRUN...
repeat_training() {
    local run=$1 without=$2 with=$3
    shift 3
    timeout --foreground 300 "$@" --mca coll ^symm examples/digits_training --quiet \
        --form blocking --memory "$without" --result "demo/without-$run.result" &&
        timeout --foreground 300 "$@" --mca coll symm examples/digits_training --quiet \
            --form blocking --memory "$with" --result "demo/with-$run.result" &&
        timeout --foreground 300 "$@" --mca coll symm examples/digits_training --quiet \
            --form nonblocking --memory "$with" --result "demo/with-nonblocking-$run.result"
}
