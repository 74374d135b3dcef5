# tap.sh - a small TAP library for the tests that run mpirun; sourced by tests/*/*.tap.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A script sources this file, calls the functions below, and ends with tap_end. It can be run by
# hand from the build folder: tests/results/collectives.tap. SYMM_TEST_SEED repeats a run's random
# data, SYMM_TEST_SECONDS is the most that a job may take, and SYMM_TEST_ALL=1 has everything run.
# shellcheck shell=sh disable=SC1090,SC2034

# ---- surroundings --------------------------------------------------------------------------------

# env.sh is written by configure; without it a plain Open MPI is tested with programs found in $PWD.
tap_scripts=$(cd "$(dirname "$0")/.." && pwd)
for tap_env in "${SYMM_TEST_ENV:-}" ./tests/env.sh "$tap_scripts/env.sh"; do
    if test -n "$tap_env" && test -r "$tap_env"; then
        . "$tap_env"
        break
    fi
done
: "${top_builddir:=$PWD}" "${top_srcdir:=$tap_scripts/..}"
: "${MPIRUN:=mpirun}" "${MPIRUN_FLAGS=--oversubscribe}"
: "${SYMM_HAVE_PML_UCX:=no}" "${SYMM_PML_UCX_FLAGS=--mca pml ucx}"
: "${SYMM_PML_OB1_FLAGS=--mca pml ob1}" "${SYMM_SANITIZERS=}"
: "${SYMM_GO_ON_FLAGS=}" "${SYMM_NO_SINGLE_COPY_FLAGS=}"
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
PRTE_ALLOW_RUN_AS_ROOT=1
PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export PRTE_ALLOW_RUN_AS_ROOT PRTE_ALLOW_RUN_AS_ROOT_CONFIRM

# In 4.1 pml/cm and pml/ucx look for networks that are not there, 0.2 s of each start, and pml/ob1
# is taken in the end. (In 5.0 sessions crash without pml/cm.)
case ${OMPI_VERSION:-} in
    4.*)
        : "${OMPI_MCA_pml=ob1}"
        export OMPI_MCA_pml
        ;;
esac

# The default run makes one of so many calls of the programs that number them (harness/sweep.h), and
# leaves out jobs that scripts name only where $tap_all is set: by SYMM_TEST_ALL=1, .ci/run --all.
tap_all=${SYMM_TEST_ALL:+1}
test -n "$tap_all" || unset SYMM_TEST_ALL # which programs ask for
: "${SYMM_TEST_SHARE=${tap_all:-4}}"
export SYMM_TEST_SHARE

tap_tests=$top_builddir/tests
tap_standin=$tap_tests/standin/.libs/standin_driver.so
tap_driver=$tap_standin
test -z "${SYMM_TEST_GPUS:-}" || tap_driver=libcuda.so.1

# tap_library FOLDER/NAME: the path of a library that jobs preload, or nothing if it is not built.
tap_library() {
    ls "$tap_tests/${1%/*}/.libs/${1##*/}.so" 2>/dev/null
}

# What a job may take. It is there for jobs that hang: on a machine with other work a job of two
# seconds has taken a minute.
tap_seconds=240
tap_matrix=
test -z "$SYMM_SANITIZERS" || tap_matrix=--quick # everything is several times slower
tap_seconds=${SYMM_TEST_SECONDS:-$tap_seconds}

# A folder for outputs, also the jobs' TMPDIR, so that what they leave there is theirs for certain.
tap_folder=$(mktemp -d "${TMPDIR:-/tmp}/symm-tap.XXXXXX") || exit 99
tap_output=$tap_folder/output
trap 'rm -rf "$tap_folder"' EXIT
trap 'exit 99' HUP INT TERM

# ---- results -------------------------------------------------------------------------------------

tap_count=0
tap_failed=0

# tap_ok STATUS DESCRIPTION: "ok" if STATUS is 0; otherwise the last output follows as diagnostics.
tap_ok() {
    tap_count=$((tap_count + 1))
    if test "$1" -eq 0; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
        tap_show "$tap_output"
    fi
}

# tap_time STATUS DESCRIPTION: as tap_ok, for what is about a time. Beside other work it is skipped
# where it is not as expected.
tap_time() {
    tap_processors=$(getconf _NPROCESSORS_ONLN)
    if test "$1" -ne 0 && test "$(cut -d . -f 1 /proc/loadavg)" -ge "$tap_processors"; then
        tap_skip "$2" "$(tap_load)"
    else
        tap_ok "$1" "$2"
    fi
}

tap_skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# The whole script is of no use here.
tap_skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

