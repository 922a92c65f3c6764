"""The CUBA network of @svc/spiking in Brian 2, as the vectors of its tests record it.

    pip install brian2==2.9.0 numpy==2.2.6 cython setuptools
    python cuba.py statistics --seed 1000 --seeds 120
    python cuba.py statistics --seeds 120 --wired
    python cuba.py spikes --seed 2007

`statistics`: mean rate and CV of inter-spike intervals, a pair for each seed: of Brian's own random networks, or,
`--wired`, of those that the engine makes of the same seeds.
`spikes`: the spikes of one network whose wiring and initial potentials are computed here, by numpy, from the
counter hash that the engine documents, so that the engine can be compared spike for spike.
"""

import argparse
import json
import sys

import brian2
import numpy as np
from brian2 import Network, NeuronGroup, SpikeMonitor, Synapses, defaultclock, ms, mV, prefs, seed

DT_MS = 0.1
EQUATIONS = """
dv/dt = (ge + gi - (v - EL)) / taum : volt (unless refractory)
dge/dt = -ge / taue : volt
dgi/dt = -gi / taui : volt
"""
NAMESPACE = {"taum": 20 * ms, "taue": 5 * ms, "taui": 10 * ms, "EL": -49 * mV, "VT": -50 * mV, "VR": -60 * mV}
# Brian integrates again in the step that ends the refractory time; the engine, as NEST does, rests for all of
# its steps. One step more makes both the same.
REFRACTORY_MS = 5.0 + DT_MS
DELAY_MS = 1.5
WE_MV, WI_MV = 1.62, -9.0


def neurons(count):
    group = NeuronGroup(
        count,
        EQUATIONS,
        threshold="v > VT",
        reset="v = VR",
        refractory=REFRACTORY_MS * ms,
        method="exact",
        namespace=NAMESPACE,
    )
    return group


def synapses(source, target, variable, weight_mv):
    return Synapses(
        source, target, on_pre=f"{variable} += w", namespace={"w": weight_mv * mV}, delay=DELAY_MS * ms
    )


def cv_of_intervals(steps_by_neuron, least_spikes):
    """Mean over neurons of sd / mean of the intervals, of neurons with at least so many spikes."""
    cvs = []
    for steps in steps_by_neuron:
        if len(steps) >= least_spikes:
            intervals = np.diff(np.sort(steps))
            cvs.append(intervals.std() / intervals.mean())
    return float(np.mean(cvs)), len(cvs)


def statistics(args):
    runs = []
    for number in range(args.seed, args.seed + args.seeds):
        brian2.start_scope()
        group, se, si = (wired if args.wired else drawn)(args.neurons, args.degree, number)
        net = Network(group, se, si)
        net.run(args.warmup_ms * ms)
        monitor = SpikeMonitor(group)
        net.add(monitor)
        net.run(args.run_ms * ms)
        rate = monitor.num_spikes / args.neurons / (args.run_ms / 1000)
        trains = [np.round(np.asarray(t / ms) / DT_MS).astype(int) for t in monitor.spike_trains().values()]
        cv, used = cv_of_intervals(trains, args.least_spikes)
        runs.append({"seed": number, "rateHz": round(float(rate), 6), "cv": round(cv, 6), "neuronsWithCv": used})
        print(runs[-1], file=sys.stderr, flush=True)
    document = {
        "brian2": brian2.__version__,
        "network": {
            "neuronCount": args.neurons,
            "connectionProbability": None if args.wired else args.degree / args.neurons,
            "outDegree": args.degree if args.wired else None,
            "dtMs": DT_MS,
            "delayMs": DELAY_MS,
            "refractoryMs": REFRACTORY_MS,
        },
        "warmupMs": args.warmup_ms,
        "runMs": args.run_ms,
        "leastSpikes": args.least_spikes,
        "runs": runs,
    }
    for key in ("rateHz", "cv"):
        values = np.array([run[key] for run in runs])
        document[key] = {
            "mean": round(float(values.mean()), 6),
            "standardError": round(float(values.std(ddof=1) / np.sqrt(len(values))), 6),
        }
    return document


