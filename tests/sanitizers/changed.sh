# changed.sh - the unit tests of sources that have changed; for valgrind.sh. The build knows them:
# dependency files name what each object includes, and programs the sources of their objects.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

git_here() { git -C "$top" -c safe.directory='*' "$@" 2>/dev/null; }

# The commit that changes are counted from. On main itself it is the last one, of those that it has
# grown from, that has passed here; or unknown.
changed_since() {
    local passed=$cache_folder/valgrind-passed
    if [[ -n ${SYMM_CHANGED_SINCE-} ]]; then
        git_here rev-parse --verify --quiet "$SYMM_CHANGED_SINCE^{commit}"
        return
    fi
    changed_base && return
    [[ -r $passed ]] && git_here merge-base --is-ancestor "$(<"$passed")" HEAD && cat "$passed"
}

# This tree has passed, if it is what a commit of main has.
changed_passed() {
    [[ -n $(git_here status --porcelain || echo unknown) || $(changed_base) ]] ||
        git_here rev-parse HEAD >"$cache_folder/valgrind-passed"
}

# The commit of main that a branch has grown from; nothing on main itself.
changed_base() {
    local name base
    for name in origin/main main; do
        base=$(git_here merge-base HEAD "$name") && [[ $base != "$(git_here rev-parse HEAD)" ]] &&
            echo "$base" && return
    done
}

# changed_files COMMIT: those of the work tree that differ.
changed_files() {
    git_here diff --name-only "$1" && git_here ls-files --others --exclude-standard
}

# The unit tests, in a build folder, that are to be run.
changed_units() {
    local since list=$folder/changed
    if ! since=$(changed_since) || ! changed_files "$since" >"$list" ||
        grep -Eq '^(tests/sanitizers/|m4/|configure.ac)' "$list"; then
        unit_programs
        return
    fi
    # shellcheck disable=SC2016 # awk's
    find . -path '*/.deps/*.P*o' -print0 | xargs -0 awk "$plain_name"'
        NR == FNR { changed[$0]; next }
        FNR == 1 { source = ""; found = 0 }
        { for (i = 1; i <= NF; i++) {
            name = plain($i)
            if (name ~ /[:\\]$/) continue
            if (source == "") source = name
            if (name in changed && !found++) print source
        } }' "top=$top/" "$list" >"$list.sources"
    units_with "$list"
}

# What a compiler calls a file, from the top.
plain_name='function plain(name) {
    if (index(name, top) == 1) name = substr(name, length(top) + 1)
    while (sub(/^\.\.?\//, "", name)) { }
    return name
}'

# The stand-in driver and the kernels in it are opened, not linked.
units_with() {
    local path device=
    ! grep -qE '^tests/standin/|^kernels/cuda/device_code/' "$1" || device=yes
    for path in $(unit_programs); do
        if [[ -n $device ]] && grep -q 'standin_driver\.so' "$path" ||
            readelf --debug-dump=info --dwarf-depth=1 "$path" 2>/dev/null |
            awk "$plain_name"'
                NR == FNR { changed[$0]; next }
                / DW_AT_name / && plain($NF) in changed { found = 1 }
                END { exit !found }' "top=$top/" "$1.sources" -; then
            echo "$path"
        fi
    done
}