tap_end() {
    echo "1..$tap_count"
    test "$tap_failed" -eq 0
    exit
}

# The command and the first and last lines of its output.
tap_show() {
    echo "# ${tap_command:-}"
    test -r "$1" || return 0
    if test "$(wc -l <"$1")" -gt 60; then
        sed -n '1,30s/^/# /p' "$1"
        echo "# ..."
        tail -n 30 "$1" | sed 's/^/# /'
    else
        sed 's/^/# /' "$1"
    fi | tr -d '\000' # which mpirun has printed, and which ends what Automake reads
}

# ---- running -------------------------------------------------------------------------------------

# From now on jobs run over pml/ob1 and pml/ucx in turn, if Open MPI has both.
tap_alternate_pmls() {
    test "$SYMM_HAVE_PML_UCX" != yes || tap_next_pml=ob1
}

tap_one_pml() {
    tap_next_pml=
    tap_over=
    tap_pml_flags=
}
tap_one_pml

# Sets $tap_over to ", pml/..." for descriptions, and the flags.
tap_choose_pml() {
    case $tap_next_pml in
        ob1)
            tap_over=", pml/ob1"
            tap_pml_flags=$SYMM_PML_OB1_FLAGS
            tap_next_pml=ucx
            ;;
        ucx)
            tap_over=", pml/ucx"
            tap_pml_flags=$SYMM_PML_UCX_FLAGS
            tap_next_pml=ob1
            ;;
    esac
}

tap_load() {
    echo "load $(cut -d ' ' -f 1 /proc/loadavg), $(getconf _NPROCESSORS_ONLN) processors"
}

# tap_mpirun ARGUMENTS...: one job, for tap_run.
tap_mpirun() {
    tap_status=0
    # shellcheck disable=SC2086 # flags are words
    TMPDIR=$tap_folder/tmp timeout --kill-after=10 "$tap_seconds" \
        "$MPIRUN" $MPIRUN_FLAGS "$@" </dev/null >"$tap_output" 2>&1 || tap_status=$?
}

# Whether the last job is lost; see tap_run.
tap_is_lost() {
    test "$tap_status" -ne 0 && test "$tap_status" -ne 124 || return 1
    ! test -s "$tap_output" || grep -q '^ *opal_init failed$' "$tap_output"
}

# tap_run PROGRAM-AND-MPIRUN-ARGUMENTS...: runs mpirun within the time limit, keeps the output in
# $tap_output and the exit status in $tap_status; 124 means that it had to be ended.
#
# On a loaded machine a job is lost now and then.  mpirun ends without a word, its own or the
# program's (5.0.7 with ULFM, status 255: 1 of 500 jobs, with our components or without), or
# ranks fail in opal_init, before components of collectives are opened (4.1.4, seen once:
# opal_shmem_base_select).  Neither tells about the program, so the job is run once more, and the
# log says so.
tap_run() {
    tap_choose_pml
    # shellcheck disable=SC2086 # flags are words
    set -- $tap_pml_flags "$@"
    tap_command="mpirun $MPIRUN_FLAGS $*"
    mkdir -p "$tap_folder/tmp"
    tap_mpirun "$@"
    if tap_is_lost; then
        echo "# a job was lost (status $tap_status), once more: $tap_command"
        tap_mpirun "$@"
    fi
    if test "$tap_status" -eq 124; then
        echo "ended after $tap_seconds s, $(tap_load)" >>"$tap_output"
    fi
}

# mpirun, which a rank's error has made end a job, waits a second before it kills the other ranks;
# for scripts that do not look for what those have to say.
tap_end_jobs_at_once() {
    OMPI_MCA_odls_base_sigkill_timeout=0
    PRTE_MCA_odls_base_sigkill_timeout=0
    export OMPI_MCA_odls_base_sigkill_timeout PRTE_MCA_odls_base_sigkill_timeout
}

