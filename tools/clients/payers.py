"""Buys from a running product with published clients, unmodified, and prints a line of JSON for each purchase.

Usage: payers.py CLIENT GATEWAY WALLET_KEY LND ACCOUNT_KEY
"""

import asyncio
import base64
import hashlib
import json
import sys
import uuid

CLIENT, GATEWAY, WALLET_KEY, LND, ACCOUNT_KEY = sys.argv[1:]
PROVE = f"{GATEWAY}/v1/zk/prove"
TOOLS = {
    "zk_prove_spatial": {"coordinates": [47.37, 8.54], "parcelId": "lot-7"},
    "generate_goldilocks_stark_proof": {"publicInputs": ["1", "2"]},
    "verify_acoustic_proximity_token": {"deviceId": "door-7", "challengeNonce": "0x" + "00" * 16},
    "evaluate_spatial_parcel_fep": {"parcelId": "lot-7", "elevationContour": [1, 2, 3, 4, 5, 6, 7, 8]},
    "create_purchase_link": {"tier": "developer_sdk", "workEmail": "buyer@example.com"},
    "get_product_catalog": {},
    "webgpu_snn_attractor": {"neuronCount": 1000},
    "sync_mesh_crdt": {"peerId": "peer-7"},
    "arena_challenge": {"agentId": "agent-7", "challengePayload": '{"family":"sat","level":1}'},
    "m2m_license_contract": {"licenseeAgentId": "agent-7"},
    "verify_bullion": {"productId": "krugerrand", "massG": 33.93, "peaksHz": [4406, 8652, 10661, 18532]},
    "verify_certificate": {"fields": {"NamedInsured_FullName": "Test Roofing LLC"}, "requirementSetId": "electrical"},
    "search_cards": {"q": "palisade heritage issue 3 dario ashwell"},
    # With the cardKey of what was found.
    "value_card": {"company": "PSA", "grade": 10},
    "list_bullion_products": {"metal": "gold"},
    "list_requirement_sets": {},
    "prove_own_statement": {
        "air": {
            "format": "air/1", "field": "goldilocks", "columns": ["x"], "public": ["start", "end"], "periodic": [],
            "nodes": [["next", "x"], ["cur", "x"], ["const", "3"], ["mul", 1, 2], ["sub", 0, 3]],
            "constraints": [{"name": "step", "node": 4}],
            "boundary": [
                {"column": "x", "row": 0, "value": ["public", "start"]},
                {"column": "x", "row": "last", "value": ["public", "end"]},
            ],
        },
        "rows": 100,
        "start": {"x": "2"},
    },
}


def body():
    return {"traceData": uuid.uuid4().hex, "degree": 1024}


def tell(bought, status, **more):
    print(json.dumps({"client": CLIENT, "bought": bought, "status": status, **more}), flush=True)


def wallet():
    from eth_account import Account

    return Account.from_key(WALLET_KEY)


def evm_method():
    from mpp.methods.evm.assets import BASE_SEPOLIA_USDC
    from mpp.methods.evm.client import charge

    return charge(currency=BASE_SEPOLIA_USDC, account=wallet(), max_amount="0.01")


async def pympp():
    import httpx
    from mpp.client import PaymentTransport

    transport = PaymentTransport(methods=[evm_method()])
    async with httpx.AsyncClient(transport=transport, timeout=60) as client:
        for login in ({}, {"authorization": "Bearer of-somebody-else"}):
            answer = await client.post(PROVE, json=body(), headers=login)
            tell("zk.prove", answer.status_code, receipt="payment-receipt" in answer.headers, login=bool(login))


async def pympp_mcp():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client
    from mpp.extensions.mcp import McpClient

    async with streamablehttp_client(f"{GATEWAY}/mcp/mpp") as (reading, writing, _):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            client = McpClient(session, methods=[evm_method()])
            for tool in ("get_product_catalog", "arena_challenge", "evaluate_spatial_parcel_fep"):
                answer = await client.call_tool(tool, TOOLS[tool])
                paid = answer.receipt is not None and answer.receipt.method == "evm"
                tell(tool, 500 if answer.result.isError else 200, receipt=paid)


