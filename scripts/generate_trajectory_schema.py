"""Write ``docs/trajectory.schema.json`` anew from the models in ``themisto_lab.benchmark.format``."""

from pathlib import Path

from themisto_lab.benchmark.format import schema_text

if __name__ == "__main__":
    path = Path(__file__).parent.parent / "docs" / "trajectory.schema.json"
    path.write_text(schema_text(), encoding="utf-8")
    print(f"Wrote {path}")
