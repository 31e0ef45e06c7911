"""Searches: Optuna proposes the points of a sweep instead of a grid."""
from __future__ import annotations

import dataclasses
import math
from typing import Any

from .axes import Axis
from .errors import SweepError
from .spec import Sweep


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise SweepError("--search needs Optuna: install it with pip install 'ttsim[sweep]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _suggest(trial: Any, axis: Axis) -> Any:
    if axis.low is None or axis.high is None:
        return axis.values[trial.suggest_categorical(axis.name, list(range(len(axis.values))))]
    if isinstance(axis.low, int) and isinstance(axis.high, int) and not isinstance(axis.step, float):
        return trial.suggest_int(axis.name, axis.low, axis.high, step=1 if axis.log else axis.step or 1, log=axis.log)
    return trial.suggest_float(axis.name, axis.low, axis.high, step=axis.step, log=axis.log)


@dataclasses.dataclass
class Proposal:
    """A point to run. `trial`: of Optuna. `rung`: place of its fidelity; the last one is the whole point."""
    point: dict[str, Any]
    trial: Any
    rung: int


class Search:
    """Proposes points and learns from their results. With one objective and the axis `fidelity`, a point runs with each
    value of that axis, and ends early if others are better at the same value (Optuna's pruning by halves). With several
    objectives NSGA-II finds the Pareto front. Points that break a condition are not run."""

    def __init__(self, sweep: Sweep, budget: int, seed: int) -> None:
        self._sweep, self._left = sweep, budget
        self._optuna = _optuna()
        objectives = sweep.objectives or (sweep.measures[0].name,)
        self._measures = [sweep.measure(name) for name in objectives]
        if sweep.zips:
            raise SweepError("--search draws each axis by itself; remove 'zip'")
        samplers = self._optuna.samplers
        sampler = samplers.TPESampler(seed=seed) if len(objectives) == 1 else samplers.NSGAIISampler(seed=seed)
        self._rungs: tuple[Any, ...] = (None,)
        pruner = self._optuna.pruners.NopPruner()
        if sweep.fidelity:
            if len(objectives) > 1:
                raise SweepError("'fidelity' is for one objective: Optuna prunes no search with several")
            self._rungs = next(a for a in sweep.axes if a.name == sweep.fidelity).values
            pruner = self._optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=2)
        self._study = self._optuna.create_study(
            sampler=sampler, pruner=pruner,
            directions=["minimize" if m.less_is_better else "maximize" for m in self._measures])
        self.pruned = 0
        self._waiting: list[Proposal] = []

    def batch(self, size: int) -> list[Proposal]:
        """The next points, at most `size`; points that reached the next rung come first. Empty at the end. Results of a
        batch are told before the next one is asked for, so that the search does not depend on the number of workers."""
        chosen, self._waiting = self._waiting[:size], self._waiting[size:]
        misses = 0
        while len(chosen) < size and self._left > 0:
            trial = self._study.ask()
            point = {axis.name: self._rungs[0] if axis.name == self._sweep.fidelity else _suggest(trial, axis)
                     for axis in self._sweep.axes}
            if not all(condition.holds(point) for condition in self._sweep.where):
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
                misses += 1
                if misses > 1000:
                    raise SweepError("where: 1000 drawn points in a row break a condition")
                continue
            misses = 0
            self._left -= 1
            chosen.append(Proposal(point, trial, 0))
        return chosen

    def tell(self, proposal: Proposal, result: dict[str, Any]) -> None:
        """Takes the result of a proposal."""
        state = self._optuna.trial.TrialState
        values = [result["measures"].get(measure.name) for measure in self._measures]
        numbers = [float(v) for v in values if isinstance(v, (int, float)) and math.isfinite(v)]
        if result["status"] != "ok" or len(numbers) < len(values):
            self._study.tell(proposal.trial, state=state.FAIL)
            return
        if proposal.rung + 1 < len(self._rungs):
            proposal.trial.report(numbers[0], proposal.rung + 1)
            if proposal.trial.should_prune():
                self._study.tell(proposal.trial, state=state.PRUNED)
                self.pruned += 1
                return
            rung = proposal.rung + 1
            point = {**proposal.point, self._sweep.fidelity: self._rungs[rung]}
            self._waiting.append(Proposal(point, proposal.trial, rung))
            return
        self._study.tell(proposal.trial, numbers)

    def best(self) -> list[tuple[dict[str, Any], list[float]]]:
        """The best points with their objectives: one, or the Pareto front."""
        found = []
        for trial in self._study.best_trials if len(self._measures) > 1 or self._study.trials else []:
            point = {axis.name: self._rungs[-1] if axis.name == self._sweep.fidelity
                     else axis.values[trial.params[axis.name]] if axis.low is None else trial.params[axis.name]
                     for axis in self._sweep.axes}
            found.append((point, list(trial.values)))
        return found
