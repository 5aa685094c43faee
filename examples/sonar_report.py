"""One HTML file about the sonar data: the verdict with its proof, the run to replay, every row. Says where it is."""

import sys
from pathlib import Path

import rosenblatt as rb

path = Path(sys.argv[1] if len(sys.argv) > 1 else "sonar-report.html")
data = rb.datasets.sonar()
report = rb.report.write_report(path, *data, title="Sonar: metal or rock?", features=data.feature_names)

print(report.study.verdict.sentence)
print(f"report            {path.resolve()} ({path.stat().st_size:,} bytes, works offline)")