# tap_nest WHAT: from now on the component of results/coll_nest.c stands below ours.
tap_nest() {
    SYMM_TEST_NEST=$1
    export SYMM_TEST_NEST
    mkdir -p "$tap_folder/components"
    ln -sf "$tap_tests/results/.libs/mca_coll_nest.so" "$tap_folder/components"
    case $OMPI_MCA_mca_base_component_path in
        "$tap_folder"/*) return ;;
    esac
    OMPI_MCA_mca_base_component_path=$tap_folder/components:$OMPI_MCA_mca_base_component_path
}

# tap_run_help ARGUMENTS...: as tap_run, for jobs that should print a help message. mpirun of Open
# MPI 4.1 loses some of them, its own as well, and complains of its buffer; such a job is repeated.
tap_run_help() {
    for tap_attempt in 1 2 3 4 5 6 7 8 9 10; do
        tap_run "$@"
        grep -q 'ORTE_ERROR_LOG.*show_help\.c' "$tap_output" || break
    done
}

# tap_passes DESCRIPTION ARGUMENTS...: the job must succeed; 77 from the program means skipped.
tap_passes() {
    tap_description=$1
    shift
    tap_run "$@"
    tap_judge
}

# The last job must have succeeded.
tap_judge() {
    if test "$tap_status" -eq 77 || grep -q ': skipped: ' "$tap_output"; then
        tap_skip "$tap_description$tap_over" \
            "$(sed -n 's/.*: skipped: //p' "$tap_output" | head -n 1)"
    else
        tap_ok "$tap_status" "$tap_description$tap_over"
    fi
}

# tap_fails STATUS DESCRIPTION ARGUMENTS...: the job must end with that status.
tap_fails() {
    expected=$1
    tap_description=$2
    shift 2
    tap_run "$@"
    test "$tap_status" -eq "$expected"
    tap_ok $? "$tap_description"
}

# tap_breaks DESCRIPTION: the last job has failed, but did not have to be ended.
tap_breaks() {
    test "$tap_status" -ne 0 && test "$tap_status" -ne 124
    tap_ok $? "$1"
}

# tap_has DESCRIPTION PATTERN / tap_lacks DESCRIPTION PATTERN: about the last job's output.
tap_has() {
    tap_match=0
    grep -Eq -e "$2" "$tap_output" || tap_match=1
    tap_command="${tap_command%% ## *} ## expected: $2"
    tap_ok "$tap_match" "$1"
}

tap_lacks() {
    tap_match=0
    if grep -Eq -e "$2" "$tap_output"; then
        tap_match=1
    fi
    tap_command="${tap_command%% ## *} ## unexpected: $2"
    tap_ok "$tap_match" "$1"
}

# Whether our components are part of this build. If they are, they have to work: the tests then
# expect them instead of skipping.
tap_have_symm() {
    test -e "$top_builddir/.libs/mca_coll_symm.so" &&
        test -e "$top_builddir/.libs/mca_mpool_symm.so"
}

tap_needs_symm() {
    tap_have_symm || tap_skip_all "mca_coll_symm.so and mca_mpool_symm.so have not been built"
}

# tap_install_driver: programs after $with_driver find the stand-in as they would the real driver,
# by the loader and ahead of any that is installed. Where they cannot, the script ends.
tap_install_driver() {
    if ! test -e "$tap_standin" || ! tap_have_symm; then
        tap_skip "GPUs" "there is no stand-in for the driver"
        tap_end
    elif test -n "$SYMM_SANITIZERS"; then
        tap_skip "GPUs" "a sanitizer wants its own library to be the first"
        tap_end
    fi
    mkdir "$tap_folder/driver"
    ln -s "$tap_standin" "$tap_folder/driver/libcuda.so.1"
    with_driver="env LD_LIBRARY_PATH=$tap_folder/driver:$LD_LIBRARY_PATH SYMM_STANDIN_DELAY=0"
}

# tap_emulate_nodes: from now on "$tap_nodes --host nodeA:2,nodeB:1" has mpirun start ranks on two
# nodes. A host name of its own makes a node: Open MPI compares nothing else.
tap_emulate_nodes() {
    unshare -u true 2>/dev/null || return 1
    cat >"$tap_folder/agent" <<'END'
#!/bin/sh
host=$1
shift
exec unshare -u sh -c "hostname $host && $*"
END
    chmod +x "$tap_folder/agent"
    case ${OMPI_VERSION:-$("$MPIRUN" --version | sed -n 's/.*(Open MPI) //p')} in
        4.*) tap_nodes="--mca plm rsh --mca plm_rsh_agent $tap_folder/agent" ;;
        *)
            tap_nodes="--mca plm_ssh_agent $tap_folder/agent"
            MPIRUN_FLAGS= # --oversubscribe puts all ranks on the first node
            ;;
    esac
    tap_nodes="$tap_nodes --bind-to none --mca btl_tcp_if_include lo"
    tap_nodes="$tap_nodes ${tap_all:+-x SYMM_TEST_ALL}"
}

# Checks may then also look for what plain Open MPI does not promise.
if tap_have_symm; then
    SYMM_TEST_EXPECT=1
else
    SYMM_TEST_EXPECT=0
fi
export SYMM_TEST_EXPECT
