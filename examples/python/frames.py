"""The last hour as pandas data frames: python3 frames.py [ADDRESS]"""

import json
import os
import sys
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pandas as pd

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("AUDIO_METRICS_URL", "http://127.0.0.1:3000")
URL = ADDRESS.rstrip("/")
KEY = os.environ.get("API_KEY")
LEVELS = os.environ.get("LEVELS", "absolute")
HEADERS = {"Authorization": f"Bearer {KEY}"} if KEY else {}


def read_points(start: str, end: str) -> pd.DataFrame:
    """Every point of an interval, straight from the CSV file."""
    return pd.read_csv(
        f"{URL}/api/v1/export/csv?from={start}&to={end}&levels={LEVELS}",
        storage_options=HEADERS,
        parse_dates=["time"],
        index_col="time",
        dtype={"rms_db": "float64", "frequency_hz": "Int64", "is_silence": "bool"},
    )


def read_series(start: str, end: str, bucket: str) -> pd.DataFrame:
    """A row of statistics per bucket. The service computes it, so the number of points does not matter."""
    address = f"{URL}/api/v1/stats/series?from={start}&to={end}&bucket={bucket}&levels={LEVELS}"
    with urlopen(Request(address, headers=HEADERS), timeout=60) as answer:
        series = pd.DataFrame(json.load(answer)["buckets"])
    return series.assign(time=pd.to_datetime(series["time"])).set_index("time")


def reason_of(error: HTTPError) -> str:
    """The body is application/problem+json: errors lists the wrong parameters."""
    problem = json.load(error)
    errors = problem.get("errors", [])
    hint = ["calibrate, or set LEVELS=stored"] if any(each["parameter"] == "levels" for each in errors) else []
    return "; ".join([problem["detail"], *(f"{each['parameter']} {each['detail']}" for each in errors), *hint])


try:
    points = read_points("now-1h", "now")
    series = read_series("now-1h", "now", "10m")
except HTTPError as error:
    sys.exit(f"{URL} refused: {reason_of(error)}")
except URLError as error:
    sys.exit(f"{URL} cannot be reached: {error.reason}")

print(f"{len(points)} points")
print(points.describe())
print(series[["point_count", "leq_db", "max_db", "silence_percent"]].to_string())
