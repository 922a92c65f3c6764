"""Frames a second of the CUBA network in Brian 2's C++ standalone mode, as JSON.

    python speed.py --rule stdp --neurons 1000000 --threads 2

The network of the engine in Brian's own words: random connections of the same mean out-degree, exact integration in 32-bit
floats (the faster of Brian's two), `stdp` with the nearest-neighbour symmetric pairs of NEST's stdp_nn_symm_synapse on the
excitatory synapses. Spikes are counted, not recorded. The time is that of the simulation loop as Brian's own program
measures it: no code generation, no compilation, no connecting.
"""

import argparse
import json
import shutil
import tempfile
import time

import brian2
import numpy as np
from brian2 import Network, NeuronGroup, SpikeMonitor, Synapses, defaultclock, device, ms, mV, prefs, seed

DT_MS = 0.1
EQUATIONS = """
dv/dt = (ge + gi - (v - EL)) / taum : volt (unless refractory)
dge/dt = -ge / taue : volt
dgi/dt = -gi / taui : volt
"""
NAMESPACE = {"taum": 20 * ms, "taue": 5 * ms, "taui": 10 * ms, "EL": -49 * mV, "VT": -50 * mV, "VR": -60 * mV}
PLASTIC = {
    "model": """
        w : volt
        dpre/dt = -pre / tau_plus : 1 (event-driven)
        dpost/dt = -post / tau_minus : 1 (event-driven)
        """,
    # A new spike replaces the trace: the nearest alone counts.
    "on_pre": "ge += w; pre = 1; w = clip(w - a_minus * w_max * post, 0 * volt, w_max)",
    "on_post": "post = 1; w = clip(w + a_plus * w_max * pre, 0 * volt, w_max)",
    "namespace": {"tau_plus": 20 * ms, "tau_minus": 20 * ms, "a_plus": 0.01, "a_minus": 0.0105, "w_max": 3.24 * mV},
}


def build(args):
    group = NeuronGroup(
        args.neurons,
        EQUATIONS,
        threshold="v > VT",
        reset="v = VR",
        refractory=(5 + DT_MS) * ms,
        method="exact",
        namespace=NAMESPACE,
    )
    group.v = "-60*mV + rand()*10*mV"
    excitatory = int(0.8 * args.neurons)
    to_all = {"p": args.degree / args.neurons}
    if args.rule == "stdp":
        se = Synapses(group[:excitatory], group, **PLASTIC)
    else:
        se = Synapses(group[:excitatory], group, on_pre="ge += 1.62*mV")
    si = Synapses(group[excitatory:], group, on_pre="gi -= 9*mV")
    for synapses in (se, si):
        synapses.connect(**to_all)
        synapses.pre.delay = 1.5 * ms
    if args.rule == "stdp":
        se.w = 1.62 * mV
    return Network(group, se, si), group


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", choices=["none", "stdp"], default="none")
    parser.add_argument("--neurons", type=int, default=1_000_000)
    parser.add_argument("--degree", type=int, default=80)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--warmup", type=int, default=1_600)
    parser.add_argument("--threads", type=int, default=0, help="0: compiled without OpenMP")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="brian2-speed-")
    prefs.core.default_float_dtype = np.float32
    prefs.devices.cpp_standalone.openmp_threads = args.threads
    try:
        brian2.set_device("cpp_standalone", directory=folder, build_on_run=False)
        defaultclock.dt = DT_MS * ms
        seed(1)
        network, group = build(args)
        network.run(args.warmup * DT_MS * ms)
        monitor = SpikeMonitor(group, record=False)
        network.add(monitor)
        network.run(args.steps * DT_MS * ms)
        begin = time.perf_counter()
        device.build(directory=folder, compile=True, run=True)
        whole_s = time.perf_counter() - begin
        # Of the last `run` alone.
        loop_s = float(device._last_run_time)
        simulated_s = args.steps * DT_MS / 1000
        print(
            json.dumps(
                {
                    "version": brian2.__version__,
                    "fps": args.steps / loop_s,
                    "rateHz": int(monitor.num_spikes) / args.neurons / simulated_s,
                    "loopS": loop_s,
                    "wholeS": whole_s,
                }
            )
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
