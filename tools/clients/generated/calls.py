"""Calls a free and a paid route with the client that openapi-python-client has made, and prints what each answered.

Usage: calls.py FOLDER_OF_THE_CLIENT GATEWAY ACCOUNT_KEY
"""

import json
import sys

FOLDER, GATEWAY, ACCOUNT_KEY = sys.argv[1:]
sys.path.insert(0, FOLDER)

from made import AuthenticatedClient, Client  # noqa: E402
from made.api.gateway import gateway_health  # noqa: E402
from made.api.proofs import zk_prove  # noqa: E402
from made.models import ProveRequest, ProveRequestDegree  # noqa: E402

free = gateway_health.sync_detailed(client=Client(base_url=GATEWAY))
paying = AuthenticatedClient(base_url=GATEWAY, token=ACCOUNT_KEY, prefix="", auth_header_name="X-SVC-KEY", timeout=60)
asked = ProveRequest(trace_data="0x2a", degree=ProveRequestDegree(1024))
unpaid = zk_prove.sync_detailed(client=Client(base_url=GATEWAY), body=asked)
paid = zk_prove.sync_detailed(client=paying, body=asked)
print(
    json.dumps(
        {
            "free": [free.status_code, free.parsed.status],
            "unpaid": [unpaid.status_code, unpaid.parsed.code],
            "paid": [paid.status_code, paid.parsed.status, paid.parsed.proof_id],
        }
    )
)
