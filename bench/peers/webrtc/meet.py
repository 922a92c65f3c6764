"""Peers of the mesh on aiortc (WebRTC) and pycrdt (the Yjs of Rust), written from docs/mesh.md alone.

Each connects, has bytes echoed and writes into the document. Then a line of JSON says what they saw; they stay until standard
input ends, so that whoever asked can compare the hash with the service's.

Usage: meet.py URL PEERS ENTRIES MEGABYTES
"""

import asyncio
import hashlib
import json
import os
import re
import sys
import time

import aiohttp
import rfc8785
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from nacl.signing import SigningKey
from pycrdt import Doc, Map

PATH = "/v1/mesh/rendezvous"
MESSAGE_BYTES = 16_384
WINDOW_BYTES = 1 << 20
STEP_1, STEP_2, UPDATE, PART = range(4)


def varuint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varuint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


class Peer:
    def __init__(self) -> None:
        self.key = SigningKey.generate()
        self.doc = Doc()
        self.shared = self.doc.get("shared", type=Map)
        self.nodes = self.doc.get("nodes", type=Map)
        self.is_theirs = False
        self.refused: list[str] = []

    async def join(self, http: aiohttp.ClientSession, url: str) -> float:
        """Opens the channels; the milliseconds from nothing to that."""
        began = time.perf_counter()
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        channels = [self.connection.createDataChannel(label) for label in ("ctl", "crdt", "echo")]
        ctl, self.crdt, self.echo_channel = channels
        opened = [asyncio.Event() for _ in channels]
        for channel, event in zip(channels, opened):
            channel.on("open", event.set)
        ctl.on("message", self._control)
        self.crdt.on("message", self._sync)
        self.subscription = self.doc.observe(lambda event: self.is_theirs or self._send(UPDATE, event.update))
        await self.connection.setLocalDescription(await self.connection.createOffer())
        offer = self.connection.localDescription.sdp
        async with http.post(url + PATH, json=self._request(offer)) as response:
            answer = await response.json()
            if response.status != 200:
                raise RuntimeError(answer)
        await self.connection.setRemoteDescription(RTCSessionDescription(answer["sdpAnswer"], "answer"))
        await asyncio.gather(*(event.wait() for event in opened))
        took = 1_000 * (time.perf_counter() - began)
        self._send(STEP_1, self.doc.get_state())
        return took

    async def echo(self, megabytes: int) -> float:
        """Megabytes a second, there and back; raises where other bytes come back than were sent."""
        sent = os.urandom(megabytes << 20)
        came = bytearray()
        news = asyncio.Event()

        def receive(message: bytes) -> None:
            came.extend(message)
            news.set()

        self.echo_channel.on("message", receive)
        began = time.perf_counter()
        for at in range(0, len(sent), MESSAGE_BYTES):
            while at - len(came) >= WINDOW_BYTES:
                news.clear()
                await news.wait()
            self.echo_channel.send(sent[at : at + MESSAGE_BYTES])
        while len(came) < len(sent):
            news.clear()
            await news.wait()
        seconds = time.perf_counter() - began
        if bytes(came) != sent:
            raise RuntimeError("the echo is not what was sent")
        return megabytes / seconds

    def hash(self) -> str:
        state = {"nodes": self.nodes.to_py() or {}, "shared": self.shared.to_py() or {}}
        return hashlib.sha256(b"svc-crdt-v1" + rfc8785.dumps(state)).hexdigest()

    def _request(self, offer: str) -> dict:
        fingerprint = re.search(r"a=fingerprint:sha-256 (\S+)", offer).group(1).upper()
        nonce, timestamp = os.urandom(16).hex(), int(1_000 * time.time())
        digest = hashlib.sha256(offer.encode()).hexdigest()
        lines = ["svc-mesh-v1", "POST", PATH, digest, fingerprint, "-", nonce, str(timestamp)]
        return {
            "sdpOffer": offer,
            "peerPublicKey": self.key.verify_key.encode().hex(),
            "nonce": nonce,
            "timestamp": timestamp,
            "signature": self.key.sign("\n".join(lines).encode()).signature.hex(),
        }

    def _control(self, message: str) -> None:
        said = json.loads(message)
        if said["type"] not in ("welcome", "pong"):
            self.refused.append(message)

    def _send(self, kind: int, body: bytes) -> None:
        self.crdt.send(bytes([kind]) + varuint(len(body)) + body)

    def _sync(self, message: bytes) -> None:
        kind = message[0]
        if kind == PART:
            return self._part(message)
        length, at = read_varuint(message, 1)
        body = message[at : at + length]
        if kind == STEP_1:
            return self._send(STEP_2, self.doc.get_update(body))
        self._apply(body)

    def _apply(self, update: bytes) -> None:
        self.is_theirs = True
        self.doc.apply_update(update)
        self.is_theirs = False

    def _part(self, message: bytes) -> None:
        total, at = read_varuint(message, 1)
        offset, at = read_varuint(message, at)
        if offset == 0:
            self.parts = bytearray()
        self.parts.extend(message[at:])
        if len(self.parts) == total:
            self._apply(bytes(self.parts))


async def main(url: str, peers: int, entries: int, megabytes: int) -> None:
    async with aiohttp.ClientSession() as http:
        all_peers = [Peer() for _ in range(peers)]
        open_ms = [await peer.join(http, url) for peer in all_peers]
        rates = [await peer.echo(megabytes) for peer in all_peers]
        for index, peer in enumerate(all_peers):
            for entry in range(entries):
                peer.shared[f"{index} {entry}"] = {"n": entry, "é": [1.5, None, "\u2028", True, -0.25]}
            peer.shared["contended"] = index
        whole = peers * entries + 1
        while any(len(peer.shared) < whole or len(peer.nodes) < peers for peer in all_peers) or (
            len({peer.hash() for peer in all_peers}) > 1
        ):
            await asyncio.sleep(0.05)
        hashes = sorted({peer.hash() for peer in all_peers})
        refused = [said for peer in all_peers for said in peer.refused]
        print(json.dumps({"openMs": open_ms, "mbPerS": rates, "hashes": hashes, "refused": refused}), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for peer in all_peers:
            await peer.connection.close()


if __name__ == "__main__":
    url, *numbers = sys.argv[1:]
    asyncio.run(main(url, *(int(number) for number in numbers)))
