"""Robust least squares in the logarithms of the constants, in plain Python on the very functions that predict.

Residual = relative error, Huber loss, and a prior that pulls each constant to its start: with few rows of a
class the constant stays what physics suggests. Gauss–Newton with Marquardt damping. A class factor moves a constant as
its base does, so one finite difference a constant and row serves the base and all its factors.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

from calculator.accuracy.cases import Case, RefusedError
from calculator.domain.calibration import Factored

HUBER = 0.15
PRIOR_WEIGHT = 5.0
STEP = 1e-4
MOST_MOVE = 0.7
REFUSED_RESIDUAL = -1.0
TWICE = 2.0
SYMMETRIC_METRICS = ("busbw_GB_s",)
"""Metrics over three orders of magnitude, where twice and half are the same error."""
BALANCE_EXPONENT = -0.35
"""Rows of one rig and pair share their errors: n of them weigh as n^0.65."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One logarithm to fit: a constant's base (`cls` empty) or its factor for a class. `sigma` 0 keeps the start."""

    name: str
    cls: str
    start: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Cases of one group of constants, with the parameters and the dataclass that the predictions take."""

    cases: Sequence[Case]
    parameters: Sequence[Parameter]
    constants: Callable[..., Any]
    scales: Mapping[str, float]
    """Weight of a metric's residuals (1 where absent): a noisy metric should not rule the others."""


def factored(parameters: Sequence[Parameter], logs: Sequence[float]) -> Factored:
    """Parameters back as constants."""
    base: dict[str, float] = {}
    factors: dict[str, dict[str, float]] = {}
    for parameter, value in zip(parameters, logs, strict=True):
        if parameter.cls:
            factors.setdefault(parameter.name, {})[parameter.cls] = exp(value)
        else:
            base[parameter.name] = exp(value)
    return Factored(base, factors)


class _Resolved:
    """Constants by classes, with and without one of them moved; computed once a class set."""

    def __init__(self, constants: Callable[..., Any], group: Factored) -> None:
        self._constants = constants
        self._group = group
        self._kept: dict[tuple[tuple[str, ...], str], Any] = {}

    def of(self, classes: tuple[str, ...], moved: str) -> Any:
        key = (classes, moved)
        if key not in self._kept:
            self._kept[key] = self._made(classes, moved)
        return self._kept[key]

    def _made(self, classes: tuple[str, ...], moved: str) -> Any:
        if not moved:
            return self._constants(**self._group.resolve(classes))
        plain = self.of(classes, "")
        return replace(plain, **{moved: getattr(plain, moved) * exp(STEP)})


def residual(case: Case, constants: Any) -> float:
    """ln(predicted ÷ measured) below the measurement, predicted ÷ measured − 1 above it, as errors are judged.

    From twice the measurement on it grows as the logarithm again, so that no outlier rules. A refused prediction of
    what somebody measured counts as an error.
    """
    try:
        ratio = max(case.predict(constants), 1e-12) / case.measured
    except RefusedError:
        return REFUSED_RESIDUAL
    if ratio < 1 or case.metric in SYMMETRIC_METRICS:
        return log(ratio)
    return ratio - 1 if ratio < TWICE else 1 + TWICE * log(ratio / TWICE)


def weights(cases: Sequence[Case]) -> list[float]:
    """Weight of each case: n^−0.35 of its rig and pair, 1 in the mean."""
    groups = [(case.metric, case.source, case.engine_class, case.pair) for case in cases]
    counts = Counter(groups)
    raw = [counts[group] ** BALANCE_EXPONENT for group in groups]
    mean = sum(raw) / len(raw)
    return [value / mean for value in raw]


def _huber(value: float) -> float:
    size = abs(value)
    return 0.5 * value * value if size < HUBER else HUBER * (size - 0.5 * HUBER)


