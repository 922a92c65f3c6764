"""Writes what pymdp answers to the cases of libs/engines/inference/src/active-inference.vectors.json.

    python3 -m venv "$VENV" && "$VENV"/bin/pip install -r requirements.txt
    "$VENV"/bin/python write_vectors.py > ../../../libs/engines/inference/src/active-inference.vectors.json

Each case has pymdp's own numbers, which carry the small constants that it adds inside logarithms, and the exact ones,
computed policy by policy with numpy from the formulas, 0 ln 0 being 0.
"""

import json
from importlib.metadata import version

import numpy as np
from pymdp import control, inference, maths, utils
from scipy.special import logsumexp, xlogy

SEED = 20_200_913


def dirichlet_columns(rng, rows, columns, concentration=1.0):
    return rng.dirichlet(np.full(rows, concentration), size=columns).T


def random_case(rng, name, states, outcomes, actions, length, readings, prior=False, gamma=16.0, alpha=16.0):
    case = dict(
        name=name,
        A=dirichlet_columns(rng, outcomes, states).tolist(),
        B=[dirichlet_columns(rng, states, states, 0.5).tolist() for _ in range(actions)],
        C=np.round(rng.normal(0, 1.5, outcomes), 3).tolist(),
        D=rng.dirichlet(np.ones(states)).tolist(),
        observations=rng.integers(0, outcomes, readings).tolist(),
        policyLength=length,
        gamma=gamma,
        alpha=alpha,
    )
    if prior:
        case['E'] = rng.dirichlet(np.ones(actions**length)).tolist()
    return case


def cases():
    rng = np.random.default_rng(SEED)
    likelihood = [[0.8, 0.1, 0.3], [0.15, 0.7, 0.2], [0.05, 0.2, 0.5]]
    turn = [[0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]
    yield dict(
        name='three states, stay or turn', A=likelihood, B=[np.eye(3).tolist(), turn], C=[2, 0, -1],
        D=[0.5, 0.3, 0.2], observations=[1], policyLength=2, gamma=16.0, alpha=16.0,
    )
    yield random_case(rng, 'two states, one step', 2, 2, 2, 1, 1)
    yield random_case(rng, 'more observations than states', 3, 6, 3, 2, 1)
    yield random_case(rng, 'more states than observations', 6, 2, 2, 3, 1)
    yield random_case(rng, 'policies of four steps', 4, 4, 3, 4, 1, gamma=2.0)
    yield random_case(rng, 'three readings of one state', 4, 5, 2, 2, 3)
    yield random_case(rng, 'a prior over policies', 3, 3, 2, 3, 1, prior=True, gamma=1.0)
    yield random_case(rng, 'a prior and many readings', 5, 4, 4, 2, 6, prior=True, gamma=0.5, alpha=2.0)
    yield random_case(rng, 'no precision of policies', 3, 3, 3, 2, 2, prior=True, gamma=0.0, alpha=1.0)
    yield random_case(rng, 'twelve states', 12, 9, 2, 4, 2, gamma=1.0, alpha=1.0)
    # A grid of four cells in a ring, seen without doubt but for one mirrored pair: zeros everywhere.
    ring = [np.roll(np.eye(4), shift, axis=0).tolist() for shift in (0, 1, -1)]
    seen = [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    yield dict(
        name='certain moves in a ring', A=seen, B=ring, C=[0, 0, 3], D=[0.25] * 4, observations=[1],
        policyLength=3, gamma=1.0, alpha=1.0,
    )
    forbidden = np.array([0, 1, 2, 3, 0, 5, 6, 7, 0], float)
    yield dict(
        name='a prior that forbids policies', A=likelihood, B=[np.eye(3).tolist(), turn, np.array(turn).T.tolist()],
        C=[0, 0.5, 1], D=[0.2, 0.3, 0.5], E=(forbidden / forbidden.sum()).tolist(), observations=[0, 2],
        policyLength=2, gamma=3.0, alpha=0.5,
    )


def by_pymdp(case):
    A, B = np.array(case['A'], float), np.stack([np.array(b, float) for b in case['B']], axis=-1)
    states, actions = A.shape[1], B.shape[2]
    modalities = utils.obj_array(len(case['observations']))
    for at in range(len(modalities)):
        modalities[at] = A
    prior = utils.to_obj_array(np.array(case['D'], float))
    qs = inference.update_posterior_states(modalities, [int(o) for o in case['observations']], prior)
    likelihood = np.prod([A[o] for o in case['observations']], axis=0)
    free_energy = maths.calc_free_energy(
        qs, maths.spm_log_obj_array(prior), 1, maths.spm_log_single(likelihood)
    )
    A1, B1, C1 = utils.to_obj_array(A), utils.to_obj_array(B), utils.to_obj_array(np.array(case['C'], float))
    policies = control.construct_policies([states], [actions], policy_len=case['policyLength'])
    E = np.array(case['E'], float) if 'E' in case else None
    q_pi, neg_efe = control.update_posterior_policies(
        qs, A1, B1, C1, policies, E=E, gamma=case['gamma']
    )
    expected = [control.get_expected_states(qs, B1, policy) for policy in policies]
    utility = [control.calc_expected_utility(control.get_expected_obs(s, A1), C1) for s in expected]
    gain = [control.calc_states_info_gain(A1, s) for s in expected]
    marginal = np.zeros(actions)
    for policy, q in zip(policies, q_pi):
        marginal[policy[0, 0]] += q
    return dict(
        qs=qs[0].tolist(), F=float(np.squeeze(free_energy)), negEFE=neg_efe.tolist(),
        utility=np.squeeze(utility).tolist(), infoGain=np.squeeze(gain).tolist(), qPi=q_pi.tolist(),
        action=int(control.sample_action(q_pi, policies, [actions])[0]),
        actionProbabilities=maths.softmax(maths.spm_log_single(marginal) * case['alpha']).tolist(),
    )


def exactly(case):
    A, B = np.array(case['A'], float), [np.array(b, float) for b in case['B']]
    with np.errstate(divide='ignore'):
        joint = np.log(np.array(case['D'], float)) + sum(np.log(A[o]) for o in case['observations'])
        log_prior = np.log(np.array(case['E'], float)) if 'E' in case else 0.0
    qs = np.exp(joint - logsumexp(joint))
    log_preference = np.array(case['C'], float) - logsumexp(case['C'])
    utility, gain = [], []
    for policy in np.ndindex(*[len(B)] * case['policyLength']):
        s, u, g = qs, 0.0, 0.0
        for action in policy:
            s = B[action] @ s
            o = A @ s
            u += o @ log_preference
            g += -xlogy(o, o).sum() + s @ xlogy(A, A).sum(axis=0)
        utility.append(u)
        gain.append(g)
    total = np.array(utility) + np.array(gain)
    logits = case['gamma'] * total + log_prior
    q_pi = np.exp(logits - logsumexp(logits))
    marginal = q_pi.reshape(len(B), -1).sum(axis=1)
    sharp = marginal ** case['alpha']
    return dict(
        qs=qs.tolist(), F=float(-logsumexp(joint)), negEFE=total.tolist(), utility=utility, infoGain=gain,
        qPi=q_pi.tolist(), action=int(marginal.argmax()), actionProbabilities=(sharp / sharp.sum()).tolist(),
    )


print(json.dumps(dict(
    source=f"inferactively-pymdp {version('inferactively-pymdp')} (MIT licence), numpy {np.__version__}",
    cases=[dict(input=case, pymdp=by_pymdp(case), exact=exactly(case)) for case in cases()],
)))
