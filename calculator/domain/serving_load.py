"""Replicas under a load: clients shared among them, a rate of requests as clients, the best point, the curve.

On the kernel of `serving`; every function takes plain floats, so that a ranking of hundreds of layouts is immediate.
"""

from dataclasses import dataclass, replace

from calculator.domain.calibration import ServingConstants
from calculator.domain.inference import Rates, rates
from calculator.domain.memory import kv_budget_bytes, room_sequences
from calculator.domain.serving import Load, Point, Targets, best_point, end_to_end_s, point, saturated
from calculator.domain.serving_layout import Layout

SAME_CLIENTS_RATIO = 1e-9
"""Two numbers of clients that differ by less are one."""
MINIMUM_ROOM = 1.0
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Clients at which the curve is drawn, as far as the server runs them at once."""


@dataclass(frozen=True, slots=True)
class Server:
    """One replica ready to be asked: coefficients, constants, room in sequences (≥ 1), and how many there are."""

    rates: Rates
    constants: ServingConstants
    room: float
    replicas: int


@dataclass(frozen=True, slots=True)
class Served:
    """Replicas under a load. `concurrency` clients in all; the point is one replica's, totals are over all.

    `asked_per_s` is the rate of requests that was asked for (None: clients were), `capacity_per_s` the highest.
    """

    concurrency: float
    point: Point
    replicas: int
    output_tokens: float
    capacity_per_s: float
    asked_per_s: float | None = None

    @property
    def output_tok_per_s(self) -> float:
        """Output tokens a second of all replicas."""
        return self.requests_per_s * self.output_tokens

    @property
    def requests_per_s(self) -> float:
        """Requests finished a second by all replicas; what arrives where a rate was asked for and is carried."""
        if self.asked_per_s is not None:
            return min(self.asked_per_s, self.capacity_per_s)
        return self.point.requests_per_s * self.replicas

    @property
    def is_beyond_capacity(self) -> bool:
        """More requests arrive than are finished: the queue grows without end."""
        return self.asked_per_s is not None and self.asked_per_s > self.capacity_per_s


def room_of(layout: Layout, prompt_tokens: float, output_tokens: float) -> float:
    """Sequences whose cache fits one replica; below 1 the model does not fit."""
    return room_sequences(layout.deployment, layout.constants, layout.engine, prompt_tokens, output_tokens)


def server(layout: Layout, prompt_tokens: float, output_tokens: float) -> Server | None:
    """One replica ready to be asked; None where the model does not fit. Raises NotModelledError as `rates` does."""
    room = room_of(layout, prompt_tokens, output_tokens)
    if room < MINIMUM_ROOM or kv_budget_bytes(layout.deployment, layout.constants, layout.engine) <= 0:
        return None
    return Server(rates(layout.deployment, layout.constants), layout.constants, room, layout.replicas)


def at(one: Server, load: Load) -> Point:
    """One replica under its share of the clients; a replica always has its own client to answer."""
    shared = replace(load, concurrency=max(1.0, load.concurrency / one.replicas))
    return point(one.rates, one.constants, shared, one.room)


def capacity_per_s(one: Server, load: Load) -> float:
    """Requests a second of all replicas when each runs as many as it can."""
    return saturated(one.rates, one.constants, load, one.room).requests_per_s * one.replicas


def most_clients(one: Server, load: Load) -> int:
    """Clients that all replicas run at once: cache room or the engine's limit, the lesser."""
    return int(saturated(one.rates, one.constants, load, one.room).running) * one.replicas


def by_clients(one: Server, load: Load) -> Served:
    """The replicas under a number of clients."""
    return Served(load.concurrency, at(one, load), one.replicas, load.output_tokens, capacity_per_s(one, load))


def by_rate(one: Server, load: Load, requests_per_s: float) -> Served:
    """The replicas under arrivals: the closed loop whose requests a second equal the rate.

    Requests a second grow with the clients, so halving finds them. Below one client a replica the server is idle at
    times: a request then finds it empty, and clients = rate × time of a request (Little). Beyond capacity the point
    is the saturated one.
    """
    most = saturated(one.rates, one.constants, load, one.room)
    capacity = most.requests_per_s * one.replicas
    share = requests_per_s / one.replicas
    alone = point(one.rates, one.constants, replace(load, concurrency=1.0), one.room)
    if share <= alone.requests_per_s:
        clients = requests_per_s * end_to_end_s(alone, load.output_tokens)
        return Served(clients, alone, one.replicas, load.output_tokens, capacity, requests_per_s)
    if requests_per_s >= capacity:
        return Served(most.running * one.replicas, most, one.replicas, load.output_tokens, capacity, requests_per_s)
    clients, found = _clients_at(one, load, share, most.running)
    return Served(clients * one.replicas, found, one.replicas, load.output_tokens, capacity, requests_per_s)


def _clients_at(one: Server, load: Load, requests_per_s: float, most: float) -> tuple[float, Point]:
    low, high = 1.0, most
    while high - low > SAME_CLIENTS_RATIO * high:
        middle = (low + high) / 2
        found = point(one.rates, one.constants, replace(load, concurrency=middle), one.room)
        low, high = (middle, high) if found.requests_per_s < requests_per_s else (low, middle)
    return high, point(one.rates, one.constants, replace(load, concurrency=high), one.room)


def best(one: Server, load: Load, targets: Targets) -> Served | None:
    """The most clients that hold every target, over all replicas; None where even one client misses them."""
    found = best_point(one.rates, one.constants, load, one.room, targets)
    if found is None:
        return None
    clients, reached = found
    return Served(float(clients * one.replicas), reached, one.replicas, load.output_tokens, capacity_per_s(one, load))


def curve(one: Server, load: Load, marks: tuple[float, ...] = ()) -> tuple[Served, ...]:
    """Points from one client a replica to as many as run at once, with those at `marks` among them."""
    most = most_clients(one, load)
    grid = {float(step * one.replicas) for step in CURVE if step * one.replicas <= most}
    wanted = sorted(grid | {float(most)} | {mark for mark in marks if one.replicas <= mark})
    capacity = capacity_per_s(one, load)
    return tuple(
        Served(clients, at(one, replace(load, concurrency=clients)), one.replicas, load.output_tokens, capacity)
        for clients in wanted
    )
