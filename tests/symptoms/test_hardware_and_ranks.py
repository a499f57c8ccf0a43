"""Symptoms of GPUs, networks, hosts and ranks: present, absent and unobserved are three things."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.incident import Incident, open_incident
from diagnostics.observation import Observation, State, observe

PRESENT, ABSENT, UNOBSERVED = State.PRESENT, State.ABSENT, State.UNOBSERVED

SAVES = (
    "INFO Saving checkpoint. This may take some time.\n"
    "[E1129 11:56:57.2 ProcessGroupNCCL.cpp:616] [Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600027 milliseconds before timing out.\n"
)
PEERS = """\
    PID S  %CPU    RES COMMAND
  71820 R 100.1 148.2g python3
  71821 S   {}   6.1g python3
  71822 S   {}   6.0g python3
"""
QUIET_KERNEL = "".join(f"[{second:5}.000000] usb 1-1: new device number {second}\n" for second in range(30))
XID = "[ 100.5] NVRM: Xid (PCI:0000:3b:00): {}, pid=4242, name=python, {}\n"
FABRIC = """\
GPU 00000000:0A:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Fabric
        State                             : {}
        Status                            : {}
"""
TIMEOUT = (
    "[rank{}]:[E ProcessGroupNCCL.cpp:632] [Rank {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600072 milliseconds before timing out.\n"
)
BARRIER = """\
Process {0}: python train.py
Python v3.10.12 (/usr/bin/python3.10)

Thread {0} (idle): "MainThread"
    {1} (torch/distributed/distributed_c10d.py:3685)
    main (train.py:210)
    <module> (train.py:301)
"""
LOADER = """\
Process {0}: python train.py
Python v3.10.12 (/usr/bin/python3.10)

Thread {0} (idle): "MainThread"
    wait (threading.py:306)
    _try_get_data (torch/utils/data/dataloader.py:1011)
    _next_data (torch/utils/data/dataloader.py:1207)
    main (train.py:150)
    <module> (train.py:301)
