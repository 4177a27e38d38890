"""The inference answer step by step with the visitor’s numbers: memory, ceilings, the estimate, the cost."""

from collections.abc import Iterator

from calculator.domain.inference import decode_step_s, prompt_work_s
from calculator.domain.llm import MLA, decode_bound_tok_per_s, kv_bytes, kv_bytes_per_token, prefill_bound_s
from calculator.domain.memory import Line, kv_bytes_a_gpu, live_tokens
from calculator.domain.precision import model_weight_bytes
from calculator.domain.provenance import Kind, Sourced, Step, Term, assumed, with_defaults
from calculator.domain.roofline import limits_s, weights_read_bytes
from calculator.domain.roofs import compute_roof, memory_roof, roof_steps
from calculator.domain.serving_cost import Cost
from calculator.domain.serving_layout import Layout
from calculator.domain.serving_outcome import Outcome, load_of
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario
from calculator.domain.serving_speed import Speeds


class Terms:
    """Terms of one answer by origin: the model's and the GPU's sheets, the visitor's input, the calibration."""

    def __init__(self, found: Outcome, held: Layout, facts: InferenceFacts) -> None:
        self.scenario, self.held, self.facts = found.scenario, held, facts
        self.model_kind = Kind.INPUT if facts.is_own_model else Kind.DATA_SHEET

    def model(self, symbol: str, value: float, unit: str, label: str) -> Term:
        """A dimension of the model; one that the visitor typed ranks as his assumption."""
        model = self.facts.model
        return Term(
            symbol, Sourced(value, unit, self.model_kind, label, model.source, replaces=self.facts.is_own_model)
        )

    def sheet(self, symbol: str, value: float, unit: str, label: str) -> Term:
        """A value of the GPU's data sheet."""
        gpu = self.held.deployment.gpu
        return Term(symbol, Sourced(value, unit, Kind.DATA_SHEET, label, gpu.source, note=gpu.name))

    def roof(self, symbol: str, one: Sourced[float]) -> Term:
        """A roof of one GPU, measured or of its sheet, for all of the replica; several are scaled from the one."""
        count = self.held.deployment.gpu_count
        return Term(symbol, one if count == 1 else one.scaled(one.value * count))

    def asked(self, symbol: str, value: float, unit: str, label: str) -> Term:
        """What the visitor asked for."""
        return Term(symbol, Sourced(value, unit, Kind.INPUT, label))

    def fitted(self, symbol: str, value: float, unit: str, label: str) -> Term:
        """A constant of the calibration, or what was computed with one."""
        dated = self.facts.calibration
        return Term(symbol, Sourced(value, unit, Kind.ESTIMATE, label, dated.data_hash[:12], dated.date))

    def format(self, symbol: str, value: float, unit: str, label: str) -> Term:
        """A property of the number format."""
        return Term(symbol, Sourced(value, unit, Kind.DATA_SHEET, label, self.scenario.precision))


def weight_step(terms: Terms) -> Step:
    """Weights over the whole replica."""
    deployment, model = terms.held.deployment, terms.facts.model
    embeddings = model.params_total - model.params_non_embedding
    precision = deployment.precision
    found = (
        terms.model("W", float(model.params_non_embedding), "param", "params_non_embedding"),
        terms.format("b", precision.weight_bits, "bit", "weight_bits"),
        terms.model("E", float(embeddings), "param", "params_embedding"),
        terms.format("b_e", precision.embedding_bits, "bit", "embedding_bits"),
    )
    return Step("serve_weights", found, model_weight_bytes(model, precision), "B")


def cache_step(terms: Terms) -> Step:
    """Cache of one token: heads of keys and values, or MLA's latent."""
    model, size = terms.facts.model, terms.held.deployment.kv_element_bytes
    layers = terms.model("L", float(model.layers), "layer", "layers")
    stored = terms.asked("b", size, "B", "cache_bytes")
    result = kv_bytes_per_token(model, size)
    if model.attention == MLA:
        latent = terms.model("r", float(model.kv_lora_rank or 0), "", "latent_rank")
        rope = terms.model("p", float(model.qk_rope_head_dim or 0), "", "rope_dim")
        return Step("serve_latent", (layers, latent, rope, stored), result, "B/tok")
    heads = terms.model("g", float(model.kv_heads), "", "kv_heads")
    width = terms.model("s", float(model.head_dim), "", "head_dim")
    return Step("kv_bytes", (layers, heads, width, stored), result, "B/tok")


