"""Reads fingerprints out of raw pictures of 256 x 256 bytes that lie one after the other on standard input.

    python read_pictures.py MODALITY < pictures   # prints JSON: [{"bits": hex, "mask": hex}, ...]
"""

import json
import sys

import numpy as np

from fingerprint import PATCH, fingerprint, packed

pictures = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(-1, PATCH, PATCH)
read = (fingerprint(picture, sys.argv[1]) for picture in pictures)
print(json.dumps([dict(bits=packed(one['bits']), mask=packed(one['mask'])) for one in read]))