"""
PCIE = "index, pcie.link.gen.current, pcie.link.width.current, utilization.gpu [%]\n"
HELD = "|   0  Tesla V100-SXM2...  On   | 00000000:00:1E.0 Off |                    0 |\n| N/A   41C    P0    38W / 300W |  {}MiB / 16160MiB |      0%      Default |\n|  No running processes found                                                 |\n"
HOLDER = "                     USER        PID ACCESS COMMAND\n/dev/nvidia0:        u1      4411 F...m python\n"
SMI = "index, name, utilization.gpu [%], clocks.current.sm [MHz], temperature.gpu\n"
IBSTAT = "CA 'mlx5_0'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {}\n\t\tPhysical state: {}\n\t\tRate: 400\n"
ECC = "GPU 00000000:52:00.0\n    ECC Errors\n        Volatile\n            DRAM Correctable              : {}\n            DRAM Uncorrectable            : {}\n"
LINKS = "GPU 0: H100 (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\nGPU 3: H100 (UUID: GPU-3)\n\t {}\n"
OOM = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; {} already allocated; {} free; {} reserved in total by PyTorch)\n"
SHARED = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.20 GiB is free. "
    + " ".join(f"Process {pid} has 11.10 GiB memory in use." for pid in range(4001, 4007))
    + " Including non-PyTorch memory, this process has 11.10 GiB memory in use.\n"
)
NVITOP = " GPU     PID      USER  GPU-MEM %SM  %CPU  %MEM  TIME  COMMAND\n   1   56752 C     {}  32.34GiB 100   N/A   N/A   N/A  {}\n"
AT_START = "(EngineCore pid=23107) ValueError: Free memory on device cuda:0 (2.91/15.92 GiB) on startup is less than desired GPU memory utilization (0.8, 12.74 GiB).\n"
WORKERS = "$ ps -eo pid,ppid,args | grep VLLM::\n22018 {} VLLM::EngineCore\n"
RANKS_ON_ONE = (
    "|  GPU       PID   Type   Process name    Usage      |\n"
    + "".join(f"|    0     122{n}      C   python      1205MiB |\n" for n in (51, 52, 53))
    + "|    1     122{}      C   python      2903MiB |\n"
)
NVLINK_WORDS = "torch {} : fails in epoch 1\ntorch 1.8 : no crash\nRuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\n"
HEALTH = "| Overall Health | Failure |\n| -> 0 | Failure |\n|    -> NVLINK system | Failure |\n|   | GPU 0's NvLink link 0 is currently down |\n|   | GPU 0's NvLink link {} is currently down |\n"
EDAC = "check_hw_edac:  ECC errors detected - 31 corrected memory {}.\n"
SUPPLY = "System Power Supply\n\tMax Power Capacity: {} W\n\nindex, power.limit [W]\n0, 290.00 W\n1, 170.00 W\n"
LAST = "reboot   system boot  6.18.4   Thu Aug 20 09:33   still running\nreboot   system boot  6.18.4   Thu Aug 20 08:55 {}\n"
SERVERS = "$ ps -eo pid,ppid,args | grep serve\n40047 1 /usr/bin/python3 /usr/bin/{}\n"
HELD_BY_WORKER = "|    0   N/A  N/A      4711      C   python3      30211MiB |\n  PID  PPID STAT COMMAND\n 4711 {} S python -c from multiprocessing.spawn import spawn_main\n"
LOADED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.154.05  Thu Dec 28 15:37:48 UTC 2023\n"
MES = "May 26 18:09:55 n1 kernel: [drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* {}\n"
RETIRED = "GPU 00000000:3B:00.0\n    Retired Pages\n        Double Bit ECC              : 3\n        Pending Page Blacklist      : {}\n"
MEGATRON = "INFO | ^^^^ Bottom 4 Ranks with lowest  Etpt(TF): {}/12, 371.22/7, 372.1/1, 373.0/9\n"
SENSORS = "PS1 Status       | C8h | ok  | 10.1 | Presence detected\nPS2 Status       | C9h | ok  | 10.2 | {}\n"
DIAG = "| {} | Fail - GPU: 0 |\n| Warning | {} |\n"
PORT = (
    'Errors for "n14 mlx5_3"\n   GUID 0x1070fd030072d0b1 port 1: [SymbolErrorCounter == {}] [LinkDownedCounter == {}]\n'
)
BENCH = "node    gemm TFLOPs\nn01    612\nn02    611\nn03    {}\nn04    613\nn05    612\n"
TRY = "train.py {}      {}\ntrain.py {}      {}\n"
SOCKET = "n1:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.4<0>\nn1:1:1 [0] NCCL INFO Using network Socket\n"
AER = "[   99.500000] {1} 0000:3b:00.0: PCIe Bus Error: severity={0}, type=Transaction Layer, (Requester ID)\n"
LIMITS = "training, nvidia-smi -pl 350    host {}\ntraining, nvidia-smi -pl 300    {}\n"
SETTINGS = "all_reduce_perf                 {}\nall_reduce_perf -x {}   ok\n"
ACS = "40:01.1 PCI bridge: Intel Corporation Device 347a (rev 04)\n\t\tACSCtl:\tSrcValid{0} TransBlk- ReqRedir{0} CmpltRedir{0}\n"
OFI = "n1:46:58 [0] {0}\nn2:46:58 [0] {0}\n"
TRIALS = "1 node x 8 GPU  : ok\n2 nodes x 8 GPU : {}\n"

OUT_OF_MEMORY = "RuntimeError: CUDA error: out of memory\n/dev/nvidia0:        20940m\n"
QUEUE = "  PID STAT     ELAPSED WCHAN                  COMMAND\n 3121 D          {0} {1}       nvidia-smi\n 9121 D          00:10 {1}       python train.py\n"

CASES = [
    ("gpu-off-bus-report", XID.format(79, "GPU has fallen off the bus."), PRESENT),
    ("gpu-off-bus-report", QUIET_KERNEL, ABSENT),
    ("gpu-off-bus-report", XID.format(13, "Graphics Exception"), ABSENT),
    ("gpu-off-bus-report", "[ 1.0] usb 1-1: new device\n", UNOBSERVED),
    ("gpu-off-bus-report", "17:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev ff)\n", PRESENT),
    ("gpu-software-xid", "========= Invalid __global__ read of size 4 bytes\n", PRESENT),
    ("gpu-nvlink-report", LINKS.format("NVML: Unable to retrieve NVLink information as all links are inActive"), PRESENT),
    ("gpu-nvlink-report", LINKS.format("Link 0: 26.562 GB/s"), UNOBSERVED),
    ("gpu-out-of-memory", "epoch 1\nF0723 11:12:41.542250  2590 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", PRESENT),
    ("gpu-taken-before-start", OOM.format("1.20 GiB", "312.00 MiB", "1.40 GiB"), PRESENT),
    ("gpu-taken-before-start", "[rank1]: " + OOM.format("1.20 GiB", "312.00 MiB", "1.40 GiB") + "[rank2]: " + OOM.format("1.20 GiB", "312.00 MiB", "1.40 GiB"), UNOBSERVED),
    ("gpu-taken-before-start", SHARED, UNOBSERVED),
    ("gpu-taken-before-start", OOM.format("21.20 GiB", "312.00 MiB", "22.40 GiB"), UNOBSERVED),
    ("gpu-memory-without-owner", "pid, used_gpu_memory [MiB]\n2559215, 10151 MiB\n\nbash: kill: (2559215) - No such process\n", PRESENT),
    ("gpu-memory-without-owner", "pid, used_gpu_memory [MiB]\n2559215, 10151 MiB\n\nbash: kill: (4) - No such process\n", UNOBSERVED),
    ("gpu-memory-without-owner", NVITOP.format("N/A", "No Such Process"), PRESENT),
    ("gpu-memory-without-owner", NVITOP.format("u1", "python3 train.py"), UNOBSERVED),
    ("gpu-held-by-another", AT_START + WORKERS.format(21913), PRESENT),
    ("gpu-held-by-another", AT_START + WORKERS.format(23107), UNOBSERVED),
    ("gpu-taken-before-start", OOM.format("962.69 MiB", "17.19 MiB", "1.00 GiB") + RANKS_ON_ONE.format(51), UNOBSERVED),
    ("gpu-taken-before-start", OOM.format("962.69 MiB", "17.19 MiB", "1.00 GiB") + RANKS_ON_ONE.format(70), PRESENT),
    ("gpu-out-of-memory", "RESOURCE_EXHAUSTED: jit_train_step\ncuMemAllocAsync failed to allocate 126,257,359,472 bytes (117.59 GiB)\n", PRESENT),
    ("gpu-software-xid", "same batch, cpu      : IndexError: index out of range in self\nsame batch, clamped  : ok\n", PRESENT),
    ("gpu-software-xid", "same batch, cpu      : ok\nsame batch, clamped  : ok\n", UNOBSERVED),
    ("gpu-nvlink-report", NVLINK_WORDS.format("1.8"), PRESENT),
    ("gpu-nvlink-report", NVLINK_WORDS.format("1.9"), UNOBSERVED),
    ("gpu-nvlink-report", HEALTH.format(5), PRESENT),
    ("gpu-nvlink-report", HEALTH.format(1), UNOBSERVED),
    ("gpu-diagnostic-failed", HEALTH.format(1), UNOBSERVED),
    ("gpu-diagnostic-failed", DIAG.format("PCIe", "GPU 0GPU 0's NvLink link 0 is currently down"), UNOBSERVED),
    ("gpu-diagnostic-failed", DIAG.format("PCIe", "GPU 0 bandwidth of 3.1 GB/s is below 12 GB/s"), PRESENT),
    ("host-memory-error-report", EDAC.format("errors detected (limit of 9)"), PRESENT),
    ("host-memory-error-report", EDAC.format("errors since the boot"), UNOBSERVED),
    ("gpu-held-by-another", AT_START + SERVERS.format("vllm serve m"), PRESENT),
    ("gpu-held-by-another", AT_START + SERVERS.format("vim serve.sh"), UNOBSERVED),
    ("gpu-held-by-another", OUT_OF_MEMORY + "20940     1 Sl   01:10 python main.py\n", PRESENT),
    ("gpu-held-by-another", OUT_OF_MEMORY + "20940     1 Sl   01:10 python main.py\n    1     0 Ss   01:12 bash run.sh\n", UNOBSERVED),
    ("gpu-held-by-another", OUT_OF_MEMORY + "20940   812 Sl   01:10 python main.py\n", UNOBSERVED),
    ("gpu-held-by-another", OUT_OF_MEMORY + "20940   812 Sl   01:10 python -m ipykernel_launcher\n", PRESENT),
    ("gpu-memory-without-owner", "|    0   N/A  N/A     22111      C   [defunct]                                 71212MiB |\n", PRESENT),
    ("gpu-nvlink-report", "n1:2211:2322 [3] NCCL WARN NVLink error detected on GPU 3 link 5: uncorrectable\n", PRESENT),
    ("gpu-nvlink-report", "[ 1.0] nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 12028, Non-fatal, Link 62 egress non-posted PRIV error (First)\n", UNOBSERVED),
    ("driver-lock-queue", QUEUE.format("10:41", "os_acquire_mutex"), PRESENT),
    ("driver-lock-queue", QUEUE.format("00:41", "os_acquire_mutex"), UNOBSERVED),
    ("driver-lock-queue", QUEUE.format("10:41", "folio_wait_bit_common"), UNOBSERVED),
    ("peer-name-unknown", "nslookup: can't resolve 'm-0'\n", PRESENT),
    ("peer-name-unknown", "nslookup: can't resolve 'm-0'\nName:   m-0\n", UNOBSERVED),
    ("reachability-test-failed", "nc: connect to 192.0.2.7 port 2049 (tcp) timed out: Operation now in progress\n", UNOBSERVED),
    ("reachability-test-failed", "nc: connect to 192.0.2.7 port 29500 (tcp) timed out: Operation now in progress\n", PRESENT),
    ("network-setup-error", "[1652775411.204713] [cn0112:48112:0]        ib_iface.c:1026 UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory\nmax locked memory       (kbytes, -l) 64\n", PRESENT),
    ("network-setup-error", "[1652775411.204713] [cn0112:48112:0]        ib_iface.c:1026 UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory\nmax locked memory       (kbytes, -l) unlimited\n", UNOBSERVED),
    ("expected-port-missing", "GATE_ERROR: only 1/4 required IB ports are ACTIVE on node05\n", PRESENT),
    ("port-in-use-down", "$ hccn_tool -i 3 -link -g\nlink status: DOWN\n", PRESENT),
    ("gpu-throttled", "[  1.2] NVRM: GPU0 thermal shutdown: GPU temperature 105C exceeded\n", PRESENT),
    ("host-memory-error-report", "Memory Error, Failing DIMM: DIMM location (Correctable memory component found). (P1-DIMMC1) - Assertion\n", PRESENT),
    ("gpu-worker-without-parent", HELD_BY_WORKER.format(1), PRESENT),
    ("gpu-worker-without-parent", HELD_BY_WORKER.format(77), UNOBSERVED),
    ("gpu-memory-without-owner", HELD_BY_WORKER.format(1), UNOBSERVED),
    ("gpu-memory-without-owner", HELD_BY_WORKER.format(77), ABSENT),
    ("driver-version-mismatch", LOADED + "$ modinfo -F version nvidia\n535.161.07\n", PRESENT),
    ("driver-version-mismatch", LOADED + "$ modinfo -F version nvidia\n535.154.05\n", UNOBSERVED),
    ("driver-version-mismatch", LOADED + "/usr/local/cuda/compat/libcuda.so.550.54.15\n", UNOBSERVED),
    ("driver-version-mismatch", "NVMLError_LibRmVersionMismatch: RM has detected an NVML/RM version mismatch.\n", PRESENT),
    ("gpu-firmware-report", MES.format("MES failed to response msg=3"), PRESENT),
    ("gpu-firmware-report", MES.format("ring gfx_0.0.0 timeout, signaled seq=2, emitted seq=4"), UNOBSERVED),
    ("gpu-firmware-report", "[ 7712.123456] NVRM: _kgspRpcRecvPoll: GSP RM heartbeat timed out (GPU0)\n", PRESENT),
    ("gpu-out-of-memory", "RuntimeError: NPU out of memory. Tried to allocate 52.00 MiB (NPU 0; 60.96 GiB total capacity)\n", PRESENT),
    ("gpu-out-of-memory", "[2019-02-26 18:42:04] Error: CUDA error 2 'out of memory' - device.cu:32: cudaMalloc(&data_, size)\n", PRESENT),
    ("gpu-software-xid", "CUDA error: an illegal memory access was encountered\n  current device: 0, in function synchronize at ggml-cuda.cu:2446\n", PRESENT),
    ("gpu-software-xid", "Segmentation fault from GPU at 0xff00000021a28000, ctx_id: 1 (CCS) type: 0 (NotPresent)\n", PRESENT),
    ("gpu-ecc-correctable-storm", RETIRED.format("Yes"), PRESENT),
    ("gpu-ecc-correctable-storm", RETIRED.format("No"), ABSENT),
    ("gpu-slower-than-peers", "Stragglers detected: rank 5\n", PRESENT),
    ("gpu-slower-than-peers", "No stragglers detected: ranks 0-7 are even\n", UNOBSERVED),
    ("gpu-slower-than-peers", MEGATRON.format("166.62"), PRESENT),
    ("gpu-slower-than-peers", MEGATRON.format("371.00"), ABSENT),
    ("power-supply-failed", SENSORS.format("Presence detected, Failure detected"), PRESENT),
    ("power-supply-failed", SENSORS.format("Presence detected"), UNOBSERVED),
    ("power-supply-failed", "2023-03-11 02:11:18 +0100  Running on UPS batteries.\n", PRESENT),
    ("host-memory-error-report", "Corrected memory errors on page 1f20b03000 exceed threshold 10 in 24h: 10 in 24h\n", PRESENT),
    ("host-memory-error-report", "    Uncorrected on DIMM Label(s): 'CPU_SrcID#0_Chan#1_DIMM#0' location: 0:1:0:-1 errors: 2\n", PRESENT),
    ("power-limit-keeps-it-up", "mnist, default power limit 250 W : machine reboots\nmnist, nvidia-smi -pl 220        : ok\n", PRESENT),
    ("gpu-off-bus-report", "41:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 80GB] (rev ff) (prog-if ff)\n", PRESENT),
    ("gpu-throttled", "| Overall Health | Warning |\n|    -> Thermal system      | Warning    |\n|    | Detected thermal violations totaling 52 seconds for GPU 5 |\n", PRESENT),
    ("gpu-out-of-memory", "ggml_cuda_host_malloc: failed to allocate 1024.00 MiB of pinned memory: out of memory\nCUDA error: out of memory\n", PRESENT),
    ("supply-too-small", SUPPLY.format(490), PRESENT),
    ("supply-too-small", SUPPLY.format(1300), UNOBSERVED),
    ("power-lost", LAST.format("- crash"), PRESENT),
    ("power-lost", LAST.format("- 09:31  (00:36)"), UNOBSERVED),
    ("gpu-throttled", "index, clocks_event_reasons.active\n0, 0x0000000000000088\n", PRESENT),
    ("gpu-throttled", "index, clocks_event_reasons.active\n0, 0x0000000000000004\n", UNOBSERVED),
    ("gpu-throttled", DIAG.format("Clock Throttle", "Clocks are being throttled for GPU 5"), PRESENT),
    ("gpu-memory-test-failed", DIAG.format("GPU Memory", "GPU 0 found a wrong value"), PRESENT),
    ("gpu-memory-test-failed", DIAG.format("GPU Memory", "GPU 0 Unable to create CUDA context"), UNOBSERVED),
    ("gpu-diagnostic-failed", "Tested 2 GPUs:\n        GPU 0: OK\n        GPU 1: FAULTY\n", PRESENT),
    ("gpu-diagnostic-failed", "Tested 2 GPUs:\n        GPU 0: OK\n        GPU 1: OK\n", ABSENT),
    ("driver-version-mismatch", "E tensorflow/stream_executor/cuda/cuda_diagnostics.cc:313] kernel version 470.141.3 does not match DSO version 470.161.3\n", PRESENT),
    ("failures-follow-one-device", "".join(f"| CUDA_VISIBLE_DEVICES={n} | {'fails' if n == 2 else 'ok'} |\n" for n in (0, 1, 2, 2)), PRESENT),
    ("failures-follow-one-device", "ping n01 -> n02 : ok\nping n01 -> n07 : timed out\nall_reduce 8 nodes : ok\n", UNOBSERVED),
    ("gpu-software-xid", "RuntimeError: CUDA error: an illegal instruction was encountered\n", UNOBSERVED),
    ("gpu-unspecified-failure", "RuntimeError: CUDA error: an illegal instruction was encountered\n", PRESENT),
    ("gpu-software-xid", "../aten/src/ATen/native/cuda/ScatterGatherKernel.cu:144: operator(): block: [9,0,0], thread: [32,0,0] Assertion `idx_dim < index_size` failed.\n", PRESENT),
    ("gpu-software-xid", "step 1\nMemory access fault by GPU node-2 (Agent handle: 0x55c3) on address 0x7f1200000000. Reason: Page not present or supervisor privilege.\n", PRESENT),
    ("gpu-nvlink-report", "[Mar 11 2024 10:11:13] [ERROR] [tid 2211] detected NVLink training failure between GPU 2 port 4 and NVSwitch 3 port 36\n", PRESENT),
    ("gpu-out-of-memory", "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (23456).\n", PRESENT),
    ("gpu-slower-than-peers", "WARNING: Some GPUs have worse relative performance. Affected ranks: {13}\n", PRESENT),
    ("gpu-slower-than-peers", BENCH.format(583), PRESENT),
    ("gpu-slower-than-peers", BENCH.format(607), ABSENT),
    ("gpu-slower-than-peers", "gpu bench n4    : 303.6 s  (others around 296.5 s)\n", PRESENT),
    ("gpu-slower-than-peers", "gpu bench n4    : 297.6 s  (others around 296.5 s)\n", UNOBSERVED),
    ("gpu-slower-than-peers", "WARNING: no stragglers in the last 100 steps\n", UNOBSERVED),
    ("gpu-off-bus-report", 'DCGM_FI_DEV_XID_ERRORS{gpu="3",Hostname="n1"} 79\n', PRESENT),
    ("gpu-off-bus-report", 'DCGM_FI_DEV_XID_ERRORS{gpu="3",Hostname="n1"} 0\n', UNOBSERVED),
    ("gpu-software-xid", "[  812.1] amdgpu 0000:83:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32769, for process python pid 4123)\n", PRESENT),
    ("gpu-ecc-uncorrectable", "[  901.1] amdgpu 0000:83:00.0: amdgpu: socket: 0, die: 0 2 uncorrectable hardware errors detected in umc block\n", PRESENT),
    ("gpu-link-failed", AER.format("Uncorrectable (Non-Fatal)", "nvidia"), PRESENT),
    ("gpu-link-failed", AER.format("Uncorrected (Fatal)", "nvme"), UNOBSERVED),
    ("gpu-link-failed", AER.format("Corrected", "nvidia"), UNOBSERVED),
    ("gpu-software-xid", AER.format("Uncorrected (Fatal)", "nvidia") + XID.format(31, "MMU Fault"), UNOBSERVED),
    ("gpu-software-xid", AER.format("Corrected", "nvidia") + XID.format(31, "MMU Fault"), PRESENT),
    ("gpu-firmware-report", "$ dmesg -T | grep -c Xid\n0\n", ABSENT),
    ("gpu-firmware-report", "$ dmesg -T | grep -c oom\n0\n", UNOBSERVED),
    ("power-limit-keeps-it-up", LIMITS.format("off", "ok"), PRESENT),
    ("power-limit-keeps-it-up", LIMITS.format("ok", "off"), UNOBSERVED),
    ("start-method-cures-it", TRY.format("fork", "hangs", "spawn", "ok"), PRESENT),
    ("start-method-cures-it", TRY.format("fork", "fails", "spawn", "ok"), UNOBSERVED),
    ("start-method-cures-it", TRY.format("spawn", "hangs", "spawn, again", "ok"), UNOBSERVED),
    ("more-shared-memory-cures-it", TRY.format("docker", "fails", "--shm-size=8g", "ok"), PRESENT),
    ("more-shared-memory-cures-it", TRY.format("--shm-size=8g", "fails", "--memory=8g", "ok"), UNOBSERVED),
    ("longer-limit-cures-it", TRY.format("timeout=1800", "fails", "timeout=7200", "ok"), PRESENT),
    ("longer-limit-cures-it", TRY.format("timeout=7200", "fails", "timeout=1800", "ok"), UNOBSERVED),
    ("peers-fail-where-redirected", (SETTINGS.format("hangs", "NCCL_P2P_DISABLE=1"), ACS.format("+")), PRESENT),
    ("peers-fail-where-redirected", (SETTINGS.format("hangs", "NCCL_P2P_DISABLE=1"), ACS.format("-")), UNOBSERVED),
    ("peers-fail-where-redirected", (SETTINGS.format("ok", "NCCL_P2P_DISABLE=1"), ACS.format("+")), UNOBSERVED),
    ("driver-module-missing", "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-51-generic\n", PRESENT),
    ("driver-module-missing", "modprobe: FATAL: Module nvidia_fs not found in directory /lib/modules/6.8.0-51-generic\n", UNOBSERVED),
    ("directory-full", "[ 9.1] EXT4-fs warning (device sdc1): ext4_dx_add_entry:2199: inode #2: comm minio: Directory index full!\n", PRESENT),
    ("directory-full", "[ 9.1] EXT4-fs (sdc1): mounted filesystem with ordered data mode. Quota mode: none.\n", UNOBSERVED),
    ("rdma-test-passes", "ib_write_bw n2       ok, 97 Gb/s\nall_reduce_perf      hangs\n", PRESENT),
    ("rdma-test-passes", "ib_write_bw n2       fails\nall_reduce_perf      hangs\n", UNOBSERVED),
    ("fast-network-expected", (SOCKET, "FI_PROVIDER=efa\nNCCL_DEBUG=INFO\n"), PRESENT),
    ("fast-network-expected", (SOCKET, "FI_PROVIDER=efa\nNCCL_IB_DISABLE=1\n"), UNOBSERVED),
    ("fast-network-expected", (SOCKET + "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nKeyError: 'x'\n", "FI_PROVIDER=efa\n"), UNOBSERVED),
    ("network-setting-cures-it", SETTINGS.format("fails", "NCCL_IB_GID_INDEX=3"), PRESENT),
    ("network-setting-cures-it", SETTINGS.format("fails", "NCCL_IB_DISABLE=1"), UNOBSERVED),
    ("network-setting-cures-it", SETTINGS.format("ok", "NCCL_IB_GID_INDEX=3"), UNOBSERVED),
    ("expected-port-missing", "ERROR:  nhc:  Health check failed:  check_hw_ib:  No IB port mlx5_4:1 is ACTIVE (LinkUp 400 Gb/sec).\n", PRESENT),
    ("expected-port-missing", "ERROR:  nhc:  Health check failed:  check_fs_mount:  /scratch not mounted\n", UNOBSERVED),
    ("rdma-gave-up", "[master:19546:0:19546] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)\n", PRESENT),
    ("physical-port-errors", PORT.format(65535, 23), PRESENT),
    ("physical-port-errors", PORT.format(12, 1), UNOBSERVED),
    ("physical-port-errors", "# Port counters: Lid 3 port 1\nSymbolErrorCounter:..............0\n", ABSENT),
    ("wrong-interface-chosen", "n1:1:1 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 169.254.0.1<40815> failed : Software caused connection abort\n", PRESENT),
    ("wrong-interface-chosen", "n1:1:1 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.1.2.3<40815> failed : Connection refused\n", UNOBSERVED),
    ("network-setup-error", "[1719391911.121] [n1:8123 :0] ucp_context.c:1470 UCX  WARN  network device 'mlx5_9:1' is not available, please use one or more of: 'eth0'(tcp)\n", PRESENT),
    ("node-failed-report", "ORTE has lost communication with a remote daemon.\n", PRESENT),
    ("hung-in-gpu-driver", "root       18422  0.0  0.0  46772  6120 ?        D    09:12   0:00 nvidia-smi\n", PRESENT),
    ("gpu-handle-lost", "Unable to determine the device handle for GPU0000:03:00.0: Unknown Error\n", PRESENT),
    ("gpu-ecc-uncorrectable", XID.format(48, "An uncorrectable double bit error (DBE) has been detected"), PRESENT),
    ("gpu-ecc-uncorrectable", ECC.format(3, 1), PRESENT),
    ("gpu-ecc-uncorrectable", ECC.format(3, 0), ABSENT),
    ("gpu-ecc-uncorrectable", ECC.format(3, 0) + "    Remapped Rows\n        Uncorrectable Error               : 1\n        Pending                           : No\n", ABSENT),
    ("gpu-ecc-uncorrectable", "step 3 | loss 2.1\n", UNOBSERVED),
    ("gpu-ecc-correctable-storm", ECC.format(90000, 0), PRESENT),
    ("gpu-ecc-correctable-storm", ECC.format(3, 0), ABSENT),
    ("gpu-firmware-report", XID.format(119, "Timeout waiting for RPC from GSP!"), PRESENT),
    ("gpu-software-xid", XID.format(31, "MMU Fault: ENGINE GRAPHICS"), PRESENT),
    ("gpu-software-xid", "RuntimeError: CUDA error: an illegal memory access was encountered\n", PRESENT),
    ("gpu-software-xid", XID.format(45, "Ch 00000010"), ABSENT),
    ("gpu-nvlink-report", XID.format(74, "NVLink: fatal error detected on link 9"), PRESENT),
    ("gpu-nvlink-report", "[ 9.1] nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 04 LTSSM Fault Up\n", PRESENT),
    ("gpu-nvlink-report", "[ 9.1] nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 12021, Non-fatal, Link 04 ECC\n", UNOBSERVED),
    ("gpu-nvlink-report", XID.format(45, "Ch 00000001 caused by previous Xid 149"), PRESENT),
    ("gpu-nvlink-report", XID.format(136, "Link 3 training failed"), PRESENT),
    ("gpu-out-of-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n", PRESENT),
    ("gpu-out-of-memory", "RuntimeError: Cannot allocate memory\n", UNOBSERVED),
    ("gpu-unspecified-failure", "RuntimeError: CUDA error: unspecified launch failure\n", PRESENT),
    ("driver-version-mismatch", "Failed to initialize NVML: Driver/library version mismatch\n", PRESENT),
    ("driver-init-failed", "[ 5.0] NVRM: GPU 0000:41:00.0: RmInitAdapter failed! (0x26:0x56:1474)\n", PRESENT),
    ("fabric-not-up", FABRIC.format("In Progress", "N/A"), UNOBSERVED),
    ("driver-init-failed", FABRIC.format("Completed", "Success"), UNOBSERVED),
    ("gpu-nvlink-report", FABRIC.format("Completed", "Insufficient Resources"), PRESENT),
    ("gpu-nvlink-report", FABRIC.format("Completed", "Success"), UNOBSERVED),
    ("gpu-nvlink-report", FABRIC.format("In Progress", "N/A"), UNOBSERVED),
    ("driver-refuses", "No devices were found\n", PRESENT),
    ("gpu-slower-than-peers", SMI + "".join(f"{i}, H100, 100 %, 1980 MHz, 50\n" for i in range(7)) + "7, H100, 100 %, 345 MHz, 50\n", PRESENT),
    ("gpu-slower-than-peers", SMI + "".join(f"{i}, H100, 100 %, 1980 MHz, 50\n" for i in range(8)), ABSENT),
    ("gpu-slower-than-peers", SMI + "0, H100, 100 %, 1980 MHz, 50\n1, H100, 100 %, 345 MHz, 50\n", UNOBSERVED),
    ("gpu-slower-than-peers", SMI + 7 * "0, H100, 100 %, 1980 MHz, 50\n" + "0, H100, 100 %, 300 MHz, 50\n", UNOBSERVED),
    ("gpu-slower-than-peers", SMI + 3 * ("".join(f"{i}, H100, 100 %, 1980 MHz, 50\n" for i in range(3)) + "3, H100, 100 %, 345 MHz, 50\n"), PRESENT),
    ("gpu-link-degraded", PCIE + "0, 5, 16, 99 %\n1, 5, 16, 98 %\n2, 5, 8, 99 %\n", PRESENT),
    ("gpu-link-degraded", PCIE + "0, 5, 16, 99 %\n1, 5, 16, 98 %\n2, 5, 16, 99 %\n", ABSENT),
    ("gpu-link-degraded", PCIE + "0, 5, 16, 99 %\n1, 5, 16, 98 %\n2, 1, 16, 0 %\n", ABSENT),
    ("gpu-link-degraded", PCIE + "0, 1, 16, 0 %\n1, 1, 16, 0 %\n2, 5, 16, 99 %\n", UNOBSERVED),
    ("gpu-memory-without-owner", HELD.format(14903) + HOLDER, PRESENT),
    ("gpu-memory-without-owner", HELD.format(4) + HOLDER, ABSENT),
    ("wrong-interface-chosen", "n1:1:1 [0] include/socket.h:403 NCCL WARN Connect to fe80::14ad:64ff:fe64:b31e%veth1c2b90<47411> failed : Network is unreachable\n", PRESENT),
    ("wrong-interface-chosen", "n1:1:1 [0] include/socket.h:403 NCCL WARN Connect to fe80::14ad:64ff:fe64:b31e%ib0<47411> failed : Network is unreachable\n", UNOBSERVED),
    ("gpu-hot", SMI + "0, H100, 100 %, 1980 MHz, 93\n", PRESENT),
    ("gpu-hot", SMI + "0, H100, 100 %, 1980 MHz, 50\n", ABSENT),
    ("pcie-error", "[ 5.0] pcieport 0000:3a:00.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0\n", PRESENT),
    ("pcie-error", "[ 5.0] pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3b:00.0\n", UNOBSERVED),
    ("pcie-error", QUIET_KERNEL, ABSENT),
    ("collective-timed-out", TIMEOUT.format(0, 0), PRESENT),
    ("collective-timed-out", "step 3 | loss 2.1\n", UNOBSERVED),
    ("peer-closed", "RuntimeError: Connection closed by peer [10.0.0.4]:31245\n", PRESENT),
    ("peer-name-unknown", "socket.gaierror: [Errno -2] Name or service not known\n", PRESENT),
    ("reachability-test-failed", "nc: connect to 10.0.0.4 port 29500 (tcp) failed: Connection timed out\n", PRESENT),
    ("reachability-test-failed", "Connection to 10.0.0.4 29500 port [tcp/*] succeeded!\n", ABSENT),
    ("ranks-in-different-collectives", (BARRIER.format(11, "barrier"), BARRIER.format(12, "all_reduce")), PRESENT),
    ("ranks-in-different-collectives", (BARRIER.format(11, "barrier"), BARRIER.format(12, "barrier")), ABSENT),
    ("ranks-in-different-collectives", (BARRIER.format(11, "barrier"), LOADER.format(12)), UNOBSERVED),
    ("ranks-in-different-collectives", (BARRIER.format(11, "barrier"), BARRIER.format(12, "recv")), UNOBSERVED),
    ("one-rank-elsewhere", (BARRIER.format(11, "barrier"), LOADER.format(12)), PRESENT),
    ("one-rank-elsewhere", (BARRIER.format(11, "barrier"), BARRIER.format(12, "barrier")), ABSENT),
    ("one-rank-elsewhere", LOADER.format(12), UNOBSERVED),
    ("link-down", IBSTAT.format("Down", "Polling"), PRESENT),
    ("link-down", IBSTAT.format("Active", "LinkUp"), ABSENT),
    ("link-down", "[ 4411.1] mlx5_core 0000:a1:00.0 ib0: Link down\n", PRESENT),
    ("link-down", "[   15.200000] mlx5_core 0000:a1:00.0 ib0: Link down\n", UNOBSERVED),
    ("port-errors", "[ 4411.1] mlx5_core 0000:a1:00.0: Port module event: module 0, Cable unplugged\n", PRESENT),
    ("port-errors", "[   13.100000] mlx5_core 0000:a1:00.0: Port module event: module 0, Cable unplugged\n", UNOBSERVED),
    ("network-adapter-failed", "[   13.100000] mlx5_core 0000:a1:00.0: Port module event: module 0, Cable unplugged\n", UNOBSERVED),
    ("link-down", "3: eno3: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT\n", PRESENT),
    ("link-down", "3: eno3: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN mode DEFAULT\n", UNOBSERVED),
    ("link-flapping", "[ 1.0] mlx5_core 0000:a1:00.0 ib0: Link down\n[ 2.0] mlx5_core 0000:a1:00.0 ib0: Link up\n" * 2, PRESENT),
    ("link-flapping", "[ 1.0] mlx5_core 0000:a1:00.0 ib0: Link down\n[ 2.0] mlx5_core 0000:a1:00.0 ib0: Link up\n", UNOBSERVED),
    ("slow-transport-chosen", OFI.format("nccl_net_ofi_init:1339 NCCL WARN NET/OFI aws-ofi-nccl initialization failed"), PRESENT),
    ("slow-transport-chosen", OFI.format("NCCL INFO NET/OFI Selected Provider is efa (found 32 nics)"), UNOBSERVED),
    ("slow-across-nodes", TRIALS.format("7x slower"), PRESENT),
    ("slow-across-nodes", TRIALS.format("1.2x slower"), UNOBSERVED),
    ("slow-across-nodes", TRIALS.format("ok"), ABSENT),
    ("fails-across-nodes", TRIALS.format("hangs"), PRESENT),
    ("fails-across-nodes", TRIALS.format("ok"), ABSENT),
    ("host-memory-error-report", "[ 5.0] EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#2_DIMM#0 (channel:2 slot:0)\n", PRESENT),
    ("host-memory-error-report", "[ 5.0] EDAC MC3: 1 CE memory read error on CPU_SrcID#1_MC#1_Chan#2_DIMM#0 (channel:2 slot:0)\n", UNOBSERVED),
    ("host-memory-error-report", QUIET_KERNEL, ABSENT),
    ("kernel-lockup-report", "[ 5.0] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [kworker/3:1:311]\n[ 5.1] RIP: 0010:smp_call_function_many_cond+0x13a/0x360\n", PRESENT),
    ("kernel-lockup-report", "[ 5.0] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:311]\n[ 33.0] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:311]\n", PRESENT),
    ("kernel-lockup-report", "[ 5.0] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:311]\n", UNOBSERVED),
    ("kernel-lockup-report", QUIET_KERNEL, ABSENT),
    ("kernel-lockup-report", QUIET_KERNEL + "[   45.000000] clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:\n", ABSENT),
    ("acpi-or-firmware-report", "[ 812.0] ACPI Error: AE_NOT_EXIST, Returned by Handler for [IPMI] (20210730/evregion-300)\n", PRESENT),
    ("acpi-or-firmware-report", QUIET_KERNEL + "[   45.000000] [Firmware Bug]: TSC_DEADLINE disabled due to Errata\n", ABSENT),
    ("preempted-report", "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-03-05T11:02:51 DUE TO PREEMPTION ***\n", PRESENT),
    ("time-limit-report", "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-03-05T11:02:51 DUE TO TIME LIMIT ***\n", PRESENT),
    ("time-limit-report", "[step=18/40] loss=2.1\nWARNING Run canceled due to time limit reached, stopping in 10 more steps...\n", UNOBSERVED),
    ("checkpoint-truncated", "-rw-r--r-- 1 u u 4.6G Nov 29 11:52 model_0001.pt\n-rw-r--r-- 1 u u 4.9G Nov 29 11:54 model_0002.pt\n-rw-r--r-- 1 u u 3.9G Nov 29 11:56 model_0003.pt\n", UNOBSERVED),
    ("checkpoint-truncated", "-rw-r--r-- 1 u u 4.6G Nov 29 11:52 model_0001.pt\n-rw-r--r-- 1 u u 4.6G Nov 29 11:54 model_0002.pt\n-rw-r--r-- 1 u u 3.9G Nov 29 11:56 model_0003.pt\n", PRESENT),
    ("phase-outlasts-limit", (SAVES, PEERS.format(2.1, 2.3)), PRESENT),
    ("phase-outlasts-limit", (SAVES, PEERS.format(99.0, 98.7)), UNOBSERVED),
    ("preempted-report", "step 3 | loss 2.1\n", UNOBSERVED),
]  # fmt: skip


def read(folder: Path, artefacts: str | tuple[str, ...]) -> Incident:
    """Write artefacts into a folder and open it."""
    for number, text in enumerate((artefacts,) if isinstance(artefacts, str) else artefacts):
        (folder / f"artefact{number}.txt").write_text(text)
    return open_incident(folder)


def observed(incident: Incident, symptom: str) -> list[Observation]:
    """What came of one symptom."""
    return [each for each in observe(incident) if each.symptom == symptom]


@pytest.mark.parametrize(
    ("symptom", "artefacts", "state"), CASES, ids=[f"{c[0]}-{c[2]}-{i}" for i, c in enumerate(CASES)]
)
def test_state(symptom: str, artefacts: str | tuple[str, ...], state: State, tmp_path: Path) -> None:
    found = observed(read(tmp_path, artefacts), symptom)
    assert {each.state for each in found} == {state}, [each.notes for each in found]
    assert state is UNOBSERVED or all(each.evidence and each.notes for each in found)


def test_a_gpu_is_named_by_index_and_address(tmp_path: Path) -> None:
    status = (
        "index, name, pci.bus_id, utilization.gpu [%]\n0, H100, 00000000:3A:00.0, 0 %\n1, H100, 00000000:3B:00.0, 0 %\n"
    )
    incident = read(tmp_path, (status, XID.format(79, "GPU has fallen off the bus.")))
    (found,) = observed(incident, "gpu-off-bus-report")
    assert (found.subject.gpu, found.subject.pci) == (1, "0000:3b:00")


def test_the_rank_that_is_elsewhere_is_named(tmp_path: Path) -> None:
    stacks = (*(BARRIER.format(pid, "all_reduce") for pid in (11, 12, 13)), LOADER.format(14))
    (found,) = observed(read(tmp_path, stacks), "one-rank-elsewhere")
    assert found.subject.pid == 14


def test_a_log_that_stops_before_a_boot_is_a_loss_of_power(tmp_path: Path) -> None:
    boot = "Feb 18 20:16:12 ws kernel: Linux version 5.13.0-30-generic (buildd@x) (gcc 11.2.0) #33-Ubuntu SMP\n"
    silent = "Feb 18 20:14:40 ws python[3120]: step 812 loss 2.31\n"
    orderly = "Feb 18 20:15:01 ws systemd[1]: Reached target Reboot.\n"
    for name, log, state in (("silent", silent + boot, PRESENT), ("orderly", silent + orderly + boot, ABSENT)):
        folder = tmp_path / name
        folder.mkdir()
        assert observed(read(folder, log), "power-lost")[0].state is state


def test_an_error_before_a_reboot_does_not_explain_a_later_run(tmp_path: Path) -> None:
    kernel = (
        "2026-02-18T20:14:40+00:00 ws kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
        "2026-02-18T20:20:00+00:00 ws kernel: Linux version 5.13.0-30-generic (buildd@x) (gcc 11.2.0) #33-Ubuntu SMP\n"
    )
    run = "2026-02-18T{}:00:00+00:00 + python train.py --data /data\n2026-02-18T{}:00:09+00:00 step 1 | loss 2.3\n"
    for hour, state in (("19", PRESENT), ("22", ABSENT)):
        folder = tmp_path / hour
        folder.mkdir()
        found = observed(read(folder, (kernel, run.format(hour, hour))), "gpu-off-bus-report")
        assert found[0].state is state