def member(answer, camel, snake):
    """A member under the name that either version of the client has for it."""
    return getattr(answer, camel, None) or getattr(answer, snake, None)


def size_of(answer):
    """Characters of what a model reads of an answer."""
    dumped = (part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in answer.content)
    return sum(len(part.get("text") or json.dumps(part, separators=(",", ":"))) for part in dumped)


async def read(session, uri):
    return json.loads((await session.read_resource(uri)).contents[0].text)


async def proof_is_linked(session, answer):
    """Whether the link leads to the bytes that the answer names by length and hash."""
    evidence = member(answer, "structuredContent", "structured_content")["evidence"]
    [link] = [part for part in answer.content if part.type == "resource_link"]
    proof = base64.b64decode((await read(session, str(link.uri)))["proof"])
    digest = "0x" + hashlib.sha256(proof).hexdigest()
    return [len(proof), digest] == [evidence["bytes"], evidence["sha256"]]


async def all_tools(session):
    listed = (await session.list_tools()).tools
    tell("tools/list", 200, tools=sorted(tool.name for tool in listed))
    for tool, given in TOOLS.items():
        # The client holds the answer to the schema that was published for its outputs, in either view.
        purchase = {"svc/idempotency-key": uuid.uuid4().hex}
        if tool == "value_card":
            given = {**given, "cardKey": found["items"][0]["cardKey"]}
        answer = await session.call_tool(tool, given, meta=purchase)
        content = member(answer, "structuredContent", "structured_content") or {}
        if tool == "search_cards":
            found = content
        if member(answer, "isError", "is_error"):
            problem = content.get("problem", {})
            tell(tool, problem.get("status", 500), code=problem.get("code"))
            continue
        whole = await session.call_tool(tool, given, meta={**purchase, "svc/evidence": "inline"})
        again = member(whole, "structuredContent", "structured_content")
        if "evidence" not in content:
            # A list that costs nothing: both views are the list, one of them perhaps cut.
            linked = again.keys() == content.keys() - {"shortened"}
            tell(tool, 200, chars=size_of(answer), linked=linked, inline=True)
            continue
        linked = await proof_is_linked(session, answer)
        tell(tool, 200, chars=size_of(answer), linked=linked, inline="signature" in again["auditProof"])


async def mcp():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(f"{GATEWAY}/mcp", headers={"X-SVC-KEY": ACCOUNT_KEY}) as (reading, writing, _):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            await all_tools(session)


async def mcp_successor():
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers={"X-SVC-KEY": ACCOUNT_KEY}, timeout=120) as http:
        async with Client(streamable_http_client(f"{GATEWAY}/mcp", http_client=http)) as client:
            await all_tools(client)


async def x402():
    import httpx
    from x402 import x402Client
    from x402.http.clients.httpx import x402AsyncTransport
    from x402.mechanisms.evm.exact.register import register_exact_evm_client
    from x402.mechanisms.evm.signers import EthAccountSigner

    client = x402Client()
    register_exact_evm_client(client, EthAccountSigner(wallet()))
    async with httpx.AsyncClient(transport=x402AsyncTransport(client), timeout=60) as paying:
        answer = await paying.post(PROVE, json=body())
        tell("zk.prove", answer.status_code, receipt="payment-response" in answer.headers)


async def x402_client():
    from x402_client import X402AsyncClient

    async with X402AsyncClient(account=wallet()) as client:
        answer = await client.post(PROVE, json=body())
        tell("zk.prove", answer.status_code, receipt="payment-response" in answer.headers)


async def routeweiler():
    from routeweiler import Funding, Routeweiler

    async with Routeweiler(funding=[Funding.base_sepolia_usdc(wallet=wallet())]) as client:
        answer = await client.post(PROVE, json=body())
        tell("zk.prove", answer.status_code, receipt="payment-response" in answer.headers)


async def l402sdk():
    from l402 import Budget, L402Client

    client = L402Client.with_lnd_rest(LND, "00", budget=Budget(per_request_max=1000, daily_max=50000))
    answer = client.post(PROVE, body=json.dumps(body()))
    tell("zk.prove", answer.status, receipt=answer.paid and answer.receipt.amount_sats == 2)


asyncio.run(globals()[CLIENT]())