class Fit:
    """One run of the solver on one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.starts = [log(parameter.start) for parameter in problem.parameters]
        self.free = [index for index, parameter in enumerate(problem.parameters) if parameter.sigma]
        self.places: dict[str, list[tuple[int, str]]] = {}
        for index in self.free:
            parameter = problem.parameters[index]
            self.places.setdefault(parameter.name, []).append((index, parameter.cls))
        self.weights = weights(problem.cases)
        self.scales = [problem.scales.get(case.metric, 1.0) for case in problem.cases]

    def _resolved(self, logs: Sequence[float]) -> _Resolved:
        return _Resolved(self.problem.constants, factored(self.problem.parameters, logs))

    def residuals(self, logs: Sequence[float]) -> list[float]:
        """Scaled residuals of all cases."""
        resolved = self._resolved(logs)
        return [
            residual(case, resolved.of(case.classes, "")) * scale
            for case, scale in zip(self.problem.cases, self.scales, strict=True)
        ]

    def objective(self, residuals: Sequence[float], logs: Sequence[float]) -> float:
        """Weighted Huber loss and the prior."""
        loss = sum(weight * _huber(value) for weight, value in zip(self.weights, residuals, strict=True))
        return loss + 0.5 * sum(self._pull(index) * (logs[index] - self.starts[index]) ** 2 for index in self.free)

    def _pull(self, index: int) -> float:
        return PRIOR_WEIGHT * HUBER**2 / self.problem.parameters[index].sigma ** 2

    def _slopes(self, case: Case, scale: float, value: float, resolved: _Resolved) -> list[tuple[int, float]]:
        """d residual ÷ d parameter, where it is not zero."""
        found: list[tuple[int, float]] = []
        for name, places in self.places.items():
            own = [index for index, cls in places if not cls or cls in case.classes]
            if not own:
                continue
            slope = (residual(case, resolved.of(case.classes, name)) * scale - value) / STEP
            if slope:
                found += [(index, slope) for index in own]
        return found

    def _normal(self, logs: Sequence[float], residuals: Sequence[float]) -> tuple[list[list[float]], list[float]]:
        """Normal equations over the free parameters: matrix and gradient."""
        size = len(self.starts)
        matrix = [[0.0] * size for _ in range(size)]
        gradient = [0.0] * size
        resolved = self._resolved(logs)
        for case, scale, weight, value in zip(self.problem.cases, self.scales, self.weights, residuals, strict=True):
            trust = weight * min(1.0, HUBER / max(abs(value), 1e-9))
            slopes = self._slopes(case, scale, value, resolved)
            for index, slope in slopes:
                row, pushed = matrix[index], trust * slope
                gradient[index] += pushed * value
                for other, other_slope in slopes:
                    row[other] += pushed * other_slope
        for index in self.free:
            matrix[index][index] += self._pull(index)
            gradient[index] += self._pull(index) * (logs[index] - self.starts[index])
        return matrix, gradient

    def _moved(
        self, logs: Sequence[float], matrix: list[list[float]], gradient: list[float], damping: float
    ) -> list[float]:
        rows = [[matrix[i][j] * (1 + damping * (i == j)) for j in self.free] for i in self.free]
        change = solve(rows, [-gradient[index] for index in self.free])
        moved = list(logs)
        for index, delta in zip(self.free, change, strict=True):
            moved[index] += max(-MOST_MOVE, min(MOST_MOVE, delta))
        return moved

    def run(self, iterations: int, tell: Callable[[str], None]) -> list[float]:
        """Logarithms at the minimum found."""
        logs, damping = list(self.starts), 1e-2
        residuals = self.residuals(logs)
        best = self.objective(residuals, logs)
        for turn in range(iterations):
            matrix, gradient = self._normal(logs, residuals)
            found = self._search(logs, matrix, gradient, damping, best)
            if found is None:
                break
            gain, (logs, residuals, damping) = best - found[0], found[1]
            best = found[0]
            tell(f"iteration {turn + 1}: loss {best:.4f}")
            if gain < best * 1e-4:
                break
        return logs

    def _search(
        self,
        logs: Sequence[float],
        matrix: list[list[float]],
        gradient: list[float],
        damping: float,
        best: float,
    ) -> tuple[float, tuple[list[float], list[float], float]] | None:
        """The first damped step that lowers the loss, or None."""
        for _ in range(7):
            moved = self._moved(logs, matrix, gradient, damping)
            residuals = self.residuals(moved)
            value = self.objective(residuals, moved)
            if value < best:
                return value, (moved, residuals, max(damping / 4, 1e-6))
            damping *= 5
        return None


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """x of a symmetric positive definite system, by Cholesky.

    >>> solve([[4.0, 2.0], [2.0, 3.0]], [8.0, 8.0])
    [1.0, 2.0]
    """
    size = len(right)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(a * b for a, b in zip(lower[i][:j], lower[j][:j], strict=True))
            lower[i][j] = max(rest, 1e-18) ** 0.5 if i == j else rest / lower[j][j]
    forward: list[float] = []
    for i in range(size):
        forward.append((right[i] - sum(a * b for a, b in zip(lower[i][:i], forward, strict=True))) / lower[i][i])
    found = [0.0] * size
    for i in reversed(range(size)):
        tail = sum(lower[j][i] * found[j] for j in range(i + 1, size))
        found[i] = (forward[i] - tail) / lower[i][i]
    return found
