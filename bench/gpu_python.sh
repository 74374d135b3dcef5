# gpu_python.sh - the steps `python` and `torch` of bench/gpu_run: the package ompi_symm, mpi4py,
# and the backend of torch.distributed. Sourced by bash.
#
# It reads what gpu_run has set ($top, $build, $launch, $work), and uses its check_program.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of those who source this

# What Python programs need to find the package of this build.
python_find() {
    export PYTHONPATH=$top/python:$top/examples/python${PYTHONPATH:+:$PYTHONPATH}
    export OMPI_SYMM_LIBRARY=$build/.libs/libsymm_mpix.so.0
    launch+=(-x PYTHONPATH -x OMPI_SYMM_LIBRARY)
}

# Open MPI takes the level of threads from the environment where MPI_Init() is called.
step_python() {
    local library by python
    python=$(command -v "${PYTHON:-python3}") # mpirun would look for it in other folders first
    say 'mpi4py'
    (
        begin_apart
        python_find
        check_program "$work/python-c.txt" 2 -x OMPI_MPI_THREAD_LEVEL=3 \
            bench/symm_bench --memory cudamalloc --access osu -m 8:4K -i 2000 allreduce
        for library in cupy torch; do
            "$python" -c "import $library" 2>/dev/null || continue
            check_program "$work/python-package-$library.txt" 2 "$python" \
                "$top/tests/results/python/check_package.py" "$library"
            for by in mpi4py package; do
                check_program "$work/python-$library-$by.txt" 2 "$python" \
                    "$top/examples/python/collectives.py" --library "$library" --by "$by" \
                    --bytes 8:4K --calls 2000 --blocks 20
            done
        done
        exit "$status"
    ) || status=1
}

# The extension is built by one process, before any time counts.
step_torch() {
    local batch python
    python=$(command -v "${PYTHON:-python3}")
    "$python" -c 'import torch' 2>/dev/null || { broken 'torch: there is no PyTorch'; return; }
    say 'the backend of torch.distributed'
    (
        begin_apart
        python_find
        within 200 "$work/torch-build.txt" "$python" -c \
            'import ompi_symm.distributed as it; it._extension()' || broken 'the extension'
        check_program "$work/torch-check.txt" 2 "$python" \
            "$top/tests/results/python/check_torch.py"
        check_program "$work/torch-check-host.txt" 2 -x SYMM_STREAM_PATH=host "$python" \
            "$top/tests/results/python/check_torch.py"
        if ((gpus >= 2)); then
            for batch in 1 4 16; do
                check_program "$work/torch-decode-$batch.txt" 2 "$python" \
                    "$top/examples/python/decode.py" --batch "$batch"
            done
            check_program "$work/torch-sharded.txt" 2 "$python" "$top/examples/python/sharded.py"
        fi
        exit "$status"
    ) || status=1
}