def room_step(found: Outcome, terms: Terms) -> Step | None:
    """Sequences whose cache fits: what the engine may use, less weights and runtime, over one mean sequence.

    Below one the model does not fit; a negative number is shown as it is.
    """
    memory, held, scenario = found.memory, terms.held, terms.scenario
    if memory is None:
        return None
    size_of = dict(memory.estimate.lines)
    live = live_tokens(float(scenario.prompt_tokens), float(scenario.output_tokens), held.constants)
    parts = (
        terms.sheet("M", memory.estimate.usable_bytes, "B", "usable_bytes"),
        terms.fitted("w", size_of[Line.WEIGHTS], "B", "weights_a_gpu"),
        terms.fitted("r", size_of[Line.RUNTIME], "B", "runtime_bytes"),
        terms.fitted("k", kv_bytes_a_gpu(held.deployment, live), "B", "cache_a_sequence"),
        terms.asked("n", float(held.replicas), "", "replicas"),
    )
    usable, weights, runtime, one, replicas = (float(part.source.value) for part in parts)
    return Step("serve_room", parts, (usable - weights - runtime) / one * replicas, "sequence")


def ceiling_steps(terms: Terms, found: Outcome) -> Iterator[Step]:
    """The textbook at the measured roofs, else at 100 % of the data sheet: a ceiling, never a forecast."""
    deployment, model, scenario = terms.held.deployment, terms.facts.model, terms.scenario
    peak = compute_roof(deployment.gpu, deployment.precision.math)
    gpus = deployment.gpu_count
    if peak is not None:
        width = float(model.heads * model.head_dim)
        prefill = (
            terms.model("W", float(model.params_active), "param", "params_active"),
            terms.asked("T", float(scenario.prompt_tokens), "tok", "prompt_tokens"),
            terms.model("L", float(model.layers), "layer", "layers"),
            terms.model("e", width, "", "attention_width"),
            terms.roof("F", peak),
        )
        bound = prefill_bound_s(
            float(model.params_active), model.layers, int(width), scenario.prompt_tokens, peak.value * gpus
        )
        yield Step("prefill_bound", prefill, bound, "s")
    if found.server is None:
        return
    context = scenario.prompt_tokens + scenario.output_tokens // 2
    read = weights_read_bytes(deployment, found.server.rates, 1)
    cached = kv_bytes(model, context, deployment.kv_element_bytes)
    memory = memory_roof(deployment.gpu)
    rate = memory.value * gpus
    decode = (
        terms.roof("M", memory),
        terms.format("w", read, "B", "weights_read"),
        terms.model("k", cached, "B", "cache_read"),
    )
    yield Step("serve_decode_bound", decode, decode_bound_tok_per_s(read, cached, rate), "tok/s")


INPUTS_BEHIND = {
    "prompt_tokens": ("prompt_tokens",),
    "output_tokens": ("output_tokens",),
    "cache_bytes": ("cache",),
    "requests_per_s": ("load", "requests_per_s"),
    "replicas": ("sku", "gpu", "instances", "replicas"),
    "instances": ("instances", "volume_tokens"),
}
"""The visitor's inputs behind the terms of the formulas, by the term's label."""
PART_SYMBOLS = {"weights": "p", "compute": "f", "cache": "k", "links": "l", "host": "h"}


def speed_steps(found: Outcome, terms: Terms, speed: Speeds) -> Iterator[Step]:
    """One step by its parts, the first token by its parts, the total rate, the requests."""
    served, server = found.served, found.server
    if served is None or server is None:
        return
    point, load = served.point, load_of(found.scenario)
    context = load.prompt_tokens + load.output_tokens / 2
    parts = limits_s(server.rates, point.running, context)
    step_s = decode_step_s(server.rates, point.running, context)
    yield Step(
        "serve_step",
        tuple(terms.fitted(PART_SYMBOLS[limit], size, "s", f"step_{limit}") for limit, size in parts),
        step_s,
        "s",
    )
    first = (
        terms.fitted("q", point.queue_s, "s", "queue"),
        terms.fitted("f", point.prefill_s, "s", "prefill"),
        terms.fitted("s", point.first_step_s, "s", "first_step"),
    )
    yield Step("serve_first_token", first, point.first_token_s, "s")
    computed = load.prompt_tokens * (1 - load.prefix_hit_ratio)
    prompt = prompt_work_s(server.rates, load.prompt_tokens, computed)
    rate = (
        terms.fitted("R", point.running, "sequence", "running"),
        terms.asked("O", load.output_tokens, "tok", "output_tokens"),
        terms.fitted("s", step_s, "s", "step"),
        terms.fitted("f", prompt, "s", "prompt_work"),
        terms.asked("n", float(served.replicas), "", "replicas"),
    )
    yield Step("serve_output_rate", rate, point.output_tok_per_s * served.replicas, "tok/s")
    if speed.run is not None:
        known = speed.run.output_tok_per_s
        scaled = (
            terms.fitted("d", served.output_tok_per_s, "tok/s", "estimated_rate"),
            Term("a", known.scaled(speed.factor)),
        )
        yield Step("serve_anchored", scaled, served.output_tok_per_s * speed.factor, "tok/s")
    yield requests_step(found, terms, speed)


