"""Media types of the document that Schemathesis does not know: a fragment of SDP (RFC 8840) is text."""

import schemathesis

schemathesis.serializer.alias("application/trickle-ice-sdpfrag", "text/plain")
