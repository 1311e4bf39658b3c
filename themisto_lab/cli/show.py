"""``jupyter themisto show``: one item of a run with every prompt, reply and score."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from themisto_lab.benchmark.results import AnswerRow, ItemRow, Reply

_DESCRIPTION = "Print an item of a run: what was asked, what was answered, what was right, and the scores."


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("show", help="look at one item of a run", description=_DESCRIPTION)
    parser.add_argument("folder", type=Path, metavar="RUN", help="a folder that 'bench' made")
    parser.add_argument("item", metavar="ITEM", help="the item's id, <task>:<trajectory>:<index>")
    parser.add_argument("--model", metavar="M", help="this predictor's answers only")
    parser.add_argument("--arm", metavar="A", help="this arm's answers only")
    parser.add_argument("--json", action="store_true", help="print all of it as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the item."""
    from themisto_lab.benchmark.console import write_json
    from themisto_lab.benchmark.run_reader import read_item

    item, answers = read_item(args.folder, args.item)
    chosen = [
        _answer_json(answer, reply)
        for answer, reply in answers
        if args.model in (None, answer.model) and args.arm in (None, answer.arm)
    ]
    if args.json:
        write_json({**item.model_dump(mode="json"), "answers": chosen})
    else:
        _print(item, chosen)
    return 0


def _answer_json(answer: AnswerRow, reply: Reply | None) -> dict[str, Any]:
    context = (reply.context if reply else None) or {}
    return {
        "model": answer.model,
        "arm": answer.arm or None,
        "prompt_form": answer.prompt,
        "prompt": context.get("prompt"),
        "messages": context.get("messages") or [],
        "raw_text": reply.raw_text if reply else None,
        "text": answer.text,
        "reason": reply.reason if reply else "",
        "scores": answer.scores.get("post", {}),
        "raw_scores": answer.scores.get("raw", {}),
        "latency_s": reply.latency_s if reply else None,
        "cost": reply.cost if reply else None,
        "error_code": answer.error_code,
        "error": answer.error_message or None,
    }


def _print(item: ItemRow, answers: list[dict[str, Any]]) -> None:
    from themisto_lab.benchmark.console import write_line

    kind = f" ({item.novelty})" if item.novelty else ""
    write_line(f"{item.item_id}: {item.task}, step {item.target_index + 1} of its trajectory{kind}")
    if item.code:
        _block("Code", item.code)
    _block("Target", item.target)
    for answer in answers:
        arm = f" · {answer['arm']}" if answer["arm"] else ""
        write_line(f"\n== {answer['model']}{arm} · prompt: {answer['prompt_form']}")
        if answer["prompt"] is not None:
            _block("Prompt", answer["prompt"])
        for message in answer["messages"]:
            _block(f"Prompt, {message['role']}", message["content"])
        if answer["error"] is not None:
            write_line(f"failed: {answer['error']}")
            continue
        _block("Reply", answer["raw_text"] or "")
        if answer["text"] != answer["raw_text"]:
            _block("Prediction", answer["text"])
        if answer["reason"]:
            write_line(f"because: {answer['reason']}")
        for title, scores in (("scores", answer["scores"]), ("raw scores", answer["raw_scores"])):
            write_line(f"{title}: " + ", ".join(f"{name} {value:.3f}" for name, value in scores.items()))
        write_line(f"in {answer['latency_s']:.2f} s")


def _block(title: str, text: str) -> None:
    from themisto_lab.benchmark.console import write_line

    write_line(f"-- {title}")
    for line in text.split("\n"):
        write_line(f"   {line}")
