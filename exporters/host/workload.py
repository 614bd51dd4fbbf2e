"""
What a workload is called: what stays the same when its pods, runs and restarts change.

Without the kubelet's list an owner's name is derived from the pod's, which is a guess: a pod
that a person named ``web-https`` or ``relay-2`` looks as if it were one of ``web``'s or
``relay``'s, and a Job's pods look like a DaemonSet's. Nothing but the name's stability depends
on it. Suffixes: ``pkg/util/rand`` of kubernetes/apimachinery, ``ComputeHash`` of
``pkg/controller`` (kubernetes#142240: the sum as decimal digits, so that each becomes one of ten
letters and there are ten or few less), ``getJobName`` of ``pkg/controller/cronjob`` (minutes
since 1970).
"""

import re

from exporters.hardware.facts import tidy

_RANDOM = "-[bcdfghjklmnpqrstvwxz2456789]{5}"
_HASH = "-[456789bcdf]{6,10}"
_MINUTES = r"-\d{8}"
# The first that fits counts; each takes off what a controller puts behind its own name.
_GENERATED = tuple(
    re.compile(f"(.+?){suffix}", re.ASCII)
    for suffix in (_MINUTES + _RANDOM, _HASH + _RANDOM, _RANDOM, r"-\d{1,5}")
)
_RUN = re.compile(f"(.+){_MINUTES}", re.ASCII)
# systemd-run(1) makes these up where it is given no name.
_TRANSIENT = re.compile(r"run-(u?\d+|r[0-9a-f]+|p\d+-i\d+)\.(service|scope)", re.ASCII)
_ESCAPED = re.compile(r"\\x([2-7][0-9a-f])", re.ASCII)
_STATIC = re.compile(r"[0-9a-f]{32}")


def derived_from_pod(pod: str, uid: str) -> str:
    """
    Return the name that a pod's owner has, as far as the pod's name shows it.

    A static pod has no owner: its name is its manifest's with the node's behind it.
    """
    if not _STATIC.fullmatch(uid):
        for generated in _GENERATED:
            found = generated.fullmatch(pod)
            if found:
                return found[1]
    return pod


def of_owner(kind: str, name: str, template_hash: str) -> str:
    """
    Return the name of the workload behind a pod's owner.

    That is the Deployment's for a ReplicaSet of one, which has the pods' ``pod-template-hash``
    behind its name, and the CronJob's for a Job that one made.
    """
    if kind == "ReplicaSet" and template_hash:
        return name.removesuffix(f"-{template_hash}")
    run = _RUN.fullmatch(name) if kind == "Job" else None
    return run[1] if run else name


def of_unit(unit: str) -> str:
    """Return a unit's name for a label, unescaped; empty for one that systemd-run made up."""
    if _TRANSIENT.fullmatch(unit):
        return ""
    name = unit.removesuffix(".service").removesuffix(".scope").removesuffix(".slice")
    return tidy(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), name))
