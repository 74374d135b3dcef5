# address.sh - the part of tests/sanitizers/run about memory errors and undefined behaviour.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

# CI's selection, longest first. Left to --all: what runs the same programs in yet other ways, or is
# about words.
address_scripts=(algorithms later random types lifecycle counters disagree mpool nodes across large
    report)

select_all_address() {
    mapfile -t address_scripts < <(find "$top/tests" -name '*.tap' -printf '%f\n' |
        sed 's/\.tap$//' | sort)
}

part_address() {
    local script log programs
    programs="\$(unit_tests) \$(mpi_programs)" # make's variables
    programs+=' bench/symm_bench examples/counters' # of across.tap and counters.tap
    [[ " ${address_scripts[*]} " != *' checkers '* ]] || programs+=" \$(faulty_programs)"
    build address --enable-sanitizers=address,undefined "$programs" >"$folder/address.log" 2>&1
    result $? 'address: build' "$folder/address.log" || return
    run_unit_tests address # with a look for leaks at the end of each
    at_once 3 run_address_script "${address_scripts[@]}" # many wait
    for script in "${address_scripts[@]}"; do
        log=$PWD/$script.log
        result "$(status_of "$script")" \
            "address: $script.tap, $(grep -c '^ok' "$log") passed" "$log"
    done
}

run_address_script() {
    SYMM_TEST_ENV=$PWD/tests/env.sh limited sh "$(find "$top/tests" -name "$1.tap")" \
        >"$PWD/$1.log" 2>&1
}
