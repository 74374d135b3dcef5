# multicast_machine.sh - how bench/multicast_bringup examines a machine before it uses multicast
# there, and when it refuses to run. Sourced by it, with bench/steps.sh; reads and sets its
# variables.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of the script

# Variables by which sites forbid multicast. What NCCL reads from its files is meant for NCCL, but a
# site that has written it there has had a reason.
refuse_if_forbidden() {
    local setting variable file
    for setting in NCCL_NVLS_ENABLE=0 NVSHMEM_DISABLE_NVLS=1 TORCH_SYMM_MEM_DISABLE_MULTICAST=1 \
        OMPI_MCA_coll_symm_multicast=never; do
        variable=${setting%%=*}
        [[ ${!variable:-} != "${setting#*=}" ]] ||
            refuse "multicast is forbidden here: $setting is set" \
                'Ask who has set it why. Unset it only if multicast is allowed on this machine.'
    done
    for file in "${NCCL_CONF_FILE:-$HOME/.nccl.conf}" /etc/nccl.conf; do
        if grep -Eqs '^[[:space:]]*NCCL_NVLS_ENABLE[[:space:]]*=[[:space:]]*0' "$file"; then
            refuse "multicast is forbidden here: $file has NCCL_NVLS_ENABLE=0" \
                'Ask who has written it why.' \
                'Name another file in NCCL_CONF_FILE if multicast is allowed.'
        fi
    done
}

# ask FILE COMMAND...: what a command says, if it is there.
ask() {
    local file=$work/machine/$1
    shift
    printf '# %s\n' "$*" >"$file"
    if command -v "$1" >/dev/null; then
        within 60 "$file" "$@"
    else
        echo '# there is no such command' >>"$file"
    fi
}

step_look() {
    mkdir -p "$work/machine"
    machine >"$work/machine/machine.txt"
    env | grep -E '^(NCCL|NVSHMEM|TORCH|CUDA|OMPI|UCX|SYMM|PRTE|PMIX)_' | sort \
        >"$work/machine/environment.txt"
    refuse_if_forbidden
    [[ -z $try ]] || return 0
    ask gpus.txt nvidia-smi
    ask gpus-all.txt nvidia-smi -q
    ask topology.txt nvidia-smi topo -m
    ask links.txt nvidia-smi nvlink -s
    ask processes.txt nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv
    ask fabric-manager.txt systemctl status --no-pager nvidia-fabricmanager
    ask imex-channels.txt ls -l /dev/nvidia-caps-imex-channels
    ask kernel.txt uname -a
    look_at_fabric
    look_at_others
}

# GPUs behind switches say how far they have got in joining the fabric; the others say N/A.
look_at_fabric() {
    local states
    states=$(awk '/^ *Fabric$/ { fabric = NR }
        fabric && NR - fabric <= 2 { sub(/^[^:]*: */, ""); if (NR > fabric) print }' \
        "$work/machine/gpus-all.txt" | sort | uniq -c | sed 's/^ *//' | paste -sd ',')
    if [[ -z $states || $states =~ ^[0-9]+\ N/A$ ]]; then
        skip 'state of the fabric: nvidia-smi does not tell'
    elif grep -Eqv '^[0-9]+ (Completed|Success)$' < <(tr ',' '\n' <<<"$states"); then
        fail "state of the fabric: $states (should be Completed, Success for each GPU)"
    else
        pass "state of the fabric: $states"
    fi
}

# Others' jobs disturb times, and hold multicast groups, of which a machine has few.
look_at_others() {
    if grep -Eq '^[0-9]+,' "$work/machine/processes.txt"; then
        fail 'other processes use the GPUs (machine/processes.txt): times will mean little'
    else
        pass 'nobody else uses the GPUs'
    fi
}

# The driver's own word. Sets the number of GPUs that have multicast.
probe() {
    mkdir -p "$work/machine"
    if ! bench/multicast_probe >"$work/machine/probe.txt"; then
        refuse "$(tail -n 1 "$work/machine/probe.txt")" \
            'GPUs of compute capability 9.0 or newer behind NVLink switches have it, with the' \
            'fabric manager running, and not in slices (MIG); see bench/multicast-bringup.md.'
    fi
    able=$(sed -n 's/^multicast: yes: \([0-9]*\).*/\1/p' "$work/machine/probe.txt")
    pass "$(tail -n 1 "$work/machine/probe.txt")"
}

# The parameter, wherever it was set: the environment, or a file of Open MPI's.
refuse_if_never() {
    local value
    value=$("$OMPI_INFO" --parsable --param coll symm --level 9 2>/dev/null |
        sed -n 's/^mca:coll:symm:param:coll_symm_multicast:value:"\{0,1\}\([a-z]*\).*/\1/p')
    case $value in
        never)
            refuse 'multicast is forbidden here: coll_symm_multicast is never' \
                'Some file of MCA parameters says so; ompi_info --all names it.'
            ;;
        '') fail 'ompi_info does not know coll_symm_multicast' ;;
    esac
}