def requests_step(found: Outcome, terms: Terms, speed: Speeds) -> Step:
    """Requests a second from the tokens; or, where a rate was asked for, the clients that it keeps (Little)."""
    served = found.served
    if served is not None and served.asked_per_s is not None and not served.is_beyond_capacity:
        stay_s = served.concurrency / served.asked_per_s
        parts = (
            terms.asked("r", served.asked_per_s, "req/s", "requests_per_s"),
            terms.fitted("t", stay_s, "s", "request_time"),
        )
        return Step("serve_little", parts, served.concurrency, "sequence")
    told = terms.fitted("d", speed.total_tok_per_s.value, "tok/s", "total_rate")
    if speed.total_tok_per_s.kind is Kind.MEASURED and speed.run is not None:
        told = Term("d", speed.run.output_tok_per_s)
    output = terms.asked("O", float(found.scenario.output_tokens), "tok", "output_tokens")
    return Step("serve_requests", (told, output), speed.requests_per_s.value, "req/s")


def cost_steps(scenario: InferenceScenario, terms: Terms, speed: Speeds, price: Cost) -> Iterator[Step]:
    """A month's tokens, and what a million costs: all on output, and shared between prompts and output."""
    rate = terms.fitted("d", speed.total_tok_per_s.value, "tok/s", "total_rate")
    hours = Term("h", assumed(scenario, "hours_per_month_h", scenario.hours_per_month_h, "h", "hours_per_month"))
    used = Term("u", assumed(scenario, "utilisation_ratio", scenario.utilisation_ratio, "", "utilisation"))
    yield Step("serve_capacity", (rate, hours, used), price.capacity_tokens, "tok")
    count = terms.asked("n", float(scenario.instances * price.sets), "instance", "instances")
    monthly = [hours] if price.basis.value == "hour" else []
    bill = (count, *monthly, Term("P", price.price))
    yield Step("serve_bill", bill, price.bill_eur, "EUR")
    billed = Term("B", Sourced(price.bill_eur, "EUR", price.price.kind, "bill", replaces=price.price.replaces))
    volume = terms.fitted("V", float(price.volume_tokens), "tok", "volume_tokens")
    yield Step("serve_eur_output", (billed, volume), price.output.value, "EUR/Mtok")
    share = terms.fitted("y", price.prompt_time_ratio, "", "prompt_time_ratio")
    if price.input_share is not None:
        prompts = terms.asked("T", float(scenario.prompt_tokens), "tok", "prompt_tokens")
        output = terms.asked("O", float(scenario.output_tokens), "tok", "output_tokens")
        yield Step("serve_eur_input", (billed, share, volume, prompts, output), price.input_share.value, "EUR/Mtok")


def steps(found: Outcome, facts: InferenceFacts, speed: Speeds | None, price: Cost | None) -> tuple[Step, ...]:
    """Every formula of the answer, in reading order, as far as its inputs are known."""
    if found.layout is None:
        return ()
    terms = Terms(found, found.layout, facts)
    told = [weight_step(terms), cache_step(terms)]
    if (room := room_step(found, terms)) is not None:
        told.append(room)
    told += ceiling_steps(terms, found)
    told += roof_steps(terms.held.deployment, terms.facts.calibration)
    if speed is not None:
        told += speed_steps(found, terms, speed)
        if price is not None:
            told += cost_steps(found.scenario, terms, speed, price)
    return with_defaults(told, found.scenario, INPUTS_BEHIND)
