"""The decode step of a tensor-parallel transformer, eager and in a CUDA graph, with the backend
`symm` of torch.distributed, beside NCCL, and checked against one GPU.

    mpirun -n RANKS python3 decode.py [--batch 1] [--hidden 4096] [--layers 8] [--dtype bfloat16]

Weights are drawn from a seed. Each layer has two all-reduces of batch * hidden elements, and the
step an all-gather of the logits. Times are of the slowest rank: the median over blocks of the mean
of the steps in a block.

Copyright (c) 2026 The ompi-symm authors
SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import os
import statistics
import time

import ompi_symm.distributed
import torch
import torch.distributed as dist
import torch.nn.functional as functional

LENGTH, VOCABULARY, HEAD = 512, 32000, 128
STEPS, BLOCKS, CHECKED = 20, 11, 8


def drawn(seed, rows, columns, dtype):
    """A matrix that every rank draws alike."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    matrix = torch.randn(rows, columns, generator=generator, device="cuda", dtype=dtype)
    return matrix / columns**0.5


class Decoder:
    """A rank's part of the model, and its state. Without a group it is the whole model."""

    def __init__(self, options, group):
        self.group, self.batch, hidden = group, options.batch, options.hidden
        self.size = group.size() if group else 1
        rank = group.rank() if group else 0
        dtype, inner = options.dtype, 4 * hidden
        self.layers = []

        def rows(seed, count, columns):
            part = count // self.size
            return drawn(seed, count, columns, dtype)[rank * part:][:part].clone()

        def columns(seed, count, whole):
            part = whole // self.size
            return drawn(seed, count, whole, dtype)[:, rank * part:][:, :part].clone()

        self.heads = hidden // HEAD // self.size
        for layer in range(options.layers):
            seed = 10 * layer
            keys = torch.zeros(2, self.batch, self.heads, LENGTH, HEAD, dtype=dtype, device="cuda")
            wanted = torch.cat([rows(seed + i, hidden, hidden) for i in range(3)])
            self.layers.append((wanted, columns(seed + 3, hidden, hidden),
                                rows(seed + 4, inner, hidden), columns(seed + 5, hidden, inner),
                                keys))
        self.words = drawn(1_000_001, VOCABULARY, hidden, dtype)
        self.head = rows(1_000_002, VOCABULARY, hidden)
        self.places = torch.arange(LENGTH, device="cuda")
        self.tokens = torch.empty(self.batch, dtype=torch.long, device="cuda")
        self.at = torch.zeros(1, dtype=torch.long, device="cuda")
        self.begin()

    def begin(self):
        """The first tokens again; a graph has the tensors that they are in."""
        self.tokens.copy_(torch.arange(self.batch, device="cuda") + 17)
        self.at.zero_()

    def sum(self, part):
        if self.group:
            dist.all_reduce(part, group=self.group)
        return part

    def gather(self, part):
        if not self.group:
            return part
        whole = part.new_empty(self.size, *part.shape)
        dist.all_gather_into_tensor(whole, part, group=self.group)
        return whole.transpose(0, 1).reshape(part.shape[0], -1)

    def attend(self, found, keys):
        parts = found.view(self.batch, 3, self.heads, 1, HEAD).transpose(0, 1)
        query, key, value = parts.contiguous()
        keys[0].index_copy_(2, self.at, key)
        keys[1].index_copy_(2, self.at, value)
        made = functional.scaled_dot_product_attention(query, keys[0], keys[1],
                                                       attn_mask=(self.places <= self.at)[None])
        return made.reshape(self.batch, -1)

    def step(self):
        """One token more of each sequence; returns the logits."""
        state = functional.embedding(self.tokens, self.words)
        shape = state.shape[-1:]
        for wanted, out, up, down, keys in self.layers:
            found = functional.rms_norm(state, shape) @ wanted.t()
            state = state + self.sum(self.attend(found, keys) @ out.t())
            wide = functional.gelu(functional.rms_norm(state, shape) @ up.t())
            state = state + self.sum(wide @ down.t())
        logits = self.gather(functional.rms_norm(state, shape) @ self.head.t())
        self.tokens.copy_(logits.argmax(-1))
        self.at.add_(1).remainder_(LENGTH)
        return logits

    def messages(self, hidden, dtype):
        """What a step's collectives do, alone."""
        part = torch.zeros(self.batch, hidden, dtype=dtype, device="cuda")
        logits = torch.zeros(self.batch, VOCABULARY // self.size, dtype=dtype, device="cuda")
        for _ in range(2 * len(self.layers)):
            self.sum(part)
        self.gather(logits)


def captured(call):
    """What launches the call as a graph, and returns what the call has returned."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = call()

    def replay():
        graph.replay()
        return made

    return replay


def microseconds(call):
    times = []
    for _ in range(BLOCKS):
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(STEPS):
            call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / STEPS * 1e6)
    slowest = torch.tensor([statistics.median(times)], dtype=torch.float64, device="cuda")
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def timeline_write(call, path):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(3):
            call()
        torch.cuda.synchronize()
    profile.export_chrome_trace(path)


def differs(whole, part, step):
    """The largest difference of logits, of their size, on any rank, over some steps."""
    worst = 0.0
    whole.begin()
    part.begin()
    for _ in range(CHECKED):
        expected, found = whole.step(), step()
        worst = max(worst, ((found - expected).abs().max() / expected.abs().max()).item())
        part.tokens.copy_(whole.tokens)
    largest = torch.tensor([worst], dtype=torch.float64, device="cuda")
    dist.all_reduce(largest, dist.ReduceOp.MAX)
    return largest.item()


def options_read():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--dtype", type=lambda name: getattr(torch, name), default=torch.bfloat16)
    parser.add_argument("--no-nccl", action="store_true")
    parser.add_argument("--timelines", metavar="FOLDER", help="write one captured step of rank 0 "
                        "there, with each backend, as PyTorch's profiler sees it")
    options = parser.parse_args()
    ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1))
    if options.hidden % (HEAD * ranks) != 0:
        parser.error(f"--hidden {options.hidden}: heads of {HEAD} are not alike on {ranks} ranks")
    return options


def main():
    options = options_read()
    local = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
    torch.cuda.set_device(local % torch.cuda.device_count())
    dist.init_process_group("symm", init_method="mpi://")
    groups = {"symm": dist.group.WORLD}
    if not options.no_nccl:
        groups["nccl"] = dist.new_group(backend="nccl")
    with torch.no_grad():
        whole = Decoder(options, None)
        for name, group in groups.items():
            part = Decoder(options, group)
            wrong = differs(whole, part, part.step)
            eager = microseconds(part.step)
            replay = captured(part.step)
            wrong = max(wrong, differs(whole, part, replay))
            step = microseconds(replay)
            if options.timelines and dist.get_rank() == 0:
                timeline_write(replay, f"{options.timelines}/{name}.json")
            elif options.timelines:
                timeline_write(replay, os.devnull)
            alone = microseconds(captured(lambda: part.messages(options.hidden, options.dtype)))
            if dist.get_rank() == 0:
                print(f"{name:5} batch {options.batch:3}: eager {eager:8.1f} us, captured "
                      f"{step:8.1f} us, its collectives {alone:7.1f} us; difference from one GPU "
                      f"{wrong:.4f}", flush=True)
            if wrong > 0.05:
                raise SystemExit(f"{name}: the logits are not those of one GPU: {wrong}")
            del part, replay
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
