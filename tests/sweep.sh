# sweep.sh - one job for many algorithms, for scripts that have sourced tap.sh. harness/sweep.h says
# what the programs do.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154

sweep_done=" "

# sweep_run DESCRIPTION LISTS MPIRUN-ARGUMENTS...: the program passes with the algorithms at each
# place of the lists.
sweep_run() {
    sweep_lists=$2
    tap_description="$1, $2"
    shift 2
    SYMM_TEST_SWEEP=$sweep_lists
    OMPI_MCA_coll_symm_report=1
    export SYMM_TEST_SWEEP OMPI_MCA_coll_symm_report
    tap_run "$@"
    unset SYMM_TEST_SWEEP OMPI_MCA_coll_symm_report
    tap_judge
}

# sweep_served FORMS [PREFIX [LISTS]]: the last job's report has each algorithm, whose name has that
# prefix there, of each collective, %s in FORMS.
sweep_served() {
    for list in ${3-$sweep_lists}; do
        for collective in $(echo "${list%%=*}" | tr + ' '); do
            for algorithm in $(echo "${list#*=}" | tr , ' '); do
                test "$algorithm" != auto || continue
                sweep_done="$sweep_done${collective}_${2-}$algorithm "
                for form in $1; do
                    # shellcheck disable=SC2059 # FORMS are formats
                    form=$(printf "$form" "$collective")
                    tap_has "$form is served by ${2-}$algorithm" \
                        "^ *$form +served: ${2-}$algorithm +[1-9]"
                done
            done
        done
    done
}
sweep_forms='%s i%s %s_init'

# sweep_complete KIND [EXCEPT] COLLECTIVES...: all algorithms that there are for memory of that kind
# (host, cuda) have been seen to serve, but for names with EXCEPT.
sweep_complete() {
    kind=$1
    except=$2
    shift 2
    sed -n 's/^ *F(SYMM_[A-Z0-9_]*, symm_\([a-z0-9_]*\)).*/\1/p' "$top_srcdir/kernels/lists.h" |
        awk -v kind="$kind" -v except="$except" -v collectives="$*" -v done="$sweep_done" '
            BEGIN { count = split(collectives, collective) }
            (kind == "cuda") == ($0 ~ /_cuda_/) && $0 !~ except && !index(done, " " $0 " ") {
                of = ""
                for (i = 1; i <= count; i++) # the longest: reduce_scatter is not reduce
                    if (index($0, collective[i] "_") == 1 && length(collective[i]) > length(of))
                        of = collective[i]
                if (of != "") print
            }' >"$tap_output"
    tap_command="kernels/lists.h has, and no job has swept:"
    test ! -s "$tap_output"
    tap_ok $? "each algorithm of $* has been seen"
}
