"""Writes dcp and ranks: python3 make_slices.py, with PyTorch 2.15.

dcp is a checkpoint of torch.distributed.checkpoint of two ranks, ranks are files of torch.save of the four ranks of a mesh of (2, 2), named as by verl.
Element i of each tensor, in C order, is i.
"""
import os
import shutil

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def code(*shape, dtype=torch.float32):
    return torch.arange(torch.Size(shape).numel()).reshape(shape).to(dtype)


def work(rank, world):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29541", RANK=str(rank), WORLD_SIZE=str(world))
    dist.init_process_group("gloo")
    if world == 2:
        mesh = init_device_mesh("cpu", (2,))
        dcp.save({"rows": distribute_tensor(code(5, 4), mesh, [Shard(0)]),
                  "columns": distribute_tensor(code(3, 5, dtype=torch.bfloat16), mesh, [Shard(1)]),
                  "short": distribute_tensor(code(1, 3), mesh, [Shard(0)]),
                  "turned": code(3, 2, dtype=torch.int16).t().contiguous().t(),
                  "scale": code(), "step": 7}, checkpoint_id="dcp")
    else:
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        torch.save({"tiles": distribute_tensor(code(3, 5), mesh, [Shard(0), Shard(1)]),
                    "twice": distribute_tensor(code(7, dtype=torch.int64), mesh, [Shard(0), Shard(0)]),
                    "copies": distribute_tensor(code(2, 3, dtype=torch.float16), mesh, [Replicate(), Shard(1)]),
                    "plain": code(2)}, f"ranks/model_world_size_4_rank_{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    for folder in "dcp", "ranks":
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("ranks")
    for world in 2, 4:
        mp.spawn(work, (world,), nprocs=world)
