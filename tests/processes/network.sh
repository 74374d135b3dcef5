# network.sh - nodes that are network namespaces on a bridge; sourced by wire.tap and
# bench/many_nodes, in namespaces of their own (unshare -n -m), with which all of it goes.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh

network=10.77.0.0/24

# network_make RATE NODE...: a bridge, and a namespace behind it for each node, which sends no
# faster than RATE (4gbit; empty: as fast as it goes). It takes root and iproute2.
network_make() {
    network_rate=$1 number=10
    shift
    mkdir -p /run/netns && mount -t tmpfs netns /run/netns && ip link set lo up &&
        ip link add bridge0 type bridge && ip addr add 10.77.0.1/24 dev bridge0 &&
        ip link set bridge0 up || return
    for node in "$@"; do
        ip netns add "$node" && ip link add up$number type veth peer name eth0 netns "$node" &&
            ip link set up$number master bridge0 up && ip -n "$node" link set lo up &&
            ip -n "$node" addr add 10.77.0.$number/24 dev eth0 &&
            ip -n "$node" link set eth0 up || return
        test -z "$network_rate" || tc -n "$node" qdisc add dev eth0 root tbf \
            rate "$network_rate" burst 256kb latency 100ms || return
        number=$((number + 1))
    done
}