def mix(x):
    x = np.asarray(x, dtype=np.uint32).copy()
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x21F0AAAD)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x735A2D97)
    return x ^ (x >> np.uint32(15))


def key(seed_value, domain, index):
    wide = np.uint64(0xFFFFFFFF)
    first = mix(np.uint32((seed_value + domain * 0x9E3779B9) & int(wide)))
    return mix(np.uint32((int(first) + index * 0x85EBCA6B) & int(wide)))


def counter_hash(x, key0, key1):
    x = np.asarray(x, dtype=np.uint32) + np.uint32(key0)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x21F0AAAD)
    x ^= x >> np.uint32(15)
    x += np.uint32(key1)
    x *= np.uint32(0x735A2D97)
    return x ^ (x >> np.uint32(15))


def wired(count, degree, seed_value):
    """The engine's network of one sector (at most 8,192 neurons), so that all targets come from one stream."""
    sources = np.repeat(np.arange(count, dtype=np.uint32), degree)
    places = sources * np.uint32(degree + 1) + np.tile(np.arange(degree, dtype=np.uint32), count)
    random = counter_hash(places, key(seed_value, 1, 0), key(seed_value, 1, 1)).astype(np.uint64)
    targets = (random * np.uint64(count)) >> np.uint64(32)
    share = counter_hash(np.arange(count), key(seed_value, 3, 0), key(seed_value, 3, 1)) >> np.uint32(8)
    group = neurons(count)
    group.v = (-60 + 10 * share / 2.0**24) * mV
    is_excitatory = sources < int(0.8 * count)
    se = synapses(group, group, "ge", WE_MV)
    si = synapses(group, group, "gi", WI_MV)
    se.connect(i=sources[is_excitatory].astype(int), j=targets[is_excitatory].astype(int))
    si.connect(i=sources[~is_excitatory].astype(int), j=targets[~is_excitatory].astype(int))
    return group, se, si


def drawn(count, degree, seed_value):
    """Brian's own random network: each pair with the same probability."""
    seed(seed_value)
    group = neurons(count)
    group.v = "-60*mV + rand()*10*mV"
    excitatory = int(0.8 * count)
    se = synapses(group[:excitatory], group, "ge", WE_MV)
    si = synapses(group[excitatory:], group, "gi", WI_MV)
    se.connect(p=degree / count)
    si.connect(p=degree / count)
    return group, se, si


def spikes(args):
    brian2.start_scope()
    count, degree = args.neurons, args.degree
    group, se, si = wired(count, degree, args.seed)
    monitor = SpikeMonitor(group)
    Network(group, se, si, monitor).run(args.run_ms * ms)
    steps = np.round(np.asarray(monitor.t / ms) / DT_MS).astype(int)
    order = np.lexsort((monitor.i, steps))
    return {
        "brian2": brian2.__version__,
        "network": {"neuronCount": count, "outDegree": degree, "dtMs": DT_MS, "delayMs": DELAY_MS, "seed": args.seed},
        "refractoryMs": REFRACTORY_MS,
        "runMs": args.run_ms,
        "steps": steps[order].tolist(),
        "neurons": np.asarray(monitor.i)[order].tolist(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["statistics", "spikes"])
    parser.add_argument("--neurons", type=int)
    parser.add_argument("--degree", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument("--wired", action="store_true", help="statistics of the engine's networks, by their seeds")
    parser.add_argument("--warmup-ms", type=float, default=400)
    parser.add_argument("--run-ms", type=float)
    parser.add_argument("--least-spikes", type=int, default=5)
    parser.add_argument("--target", default="cython")
    args = parser.parse_args()
    prefs.codegen.target = args.target
    defaultclock.dt = DT_MS * ms
    if args.what == "statistics":
        args.neurons = args.neurons or 4000
        args.run_ms = args.run_ms or 2000
        print(json.dumps(statistics(args), indent=2))
    else:
        args.neurons = args.neurons or 1000
        args.run_ms = args.run_ms or 100
        print(json.dumps(spikes(args)))


main()
