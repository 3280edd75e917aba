r"""`graphniah plan TASK`: what a run will ask, cost and take. Nothing is sent.

    graphniah plan graphniah -T experiment=question-depth
    graphniah plan yesno -T dataset=sample --model openai/gpt-5.4 \
        --model-cost-config prices.yaml --context-window 400k --max-output 64k

The task itself is built, with every check that `inspect eval` makes, and no
model. The command that starts the run is printed as well.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.notation import whole_number

NAMESPACE = "graphniah_inspect"
DEFAULT_OUTPUT = (200, 32_000)
"""Tokens of a response when nobody says: an answer at once, and a long reasoning."""


def add_plan_parser(subparsers: Any) -> None:
    """Add the command to the `graphniah` parser."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "plan",
        help="samples, tokens, cost and log size of a run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", metavar="TASK", help="as for `inspect eval`; a bare name is one of this package")
    parser.add_argument("-T", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the task")
    parser.add_argument("--task-config", metavar="FILE", help="parameters of the task, as YAML or JSON")
    parser.add_argument("--model", metavar="MODEL", help="price this model (default: all of the price file)")
    parser.add_argument(
        "--model-cost-config", type=Path, metavar="FILE", help="prices, as for `inspect eval` (see `plan.prices`)"
    )
    parser.add_argument("--context-window", type=whole_number, metavar="N", help="of the model, e.g. 400k")
    parser.add_argument(
        "--max-output", type=whole_number, metavar="N", help="most tokens of a response, hidden reasoning included"
    )
    parser.add_argument(
        "--output-tokens", type=token_range, metavar="LOW-HIGH", help="expected, for the cost (default: 200-32k)"
    )
    parser.add_argument(
        "--epochs", type=whole_number, default=1, metavar="N", help="times to ask each sample (default: 1)"
    )
    parser.add_argument("--max-connections", type=whole_number, metavar="N", help="requests at once")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(run=run_plan)


def token_range(text: str) -> tuple[int, int]:
    """Two numbers of tokens, as 500-20k."""
    low, dash, high = text.partition("-")
    if not dash or whole_number(low) > whole_number(high):
        raise argparse.ArgumentTypeError(f"{text!r} is no range such as 500-20k")
    return whole_number(low), whole_number(high)


def run_plan(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Raises:
        UserError: A task, parameter, price or limit that cannot be meant.
    """
    from graphniah_inspect.plan import estimate
    from graphniah_inspect.plan.page import page
    from graphniah_inspect.plan.prices import read_prices

    spec = arguments.task if "/" in arguments.task or "@" in arguments.task else f"{NAMESPACE}/{arguments.task}"
    prices = read_prices(arguments.model_cost_config) if arguments.model_cost_config else {}
    if arguments.model and prices and arguments.model not in prices:
        raise UserError(
            f"--model-cost-config {arguments.model_cost_config} has no {arguments.model}; it has {', '.join(prices)}."
        )
    low, high = arguments.output_tokens or (DEFAULT_OUTPUT[0], arguments.max_output or DEFAULT_OUTPUT[1])
    if arguments.max_output is not None and high > arguments.max_output:
        raise UserError(f"--output-tokens up to {high:,} is more than --max-output {arguments.max_output:,}.")
    output = (min(low, high), high)
    task = build(spec, arguments.T, arguments.task_config)
    run = estimate.look_at(task, arguments.epochs)
    counted = run.counted
    window, most = arguments.context_window, arguments.max_output or 0
    figures: dict[str, Any] = {
        "task": spec,
        "samples": run.samples,
        "epochs": run.epochs,
        "requests": run.samples * run.epochs,
        "tokenizer": run.tokenizer,
        "prompt_tokens": estimate.prompt_tokens(run),
        "context_window": window,
        "max_output": arguments.max_output,
        "too_long": estimate.too_long(run, counted, window, most) if counted and window else None,
        "output_tokens": output,
        "dollars": {
            model: estimate.dollars(counted, run.epochs, held, output)
            for model, held in prices.items()
            if counted and arguments.model in (None, model)
        },
        "machine": asdict(machine) if (machine := estimate.machine(run, arguments.max_connections)) else None,
        "selection": run.selection,
    }
    command = inspect_command(spec, arguments, figures)
    print(json.dumps(figures | {"command": command}, indent=2) if arguments.json else page(figures, prices, command))
    return 0


def build(spec: str, parameters: Sequence[str], config: str | None) -> Any:
    """The task, built as `inspect eval` builds it: parameters read as YAML, all checks made.

    Raises:
        UserError: No such task, several, a parameter that it does not have, or anything that it refuses.
    """
    from inspect_ai._cli.util import (
        parse_cli_config,
    )  # inspect-evals-lint: ignore[private_api_imports] -- reads -T alike
    from inspect_ai._eval.loader import load_tasks  # inspect-evals-lint: ignore[private_api_imports] -- no public name
    from inspect_ai._util.error import (
        PrerequisiteError,
    )  # inspect-evals-lint: ignore[private_api_imports] -- no public name
    from inspect_ai._util.registry import (
        registry_info,
        registry_lookup,
    )  # inspect-evals-lint: ignore[private_api_imports] -- no public name
    from rich.text import Text

    try:
        held = parse_cli_config(list(parameters), config)
        known = registry_lookup("task", spec)
        if known is not None:
            names = registry_info(known).metadata["params"]
            unknown = [name for name in held if name not in names]
            if unknown:
                raise UserError(f"{spec} has no parameter {', '.join(unknown)}. It has {', '.join(names)}.")
        malformed = [one for one in parameters if "=" not in one]
        if malformed:
            raise UserError(f"-T {malformed[0]}: expected NAME=VALUE.")
        loaded = load_tasks([spec], held)
    except PrerequisiteError as error:
        message = Text.from_markup(str(error.message)).plain
        raise UserError(message) from error
    if len(loaded) != 1 or "selection" not in (loaded[0].metadata or {}):
        raise UserError(f"{spec!r} is not one task of this package; name one, such as {NAMESPACE}/graphniah.")
    return loaded[0]


def inspect_command(spec: str, arguments: argparse.Namespace, figures: dict[str, Any]) -> list[str]:
    """The words of the `inspect eval` command for this run."""
    words = ["inspect", "eval", spec]
    for parameter in arguments.T:
        words += ["-T", parameter]
    # GraphNIAH tasks can leave out what does not fit; where the user has a limit already, it stays.
    if figures["too_long"] and figures["selection"].get("max_prompt_tokens", 0) is None:
        words += ["-T", f"max_prompt_tokens={figures['context_window'] - (figures['max_output'] or 0)}"]
    if arguments.task_config:
        words += ["--task-config", arguments.task_config]
    words += ["--model", arguments.model or "MODEL"]
    if figures["epochs"] > 1:
        words += ["--epochs", str(figures["epochs"])]
    if arguments.max_output:
        words += ["--max-tokens", str(arguments.max_output)]
    if machine := figures["machine"]:
        connections = str(machine["max_connections"])
        words += ["--max-connections", connections, "--max-samples", connections]
        words += ["--log-buffer", str(machine["log_buffer"])]
    if arguments.model_cost_config:
        words += ["--model-cost-config", str(arguments.model_cost_config)]
    return words
