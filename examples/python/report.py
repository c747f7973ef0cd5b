"""The noise of the last hour, with only the standard library: python3 report.py [ADDRESS]"""

import json
import os
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("AUDIO_METRICS_URL", "http://127.0.0.1:3000")
URL = ADDRESS.rstrip("/")
KEY = os.environ.get("API_KEY")
LEVELS = os.environ.get("LEVELS", "absolute")
HEADERS = {"Authorization": f"Bearer {KEY}"} if KEY else {}


def query(path: str, **parameters: object) -> dict:
    request = Request(f"{URL}/api/v1{path}?{urlencode({'levels': LEVELS, **parameters})}", headers=HEADERS)
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)


def loud_points(**parameters: object):
    """Every point above the threshold, newest first, page by page."""
    while True:
        page = query("/events/loud", **parameters)
        yield from page["points"]
        if page["next_cursor"] is None:
            return
        parameters["cursor"] = page["next_cursor"]


def reason_of(error: HTTPError) -> str:
    """The body is application/problem+json: errors lists the wrong parameters."""
    problem = json.load(error)
    errors = problem.get("errors", [])
    hint = ["calibrate, or set LEVELS=stored"] if any(each["parameter"] == "levels" for each in errors) else []
    return "; ".join([problem["detail"], *(f"{each['parameter']} {each['detail']}" for each in errors), *hint])


try:
    summary = query("/stats/summary", period="1h")
    print(f"{summary['point_count']} points from {summary['from']} to {summary['to']}")
    scale = summary["scale"]
    print(f"levels in {scale['unit'] or 'dB'}")
    for figure in ("leq_db", "l10_db", "l50_db", "l90_db", "max_db"):
        print(f"{figure:7} {summary[figure]}")
    threshold = scale["floor_db"] + 40  # 10 dB below the highest level that can be stored
    loud = sum(1 for _ in loud_points(threshold=threshold, **{"from": "now-1h"}))
    print(f"{loud} points above {threshold:g}")
except HTTPError as error:
    sys.exit(f"{URL} refused: {reason_of(error)}")
except URLError as error:
    sys.exit(f"{URL} cannot be reached: {error.reason}")
