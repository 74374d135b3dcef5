"""Some steps of a training with weights that are sharded over ranks (FSDP, fully_shard), with the
backend `symm` of torch.distributed, beside NCCL: losses and times.

    mpirun -n RANKS python3 sharded.py [--hidden 2048] [--layers 8] [--steps 12]

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
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

BATCH, LENGTH, VOCABULARY, HEAD = 8, 1024, 8192, 128
WARM = 4  # steps that are not timed


class Block(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.heads = hidden // HEAD
        self.norms = nn.ModuleList([nn.LayerNorm(hidden), nn.LayerNorm(hidden)])
        self.wanted, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, state):
        batch, length, hidden = state.shape
        found = self.wanted(self.norms[0](state)).view(batch, length, 3, self.heads, -1)
        query, key, value = found.permute(2, 0, 3, 1, 4)
        made = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        state = state + self.out(made.transpose(1, 2).reshape(batch, length, hidden))
        return state + self.down(nn.functional.gelu(self.up(self.norms[1](state))))


def model_make(options, group):
    """Sharded over the group, with weights from a seed."""
    torch.manual_seed(5)
    blocks = [Block(options.hidden) for _ in range(options.layers)]
    model = nn.Sequential(nn.Embedding(VOCABULARY, options.hidden), *blocks,
                          nn.Linear(options.hidden, VOCABULARY)).cuda()
    mesh = DeviceMesh.from_group(group, "cuda")
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return model


def train(options, group):
    """Losses, and milliseconds of a step."""
    model = model_make(options, group)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    generator = torch.Generator(device="cuda").manual_seed(100 + dist.get_rank())
    losses, times = [], []
    for _ in range(options.steps):
        text = torch.randint(0, VOCABULARY // 8, (BATCH, LENGTH + 1), generator=generator,
                             device="cuda")
        torch.cuda.synchronize()
        begin = time.perf_counter()
        logits = model(text[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), text[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
        mean = loss.detach().double()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        losses.append(mean.item())
    return losses, statistics.median(times[WARM:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--hidden", type=int, default=2048)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=2, help="trainings with each backend")
    parser.add_argument("--no-nccl", action="store_true")
    options = parser.parse_args()
    if options.hidden % HEAD != 0:
        parser.error(f"--hidden {options.hidden}: is no multiple of heads of {HEAD}")
    if options.steps <= WARM:
        parser.error(f"--steps {options.steps}: the first {WARM} are not timed; take more")
    local = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
    torch.cuda.set_device(local % torch.cuda.device_count())
    dist.init_process_group("symm", init_method="mpi://")
    groups = {"symm": dist.group.WORLD}
    if not options.no_nccl:
        groups["nccl"] = dist.new_group(backend="nccl")
    first = None
    for name, group in [*groups.items()] * options.rounds:
        losses, step = train(options, group)
        first = first or losses
        worst = max(abs(a - b) / b for a, b in zip(losses, first))
        if dist.get_rank() == 0:
            print(f"{name:5} step {step:7.2f} ms; loss {losses[0]:.4f} to {losses[-1]:.4f}; "
                  f"difference {worst:.6f}", flush=True)
        if worst > 1e-3 or not losses[-1] < losses[0]:
            raise SystemExit(f"{name}: losses {losses}, the first ones {first}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
