// Made from the gateway's /openapi.json by tools/generate-types.mjs; not edited by hand.
export interface paths {
  '/': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Every endpoint and plan with its price
     * @description Every endpoint and plan with its price.
     */
    get: operations['gateway.index'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/did.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The same keys as the DID document that the `kid` of a receipt leads to
     * @description The same keys as the DID document that the `kid` of a receipt leads to.
     */
    get: operations['well-known.did'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/security.txt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whom to tell of a weakness (RFC 9116)
     * @description NOT_FOUND where the installation names nobody: one in production does.
     */
    get: operations['well-known.security'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-callback-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that callbacks of tasks verify against
     * @description Public keys that callbacks of tasks verify against.
     */
    get: operations['well-known.callback-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-license-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that licence keys and tokens of licences between machines verify against
     * @description Public keys that licence keys and tokens of licences between machines verify against.
     */
    get: operations['well-known.license-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-mesh-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Keys that answers of the rendezvous are signed with
     * @description Keys that answers of the rendezvous are signed with.
     */
    get: operations['mesh.keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-pairing-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that pairing tokens verify against
     * @description Public keys that pairing tokens verify against.
     */
    get: operations['well-known.pairing-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-proof-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that audit proofs, pairing tokens and licence tokens verify against
     * @description Public keys that audit proofs, pairing tokens and licence tokens verify against.
     */
    get: operations['well-known.proof-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-receipt-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that receipts of paid answers and offers of x402 verify against
     * @description Public keys that receipts of paid answers and offers of x402 verify against.
     */
    get: operations['well-known.receipt-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/svc-wal-keys.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys that checkpoints of the write-ahead logs verify against
     * @description Public keys that checkpoints of the write-ahead logs verify against.
     */
    get: operations['well-known.wal-keys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/x402': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Priced resources, for x402 discovery
     * @description Lists nothing while x402 cannot settle; `rails` says what can.
     */
    get: operations['well-known.x402'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/bullion/challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A tone to play into a recording, which shows that it was made now
     * @description A tone to play into a recording, which shows that it was made now.
     */
    post: operations['agent.bullion-challenge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/bullion/enrol': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Enrol the ring of a piece that is known to be genuine
     * @description Needs the scope `admin:bullion`. Enrolled references come before the table.
     *
     *     Reads at most 10551296 bytes of body.
     */
    post: operations['agent.bullion-enrol'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/bullion/enrolments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Enrolments of a product as a file
     * @description Needs the scope `admin:bullion`. What was heard of each piece, not its recording.
     */
    get: operations['agent.bullion-export-enrolments'];
    put?: never;
    /**
     * Take over the enrolments of a file
     * @description Needs the scope `admin:bullion`. Which line is which mode is found anew; a ring that is not the product’s refuses the whole file.
     *
     *     Reads at most 4194304 bytes of body.
     */
    post: operations['agent.bullion-import-enrolments'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/bullion/products': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Products with reference frequencies, and where those come from
     * @description Products with reference frequencies, and where those come from.
     */
    get: operations['agent.bullion-products'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/card-valuation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Price of a card valuation, and how it is paid
     * @description Price of a card valuation, and how it is paid.
     */
    get: operations['agent.card-valuation-price'];
    put?: never;
    /**
     * Median of comparable sales of a graded sports card
     * @description insufficient_comps is not charged: the payment becomes credit. A card that the catalogue does not know is 422, with those that are like it.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['agent.card-valuation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/cards': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Cards of the catalogue by free text
     * @description Cards of the catalogue by free text.
     */
    get: operations['agent.card-search'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent/verify-bullion': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Price of a bullion verification, and how it is paid
     * @description Price of a bullion verification, and how it is paid.
     */
    get: operations['agent.verify-bullion-price'];
    put?: never;
    /**
     * Validate precious metal by its ring and its melt value
     * @description INCONCLUSIVE is not charged: the payment becomes credit. The verdict is about resonance, mass and the measures that were given; see `limits`.
     *
     *     Reads at most 10551296 bytes of body.
     */
    post: operations['agent.verify-bullion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/arena/leaders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The board of the arena
     * @description Agents that paid with an account key, by points: level × score of the best answer of each family and level.
     */
    get: operations['arena.leaders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/asyncapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Subjects and events of the bus
     * @description Subjects and events of the bus.
     */
    get: operations['gateway.asyncapi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/audits/{auditId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * An audit with its overrides
     * @description Whoever holds the id may ask: it is unguessable.
     */
    get: operations['coi.get-audit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/audits/{auditId}/letter': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The deficiency letter of an audit as PDF
     * @description Whoever holds the id may ask. 404 where the audit found nothing to ask for.
     */
    get: operations['coi.get-letter'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/audits/{auditId}/overrides': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Override a rule of an audit, with a reason that is kept
     * @description Needs a key of the account that the audit belongs to.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['coi.override'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/batches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Audit up to 100 certificates
     * @description Each document is paid by the key as a call of POST /partnerCoiVerify, and given back where it cannot be audited. Nothing is taken where the balance does not cover all of them.
     *
     *     Reads at most 33554432 bytes of body.
     */
    post: operations['coi.create-batch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/batches/{batchId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * State of a batch, and what became of each of its documents
     * @description Whoever holds the id may ask: it is unguessable.
     */
    get: operations['coi.get-batch'];
    put?: never;
    post?: never;
    /**
     * Cancel what of a batch has not ended
     * @description Whoever holds the id may ask. What is cancelled is given back.
     */
    delete: operations['coi.cancel-batch'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/expiring': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Certificates that expire soon
     * @description Certificates that expire soon.
     */
    get: operations['coi.expiring'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/requirement-sets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The requirement sets: those built in by trade, and your own
     * @description The requirement sets: those built in by trade, and your own.
     */
    get: operations['coi.list-requirement-sets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/coi/requirement-sets/{requirementSetId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A requirement set
     * @description A requirement set.
     */
    get: operations['coi.get-requirement-set'];
    /**
     * Store a requirement set under an id of your own
     * @description Reads at most 65536 bytes of body.
     */
    put: operations['coi.put-requirement-set'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/departments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The desks
     * @description The desks.
     */
    get: operations['departments.list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/departments/{deptId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One desk
     * @description One desk.
     */
    get: operations['departments.get'];
    put?: never;
    /**
     * Give a desk a task
     * @description Billed as the capability beneath it, before it is queued.
     *
     *     Reads at most 4000000 bytes of body.
     */
    post: operations['departments.submit'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/departments/{deptId}/tasks/{taskId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * State of a task
     * @description State of a task.
     */
    get: operations['departments.get-task'];
    put?: never;
    post?: never;
    /**
     * Cancel a task
     * @description Cancel a task.
     */
    delete: operations['departments.cancel-task'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The API reference as a page
     * @description The API reference as a page.
     */
    get: operations['gateway.docs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Which services answer, and figures measured from real work
     * @description Stays 200 and says DEGRADED when a service is away.
     */
    get: operations['gateway.health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/leads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Leads from checkouts and purchase links
     * @description Newest first. Needs the scope `leads:read`; each read is recorded.
     */
    get: operations['admin.leads'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/leads/{leadId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Set the status of a lead
     * @description Needs the scope `leads:write`.
     *
     *     Reads at most 65536 bytes of body.
     */
    patch: operations['admin.change-lead'];
    trace?: never;
  };
  '/livez': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Liveness: the event loop alone
     * @description Liveness: the event loop alone.
     */
    get: operations['gateway.livez'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/llms.txt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How to use the service, for language models
     * @description How to use the service, for language models.
     */
    get: operations['gateway.llms'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Changes of the list of tools
     * @description For clients of the versions up to 2025-11-25: `notifications/tools/list_changed` where `_meta["svc/price"].available` of a tool has changed, because a service that it needs has come or gone. Later versions subscribe with `subscriptions/listen`.
     */
    get: operations['tools.mcp-changes'];
    put?: never;
    /**
     * Model Context Protocol, streamable HTTP
     * @description The protocol itself is free; each tool call has the price of the tool.
     *
     *     Reads at most 1048576 bytes of body.
     */
    post: operations['tools.mcp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The tool catalogue
     * @description The tool catalogue.
     */
    get: operations['tools.catalog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp/mpp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Changes of the list of tools, for clients of the Payment scheme
     * @description For clients of the versions up to 2025-11-25: `notifications/tools/list_changed` where `_meta["svc/price"].available` of a tool has changed, because a service that it needs has come or gone. Later versions subscribe with `subscriptions/listen`.
     */
    get: operations['tools.mcp-payment-changes'];
    put?: never;
    /**
     * Model Context Protocol for clients of the Payment scheme
     * @description As /mcp. A call that is not paid for is the error −32042 with its challenges, and one whose payment does not hold −32043, whatever its client declares.
     *
     *     Reads at most 1048576 bytes of body.
     */
    post: operations['tools.mcp-payment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * This document
     * @description This document.
     */
    get: operations['gateway.openapi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/partnerCoiVerify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Price of a certificate audit, and how it is paid
     * @description Price of a certificate audit, and how it is paid.
     */
    get: operations['agent.coi-verify-price'];
    put?: never;
    /**
     * Audit an ACORD 25 certificate for subcontractor compliance
     * @description A file that cannot be read is 422 and costs nothing. With an X-SVC-KEY the audit belongs to its account.
     *
     *     Reads at most 10616832 bytes of body.
     */
    post: operations['agent.coi-verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/prepay-credits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Buy a pack of certificate audits
     * @description With X-SVC-KEY the pack tops up that key; without, a key is provisioned, and an Idempotency-Key has at least 16 characters that nobody guesses, best a UUID: whoever repeats it gets the same checkout.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['credits.prepay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/prepay-success': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Confirm a completed checkout
     * @description A browser (Accept: text/html) gets a page. The key is in the first answer alone.
     */
    get: operations['credits.prepay-success'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/problems/{type}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a problem means, whether it was charged, and how to go on
     * @description The `type` of every problem leads here.
     */
    get: operations['gateway.problem'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Readiness: the bus can be reached and the gateway is not draining
     * @description Readiness: the bus can be reached and the gateway is not draining.
     */
    get: operations['gateway.readyz'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sam/verify-key/{licenseKey}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check a licence key, or the token of a licence between machines
     * @description Of a token (`m2m1.`), `licenseId` is its `jti`, `features` its capability, `expiresAt` null where it does not expire, and REVOKED one whose sale was taken back.
     */
    get: operations['sam.verify-key'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Balance, plan, quota and keys of the account
     * @description Balance, plan, quota and keys of the account.
     */
    get: operations['account.get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make another key of the account
     * @description With limits, it may be handed to an agent: a cap, operations and an end. A key with limits makes narrower ones alone.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['account.create-key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/keys/{keyId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a key at once
     * @description Revoke a key at once.
     */
    delete: operations['account.revoke-key'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/keys/{keyId}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replace a key; the old one goes on for a while
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['account.rotate-key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/ledger': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Entries of the account in the ledger
     * @description Newest first. Entries are numbered without gaps and never change.
     */
    get: operations['account.ledger'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/licences': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Licences of the account, with their licence keys
     * @description The newest 100. A licence that was renewed has a new key, which is here from then on.
     */
    get: operations['account.licences'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/recovery': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make the key of an account anew, as its payer
     * @description With the signature of the wallet that paid, or with the L402 or Lightning credential that did. Every key that the account had ends at once.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['account.recover-key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/recovery/challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin to make the key of an account anew
     * @description For who paid and lost the key. What is answered is good once, for 300 seconds.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['account.recovery-challenge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/top-up': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn a payment into credit
     * @description Costs what it credits, by any rail. A key beside the payment says whose credit it is; without one it lies on a key of its own, in `X-SVC-KEY`, which the same credential is shown again. A key alone is asked for the payment.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['account.top-up'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Calls of the account by day and operation
     * @description Newest days first; a page is a span of days, those without a call left out.
     */
    get: operations['account.usage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/beacons': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The emitters of the account
     * @description The emitters of the account.
     */
    get: operations['acoustic.beacons'];
    put?: never;
    /**
     * Enrol an emitter that challenges may be sent to
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['acoustic.enrol-beacon'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/beacons/{beaconKey}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Remove an emitter of the account
     * @description Remove an emitter of the account.
     */
    delete: operations['acoustic.remove-beacon'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/beacons/{beaconKey}/sound': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The next sound that an emitter is to play
     * @description For the emitter, which says `Authorization: Bearer <emitterSecret>`. Each sound is given once; 204 where there is none within waitMs.
     */
    get: operations['acoustic.beacon-sound'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a sound that proves proximity for 30 seconds
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['acoustic.challenge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/demodulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Decode a recording
     * @description Reads at most 8388608 bytes of body.
     */
    post: operations['acoustic.demodulate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/modulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Encode bytes as a near-ultrasound FSK packet
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['acoustic.modulate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/acoustic/verify-pairing': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a recording of a challenge and issue a pairing token
     * @description Evidence that a recording of the challenge was brought in time, not a bound on distance. A nonce serves once.
     *
     *     Reads at most 8388608 bytes of body.
     */
    post: operations['acoustic.verify-pairing'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Find accounts
     * @description Newest first. Needs the scope `admin:accounts`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.accounts'];
    put?: never;
    /**
     * Open an account
     * @description Needs the scope `admin:accounts`.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.create-account'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * An account with its quota and its keys
     * @description Needs the scope `admin:accounts`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.account'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}/credit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Grant credit to an account, from the treasury
     * @description Needs the scope `admin:ledger`.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.grant-credit'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Issue a key of an account
     * @description Needs the scope `admin:keys`, and every scope that the new key shall have.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.issue-key'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}/keys/{keyId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a key of an account at once
     * @description Needs the scope `admin:keys`. The key that asks does not revoke itself.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    delete: operations['admin.revoke-key'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}/licences': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Revoke, suspend or restore the licences of an account
     * @description Needs the scope `admin:licences`.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    put: operations['admin.set-licences'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/accounts/{accountId}/plan': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Set the plan of an account that no subscription pays for
     * @description Needs the scope `admin:accounts`.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    put: operations['admin.set-plan'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What operators did
     * @description Newest first. Needs the scope `admin:audit`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.audit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/card-sales': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Import sales of graded cards
     * @description Needs the scope `admin:sales`. Each row is accepted, known already (by venue and itemId), or quarantined with its reasons.
     *
     *     Reads at most 4001024 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.import-card-sales'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/card-sales/quarantine': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Rows of imports that were not taken
     * @description Needs the scope `admin:sales`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.card-sales-quarantine'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/card-sales/quarantine/{quarantineId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Accept a quarantined row, corrected or as it is, or discard it
     * @description Needs the scope `admin:sales`.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.resolve-card-sale'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/mesh/document/reset': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin the document of the mesh anew, with its content or empty
     * @description Needs the scope `admin:mesh`. All client ids that wrote in it end, and every peer goes on with the new one.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.reset-mesh-document'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/reconcile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check the ledger against itself, now
     * @description Needs the scope `admin:ledger`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.reconcile'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/refunds': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Refunds, the newest first
     * @description Needs the scope `admin:refunds`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.refunds'];
    put?: never;
    /**
     * Refund a payment, whole or in part
     * @description Needs the scope `admin:refunds` and an `Idempotency-Key`. At most what was settled, less what was refunded and disputed. By card and on a chain it is sent at once; by Lightning it waits for an invoice of the payer; to credit it is done at once.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.refund'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/refunds/{refundId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A refund as it stands
     * @description Needs the scope `admin:refunds`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.find-refund'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/sagas': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Sagas by their state, those that are stuck unless told otherwise
     * @description Oldest first. Needs the scope `admin:ledger`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.sagas'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/sagas/{sagaId}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take a stuck saga up again: its compensations are tried anew
     * @description Needs the scope `admin:ledger`. CONFLICT for a saga that is not stuck.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.resume-saga'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/admin/spot-prices': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Newest spot price of each metal and currency
     * @description Needs the scope `admin:spot`.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    get: operations['admin.spot-prices'];
    put?: never;
    /**
     * Set a spot price
     * @description Needs the scope `admin:spot`. Every price that was set is kept.
     *
     *     Reads at most 65536 bytes of body.
     *
     *     In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.
     */
    post: operations['admin.set-spot-price'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/claims/{claimToken}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a claim link is for
     * @description What a claim link is for.
     */
    get: operations['escrow.get-claim'];
    put?: never;
    /**
     * Become the payee of an escrow by its claim link
     * @description The account of the key, or without one that of the wallet `address`, is the payee from then on, and has accepted. While its payment is held.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['escrow.claim'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/create-intent': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Hold a payment
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['escrow.create-intent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/intents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Escrows that the account made, or is the payee of
     * @description Newest first, as they were last heard of. The payee sees those whose payment is or was held, without clientSecret and metadata.
     */
    get: operations['escrow.list-intents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/intents/{intentId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * State of an escrow
     * @description State of an escrow.
     */
    get: operations['escrow.get-intent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/intents/{intentId}/accept': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Accept an escrow as its payee
     * @description While its payment is held. Both sides see `acceptedAt`; accepted again, it stays the same.
     */
    post: operations['escrow.accept'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/intents/{intentId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give an escrow back to the payer
     * @description Give an escrow back to the payer.
     */
    post: operations['escrow.cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/escrow/intents/{intentId}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Release an escrow to the payee, whole or in part
     * @description Reads at most 65536 bytes of body.
     */
    post: operations['escrow.release'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/fep/active-inference': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Infer states and choose an action by expected free energy
     * @description The payment is bound to the bytes of the body: the same model, written otherwise, is another request.
     *
     *     Reads at most 8388608 bytes of body.
     */
    post: operations['fep.active-inference'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/l402/bundle': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Buy several calls with one Lightning invoice
     * @description The 402 has one invoice, and an L402 macaroon with a budget, capabilities and an end. Paid, the credential pays each call that it covers until the budget is spent. Here it is answered with what is left; one that has nothing left is asked for another bundle.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['l402.bundle'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mesh/inbox': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Offers of other peers, as they come
     * @description Server-sent events `offer`, `candidates` and `closed`; while the stream is open its peer is present. The proof is in the query: browsers cannot give an EventSource headers. A stream that broke is opened again with a new proof, and `Last-Event-ID`.
     */
    get: operations['mesh.inbox'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mesh/rendezvous': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answer a session description, or broker it to a peer
     * @description Without targetPeerKey the service answers, with the data channels ctl, crdt and echo. With it the offer goes to the inbox of that peer, unchanged; the request waits up to 10 s for its answer. A signature binds the DTLS fingerprint of the offer to peerPublicKey; brokering needs one.
     *
     *     Reads at most 262144 bytes of body.
     */
    post: operations['mesh.rendezvous'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mesh/sessions/{sessionId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * State of a session
     * @description State of a session.
     */
    get: operations['mesh.session'];
    put?: never;
    post?: never;
    /**
     * Close a session
     * @description Close a session.
     */
    delete: operations['mesh.close-session'];
    options?: never;
    head?: never;
    /**
     * Add candidates (trickle ICE, RFC 9725)
     * @description Reads at most 65536 bytes of body.
     */
    patch: operations['mesh.trickle'];
    trace?: never;
  };
  '/v1/mesh/sessions/{sessionId}/answer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answer an offer that came to the inbox
     * @description Reads at most 262144 bytes of body.
     */
    post: operations['mesh.answer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/refunds/lightning': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Have a refund of a Lightning payment paid to an invoice
     * @description With the L402 or Lightning credential that was paid with, in `Authorization`. The invoice is over exactly the amount of a refund that waits; a refund is paid once. The same invoice again says what became of it.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['refunds.lightning'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/snn/solve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Simulate a spiking network
     * @description Answers within 100 seconds; a longer run is asked for with `Prefer: respond-async`, and is a task of the desk `neuro`. `dryRun` is counted nowhere and costs nothing.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['snn.solve'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/snn/solve-graph': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Solve a graph problem with spikes
     * @description The payment is bound to the bytes of the body: the same graph, written otherwise, is another request. `Prefer: respond-async` makes it a task of the desk `neuro`, of 4,000,000 bytes at most.
     *
     *     Reads at most 33554432 bytes of body.
     */
    post: operations['snn.solve-graph'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/speckle/extract-puf': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Extract the fingerprint of a surface
     * @description With `enroll` an account key is needed; the first owner of a slabId keeps it.
     *
     *     Reads at most 10551296 bytes of body.
     */
    post: operations['speckle.extract-puf'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/speckle/verify-slab': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Compare an image with an enrolled fingerprint
     * @description The account that enrolled the surface gets all figures. Everybody else sends the `verificationToken` that the owner was given, and gets the verdict alone, so many times a day for one slab.
     *
     *     Reads at most 10551296 bytes of body.
     */
    post: operations['speckle.verify-slab'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/jobs/{jobId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * State of a proof job
     * @description Answers whoever holds the id. Jobs are kept as long as proofs are. The payment is held while the job runs, delivered with its answer, and returned to its credential where there is none.
     */
    get: operations['stark.get-job'];
    put?: never;
    post?: never;
    /**
     * Cancel a proof job
     * @description The job ends between two batches of work, and its payment goes back to its credential. A job that is at its end by then may still succeed: its answer is delivered, and paid for. Asking again changes nothing; a job that has succeeded or failed is a 409, and so is one that runs and whose payment was given back three times before.
     */
    delete: operations['stark.cancel-job'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/jobs/{jobId}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Progress of a proof job, as it happens
     * @description Server-sent events, one a stage, named by the state of the job, with the `ProofJobEvent` as data. The stream ends with the job. `Last-Event-ID` goes on where another stream ended; where nothing can come any more, the answer is 204, and an EventSource stops.
     */
    get: operations['stark.job-events'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/pq-verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a proof and its post-quantum (ML-DSA-65) signature
     * @description Reads at most 3145728 bytes of body.
     */
    post: operations['stark.pq-verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/proofs/{proofId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch a stored proof
     * @description The proof as octets, with `X-Proof-Air`, `X-Proof-Created-At`, where it has a domain tag `X-Proof-Context`, and where it was revoked `X-Proof-Revoked-At`; with `Accept: application/json` as JSON, with its public inputs too: all that `verify-proof` takes.
     */
    get: operations['stark.fetch-proof'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/prove-goldilocks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prove a statement about inputs, over Goldilocks
     * @description `binding` (the default) commits to `contextDomain`, `publicInputs` and `privateWitness`: the commitment is an output, and what opens it is in `opening`. `preimage` proves knowledge of a `privateWitness` whose hash is `publicInputs`. `raw` proves a trace under a published AIR, from `inputs` or a whole `trace`. `own` proves a trace under a definition of yours, `air`, from row 0 (`start`) or the columns that nothing gives (`trace`). A hang-up cancels the proof, and the payment goes back to its credential; after three of them it is made to its end, and the request, sent again, brings it.
     *
     *     Reads at most 4194304 bytes of body.
     */
    post: operations['stark.prove-goldilocks'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/prove-m31': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prove a statement about inputs, over Mersenne-31 (circle STARK)
     * @description `binding` (the default) commits to `contextDomain`, `publicInputs` and `privateWitness`: the commitment is an output, and what opens it is in `opening`. `preimage` proves knowledge of a `privateWitness` whose hash is `publicInputs`. `raw` proves a trace under a published AIR, from `inputs` or a whole `trace`. `own` proves a trace under a definition of yours, `air`, from row 0 (`start`) or the columns that nothing gives (`trace`). A hang-up cancels the proof, and the payment goes back to its credential; after three of them it is made to its end, and the request, sent again, brings it.
     *
     *     Reads at most 4194304 bytes of body.
     */
    post: operations['stark.prove-m31'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/stark/verify-proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a proof, or the audit proof of an answer
     * @description Takes a proof with its statement, or an `auditProof` with the answer it came with. What is merely false is 200 with `valid: false` and the reason.
     *
     *     Reads at most 3145728 bytes of body.
     */
    post: operations['stark.verify-proof'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a tool of the catalogue
     * @description Sold as the one call that it is: what fails is not charged, and the same payment with the same inputs gets the same answer again. m2m_license_contract alone runs as a saga, as `POST /v1/x402/execute` does: its answer names it, and may be 202 while it goes on.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tools.call'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/arena_challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool arena_challenge
     * @description Sets a fresh problem (shortest path, max-cut, SAT, modular algebra; levels 1–10), or scores an answer to one and proves the scoring.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.arena_challenge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/create_purchase_link': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool create_purchase_link
     * @description A hosted checkout for a plan or a licence.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.create_purchase_link'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/evaluate_spatial_parcel_fep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool evaluate_spatial_parcel_fep
     * @description Variational free energy of an elevation contour under a smooth-terrain model; the target is F below 0.022.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.evaluate_spatial_parcel_fep'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/generate_goldilocks_stark_proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool generate_goldilocks_stark_proof
     * @description Makes a STARK proof of a commitment to inputs, over the 64-bit Goldilocks field. Stated latency: under 0.15 ms; measured: executionTimeMs of each answer, and proverLatencyMs of GET /health.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.generate_goldilocks_stark_proof'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/get_product_catalog': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool get_product_catalog
     * @description What is sold: plans, subscriptions, licences, packs, tools and priced calls, with their prices.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.get_product_catalog'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/m2m_license_contract': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool m2m_license_contract
     * @description Issues a machine-to-machine licence as a four-step saga under a write-ahead log.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.m2m_license_contract'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/sync_mesh_crdt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool sync_mesh_crdt
     * @description Digest of the replicated state of the mesh and the nodes that are present.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.sync_mesh_crdt'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/verify_acoustic_proximity_token': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool verify_acoustic_proximity_token
     * @description Verifies a recorded challenge: FSK at 18.6 kHz (space) and 19.2 kHz (mark) with (8,4) extended Hamming SECDED. Evidence of proximity, not a bound on distance.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.verify_acoustic_proximity_token'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/webgpu_snn_attractor': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool webgpu_snn_attractor
     * @description Branching ratio of a spiking network, by the multistep regression estimator. The network may be simulated smaller: the answer says how large. Stated rate: 1,667 frames per second; measured: snnFramerateFps of GET /health.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.webgpu_snn_attractor'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tools/zk_prove_spatial': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tool zk_prove_spatial
     * @description Proves that claimed coordinates lie in a box, over the 64-bit Goldilocks field. It does not prove presence. Stated latency: 0.041 ms; measured: latencyMs of each answer, and proverLatencyMs of GET /health.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['tool.zk_prove_spatial'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/uploads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Upload a file for a tool over MCP
     * @description For a file that is too long for the arguments of a call. It is kept for ten minutes, and read by no call but those that name its id.
     *
     *     Reads at most 7864320 bytes of body.
     */
    post: operations['tools.upload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/x402/challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A payment challenge for a tool; always 402
     * @description Sells nothing: the payment goes to `POST /v1/x402/verify`. A payment that is sent here stays untouched, and the answer is 402 `PAY_AT_VERIFY`. `payable` is true: the route that takes the payment takes it for every tool.
     */
    get: operations['x402.challenge'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/x402/execute': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run the ticket's tool as a four-step saga
     * @description The body has the inputs of the tool. It is paid for with a ticket, in `X-Execution-Ticket` or as `executionTicket`, or with a payment that comes along as on any priced route (the tool is then that of the payment, else `tool`, else m2m_license_contract). Inputs are looked at before the ticket is consumed: what is refused with 400, 403, 409 `STREAM_INDEX_STALE` or 422 leaves it as good as before. A ticket begins one saga, whatever is sent with it; the same `Idempotency-Key` with the same body is answered with the stored answer. `simulateFault` of m2m_license_contract is answered 200 with status COMPENSATED, and beyond 25 a minute or 100 a day 429 before anything is taken; a saga whose tool failed for real with its problem, `sagaId`, and the credit that it left.
     *
     *     Reads at most 2097152 bytes of body.
     */
    post: operations['x402.execute'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/x402/sagas/{sagaId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A saga and its write-ahead log
     * @description Answers its payer: the key of the account that paid (or of the credit of its payment), or the ticket in `X-Execution-Ticket`.
     */
    get: operations['x402.saga'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/x402/telemetry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What was executed and cleared
     * @description Made from the write-ahead logs and the ledger. With `Accept: text/event-stream` an event `telemetry` for each change, its version as id; `Last-Event-ID` goes on from there.
     */
    get: operations['x402.telemetry'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/x402/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange a payment for a single-use execution ticket
     * @description Takes one payment at the price of a tool, and gives a ticket that runs this tool once, at `POST /v1/x402/execute`, within 15 minutes. The tool is that of the challenge that was paid, else `tool`, else m2m_license_contract; where two of them disagree the request is refused. A shared payment token comes with its challenge, in `X-402-Challenge` or as `challengeToken`. The same credential with the same request brings the same ticket again. What a ticket that expires was paid for becomes credit.
     *
     *     Reads at most 65536 bytes of body.
     */
    post: operations['x402.verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/zk/airs/check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Look at a definition of your own before you buy a proof under it
     * @description Takes a definition and, if you like, a statement under it: answers its id, its degree, what to look at, what a proof takes and how many bits it has, and the first row that does not hold. Keeps nothing.
     *
     *     Reads at most 4194304 bytes of body.
     */
    post: operations['zk.check-air'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/zk/prove': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prove a hash chain over the trace data
     * @description Absorbs `traceData` into a Poseidon2 sponge over the field of 2^64 - 2^32 + 1, iterates it over `degree` rows, proves the whole execution with a STARK and verifies the proof before it answers. Without a payment the answer is a 402 with everything needed to pay. A body that is not empty is validated first and a fault costs nothing. A hang-up cancels the proof, and the payment goes back to its credential; after three of them it is made to its end, and the request, sent again, brings it.
     *
     *     Reads at most 524288 bytes of body.
     */
    post: operations['zk.prove'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/stripe': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Signed notifications of the card processor
     * @description The raw body is verified against Stripe-Signature; each event has its effect once.
     *
     *     Reads at most 262144 bytes of body.
     */
    post: operations['webhooks.stripe'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Account: {
      accountId: string;
      balanceMicroUsd: number;
      /** @description Certificate audits that the balance buys: 250,000 µUSD each, rounded down */
      credits: number;
      keys: components['schemas']['AccountKey'][];
      /** @enum {string} */
      plan: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
      /** @enum {string} */
      planState: 'active' | 'past_due' | 'lapsed';
      /** Format: date-time */
      planUntil?: string;
      quota: {
        /** @description Requests a month; null is unlimited */
        limit: number | null;
        /** Format: date-time */
        resetsAt: string;
        used: number;
      };
    };
    AccountKey: {
      /** @description What it may spend, and what it has spent */
      caps?: {
        capMicroUsd: number;
        /** @enum {string} */
        per: 'day' | 'total';
        /**
         * Format: date-time
         * @description When the day ends
         */
        resetsAt?: string;
        spentMicroUsd: number;
      }[];
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description When it stops, for one that was rotated or expires
       */
      endsAt?: string;
      keyId: string;
      label?: string;
      /** Format: date-time */
      lastUsedAt?: string;
      notifyBelowMicroUsd?: number;
      /** @description What it may pay for */
      operations?: string[];
      scopes: string[];
      /** @enum {string} */
      state: 'active' | 'rotating' | 'revoked';
    };
    AccountLedger: {
      items: {
        /** @description Positive: credit; negative: debit */
        amountMicroUsd: number;
        /** Format: date-time */
        at: string;
        balanceAfterMicroUsd: number;
        /**
         * Format: uuid
         * @description The purchase that it is of: `reference` in the Payment-Receipt of an answer that the key paid
         */
        claimId?: string;
        kind: string;
        operationId?: string;
        reference?: string;
        /** @description Gapless number of the entry in its account */
        seq: number;
      }[];
      nextCursor: string | null;
    };
    AccountLicences: {
      items: {
        /**
         * Format: date-time
         * @description End of what was paid, with the days of grace
         */
        expiresAt: string;
        features: string[];
        /**
         * Format: date-time
         * @description When licenseKey was signed: anew with each renewal
         */
        issuedAt: string;
        licenseId: string;
        /** @description The signed text (sam1.…), the same until the licence is renewed; of an active licence that is not over */
        licenseKey?: string;
        seats: number;
        /** @enum {string} */
        state: 'active' | 'suspended' | 'revoked';
        tier: string;
      }[];
    };
    AccountUsage: {
      /**
       * Format: date
       * @description First day of this page
       */
      from: string;
      items: {
        /** @description Priced calls that the key claimed */
        calls: number;
        /**
         * Format: date
         * @description UTC
         */
        day: string;
        /** @description Credit that the delivered took */
        debitedMicroUsd: number;
        delivered: number;
        /** @description Of the delivered: those that the plan covered */
        fromQuota: number;
        operationId: string;
      }[];
      nextCursor: string | null;
      /**
       * Format: date
       * @description Last day of this page
       */
      to: string;
    };
    AcousticChallenge: {
      /** @enum {string} */
      assurance: 'beacon' | 'recording_submitted';
      /** @description WAV file, base64; absent when it went to a beacon */
      audio?: string;
      auditProof: components['schemas']['AuditProof'];
      /** @description 16 bytes, hex */
      challengeNonce: string;
      doesNotProve: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description The key whose MAC the sound carries */
      keyId: string;
      /** @constant */
      proves: 'commitment';
    };
    /**
     * @example {
     *       "deviceId": "door-7"
     *     }
     */
    AcousticChallengeRequest: {
      /** @description An enrolled emitter: the audio goes to it only, never into this answer */
      beaconKey?: string;
      /** @description Ed25519 public key of the device, hex: its signature is needed to verify, and the token names the key as cnf (RFC 7800) */
      confirmationKey?: string;
      deviceId: string;
      /**
       * @description ultrasonic_19khz: both tones from 18.6 to 19.5 kHz, as carrierHz says; audible_fsk: 1.8 and 2.4 kHz
       * @default ultrasonic_19khz
       * @enum {string}
       */
      frequencyBand?: 'ultrasonic_19khz' | 'audible_fsk';
    };
    /**
     * @example {
     *       "A": [
     *         [
     *           0.8,
     *           0.1,
     *           0.3
     *         ],
     *         [
     *           0.15,
     *           0.7,
     *           0.2
     *         ],
     *         [
     *           0.05,
     *           0.2,
     *           0.5
     *         ]
     *       ],
     *       "B": [
     *         [
     *           [
     *             1,
     *             0,
     *             0
     *           ],
     *           [
     *             0,
     *             1,
     *             0
     *           ],
     *           [
     *             0,
     *             0,
     *             1
     *           ]
     *         ],
     *         [
     *           [
     *             0.1,
     *             0.1,
     *             0.8
     *           ],
     *           [
     *             0.8,
     *             0.1,
     *             0.1
     *           ],
     *           [
     *             0.1,
     *             0.8,
     *             0.1
     *           ]
     *         ]
     *       ],
     *       "C": [
     *         2,
     *         0,
     *         -1
     *       ],
     *       "D": [
     *         0.5,
     *         0.3,
     *         0.2
     *       ],
     *       "observations": [
     *         1
     *       ],
     *       "policyLength": 2
     *     }
     */
    ActiveInferenceRequest: {
      /** @description Likelihood: P(observation | state), columns sum to 1 */
      A: number[][];
      /** @default 16 */
      alpha?: number;
      /** @description Transitions: one matrix an action, columns sum to 1; A and B together have at most 196608 numbers */
      B: number[][][];
      /** @description Log preferences over observations */
      C: number[];
      /** @description Prior over the first state */
      D: number[];
      /** @description Prior over policies */
      E?: number[];
      /** @default 16 */
      gamma?: number;
      observations: number[];
      /** @default 1 */
      policyLength?: number;
    };
    ActiveInferenceResult: {
      /** @description The most probable one; of equals the first */
      action: number;
      /** @description Posterior over the first action */
      actionMarginal: number[];
      /** @description Softmax of alpha · ln of the marginal */
      actionProbabilities: number[];
      auditProof: components['schemas']['AuditProof'];
      doesNotProve: string;
      /** @description Variational free energy, nats */
      F: number;
      /** @description Negative expected free energy, nats, a value for each policy */
      negEFE: {
        infoGain: number[];
        total: number[];
        utility: number[];
      };
      /** @description The policies, in the order of qPi */
      policies: number[][];
      /** @constant */
      proves: 'commitment';
      /** @description Posterior over policies */
      qPi: number[];
      /** @description Posterior over states */
      qs: number[];
    };
    AdminAccount: {
      accountId: string;
      balanceMicroUsd: number;
      /** Format: date-time */
      createdAt: string;
      /** @description Masked without the scope leads:pii */
      email?: string;
      /** @enum {string} */
      kind: 'purchased' | 'derived' | 'bundle' | 'operator';
      /** @enum {string} */
      plan: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
      /** @enum {string} */
      planState: 'active' | 'past_due' | 'lapsed';
      /** Format: date-time */
      planUntil?: string;
    };
    AdminAccountDetail: {
      accountId: string;
      balanceMicroUsd: number;
      /** Format: date-time */
      createdAt: string;
      /** @description Certificate audits that the balance buys: 250,000 µUSD each, rounded down */
      credits: number;
      email?: string;
      keys: components['schemas']['AccountKey'][];
      /** @enum {string} */
      kind: 'purchased' | 'derived' | 'bundle' | 'operator';
      /** @enum {string} */
      plan: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
      /** @enum {string} */
      planState: 'active' | 'past_due' | 'lapsed';
      /** Format: date-time */
      planUntil?: string;
      quota: {
        /** @description Requests a month; null is unlimited */
        limit: number | null;
        /** Format: date-time */
        resetsAt: string;
        used: number;
      };
    };
    AdminAccountPage: {
      items: components['schemas']['AdminAccount'][];
      nextCursor: string | null;
    };
    AdminSaga: {
      /** Format: date-time */
      begunAt: string;
      /** Format: date-time */
      endedAt?: string;
      /** @description Of the newest record that gives one: why it failed, or why it is stuck */
      reason?: string;
      /** Format: uuid */
      sagaId: string;
      sagaName: string;
      /** @enum {string} */
      state: 'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'STUCK';
      walCount: number;
      walHash: string;
    };
    AdminSagaPage: {
      items: components['schemas']['AdminSaga'][];
      nextCursor: string | null;
    };
    AgentPriceRecord: {
      /**
       * @description Header of an account key
       * @constant
       */
      headerAuth: 'X-SVC-KEY';
      /** @constant */
      lightningAuth: 'Authorization: L402 <macaroon>:<preimage>';
      /** @constant */
      method: 'POST';
      operationId: string;
      path: string;
      /** @description Price per call, satoshis */
      priceSats: number;
      /** @description Price per call, US dollars */
      priceUsd: number;
      /** @constant */
      rail: 'PROCESSOR_MPP_OR_L402';
    };
    AirCheckRequest: {
      air?: components['schemas']['AirDefinition'];
      airId?: string;
      /**
       * @description raw, own: rows of the trace, a power of two; by default what the statement needs
       * @enum {integer}
       */
      degree?:
        | 8
        | 16
        | 32
        | 64
        | 128
        | 256
        | 512
        | 1024
        | 2048
        | 4096
        | 8192
        | 16384
        | 32768
        | 65536
        | 131072
        | 262144
        | 524288
        | 1048576;
      /** @description own: the given columns in the rows behind `rows`; by default their last row goes on */
      filler?: {
        [key: string]: string | number;
      };
      /**
       * @description FRI blowup factor
       * @default 8
       * @enum {integer}
       */
      friBlowup?: 2 | 4 | 8 | 16 | 32;
      /** @description own: columns that are made from others instead of being sent: `{"bits":{"of":"v","into":["b0","b1"]}}`, least bit first, or `{"inverse":{"of":"x","into":"y"}}`, 0 for 0 */
      hints?: (
        | {
            bits: {
              into: string[];
              of: string;
            };
          }
        | {
            inverse: {
              into: string;
              of: string;
            };
          }
      )[];
      /** @enum {string} */
      parameterSet?: 'P100' | 'P128' | 'udr100' | 'conjectured96' | 'm31' | 'm31-fast';
      /** @description own: public inputs by name. Those that a constraint uses are needed; of others that a cell is fixed to, what the trace has is taken */
      public?: {
        [key: string]: string | number;
      };
      /** @description own: rows that the statement speaks of; by default as many as `trace` has */
      rows?: number;
      /** @description own: row 0 of the columns that follow from the row before, where no cell of it is fixed */
      start?: {
        [key: string]: string | number;
      };
      /**
       * @description As the body of a proof has it
       * @constant
       */
      statement?: 'own';
      trace?: (string | number)[][];
      /**
       * Format: base64
       * @description own: in place of `trace`, base64 of its elements, column after column, little-endian: 8 bytes each over Goldilocks, 4 over M31
       */
      traceBytes?: string;
      /** @default true */
      zeroKnowledge?: boolean;
    };
    AirCheckResult: {
      /** @description The definition, canonical: `airId` is the SHA-256 of this text */
      air: string;
      airId: string;
      /** @description The first row that does not hold */
      broken?: {
        column?: string;
        constraint?: string;
        message: string;
        /** @description What should have cancelled, or what stands in the cell and what should */
        operands: string[];
        row: number;
      };
      /** @description Of the statement, where one came */
      cost?: {
        memoryBytes: number;
        rows: number;
        /** @description Where it takes more: rows that would be sold, 0 for none; the trace was not looked at */
        rowsThatFit?: number;
        /** @description For each parameter set of its field that offers `friBlowup` */
        security: {
          /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
          conjecturedSecurityBits: number;
          parameterSet: string;
          securityBits: number;
        }[];
        traceLength: number;
        /** @description What the proof takes; one unit is 10 ns on two cores */
        units: number;
        /** @description What is sold at the price of the route */
        unitsMax: number;
      };
      facts: components['schemas']['AirFacts'];
      /** @enum {string} */
      field: 'goldilocks' | 'm31';
      /** @description Whether the trace keeps the definition, where a statement came */
      holds?: boolean;
      publicInputs?: components['schemas']['PublicInputs'];
      /** @description The columns that `trace` is to have, in this order */
      trace: string[];
    };
    /** @description A definition, `air/1` (docs/own-statements.md): its JSON text, or the object. Of two equal members an object keeps one, and a text is refused */
    AirDefinition:
      | string
      | {
          [key: string]: unknown;
        };
    AirFacts: {
      columns: number;
      constraints: number;
      degree: number;
      /** @description No cell is fixed: any trace that keeps the constraints will do */
      fixesNothing: boolean;
      /** @description Columns that may hold any other value in each row */
      freeOfNext: string[];
      /** @description Columns that the prover chooses */
      given: string[];
      /** @description Columns that follow from their own row: `c − f` */
      local: string[];
      nodes: number;
      /** @description Nothing is public but the number of rows */
      showsNothing: boolean;
      /** @description Columns that follow from the row before: `next c − f` */
      stepped: string[];
      /** @description Whether a trace of zeros fulfils it; absent where looking takes too long */
      zeroHolds?: boolean;
    };
    AppliedAuditRule: {
      /** @description Digits after the point that count */
      decimals: number;
      /** @description Whether value ≥ threshold */
      holds: boolean;
      id: string;
      /** @description The rule in words */
      statement: string;
      threshold: string;
      value: string;
    };
    ArenaAward: {
      /** @description What the score is worth: level × score ÷ 100, from 50 points on */
      earnedSats: number;
      /** @enum {string} */
      reason: 'AWARDED' | 'SCORE' | 'NO_PAID_ACCOUNT' | 'SPENT_TOO_LITTLE' | 'BUDGET' | 'PENDING';
      sats: number;
    };
    ArenaChallenge: {
      challengeId: string;
      /** Format: date-time */
      expiresAt: string;
      /** @enum {string} */
      family: 'shortest-path' | 'max-cut' | 'sat' | 'modular-algebra';
      /** @description What is asked, and the form of the answer */
      instruction: string;
      /** Format: date-time */
      issuedAt: string;
      level: number;
      /** @description Time for the answer, milliseconds from issuedAt */
      limitMs: number;
      /** @description All that is needed to answer */
      problem: {
        [key: string]: unknown;
      };
      /** @description SHA-256("svc.arena/v1/commitment" ‖ seed ‖ "family/level"): the grading shows the seed that made the problem */
      seedCommitment: string;
    };
    ArenaChallengeAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      award?: components['schemas']['ArenaAward'];
      challenge?: components['schemas']['ArenaChallenge'];
      /** @description 0 to 100; 0 where nothing was graded */
      cognitiveScore: number;
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      grading?: components['schemas']['ArenaGrading'];
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      satsAwarded: number;
      /** @description SHA-256 of the canonical JSON of grading.auditProof; empty where nothing was graded */
      starkProofHash: string;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
    };
    ArenaGrading: {
      /** @description What the answer attains; null where it is not valid */
      achieved: number | null;
      agentId?: string;
      /** @description SHA-256 of the canonical JSON of the answer */
      answerDigest: string;
      auditProof: components['schemas']['AuditProof'];
      challengeId: string;
      cognitiveScore: number;
      /** @description 1 where the optimum was attained */
      correctness: number;
      /** @description From the issue to the arrival of the answer, by our clock */
      elapsedMs: number;
      /** @enum {string} */
      family: 'shortest-path' | 'max-cut' | 'sat' | 'modular-algebra';
      formula: string;
      /** Format: date-time */
      gradedAt: string;
      level: number;
      limitMs: number;
      /** @description How far the answer comes from one by chance to the optimum */
      optimality: number;
      /** @description What the best answer attains, exactly */
      optimum: number;
      /** @description SHA-256 of the canonical JSON of the problem */
      problemDigest: string;
      reason: string;
      rulesetId: string;
      /** @description What the problem was made of */
      seed: string;
      seedCommitment: string;
      /** @description How much of the time was left; 0 where the answer is not correct */
      time: number;
      /** @description Whether it was an answer to the problem at all */
      valid: boolean;
    };
    ArenaLeader: {
      /** @description Digest of the account that paid: agents with the same one are of one account */
      account: string;
      /** @description A name that the agent gave itself: nobody has checked it */
      agentId: string | null;
      gradings: number;
      /** Format: date-time */
      lastGradedAt: string;
      /** @description Sum of level × score over the best answer of each family and level */
      points: number;
      /** @description Who has as many points shares a rank */
      rank: number;
      /** @description Families and levels whose optimum was attained, of 40 */
      solved: number;
    };
    ArenaLeaders: {
      family: ('shortest-path' | 'max-cut' | 'sat' | 'modular-algebra') | null;
      items: components['schemas']['ArenaLeader'][];
      nextCursor: string | null;
      /** @enum {string} */
      window: 'day' | 'all';
    };
    AuditLeaf: {
      index: number;
      /** @description Siblings from the leaf upwards */
      path: string[];
      salt: string;
    };
    AuditPage: {
      items: components['schemas']['AuditRecord'][];
      nextCursor: string | null;
    };
    AuditProof:
      | components['schemas']['ProvedAuditProof']
      | components['schemas']['SignedAuditProof']
      | components['schemas']['NestedAuditProof'];
    AuditRecord: {
      accountId: string;
      action: string;
      /** @description Keyed digest of the canonical JSON of the arguments: the same for the same account and arguments */
      argumentsDigest: string;
      /** Format: date-time */
      at: string;
      auditId: number;
      keyId: string;
      /** @description DONE, or the code of the refusal */
      outcome: string;
      target?: string;
    };
    Beacon: {
      beaconKey: string;
      /** Format: date-time */
      enrolledAt: string;
      name: string;
    };
    BullionEnrolment: {
      /** Format: date-time */
      enrolledAt: string;
      enrolmentId: string;
      product: components['schemas']['BullionProduct'];
      specimen: string;
      /** @description Recordings that the reference is made of now */
      specimens: number;
    };
    BullionProduct: {
      /** @description Of the alloy, where a table has it */
      conductivityMSm: number | null;
      /** @description Of the alloy */
      densityGcc: number;
      diameterMm: number | null;
      fineness: number;
      massG: number;
      /** @enum {string} */
      metal: 'gold' | 'silver' | 'platinum' | 'palladium';
      modesHz: {
        frequenciesHz: number[];
        n: string;
        uncertaintyPercent: number;
      }[];
      name: string;
      /** @description No reading can exclude every likely fake by theory: a genuine piece must be enrolled first */
      needsEnrolment: boolean;
      /** @description Readings that a genuine piece needs beside ring and mass to pass; null: needsEnrolment */
      passNeeds: ('thickness' | 'specificGravity' | 'conductivity')[] | null;
      productId: string;
      /** @enum {string} */
      reference: 'enrolled' | 'table' | 'physics';
      source: string;
      thicknessMm: number | null;
    };
    BullionProductList: {
      items: components['schemas']['BullionProduct'][];
    };
    BundleRequest: {
      /**
       * @description What it may pay for: ids as `zk.prove`, families as `zk.*`, `*` for all
       * @default [
       *       "*"
       *     ]
       */
      capabilities?: string[];
      /**
       * @description What the calls of the bundle may cost together, and what the bundle costs
       * @default 1000
       */
      sats?: number;
      /**
       * @description How long it is good, from the answer with the invoice on
       * @default 86400
       */
      validSeconds?: number;
    };
    BundleState: {
      /** @description The narrowest budget of the credential */
      budgetSats: number;
      /** @description What the credential may pay for */
      capabilities: string[];
      /**
       * Format: date-time
       * @description When the credential ends
       */
      expiresAt: string;
      /** @description What can still be spent: a budget above it may have less */
      leftSats: number;
      /** @description What was spent of it */
      spentSats: number;
    };
    CardDescription: {
      number: string;
      parallel?: string;
      player: string;
      set: string;
      sport?: string;
      year: number;
    };
    CardSearch: {
      items: components['schemas']['CatalogueCard'][];
    };
    /**
     * @example {
     *       "card": {
     *         "year": 1986,
     *         "set": "Fleer",
     *         "number": "57",
     *         "player": "Michael Jordan"
     *       },
     *       "company": "PSA",
     *       "grade": 9
     *     }
     */
    CardValuationRequest:
      | {
          /**
           * @description Where sales are too few: by the ratio between grades of the same card
           * @default false
           */
          allowRatio?: boolean;
          /**
           * Format: date
           * @description Sales after this day are left out; default today
           */
          asOf?: string;
          card: components['schemas']['CardDescription'];
          /** @enum {string} */
          company: 'PSA' | 'BGS' | 'SGC' | 'CGC' | 'TAG' | 'RAW';
          /**
           * @description Answer a picture of the sales
           * @default false
           */
          distributionSvg?: boolean;
          /** @description Of every company; a card that is RAW has none */
          grade?: number;
          /** @description As on the label: OC, MK, …; BLACK for a black label and PRISTINE for a pristine 10, each a grade of its own */
          qualifier?: string;
        }
      | {
          /**
           * @description Where sales are too few: by the ratio between grades of the same card
           * @default false
           */
          allowRatio?: boolean;
          /**
           * Format: date
           * @description Sales after this day are left out; default today
           */
          asOf?: string;
          cardKey: string;
          /** @enum {string} */
          company: 'PSA' | 'BGS' | 'SGC' | 'CGC' | 'TAG' | 'RAW';
          /**
           * @description Answer a picture of the sales
           * @default false
           */
          distributionSvg?: boolean;
          /** @description Of every company; a card that is RAW has none */
          grade?: number;
          /** @description As on the label: OC, MK, …; BLACK for a black label and PRISTINE for a pristine 10, each a grade of its own */
          qualifier?: string;
        };
    CardValuationResult: {
      /** Format: date */
      asOf: string;
      auditProof: components['schemas']['AuditProof'];
      /** @enum {string} */
      basis: 'comps' | 'ratio';
      card: components['schemas']['CatalogueCard'];
      /** @description False: the answer says nothing that was asked for, and the payment has become credit */
      charged: boolean;
      ci95: [number, number] | null;
      /** @enum {string} */
      company: 'PSA' | 'BGS' | 'SGC' | 'CGC' | 'TAG' | 'RAW';
      /** @description The sales that count, the newest first */
      comps: {
        /** @description Price and fees */
        priceUsd: number;
        saleId: string;
        saleType: string;
        /** Format: date-time */
        soldAt: string;
        url?: string;
        venue: string;
        weight: number;
      }[];
      /** @enum {string} */
      confidence: 'normal' | 'low_confidence' | 'insufficient_comps';
      disclosure: components['schemas']['FieldDisclosure'];
      /** @description Commits to disclosure.root, and to nothing else */
      disclosureProof: components['schemas']['AuditProof'];
      distributionSvg?: string;
      /** @description null for a card that is RAW */
      grade: number | null;
      /** @description The last change of the price at once, by 20 % or more: older sales do not count */
      jump: {
        /**
         * Format: date-time
         * @description The first sale after it
         */
        since: string;
        /** @description Median of the sales after it over that of those before it */
        times: number;
      } | null;
      /** @description What this valuation cannot tell */
      limits: string[];
      /** @description Of the newest 250 sales, wash rings left out */
      liquidity: {
        daysSinceLastSale: number | null;
        /** @description Within the year */
        medianDaysBetweenSales: number | null;
        salesLast30Days: number;
        salesLast90Days: number;
        salesLast365Days: number;
      };
      /**
       * @description synthetic: sales that a generator made, worth nothing but for trying
       * @enum {string}
       */
      market: 'imported' | 'synthetic';
      medianUsd: number | null;
      method: {
        estimator: string;
        halfLifeDays: number;
        /** @enum {string} */
        interval: 'state-space' | 'ratio' | 'none';
        /** @description Coverage that the interval has by its method */
        intervalCoveragePercent: number | null;
        /** @description Scale of a sale’s price about its day’s, percent of log price: by these sales */
        spreadPercent: number | null;
        /** @description What the price moves in a year, one standard deviation, percent of log price: by these sales */
        volatilityPercentAYear: number | null;
      };
      /** @description Sales that count, after rejection */
      n: number;
      nRejected: {
        count: number;
        reason: string;
      }[];
      qualifier: string | null;
      ratio: {
        /** @description Cards that the pairs are of */
        cards: number;
        fromGrade: number;
        /** @description Median of this card in fromGrade */
        fromMedianUsd: number;
        /** @description Same-card pairs of sales within six months */
        pairs: number;
        ratio: number;
      } | null;
      /** @description Root of the batch whose proof covers the rules: auditProof.root */
      starkRoot: string;
      /** @description The median slope of all pairs of sales: what was, not what will be */
      trend: {
        ci95: [number, number];
        /** @description Days that it is read from */
        days: number;
        /** @description Sales that it is read from */
        n: number;
        /** @description Change of the price in 30 days, percent */
        percentPer30Days: number;
      } | null;
      /** @description Sales at one price that is not the others’, in few days: they do not count */
      washRings: {
        /** Format: date-time */
        from: string;
        medianUsd: number;
        sales: number;
        /** @description Its median over that of the sales around it */
        timesOthers: number;
        /** Format: date-time */
        to: string;
      }[];
      windowDays: number;
    };
    CatalogueCard: {
      cardKey: string;
      number: string;
      parallel?: string;
      player: string;
      set: string;
      sport?: string;
      title: string;
      year: number;
    };
    ClaimEscrowRequest: {
      /**
       * @description Without a key: the wallet of the payee. Its account is opened with the claim, and POST /v1/account/recovery makes a key of it for who signs with the wallet
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      address?: string;
    };
    CoiAudit: {
      /** @description As it was answered */
      audit: components['schemas']['CoiVerifyResultReply'];
      /**
       * @description With the overrides
       * @enum {string}
       */
      compliant: 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';
      /** Format: date-time */
      createdAt: string;
      /** @description Oldest first; none is ever changed */
      overrides: components['schemas']['Override'][];
    };
    CoiBatch: {
      /** @description Id of a batch: 128 random bits */
      batchId: string;
      /** Format: date-time */
      cancelledAt?: string;
      /** @description Documents whose price was taken so far */
      chargedCount: number;
      /** @description Documents by status */
      counts: {
        [key: string]: number;
      };
      /** Format: date-time */
      createdAt: string;
      /** @description In the order in which they were sent */
      documents: components['schemas']['CoiBatchDocument'][];
      /**
       * @description ENDED: so have all of its tasks. INTERRUPTED: so have those that there are, and some documents were never taken: the same request under the same Idempotency-Key goes on with them
       * @enum {string}
       */
      status: 'RUNNING' | 'ENDED' | 'INTERRUPTED';
    };
    CoiBatchDocument: {
      auditId?: string;
      /** @description Once it has ended: whether its price was taken */
      charged?: boolean;
      /** @enum {string} */
      compliant?: 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';
      /** @description Its place in `documents`, from 0 */
      index: number;
      /** @description Why there is no audit */
      problem?: {
        /** @enum {string} */
        code:
          | 'MALFORMED_JSON'
          | 'VALIDATION_FAILED'
          | 'CONFLICTING_CREDENTIALS'
          | 'PAYMENT_METHOD_UNSUPPORTED'
          | 'WEBHOOK_INVALID'
          | 'UNKNOWN_CREDENTIAL'
          | 'IDENTITY_UNPROVED'
          | 'TICKET_UNKNOWN'
          | 'PAYMENT_REQUIRED'
          | 'PAYMENT_MALFORMED'
          | 'PAYMENT_INVALID'
          | 'PAYMENT_EXPIRED'
          | 'PAYMENT_INSUFFICIENT'
          | 'BUDGET_EXHAUSTED'
          | 'PAYMENT_BOUND_ELSEWHERE'
          | 'PAY_AT_VERIFY'
          | 'FORBIDDEN'
          | 'NOT_FOUND'
          | 'METHOD_NOT_ALLOWED'
          | 'REQUEST_TIMEOUT'
          | 'PAYMENT_IN_FLIGHT'
          | 'CHECKOUT_UNPAID'
          | 'TICKET_USED'
          | 'STREAM_INDEX_STALE'
          | 'CONFLICT'
          | 'TICKET_EXPIRED'
          | 'EXPIRED'
          | 'PRECONDITION_FAILED'
          | 'BODY_TOO_LARGE'
          | 'URI_TOO_LONG'
          | 'UNSUPPORTED_MEDIA_TYPE'
          | 'MISDIRECTED_REQUEST'
          | 'UNPROCESSABLE'
          | 'RATE_LIMITED'
          | 'QUEUE_FULL'
          | 'HEADERS_TOO_LARGE'
          | 'INTERNAL'
          | 'NOT_YET_AVAILABLE'
          | 'SERVICE_UNAVAILABLE'
          | 'OVERLOADED'
          | 'SETTLEMENT_UNKNOWN'
          | 'TIMEOUT';
        detail: string;
        errors?: {
          /** @description The published bound that was broken */
          bound?: unknown;
          /** @description The value that was sent, shortened */
          got?: unknown;
          message: string;
          /** @description JSON path of the field, `friBlowup` or `items[2].price`; empty for the body */
          path: string;
        }[];
      };
      /**
       * @description Of its task; UNTAKEN where it has none: it was not paid for, or its task was never given to the desk
       * @enum {string}
       */
      status: 'UNTAKEN' | 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      /** @description Its task, at the desk `compliance` */
      taskId?: string;
    };
    CoiBatchRequest: {
      /** @description Each as the body of POST /partnerCoiVerify, and at most 3145728 bytes of JSON */
      documents: components['schemas']['CoiVerifyRequest'][];
    };
    CoiExpiring: {
      items: {
        auditId: string;
        /** @enum {string} */
        compliant: 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';
        /** @description Negative: it has ended */
        daysLeft: number;
        /** Format: date */
        expiresAt: string;
        insured: string | null;
      }[];
      nextCursor: string | null;
    };
    CoiFieldsRequest: {
      /**
       * Format: date
       * @description Day of the audit; default today
       */
      asOf?: string;
      /**
       * @description Texts of the endorsement pages that came with the certificate
       * @default []
       */
      attachments?: string[];
      fields: {
        [key: string]: string;
      };
      /** Format: date */
      projectEnd?: string;
      requirements?: components['schemas']['CoiRequirements'];
      requirementSetId?: string;
    };
    CoiFileRequest: {
      /**
       * Format: date
       * @description Day of the audit; default today
       */
      asOf?: string;
      /** Format: base64 */
      pdfBase64: string;
      /** Format: date */
      projectEnd?: string;
      requirements?: components['schemas']['CoiRequirements'];
      requirementSetId?: string;
    };
    CoiRequirements: {
      automobileLiability?: {
        additionalInsured?: boolean;
        /** @default false */
        anyAutoOrHiredAndNonOwned?: boolean;
        combinedSingleLimitUsd?: number;
        subrogationWaived?: boolean;
      };
      certificateHolder?: string;
      /**
       * @description Forms that must be named, with or without an edition: CG 20 10, CG 20 37 04 13
       * @default []
       */
      endorsements?: string[];
      /** @default 30 */
      expiryWarningDays?: number;
      generalLiability?: {
        additionalInsured?: boolean;
        /** @default false */
        aggregatePerProject?: boolean;
        damageToRentedPremisesUsd?: number;
        eachOccurrenceUsd?: number;
        generalAggregateUsd?: number;
        medicalExpenseUsd?: number;
        /**
         * @description Claims-made does not do
         * @default true
         */
        occurrenceForm?: boolean;
        personalAdvertisingInjuryUsd?: number;
        productsCompletedOperationsUsd?: number;
        subrogationWaived?: boolean;
      };
      name?: string;
      namedInsured?: string;
      /** @default true */
      signature?: boolean;
      umbrella?: {
        aggregateUsd?: number;
        eachOccurrenceUsd?: number;
        /**
         * @description What the primary limits lack may come from the umbrella
         * @default true
         */
        topsUpPrimary?: boolean;
      };
      workersCompensation?: {
        diseaseEachEmployeeUsd?: number;
        diseasePolicyLimitUsd?: number;
        eachAccidentUsd?: number;
        /**
         * @description No proprietor or partner is excluded
         * @default true
         */
        noExclusions?: boolean;
        subrogationWaived?: boolean;
      };
    };
    CoiRequirementsReply: {
      automobileLiability?: {
        additionalInsured?: boolean;
        /** @default false */
        anyAutoOrHiredAndNonOwned: boolean;
        combinedSingleLimitUsd?: number;
        subrogationWaived?: boolean;
      };
      certificateHolder?: string;
      /**
       * @description Forms that must be named, with or without an edition: CG 20 10, CG 20 37 04 13
       * @default []
       */
      endorsements: string[];
      /** @default 30 */
      expiryWarningDays: number;
      generalLiability?: {
        additionalInsured?: boolean;
        /** @default false */
        aggregatePerProject: boolean;
        damageToRentedPremisesUsd?: number;
        eachOccurrenceUsd?: number;
        generalAggregateUsd?: number;
        medicalExpenseUsd?: number;
        /**
         * @description Claims-made does not do
         * @default true
         */
        occurrenceForm: boolean;
        personalAdvertisingInjuryUsd?: number;
        productsCompletedOperationsUsd?: number;
        subrogationWaived?: boolean;
      };
      name?: string;
      namedInsured?: string;
      /** @default true */
      signature: boolean;
      umbrella?: {
        aggregateUsd?: number;
        eachOccurrenceUsd?: number;
        /**
         * @description What the primary limits lack may come from the umbrella
         * @default true
         */
        topsUpPrimary: boolean;
      };
      workersCompensation?: {
        diseaseEachEmployeeUsd?: number;
        diseasePolicyLimitUsd?: number;
        eachAccidentUsd?: number;
        /**
         * @description No proprietor or partner is excluded
         * @default true
         */
        noExclusions: boolean;
        subrogationWaived?: boolean;
      };
    };
    /**
     * @example {
     *       "fields": {
     *         "NamedInsured_FullName": "Test Roofing LLC"
     *       },
     *       "requirementSetId": "electrical"
     *     }
     */
    CoiVerifyRequest: components['schemas']['CoiFileRequest'] | components['schemas']['CoiFieldsRequest'];
    CoiVerifyResult: {
      /** Format: date */
      asOf: string;
      auditId: string;
      auditProof: components['schemas']['AuditProof'];
      /** @description False: the answer says nothing that was asked for, and the payment has become credit */
      charged: boolean;
      /** @enum {string} */
      compliant: 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';
      /** @description Audits that the balance of the key buys; null where no key came along */
      creditsRemaining: number | null;
      deficiencyLetter: string | null;
      disclosure: components['schemas']['FieldDisclosure'];
      /** @description Commits to disclosure.root, and to nothing else */
      disclosureProof: components['schemas']['AuditProof'];
      /** @description Edition that the form names at its foot, `2016/03`; absent where it names none */
      edition?: string;
      /** @description First day on which a policy in it has ended */
      expiresAt: string | null;
      extracted: {
        [key: string]: {
          /** @description Left, top, right, bottom in points from the page’s top left corner */
          box?: [number, number, number, number];
          confidence: number;
          page?: number;
          value: string;
        };
      };
      insured: string | null;
      /** @description What this audit cannot tell */
      limits: string[];
      requirements: components['schemas']['CoiRequirementsReply'];
      requirementSetId: string | null;
      rules: {
        /** @description False for a note: such a warning stops nothing */
        affectsVerdict: boolean;
        confidence: number;
        detail: string;
        evidence?: {
          /** @description Left, top, right, bottom in points from the page’s top left corner */
          box?: [number, number, number, number];
          field: string;
          page?: number;
          value: string;
        };
        id: string;
        /** @enum {string} */
        outcome: 'pass' | 'fail' | 'warn' | 'not_determinable';
        required?: string;
        title: string;
      }[];
      /** @description Root of the batch whose proof covers the rules: auditProof.root */
      starkRoot: string;
      /**
       * @description How the fields were read: form fields, text, recognised characters, or as you sent them
       * @enum {string}
       */
      variant: 'fillable' | 'flattened' | 'scanned' | 'fields';
    };
    CoiVerifyResultReply: {
      /** Format: date */
      asOf: string;
      auditId: string;
      auditProof: components['schemas']['AuditProof'];
      /** @description False: the answer says nothing that was asked for, and the payment has become credit */
      charged: boolean;
      /** @enum {string} */
      compliant: 'COMPLIANT' | 'DEFICIENT' | 'REVIEW';
      /** @description Audits that the balance of the key buys; null where no key came along */
      creditsRemaining: number | null;
      deficiencyLetter: string | null;
      disclosure: components['schemas']['FieldDisclosure'];
      /** @description Commits to disclosure.root, and to nothing else */
      disclosureProof: components['schemas']['AuditProof'];
      /** @description Edition that the form names at its foot, `2016/03`; absent where it names none */
      edition?: string;
      /** @description First day on which a policy in it has ended */
      expiresAt: string | null;
      extracted: {
        [key: string]: {
          /** @description Left, top, right, bottom in points from the page’s top left corner */
          box?: [number, number, number, number];
          confidence: number;
          page?: number;
          value: string;
        };
      };
      insured: string | null;
      /** @description What this audit cannot tell */
      limits: string[];
      requirements: components['schemas']['CoiRequirementsReply'];
      requirementSetId: string | null;
      rules: {
        /** @description False for a note: such a warning stops nothing */
        affectsVerdict: boolean;
        confidence: number;
        detail: string;
        evidence?: {
          /** @description Left, top, right, bottom in points from the page’s top left corner */
          box?: [number, number, number, number];
          field: string;
          page?: number;
          value: string;
        };
        id: string;
        /** @enum {string} */
        outcome: 'pass' | 'fail' | 'warn' | 'not_determinable';
        required?: string;
        title: string;
      }[];
      /** @description Root of the batch whose proof covers the rules: auditProof.root */
      starkRoot: string;
      /**
       * @description How the fields were read: form fields, text, recognised characters, or as you sent them
       * @enum {string}
       */
      variant: 'fillable' | 'flattened' | 'scanned' | 'fields';
    };
    CreateAccountRequest: {
      /** Format: email */
      email?: string;
      /**
       * @default purchased
       * @enum {string}
       */
      kind?: 'purchased' | 'operator';
      /**
       * @default demo
       * @enum {string}
       */
      plan?: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
    };
    CreateEscrowRequest: {
      /**
       * @description US dollars in whole cents as a decimal string, 0.50 to 999999.99
       * @example 12.50
       */
      amountUsd: string;
      description?: string;
      /** @default 168 */
      expiresInHours?: number;
      metadata?: {
        [key: string]: string;
      };
      /** @description Who gets the money at release, as credit: the id of an account here (acct_…), else 422; or a name or an e-mail address, and the first who shows the claimUrl of the answer is the payee. Without one, the account that made the escrow */
      payee?: string;
    };
    CreateKeyRequest: {
      /** @description What the key may spend of the credit: one cap, or one of a day and one in all */
      cap?: components['schemas']['KeyCap'] | components['schemas']['KeyCap'][];
      /**
       * Format: date-time
       * @description When the key ends
       */
      expiresAt?: string;
      /** @description A name of your own for the key */
      label?: string;
      /** @description Called, signed, each time that less is left for the key */
      notify?: {
        belowUsd: string;
        /** @description A public address, by https */
        url: string;
      };
      /** @description What the key may pay for: ids as `zk.prove`, families as `zk.*`; all where absent */
      operations?: string[];
    };
    CreatePurchaseLinkAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      checkoutUrl: string;
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      fulfillment: string;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      processorAccount: string;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
    };
    CreditGrant: {
      accountId: string;
      amountMicroUsd: number;
      /** @description Of the account, now */
      balanceMicroUsd: number;
      /** Format: date-time */
      grantedAt: string;
      /** Format: uuid */
      grantId: string;
      reason: string;
    };
    CreditPackRequest: {
      /**
       * Format: email
       * @description Contact address for the receipt
       */
      customerEmail?: string;
      /**
       * @default pack_10
       * @enum {string}
       */
      packId?: 'pack_10' | 'pack_50' | 'pack_250';
    };
    CreditPackResult: {
      /** Format: uri */
      checkoutUrl: string;
      /** @description Certificate audits that the pack buys */
      credits: number;
      /** @enum {string} */
      packId: 'pack_10' | 'pack_50' | 'pack_250';
      sessionId: string;
    };
    DemodulateRequest: {
      /**
       * @description Symbols a second
       * @default 150
       * @enum {integer}
       */
      baud?: 50 | 75 | 100 | 150 | 300;
      /** @description To 18,900 the space, with the mark 600 Hz above; to 19,200 the space, with the mark 300 Hz above; beyond the mark, with the space 600 Hz below. Of ultrasonic_19khz alone; 18,600 where it is not said */
      carrierHz?: number;
      /**
       * @description ultrasonic_19khz: both tones from 18.6 to 19.5 kHz, as carrierHz says; audible_fsk: 1.8 and 2.4 kHz
       * @default ultrasonic_19khz
       * @enum {string}
       */
      frequencyBand?: 'ultrasonic_19khz' | 'audible_fsk';
      /**
       * @description frame: chirp, pilot, header, interleaved words, CRC-32. async8n1: the coded bytes with start and stop bits, as any FSK modem reads them
       * @default frame
       * @enum {string}
       */
      lineCode?: 'frame' | 'async8n1';
      /**
       * @description robust sends the frame twice, on other tones the second time
       * @default standard
       * @enum {string}
       */
      profile?: 'standard' | 'robust';
      /**
       * Format: base64
       * @description WAV file, base64: PCM of 16, 24 or 32 bits or float, one or two channels, 8 to 192 kHz, at most 60 s
       */
      recordingBase64: string;
    };
    DemodulateResult: {
      auditProof: components['schemas']['AuditProof'];
      correctedWords?: number;
      crcValid?: boolean;
      decoded: boolean;
      doesNotProve: string;
      durationSeconds: number;
      /** @description Every packet of the recording, in order */
      packets: {
        codewords: number;
        /** @description Words with one wrong bit before decoding */
        correctedWords: number;
        /** @description Of lineCode frame */
        crcValid?: boolean;
        /** @description Words with two */
        doubleErrorWords: number;
        payloadHex: string;
        quality: {
          /** @description 10·log10 of the error rate of an uncoded bit at that Es/N0; not below -90 */
          berNoiseFloorDb: number;
          /** @description The same of a bit of the payload: everything sent counted */
          ebN0Db: number;
          /** @description Energy of a symbol by the density of the noise */
          esN0Db: number;
          /** @description Clock drift and motion together: how far time is scaled */
          frequencyOffsetPpm: number;
          /** @description Power of the tones by that of the noise in the band of the packet */
          snrDb: number;
        };
        /** @description Worst word: 0 clean, 8 + position corrected, 1 to 7 double error */
        secdedSyndrome: number;
        /** @description Where its frame begins in the recording */
        startSeconds: number;
      }[];
      /** @description Of the first packet */
      payloadHex?: string;
      /** @constant */
      proves: 'commitment';
      quality?: {
        /** @description 10·log10 of the error rate of an uncoded bit at that Es/N0; not below -90 */
        berNoiseFloorDb: number;
        /** @description The same of a bit of the payload: everything sent counted */
        ebN0Db: number;
        /** @description Energy of a symbol by the density of the noise */
        esN0Db: number;
        /** @description Clock drift and motion together: how far time is scaled */
        frequencyOffsetPpm: number;
        /** @description Power of the tones by that of the noise in the band of the packet */
        snrDb: number;
      };
      /** @description Where not: NO_SYNC, HEADER_UNREADABLE, CRC_MISMATCH, CUT_OFF; of async8n1 NO_CARRIER, WORDS_UNREADABLE */
      reason?: string;
      /** @description Of the recording */
      sampleRate: number;
    };
    Department: {
      capabilities: string[];
      /** @enum {string} */
      deptId:
        | 'proofs'
        | 'neuro'
        | 'acoustics'
        | 'mesh'
        | 'payments'
        | 'compliance'
        | 'valuation'
        | 'authentication'
        | 'parcels'
        | 'licensing';
      description: string;
      inputSchemas: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      name: string;
      /** @description Price by capability */
      priceUsd: {
        [key: string]: string;
      };
      sla: {
        /** @description Measured from submission to end, of the newest tasks */
        latencyMsP95: number;
        /** @description Tasks that may wait, of one caller as many as places are free; beyond it: QUEUE_FULL */
        queueMax: number;
        /** @description Why there is no figure, where it is 0 */
        reason?: string;
        /** @description Tasks that the figure is of */
        samples: number;
      };
      /** @enum {string} */
      status: 'ONLINE' | 'OFFLINE';
    };
    DepartmentList: {
      departments: components['schemas']['Department'][];
    };
    DidDocument: {
      '@context': string[];
      assertionMethod: string[];
      /** @description `did:web:` and the host, a port after `%3A` */
      id: string;
      verificationMethod: {
        controller: string;
        /** @description The `kid` of what the key has signed */
        id: string;
        publicKeyJwk: {
          crv: string;
          kty: string;
          x: string;
        };
        type: string;
      }[];
    };
    /**
     * @example {
     *       "name": "lobby speaker"
     *     }
     */
    EnrolBeaconRequest: {
      name: string;
    };
    EnrolBullionRequest: {
      diameterMm?: number;
      fineness?: number;
      massG?: number;
      /** @enum {string} */
      metal?: 'gold' | 'silver' | 'platinum' | 'palladium';
      /** @description Of a product that is not in the table */
      name?: string;
      productId: string;
      /** Format: base64 */
      recordingBase64: string;
      /** @description Which piece was recorded */
      specimen: string;
      thicknessMm?: number;
    };
    EnrolledBeacon: {
      beaconKey: string;
      /** @description Shown once: the emitter fetches its sounds with it */
      emitterSecret: string;
      /** Format: date-time */
      enrolledAt: string;
      name: string;
    };
    EnrolmentFile: {
      enrolments: {
        /** Format: date-time */
        enrolledAt: string;
        massG: number | null;
        peaks: {
          frequencyHz: number;
          /** @description Under the strongest */
          levelDb: number;
          q: number | null;
          /** @description Over the noise around it */
          snrDb: number;
          splitHz: number | null;
          uncertaintyHz: number;
        }[];
        recordingSha256: string;
        specimen: string;
      }[];
      /** @constant */
      format: 'svc-bullion-enrolments/v1';
      product: {
        diameterMm: number;
        fineness: number;
        massG: number;
        /** @enum {string} */
        metal: 'gold' | 'silver' | 'platinum' | 'palladium';
        name: string;
        productId: string;
        thicknessMm: number | null;
      };
    };
    EscrowClaim: {
      amountUsd: string;
      description?: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description Id of an escrow */
      intentId: string;
      /** @description Whether it has its payee */
      isClaimed: boolean;
      /** @description Whom it is meant for, in the words of who made it */
      payee?: string;
      /**
       * @description RELEASED: the payee has got releasedUsd as credit. COLLECTED: the account that made the escrow has, being its own payee. REFUNDED: all of it went back to the payer later, by a refund or a dispute
       * @enum {string}
       */
      state: 'REQUIRES_PAYMENT' | 'HELD' | 'RELEASED' | 'COLLECTED' | 'REFUNDED' | 'CANCELLED' | 'EXPIRED';
    };
    EscrowIntent: {
      /**
       * Format: date-time
       * @description When the payee accepted or claimed it
       */
      acceptedAt?: string;
      amountUsd: string;
      /** @description Of the answer that makes an escrow for a payee without an account, and never shown otherwise: its holder can become the payee, so send it to the payee alone */
      claimUrl?: string;
      /** @description For the payer to confirm the payment with, while the escrow asks for one */
      clientSecret?: string;
      /** Format: date-time */
      createdAt: string;
      description?: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description Id of an escrow */
      intentId: string;
      metadata?: {
        [key: string]: string;
      };
      payee?: string;
      /** @description The account that gets the money; absent until a payee has claimed it */
      payeeAccountId?: string;
      /** @description Of the payment at the card processor, pi_… */
      reference: string;
      /** @description Of releasedUsd, what went back to the payer later by a refund or a dispute */
      refundedUsd?: string;
      releasedUsd: string;
      /**
       * @description Of the account that asks; one that is its own payee is the creator
       * @enum {string}
       */
      role: 'creator' | 'payee';
      /**
       * @description RELEASED: the payee has got releasedUsd as credit. COLLECTED: the account that made the escrow has, being its own payee. REFUNDED: all of it went back to the payer later, by a refund or a dispute
       * @enum {string}
       */
      state: 'REQUIRES_PAYMENT' | 'HELD' | 'RELEASED' | 'COLLECTED' | 'REFUNDED' | 'CANCELLED' | 'EXPIRED';
    };
    EscrowList: {
      items: components['schemas']['EscrowIntent'][];
      nextCursor: string | null;
    };
    EvaluateSpatialParcelFepAnswer: {
      /** @description 99 % point, nats a sample */
      adaptingUpTo?: number;
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description HOMEOSTATIC below 0.022; ADAPTING up to adaptingUpTo, which the model itself exceeds once in a hundred; beyond, DIVERGENT */
      homeostaticStatus: string;
      /** @description Of the contour under the model, nats */
      negLogEvidence?: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Elevations in metres, one a sample */
      optimalTrajectory: number[];
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      /** @description What the free energy is divided by */
      samples?: number;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      /** @description Nats a sample; 1/2 is expected of the model itself */
      variationalFreeEnergy: number;
    };
    /** @description The inputs of the ticket's tool */
    ExecuteRequest: {
      executionTicket?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The outputs of the ticket's tool */
    ExecuteResult: {
      auditProof?: components['schemas']['AuditProof'];
      checkpoint?: components['schemas']['WalCheckpoint'];
      /**
       * Format: uuid
       * @description Id of a saga
       */
      sagaId: string;
      /** @description Root of the STARK that was issued: of the tool, else of its audit proof */
      starkRoot?: string;
      /** @enum {string} */
      status: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'STUCK';
    } & {
      [key: string]: unknown;
    };
    ExtractPufRequest: {
      /**
       * @description Keep the fingerprint: needs an account key
       * @default false
       */
      enroll?: boolean;
      /**
       * Format: base64
       * @description PNG, JPEG, WebP or TIFF of one page, base64; at most 16 megapixels (2^24)
       */
      imageBase64: string;
      /** @enum {string} */
      modality: 'laser_speckle' | 'paper_texture' | 'surface_texture';
      roi?: components['schemas']['RegionOfInterest'];
      /** @description The owner’s name of the piece; the first account that enrols it keeps it */
      slabId?: string;
    };
    ExtractPufResult: {
      auditProof: components['schemas']['AuditProof'];
      bits: number;
      doesNotProve: string;
      /** @description The bits, the first in the highest place of the first byte */
      fingerprintHex: string;
      /** @description Of enrolment, base64: public, and bound to the key */
      helperData?: string;
      /** @description SHA-256 of the key of the surface, hex */
      keyCommitment?: string;
      /** @description 1 where a bit is usable */
      maskHex: string;
      /** @constant */
      proves: 'commitment';
      pufId?: string;
      quality: {
        /** @description Standard deviation by mean of the intensity */
        contrast: number;
        /** @description How much of what is read comes again and again, 0 to 1: weave, brush marks, ruled lines */
        regularity: number;
        saturatedPct: number;
        /** @description Width of the autocorrelation at half its height */
        speckleSizePx: number;
        /** @description Power of what is read by that at the finest frequencies: about 1 of noise alone, below 8 too little to enrol. Earlier enrolments lack it */
        structureToNoise?: number;
      };
      /** @description What of the key the helper data leaves unknown: an estimate from the degrees of freedom, no min-entropy */
      residualEntropyBits?: number;
      usableBits: number;
      /** @description Of enrolment: whoever is given it may ask whether a piece is this one. It ends when the slab is enrolled anew */
      verificationToken?: string;
    };
    FieldDisclosure: {
      /** @description In the order of the leaves */
      fields: {
        path: string;
        salt: string;
      }[];
      /** @description The call that was answered */
      operationId: string;
      /** @description Merkle root (RFC 6962) over the salted fields, 0x hex */
      root: string;
      /** @constant */
      version: 1;
    };
    GatewayIndex: {
      /** @constant */
      apiVersion: '2026.4.2';
      creditPacks: {
        audits: number;
        packId: string;
        priceUsd: string;
      }[];
      description: string;
      endpoints: {
        /** @enum {string} */
        access: 'free' | 'quota' | 'paid' | 'key' | 'admin';
        /** @description True: every route that is published is in service */
        available: boolean;
        method: string;
        operationId: string;
        path: string;
        priceSats?: number;
        priceUsd?: string;
        summary: string;
      }[];
      links: {
        [key: string]: string;
      };
      name: string;
      plans: {
        description: string;
        name: string;
        planId: string;
        priceUsdPerMonth: string;
        requestsPerMonth: number | null;
      }[];
      /** @constant */
      version: '3.2.0';
    };
    GenerateGoldilocksStarkProofAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description Measured in this call: proving and verifying */
      executionTimeMs: number;
      fieldPrimeHex: string;
      friQueryProofBytes: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      paymentReceipt: string;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      securityLevelBits: number;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      starkRootCommitment: string;
      verified: boolean;
    };
    GetProductCatalogAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      catalog: (
        | {
            /** @description The tool or the route that sells it */
            buyWith: string;
            description: string;
            /** @constant */
            kind: 'plan';
            name: string;
            priceUsdPerMonth: string;
            /** @description Unique within the catalogue */
            productId: string;
            /** @description Null: without end */
            requestsPerMonth: number | null;
          }
        | {
            /** @description The tool or the route that sells it */
            buyWith: string;
            /** @constant */
            kind: 'subscription';
            /** @description The licence that comes with it */
            licence: {
              features: string[];
              seats: number;
            } | null;
            name: string;
            /** @description The plan that it begins */
            plan: string;
            priceUsdPerMonth: string;
            /** @description Unique within the catalogue */
            productId: string;
            /** @description Null: without end */
            requestsPerMonth: number | null;
          }
        | {
            /** @description The tool or the route that sells it */
            buyWith: string;
            features?: string[];
            /**
             * @description A licence key, or a machine-to-machine licence
             * @enum {string}
             */
            form: 'sam1' | 'm2m';
            /** @constant */
            kind: 'licence';
            metered?: boolean;
            nodesMax?: number;
            /** @description Whether the price is one of each month */
            perMonth: boolean;
            /** @description US dollars */
            priceUsd: string;
            /** @description Unique within the catalogue */
            productId: string;
            seats?: number;
            sublicense?: boolean;
            tier: string;
            /** @description Null: without end */
            validDays?: number | null;
          }
        | {
            /** @description Certificate audits that it pays for */
            audits: number;
            /** @description The tool or the route that sells it */
            buyWith: string;
            /** @constant */
            kind: 'pack';
            /** @description US dollars */
            priceUsd: string;
            /** @description Unique within the catalogue */
            productId: string;
          }
        | {
            /** @description True: every tool that is listed is sold here; whether its services answer now is said by `tools/list` of MCP */
            available: boolean;
            /** @description The tool or the route that sells it */
            buyWith: string;
            description: string;
            /** @constant */
            kind: 'tool';
            /** @description Satoshis */
            priceSats: number;
            /** @description US dollars */
            priceUsd: string;
            /** @description Unique within the catalogue */
            productId: string;
            tool: string;
          }
        | {
            /** @description True: every route that is listed is sold here */
            available: boolean;
            /** @description The tool or the route that sells it */
            buyWith: string;
            /** @enum {string} */
            charged: 'always' | 'over-quota';
            description: string;
            /** @constant */
            kind: 'call';
            /** @description Satoshis */
            priceSats: number;
            /** @description US dollars */
            priceUsd: string;
            /** @description Unique within the catalogue */
            productId: string;
          }
      )[];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
    };
    GrantCreditRequest: {
      amountMicroUsd: number;
      reason: string;
    };
    HealthReport: {
      /** @description Services that answer and are ready */
      domainsOnline: number;
      fepSurprisal: number;
      /** Format: date-time */
      measuredAt: string;
      measurements: {
        [key: string]: {
          /** Format: date-time */
          measuredAt?: string;
          /** @description Why the value is 0 when there are no samples */
          reason?: string;
          samples: number;
          value: number;
        };
      };
      proverLatencyMs: number;
      /** @description Payment rails that can settle now */
      rails: string[];
      services: {
        instanceId?: string;
        /** Format: date-time */
        lastSeenAt?: string;
        /** @enum {string} */
        name: 'gateway' | 'prover' | 'snn' | 'acoustic' | 'mesh-signalling' | 'payments' | 'department';
        /** @description It answers */
        online: boolean;
        /** @description What it needs, its database above all, was there at its last answer */
        ready?: boolean;
      }[];
      snnFramerateFps: number;
      /** @enum {string} */
      status: 'OPERATIONAL' | 'DEGRADED';
      /** Format: date-time */
      timestamp: string;
      version: string;
    };
    IceServer: {
      credential?: string;
      urls: string[];
      username?: string;
    };
    ImportedEnrolments: {
      added: number;
      /** @description Recordings that were enrolled already */
      known: number;
      product: components['schemas']['BullionProduct'];
    };
    ImportSalesCsv: {
      csv: string;
      /**
       * @description Say what would become of the rows, and keep nothing
       * @default false
       */
      dryRun?: boolean;
    };
    ImportSalesRequest: components['schemas']['ImportSalesRows'] | components['schemas']['ImportSalesCsv'];
    ImportSalesRows: {
      /**
       * @description Say what would become of the rows, and keep nothing
       * @default false
       */
      dryRun?: boolean;
      sales: {
        [key: string]: unknown;
      }[];
    };
    InboxEvent:
      | {
          /**
           * Format: date-time
           * @description An answer after that comes too late
           */
          expiresAt: string;
          iceServers: components['schemas']['IceServer'][];
          peerProof: components['schemas']['PeerProof'];
          sdpOffer: string;
          /** @description Id of a signalling session: 128 random bits */
          sessionId: string;
          /** @constant */
          type: 'offer';
        }
      | {
          candidates: string[];
          /** @description Id of a signalling session: 128 random bits */
          sessionId: string;
          /** @constant */
          type: 'candidates';
        }
      | {
          reason: string;
          /** @description Id of a signalling session: 128 random bits */
          sessionId: string;
          /** @constant */
          type: 'closed';
        };
    InnerAuditPlace: {
      /** @description Answers of the inner tree */
      count: number;
      index: number;
      /** @description Siblings from the leaf upwards */
      path: string[];
      salt: string;
    };
    IssueKeyRequest: {
      label?: string;
      /**
       * @description Only those of the key that asks, and only for an operator’s account
       * @default []
       */
      scopes?: (
        | 'leads:read'
        | 'leads:pii'
        | 'leads:write'
        | 'admin:accounts'
        | 'admin:keys'
        | 'admin:licences'
        | 'admin:spot'
        | 'admin:bullion'
        | 'admin:sales'
        | 'admin:mesh'
        | 'admin:ledger'
        | 'admin:refunds'
        | 'admin:audit'
      )[];
    };
    JsonRpcMessage: {
      id?: string | number;
      /** @constant */
      jsonrpc: '2.0';
      method?: string;
    } & {
      [key: string]: unknown;
    };
    JsonRpcRefusal: {
      error: {
        code: number;
        data?: {
          [key: string]: unknown;
        };
        message: string;
      };
      id: string | number | null;
      /** @constant */
      jsonrpc: '2.0';
    };
    KeyCap: {
      /**
       * @description Of a day in UTC, or of all that the key ever spends
       * @default total
       * @enum {string}
       */
      per?: 'day' | 'total';
      /** @description Decimal dollars, more than 0 and at most 1,000,000 */
      usd: string;
    };
    Lead: {
      accountId?: string;
      /** Format: date-time */
      createdAt: string;
      detail: {
        [key: string]: unknown;
      };
      /** @description Masked without the scope leads:pii */
      email: string;
      /** Format: date-time */
      lastSeenAt: string;
      leadId: string;
      /** @description How often the address came from this source */
      seenCount: number;
      /** @enum {string} */
      source: 'checkout' | 'purchase-link';
      /** @enum {string} */
      status: 'new' | 'contacted' | 'won' | 'lost';
    };
    LeadChange: {
      /** @enum {string} */
      status: 'new' | 'contacted' | 'won' | 'lost';
    };
    LeadPage: {
      items: components['schemas']['Lead'][];
      nextCursor: string | null;
    };
    LicencesSet: {
      accountId: string;
      /** @enum {string} */
      state: 'active' | 'suspended' | 'revoked';
    };
    LicenceVerdict: {
      /** Format: date-time */
      checkedAt: string;
      /** @enum {string} */
      code: 'VALID' | 'EXPIRED' | 'REVOKED' | 'SUSPENDED' | 'MALFORMED' | 'BAD_SIGNATURE' | 'UNKNOWN';
      expiresAt: string | null;
      features: string[];
      keyId: string | null;
      licenseId: string | null;
      tier: string | null;
      valid: boolean;
    };
    LightningRefund: {
      /** @description Why it is not done */
      detail?: string;
      microUsd: number;
      /** @description Of the invoice that is paid, or was */
      paymentHash: string;
      /** Format: uuid */
      refundId: string;
      sats: number;
      /** @enum {string} */
      state: 'requested' | 'sent' | 'done' | 'refused' | 'unknown';
    };
    LightningRefundRequest: {
      /** @description BOLT 11, over exactly the amount of the refund, payable for a minute at least */
      invoice: string;
    };
    LikelyFake: {
      /** @description What excludes it, each at least one form of it */
      excludedBy: ('ring' | 'decay' | 'thickness' | 'specificGravity' | 'conductivity' | 'magnet')[];
      /** @description The form that explains all readings as well as the genuine piece; null where none does */
      fits: {
        /** @description Least and most that such a core takes of the thickness; 1 is plated */
        coreShare: number[];
        /** @description Further readings, each of which would exclude it */
        excludableBy: ('ring' | 'decay' | 'thickness' | 'specificGravity' | 'conductivity' | 'magnet')[];
        /** @description Than the genuine piece, of the largest core */
        thickerPercent: number;
      } | null;
      metal: string;
    };
    Liveness: {
      /** @constant */
      status: 'ok';
    };
    M2mLicenseContractAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      contractId: string;
      /** @description Measured: from the first record of the log to the last */
      executionTimeMs: number;
      m2mLicenseToken: string;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      sagaName: string;
      settlementTreasury: string;
      starkExecutionProof: string;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      status: string;
      walCount: number;
      walEvents: components['schemas']['WalEvent'][];
      walHash: string;
    };
    MeshAnswerRequest: {
      /** @description 16 random bytes; each serves once */
      nonce: string;
      /** @description 32 bytes: Ed25519; 33 or 65: secp256k1 */
      peerPublicKey: string;
      sdpAnswer: string;
      /** @description Of the peer over the text of docs/mesh.md: Ed25519, or ECDSA of SHA-256 (64 bytes, or DER) */
      signature: string;
      /** @description Unix milliseconds, within 60 s */
      timestamp: number;
    };
    MeshDocumentReset: {
      /** Format: date-time */
      begunAt: string;
      bytes: number;
      /** @description Of the document, encoded */
      bytesBefore: number;
      /** @description 64 hexadecimal digits, as sync_mesh_crdt has it */
      crdtStateHash: string;
      /** @description How often the document was begun anew, with this time */
      epoch: number;
      /** @description Client ids that write no more */
      writers: number;
    };
    MeshSession: {
      answerSignature?: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description Of the answer, and trickled by its side since */
      iceCandidates: string[];
      /** @enum {string} */
      identity: 'verified' | 'unverified';
      /** @enum {string} */
      kind: 'super_peer' | 'brokered';
      /** @description Trickled by the side of the offer */
      offerCandidates: string[];
      peerProof?: components['schemas']['PeerProof'];
      /** @description Why it is closed or expired */
      reason?: string;
      sdpAnswer?: string;
      servicePublicKey?: string;
      /** @description Id of a signalling session: 128 random bits */
      sessionId: string;
      /**
       * @description connected: the channels to the service are open. Of a brokered session the service does not learn that: answered is the last it sees
       * @enum {string}
       */
      state: 'waiting' | 'answered' | 'connected' | 'closed' | 'expired';
    };
    /**
     * @example {
     *       "payloadHex": "0x48656c6c6f",
     *       "carrierHz": 18600
     *     }
     */
    ModulateRequest: {
      /**
       * @description Symbols a second
       * @default 150
       * @enum {integer}
       */
      baud?: 50 | 75 | 100 | 150 | 300;
      /**
       * @description To 18,900 the space, with the mark 600 Hz above; to 19,200 the space, with the mark 300 Hz above; beyond the mark, with the space 600 Hz below. Of ultrasonic_19khz alone; 18,600 where it is not said
       * @default 18600
       */
      carrierHz?: number;
      /**
       * @description ultrasonic_19khz: both tones from 18.6 to 19.5 kHz, as carrierHz says; audible_fsk: 1.8 and 2.4 kHz
       * @default ultrasonic_19khz
       * @enum {string}
       */
      frequencyBand?: 'ultrasonic_19khz' | 'audible_fsk';
      /**
       * @description Put the audio into the answer as wavBase64, where it lasts 60 s at the most. With Accept: audio/wav the answer is the audio
       * @default false
       */
      includeWav?: boolean;
      /**
       * @description frame: chirp, pilot, header, interleaved words, CRC-32. async8n1: the coded bytes with start and stop bits, as any FSK modem reads them
       * @default frame
       * @enum {string}
       */
      lineCode?: 'frame' | 'async8n1';
      /**
       * @description 1 to 4096 bytes, hexadecimal, 0x before them or not
       * @example 0x48656c6c6f
       */
      payloadHex: string;
      /**
       * @description robust sends the frame twice, on other tones the second time
       * @default standard
       * @enum {string}
       */
      profile?: 'standard' | 'robust';
    };
    ModulateResult: {
      auditProof: components['schemas']['AuditProof'];
      baud: number;
      /** @description [8,4,4] words of payload and CRC, of one copy */
      codewords: number;
      doesNotProve: string;
      durationSeconds: number;
      /** @description Bits on the air, of one copy: pilot, header, words and CRC */
      frameBits: number;
      markHz: number;
      /** @constant */
      proves: 'commitment';
      sampleRate: number;
      /** @description Digest of the WAV file, hex */
      sha256: string;
      spaceHz: number;
      wavBase64?: string;
    };
    NestedAuditProof: {
      airId: string;
      /** @description One sentence: what this evidence says nothing about */
      doesNotProve: string;
      /** @description When the signature ends */
      expiresAt: string;
      inner: components['schemas']['InnerAuditPlace'];
      /** @description Key in /.well-known/svc-proof-keys.json */
      keyId: string;
      /** @description Leaves of the batch */
      leafCount: number;
      /** @description The leaf that stands for the inner tree */
      leaves: components['schemas']['AuditLeaf'][];
      /** @description Proof that covers the root: /v1/stark/proofs/:proofId */
      proofId: string;
      /**
       * @description The computation, the rules applied to it, or that the answer cannot be changed later
       * @enum {string}
       */
      proves: 'commitment' | 'rules' | 'computation';
      /** @description SHA-256 of the canonical (JCS) request, 0x hex */
      requestDigest: string;
      /** @description SHA-256 of the canonical (JCS) result without its auditProof, 0x hex */
      resultDigest: string;
      /** @description Merkle root of the batch */
      root: string;
      rules: components['schemas']['AppliedAuditRule'][];
      rulesetId: string;
      /** @description ML-DSA-65 signature over the proof of the root, or over the root where it has none; base64 */
      signature: string;
      /** @constant */
      version: 3;
    };
    NewAccountKey: {
      /** @description What it may spend */
      caps?: {
        capMicroUsd: number;
        /** @enum {string} */
        per: 'day' | 'total';
        /**
         * Format: date-time
         * @description When the day ends
         */
        resetsAt?: string;
        spentMicroUsd: number;
      }[];
      /**
       * Format: date-time
       * @description When it expires
       */
      endsAt?: string;
      /** @description The whole key: shown here and never again */
      key: string;
      keyId: string;
      label?: string;
      /** @description What it may pay for */
      operations?: string[];
      /** @description The key that was rotated, and when it stops */
      replaces?: {
        /** Format: date-time */
        endsAt: string;
        keyId: string;
      };
    };
    Override: {
      /** Format: date-time */
      at: string;
      by: string;
      /** @enum {string} */
      from: 'pass' | 'fail' | 'warn' | 'not_determinable';
      keyId: string;
      /** @enum {string} */
      outcome: 'pass' | 'fail';
      overrideId: string;
      reason: string;
      ruleId: string;
    };
    OverrideRequest: {
      /** @description Who answers for it */
      by: string;
      /** @enum {string} */
      outcome: 'pass' | 'fail';
      reason: string;
      ruleId: string;
    };
    PairingResult: {
      /** @enum {string} */
      assurance: 'beacon' | 'recording_submitted';
      auditProof: components['schemas']['AuditProof'];
      berNoiseFloorDb: number;
      correctedWords: number;
      doesNotProve: string;
      doubleErrorWords: number;
      /** @description pair1.<base64url of the claims>.<base64url of the Ed25519 signature over the text before it>; the keys: /.well-known/svc-pairing-keys.json */
      pairingToken: string;
      /** @constant */
      proves: 'commitment';
      /** @description Worst word: 0 clean, 8 + position corrected, 1 to 7 double error */
      secdedSyndrome: number;
      snrDb: number;
      /** @description Unix milliseconds */
      validUntil: number;
    };
    PaymentChallenge: {
      /** @description The same value as X-402-Challenge */
      challengeToken: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description BOLT11 invoice */
      invoice?: string;
      priceSats: number;
      priceUsd: string;
      rails: string[];
    } & {
      [key: string]: unknown;
    };
    PaymentInFlight: {
      /** @description The job that holds the payment, where it was asked for with `Prefer: respond-async`; as `Location` */
      jobId?: string;
    };
    /** @description The parts of the signed text beside the description itself */
    PeerProof: {
      method: string;
      /** @description 16 random bytes; each serves once */
      nonce: string;
      path: string;
      /** @description Lower-case hex, without 0x; secp256k1 compressed */
      peerPublicKey: string;
      /** @description Of the peer over the text of docs/mesh.md: Ed25519, or ECDSA of SHA-256 (64 bytes, or DER) */
      signature: string;
      /** @description The key that it was signed for */
      target?: string;
      /** @description Unix milliseconds, within 60 s */
      timestamp: number;
    };
    PqVerifyRequest: {
      air?: components['schemas']['AirDefinition'];
      /** @example hash-chain/v1 */
      airId: string;
      /** @default svc/stark-root/v1 */
      context?: string;
      /** @description Domain tag the proof was made under */
      contextDomain?: string;
      /**
       * Format: date-time
       * @description When the signature ends: part of what is signed
       */
      expiresAt: string;
      /** @description One of the published keys, in place of publicKey */
      keyId?: string;
      policy?: components['schemas']['VerifyPolicy'];
      /**
       * Format: base64
       * @description The proof, base64
       */
      proof: string;
      publicInputs: components['schemas']['PublicInputs'];
      /** @description ML-DSA-65 public key, base64 or, as keys are published, base64url */
      publicKey?: string;
      /**
       * Format: base64
       * @description ML-DSA-65 signature, base64
       */
      signature: string;
    };
    PqVerifyResult: {
      proof: components['schemas']['VerifyProofResult'];
      reason?: string;
      signature: {
        keyId?: string;
        reason?: string;
        valid: boolean;
      };
      valid: boolean;
    };
    PrepayConfirmation: {
      accountId: string;
      /** @description Shown once, to whoever completes the checkout */
      apiKey?: string;
      balanceMicroUsd: number;
      /** @description Balance in audits */
      credits: number;
      creditsAdded: number;
      /**
       * Format: date-time
       * @description When the key was shown, where it was
       */
      keyShownAt?: string;
      /** @description Shown once, beside the key */
      licenseKey?: string;
      /** @enum {string} */
      packId?: 'pack_10' | 'pack_50' | 'pack_250';
      sessionId: string;
      /** @constant */
      status: 'FULFILLED';
      /** @enum {string} */
      tier?: 'developer_sdk' | 'enterprise_sam' | 'bullion_pro_trader';
    };
    ProblemDetails: {
      /**
       * @description `no`: nothing was taken for this request, or it has gone back to the account that paid. `yes`: a payment was taken and is kept: the same credential still buys the answer, or its amount lies on `creditKey`. `unknown`: ask again with the same credential, and do not pay again.
       * @enum {string}
       */
      charged: 'no' | 'yes' | 'unknown';
      /** @enum {string} */
      code:
        | 'MALFORMED_JSON'
        | 'VALIDATION_FAILED'
        | 'CONFLICTING_CREDENTIALS'
        | 'PAYMENT_METHOD_UNSUPPORTED'
        | 'WEBHOOK_INVALID'
        | 'UNKNOWN_CREDENTIAL'
        | 'IDENTITY_UNPROVED'
        | 'TICKET_UNKNOWN'
        | 'PAYMENT_REQUIRED'
        | 'PAYMENT_MALFORMED'
        | 'PAYMENT_INVALID'
        | 'PAYMENT_EXPIRED'
        | 'PAYMENT_INSUFFICIENT'
        | 'BUDGET_EXHAUSTED'
        | 'PAYMENT_BOUND_ELSEWHERE'
        | 'PAY_AT_VERIFY'
        | 'FORBIDDEN'
        | 'NOT_FOUND'
        | 'METHOD_NOT_ALLOWED'
        | 'REQUEST_TIMEOUT'
        | 'PAYMENT_IN_FLIGHT'
        | 'CHECKOUT_UNPAID'
        | 'TICKET_USED'
        | 'STREAM_INDEX_STALE'
        | 'CONFLICT'
        | 'TICKET_EXPIRED'
        | 'EXPIRED'
        | 'PRECONDITION_FAILED'
        | 'BODY_TOO_LARGE'
        | 'URI_TOO_LONG'
        | 'UNSUPPORTED_MEDIA_TYPE'
        | 'MISDIRECTED_REQUEST'
        | 'UNPROCESSABLE'
        | 'RATE_LIMITED'
        | 'QUEUE_FULL'
        | 'HEADERS_TOO_LARGE'
        | 'INTERNAL'
        | 'NOT_YET_AVAILABLE'
        | 'SERVICE_UNAVAILABLE'
        | 'OVERLOADED'
        | 'SETTLEMENT_UNKNOWN'
        | 'TIMEOUT';
      detail: string;
      errors?: {
        /** @description The published bound that was broken */
        bound?: unknown;
        /** @description The value that was sent, shortened */
        got?: unknown;
        message: string;
        /** @description JSON path of the field, `friBlowup` or `items[2].price`; empty for the body */
        path: string;
      }[];
      instance?: string;
      /**
       * @description `same`: send the same request with the same credential, after `Retry-After` where there is one. `changed`: mend what `detail` and `errors` name first. `pay`: send it with a payment of one of the offers. `no`: it would be refused again.
       * @enum {string}
       */
      retry: 'same' | 'changed' | 'pay' | 'no';
      status: number;
      title: string;
      traceId: string;
      /** @description URL of this service that says what the problem is, and how to go on; for callers that use `Payment`, of that scheme */
      type: string;
    } & {
      [key: string]: unknown;
    };
    ProblemType: {
      /** @description What a client should do */
      action: string;
      /**
       * @description `no`: nothing was taken for this request, or it has gone back to the account that paid. `yes`: a payment was taken and is kept: the same credential still buys the answer, or its amount lies on `creditKey`. `unknown`: ask again with the same credential, and do not pay again.
       * @enum {string}
       */
      charged: 'no' | 'yes' | 'unknown';
      /** @enum {string} */
      code:
        | 'MALFORMED_JSON'
        | 'VALIDATION_FAILED'
        | 'CONFLICTING_CREDENTIALS'
        | 'PAYMENT_METHOD_UNSUPPORTED'
        | 'WEBHOOK_INVALID'
        | 'UNKNOWN_CREDENTIAL'
        | 'IDENTITY_UNPROVED'
        | 'TICKET_UNKNOWN'
        | 'PAYMENT_REQUIRED'
        | 'PAYMENT_MALFORMED'
        | 'PAYMENT_INVALID'
        | 'PAYMENT_EXPIRED'
        | 'PAYMENT_INSUFFICIENT'
        | 'BUDGET_EXHAUSTED'
        | 'PAYMENT_BOUND_ELSEWHERE'
        | 'PAY_AT_VERIFY'
        | 'FORBIDDEN'
        | 'NOT_FOUND'
        | 'METHOD_NOT_ALLOWED'
        | 'REQUEST_TIMEOUT'
        | 'PAYMENT_IN_FLIGHT'
        | 'CHECKOUT_UNPAID'
        | 'TICKET_USED'
        | 'STREAM_INDEX_STALE'
        | 'CONFLICT'
        | 'TICKET_EXPIRED'
        | 'EXPIRED'
        | 'PRECONDITION_FAILED'
        | 'BODY_TOO_LARGE'
        | 'URI_TOO_LONG'
        | 'UNSUPPORTED_MEDIA_TYPE'
        | 'MISDIRECTED_REQUEST'
        | 'UNPROCESSABLE'
        | 'RATE_LIMITED'
        | 'QUEUE_FULL'
        | 'HEADERS_TOO_LARGE'
        | 'INTERNAL'
        | 'NOT_YET_AVAILABLE'
        | 'SERVICE_UNAVAILABLE'
        | 'OVERLOADED'
        | 'SETTLEMENT_UNKNOWN'
        | 'TIMEOUT';
      meaning: string;
      /**
       * @description `same`: send the same request with the same credential, after `Retry-After` where there is one. `changed`: mend what `detail` and `errors` name first. `pay`: send it with a payment of one of the offers. `no`: it would be refused again.
       * @enum {string}
       */
      retry: 'same' | 'changed' | 'pay' | 'no';
      status: number;
      title: string;
      /** @description The URL itself */
      type: string;
    };
    ProofJob: {
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      endedAt?: string;
      /** @description Id of a proof job: 128 random bits */
      jobId: string;
      /** @description In the 202 that begins the job, and never again: what will open the commitment of its answer. Keep it; give it to nobody else */
      opening?: {
        [key: string]: string;
      };
      operationId: string;
      /**
       * @description held while the job runs and until its end is settled; delivered with its answer; returned to the credential where there is none; superseded where a later request with the credential has it
       * @enum {string}
       */
      payment: 'held' | 'delivered' | 'returned' | 'superseded';
      /** @description Why there is no answer */
      problem?: {
        /** @enum {string} */
        code:
          | 'MALFORMED_JSON'
          | 'VALIDATION_FAILED'
          | 'CONFLICTING_CREDENTIALS'
          | 'PAYMENT_METHOD_UNSUPPORTED'
          | 'WEBHOOK_INVALID'
          | 'UNKNOWN_CREDENTIAL'
          | 'IDENTITY_UNPROVED'
          | 'TICKET_UNKNOWN'
          | 'PAYMENT_REQUIRED'
          | 'PAYMENT_MALFORMED'
          | 'PAYMENT_INVALID'
          | 'PAYMENT_EXPIRED'
          | 'PAYMENT_INSUFFICIENT'
          | 'BUDGET_EXHAUSTED'
          | 'PAYMENT_BOUND_ELSEWHERE'
          | 'PAY_AT_VERIFY'
          | 'FORBIDDEN'
          | 'NOT_FOUND'
          | 'METHOD_NOT_ALLOWED'
          | 'REQUEST_TIMEOUT'
          | 'PAYMENT_IN_FLIGHT'
          | 'CHECKOUT_UNPAID'
          | 'TICKET_USED'
          | 'STREAM_INDEX_STALE'
          | 'CONFLICT'
          | 'TICKET_EXPIRED'
          | 'EXPIRED'
          | 'PRECONDITION_FAILED'
          | 'BODY_TOO_LARGE'
          | 'URI_TOO_LONG'
          | 'UNSUPPORTED_MEDIA_TYPE'
          | 'MISDIRECTED_REQUEST'
          | 'UNPROCESSABLE'
          | 'RATE_LIMITED'
          | 'QUEUE_FULL'
          | 'HEADERS_TOO_LARGE'
          | 'INTERNAL'
          | 'NOT_YET_AVAILABLE'
          | 'SERVICE_UNAVAILABLE'
          | 'OVERLOADED'
          | 'SETTLEMENT_UNKNOWN'
          | 'TIMEOUT';
        /** @description The column that breaks there */
        column?: string;
        /** @description What breaks there */
        constraint?: string;
        detail: string;
        errors?: {
          /** @description The published bound that was broken */
          bound?: unknown;
          /** @description The value that was sent, shortened */
          got?: unknown;
          message: string;
          /** @description JSON path of the field, `friBlowup` or `items[2].price`; empty for the body */
          path: string;
        }[];
        /** @description In a word, as the call that waits is told */
        reason?: string;
        /** @description The first row at which the trace breaks */
        row?: number;
      };
      /** @description The proof, where there is one */
      proofId?: string;
      /** @description The answer of the operation, but for the proof, which `proofId` fetches */
      result?:
        | {
            airId: string;
            auditProof?: components['schemas']['AuditProof'];
            /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
            conjecturedSecurityBits: number;
            degree: number;
            doesNotProve: string;
            /** @description Base-field multiplications and additions that this proof takes, computed from the AIR and the parameters; grinding excluded */
            fieldOps: number;
            friBlowup: number;
            friQueryProofBytes: number;
            parameterSet: string;
            primeField: string;
            proofBytes: number;
            proofId: string;
            /** @description BLAKE3 of the proof, 0x hex */
            proofRootHash: string;
            /** @description Measured time of the proving in this call */
            proverLatencyMs: number;
            /** @constant */
            proves: 'computation';
            publicInputs: components['schemas']['PublicInputs'];
            /** @description Proven soundness, bits, against a classical prover; half of them against a quantum one */
            securityBits: number;
            /** @description Merkle commitment to the execution trace, 0x hex */
            starkRootCommitment: string;
            /** @constant */
            status: 'VERIFIED_VALID';
            /** @description Rows that were proved: the degree, or the least that the AIR needs */
            traceLength: number;
            /** @description Measured time of the verification in this call */
            verificationLatencyMs: number;
          }
        | {
            /** @description own: the definition, canonical: `airId` is the SHA-256 of this text, and a verifier needs it beside the proof */
            air?: string;
            airId: string;
            auditProof?: components['schemas']['AuditProof'];
            /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
            conjecturedSecurityBits: number;
            /** @description The tag that the proof was made under; empty: none */
            contextDomain: string;
            doesNotProve: string;
            /** @description Measured: proving and verifying */
            executionTimeMs: number;
            facts?: components['schemas']['AirFacts'];
            /** @description Base-field multiplications and additions of this proof, from AIR and parameters; grinding excluded */
            fieldOps: number;
            /** @example 0xffffffff00000001 */
            fieldPrimeHex: string;
            /** @description own: of the proof, 3 */
            formatVersion?: number;
            friBlowup: number;
            friQueryProofBytes: number;
            /** @description What opens the commitment beside the inputs: who has both can show what was committed to. Keep it; give it to nobody else */
            opening?: {
              [key: string]: string;
            };
            parameterSet: string;
            /** @description The receipt of the payment, as in the header Payment-Receipt */
            paymentReceipt: string;
            proofBytes: number;
            /** @description Id of a stored proof: 128 random bits */
            proofId: string;
            /** @description BLAKE3 of the proof, 0x hex */
            proofRootHash: string;
            proverLatencyMs: number;
            /** @constant */
            proves: 'computation';
            publicInputs: components['schemas']['PublicInputs'];
            /** @description Proven soundness, bits */
            securityLevelBits: number;
            /** @description Merkle commitment to the execution trace, 0x hex */
            starkRootCommitment: string;
            /** @enum {string} */
            statement: 'binding' | 'preimage' | 'raw' | 'own';
            /** @description Rows that were proved */
            traceLength: number;
            /** @description own: what the proof takes, as the price of the route bounds it */
            units?: number;
            verificationLatencyMs: number;
            /** @constant */
            verified: true;
            zeroKnowledge: boolean;
          };
      /** @description What is being done: execute, commit-trace, … */
      stage?: string;
      stageCount: number;
      stagesDone: number;
      /** Format: date-time */
      startedAt?: string;
      /** @enum {string} */
      state: 'queued' | 'running' | 'cancelling' | 'settling' | 'succeeded' | 'failed' | 'cancelled';
    };
    ProofJobEvent: {
      /** Format: date-time */
      at: string;
      problem?: {
        /** @enum {string} */
        code:
          | 'MALFORMED_JSON'
          | 'VALIDATION_FAILED'
          | 'CONFLICTING_CREDENTIALS'
          | 'PAYMENT_METHOD_UNSUPPORTED'
          | 'WEBHOOK_INVALID'
          | 'UNKNOWN_CREDENTIAL'
          | 'IDENTITY_UNPROVED'
          | 'TICKET_UNKNOWN'
          | 'PAYMENT_REQUIRED'
          | 'PAYMENT_MALFORMED'
          | 'PAYMENT_INVALID'
          | 'PAYMENT_EXPIRED'
          | 'PAYMENT_INSUFFICIENT'
          | 'BUDGET_EXHAUSTED'
          | 'PAYMENT_BOUND_ELSEWHERE'
          | 'PAY_AT_VERIFY'
          | 'FORBIDDEN'
          | 'NOT_FOUND'
          | 'METHOD_NOT_ALLOWED'
          | 'REQUEST_TIMEOUT'
          | 'PAYMENT_IN_FLIGHT'
          | 'CHECKOUT_UNPAID'
          | 'TICKET_USED'
          | 'STREAM_INDEX_STALE'
          | 'CONFLICT'
          | 'TICKET_EXPIRED'
          | 'EXPIRED'
          | 'PRECONDITION_FAILED'
          | 'BODY_TOO_LARGE'
          | 'URI_TOO_LONG'
          | 'UNSUPPORTED_MEDIA_TYPE'
          | 'MISDIRECTED_REQUEST'
          | 'UNPROCESSABLE'
          | 'RATE_LIMITED'
          | 'QUEUE_FULL'
          | 'HEADERS_TOO_LARGE'
          | 'INTERNAL'
          | 'NOT_YET_AVAILABLE'
          | 'SERVICE_UNAVAILABLE'
          | 'OVERLOADED'
          | 'SETTLEMENT_UNKNOWN'
          | 'TIMEOUT';
        detail: string;
      };
      /** @description Id of a stored proof: 128 random bits */
      proofId?: string;
      seq: number;
      /** @description What is being done: execute, commit-trace, … */
      stage?: string;
      stageCount: number;
      stagesDone: number;
      /** @enum {string} */
      state: 'queued' | 'running' | 'cancelling' | 'settling' | 'succeeded' | 'failed' | 'cancelled';
    };
    ProvedAuditProof: {
      airId: string;
      /** @description One sentence: what this evidence says nothing about */
      doesNotProve: string;
      /** @description When the signature ends */
      expiresAt: string;
      /** @description Key in /.well-known/svc-proof-keys.json */
      keyId: string;
      /** @description Leaves of the batch */
      leafCount: number;
      /** @description One for every 18 rules, at least one */
      leaves: components['schemas']['AuditLeaf'][];
      /** @description Proof that covers the root: /v1/stark/proofs/:proofId */
      proofId: string;
      /**
       * @description The computation, the rules applied to it, or that the answer cannot be changed later
       * @enum {string}
       */
      proves: 'commitment' | 'rules' | 'computation';
      /** @description SHA-256 of the canonical (JCS) request, 0x hex */
      requestDigest: string;
      /** @description SHA-256 of the canonical (JCS) result without its auditProof, 0x hex */
      resultDigest: string;
      /** @description Merkle root of the batch */
      root: string;
      rules: components['schemas']['AppliedAuditRule'][];
      rulesetId: string;
      /** @description ML-DSA-65 signature over the proof of the root, or over the root where it has none; base64 */
      signature: string;
      /** @constant */
      version: 1;
    };
    /**
     * @example {
     *       "traceData": "0x48656c6c6f"
     *     }
     */
    ProveRequest: {
      /**
       * @description Rows of the execution trace: a power of two from 8 to 1,048,576
       * @default 65536
       * @enum {integer}
       */
      degree?:
        | 8
        | 16
        | 32
        | 64
        | 128
        | 256
        | 512
        | 1024
        | 2048
        | 4096
        | 8192
        | 16384
        | 32768
        | 65536
        | 131072
        | 262144
        | 524288
        | 1048576;
      /**
       * @description FRI blowup factor
       * @default 8
       * @enum {integer}
       */
      friBlowup?: 2 | 4 | 8 | 16 | 32;
      /**
       * @description Execution trace or input string: `0x…` (or `0X…`) is hexadecimal, anything else UTF-8 text. 1 to 65,536 bytes, and no more than the chain absorbs: 28 bytes for each 32 of its rows, so 57,344 at the default degree.
       * @example 0x48656c6c6f
       */
      traceData: string;
    };
    ProveResult: {
      airId: string;
      auditProof?: components['schemas']['AuditProof'];
      /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
      conjecturedSecurityBits: number;
      degree: number;
      doesNotProve: string;
      /** @description Base-field multiplications and additions that this proof takes, computed from the AIR and the parameters; grinding excluded */
      fieldOps: number;
      friBlowup: number;
      friQueryProofBytes: number;
      parameterSet: string;
      primeField: string;
      /** @description The proof, base64; see docs/stark-format.md */
      proof: string;
      proofBytes: number;
      proofId: string;
      /** @description BLAKE3 of the proof, 0x hex */
      proofRootHash: string;
      /** @description Measured time of the proving in this call */
      proverLatencyMs: number;
      /** @constant */
      proves: 'computation';
      publicInputs: components['schemas']['PublicInputs'];
      /** @description Proven soundness, bits, against a classical prover; half of them against a quantum one */
      securityBits: number;
      /** @description Merkle commitment to the execution trace, 0x hex */
      starkRootCommitment: string;
      /** @constant */
      status: 'VERIFIED_VALID';
      /** @description Rows that were proved: the degree, or the least that the AIR needs */
      traceLength: number;
      /** @description Measured time of the verification in this call */
      verificationLatencyMs: number;
    };
    PublicInputs: {
      [key: string]: components['schemas']['PublicInputValue'];
    };
    /** @description Field elements are strings, so that no digit is lost */
    PublicInputValue:
      | string
      | number
      | boolean
      | (
          | string
          | number
          | {
              [key: string]: string | number;
            }
        )[];
    PublicKeys: {
      keys: {
        /** @enum {string} */
        alg: 'Ed25519' | 'ML-DSA-65';
        kid: string;
        /** @description When it signs for the last time; what it has signed holds to its own expiry */
        notAfter: string | null;
        /**
         * Format: date-time
         * @description When the key begins to sign
         */
        notBefore: string;
        /** @description base64url */
        publicKey: string;
        /** @description When it was given up as compromised: nothing that it has signed is believed */
        revokedAt: string | null;
        use: string;
      }[];
    };
    QuarantinedSale: {
      importId: string;
      /** Format: date-time */
      quarantinedAt: string;
      quarantineId: string;
      reasons: string[];
      row: number;
      sale: {
        [key: string]: unknown;
      };
    };
    QuarantinePage: {
      items: components['schemas']['QuarantinedSale'][];
      nextCursor: string | null;
    };
    ReadinessReport: {
      checks: {
        [key: string]: string;
      };
      /** @enum {string} */
      status: 'ok' | 'unavailable';
    };
    ReconciliationReport: {
      balanced: boolean;
      /** Format: date-time */
      checkedAt: string;
      findings: {
        detail: string;
        /** @description Of the transaction, entry, account or claim; empty for the whole */
        id: string;
        kind: string;
        offMicroUsd: number;
      }[];
      imbalanceMicroUsd: number;
    };
    RecoveredKey: {
      accountId: string;
      balanceMicroUsd: number;
      /** @description The whole key: shown here and never again */
      key: string;
      keyId: string;
      /** @description The keys that it replaces: they have ended */
      revoked: string[];
    };
    RecoverKeyRequest: {
      challenge: string;
      /** @description Of the message, by the key of the wallet */
      signature?: string;
    };
    RecoveryChallenge: {
      /** @description Good once */
      challenge: string;
      /** Format: date-time */
      expiresAt: string;
      /** @description For the wallet to sign as it is, by personal_sign (EIP-191); its form is that of EIP-4361 */
      message?: string;
    };
    RecoveryChallengeRequest: {
      /** @description Which account, where the payer has left credit on several */
      accountId?: string;
      /**
       * @description The wallet that paid, or that an escrow was claimed for; without one, a Lightning credential proves it
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      address?: string;
    };
    Refund: {
      /** @description Whose credit it became, or was taken from */
      accountId?: string;
      /**
       * @description The rail that moves it; `account`: it is credit
       * @enum {string}
       */
      by: 'stripe' | 'x402' | 'lightning' | 'account';
      /** Format: uuid */
      claimId: string;
      /** @description Why it is not done */
      detail?: string;
      /** Format: date-time */
      endedAt?: string;
      /** @description How much of it was taken from credit that the payment had left; the rest is of the house */
      fromCreditMicroUsd: number;
      microUsd: number;
      reason: string;
      /** @description Of the movement: `re_…`, a transaction hash, the payment hash of the invoice */
      reference?: string;
      /** Format: uuid */
      refundId: string;
      /** Format: date-time */
      requestedAt: string;
      /** Format: date-time */
      sentAt?: string;
      /** @enum {string} */
      state: 'requested' | 'sent' | 'done' | 'refused' | 'unknown';
      /** @enum {string} */
      to: 'origin' | 'credit';
    };
    RefundPage: {
      items: components['schemas']['Refund'][];
      nextCursor: string | null;
    };
    RefundRequest: {
      /**
       * Format: uuid
       * @description The purchase: `claimId` of ledger entries, `id` of receipts
       */
      claimId: string;
      /** @description How much; absent: all that is left to refund, down to a whole unit of the rail */
      microUsd?: number;
      reason: string;
      /**
       * @description The way that the payment came, or credit on the account of who paid
       * @enum {string}
       */
      to: 'origin' | 'credit';
    };
    /** @description Pixels of the image, as they are seen; the middle of it where it is not said */
    RegionOfInterest: {
      height: number;
      width: number;
      x: number;
      y: number;
    };
    ReleaseEscrowRequest: {
      /**
       * @description Part of the amount; the rest goes back
       * @example 12.50
       */
      amountUsd?: string;
    };
    RendezvousPending: {
      /** Format: date-time */
      expiresAt: string;
      iceServers: components['schemas']['IceServer'][];
      /** @description Id of a signalling session: 128 random bits */
      sessionId: string;
    };
    RendezvousRequest: {
      /** @description 16 random bytes; each serves once */
      nonce?: string;
      /** @description 32 bytes: Ed25519; 33 or 65: secp256k1 */
      peerPublicKey: string;
      /** @description An offer with one m=application section; complete, or trickled after */
      sdpOffer: string;
      /** @description Of the peer over the text of docs/mesh.md: Ed25519, or ECDSA of SHA-256 (64 bytes, or DER) */
      signature?: string;
      /** @description Broker to this peer; without it the service itself answers */
      targetPeerKey?: string;
      /** @description Unix milliseconds, within 60 s */
      timestamp?: number;
    };
    RendezvousResult: {
      /** @enum {string} */
      answeredBy: 'service' | 'peer';
      /** @description Ed25519 of the service over the text of docs/mesh.md, hex */
      answerSignature: string;
      doesNotProve: string;
      /**
       * Format: date-time
       * @description Unopened, the session ends then
       */
      expiresAt: string;
      /** @description Those of sdpAnswer, once more */
      iceCandidates: string[];
      iceServers: components['schemas']['IceServer'][];
      /**
       * @description Of the peer that offers
       * @enum {string}
       */
      identity: 'verified' | 'unverified';
      /** @description Of the peer that answers, where one does */
      peerProof?: components['schemas']['PeerProof'];
      /** @constant */
      proves: 'signature';
      sdpAnswer: string;
      /** @description hex; listed in /.well-known/svc-mesh-keys.json */
      servicePublicKey: string;
      /** @description Id of a signalling session: 128 random bits */
      sessionId: string;
      /**
       * @description An answer was issued; GET the session to learn whether it is connected
       * @enum {string}
       */
      sessionStatus: 'P2P_AEROMESH_ENTANGLED';
    };
    RequirementSet: {
      builtIn: boolean;
      requirements: components['schemas']['CoiRequirementsReply'];
      requirementSetId: string;
      updatedAt: string | null;
    };
    RequirementSetList: {
      items: components['schemas']['RequirementSet'][];
    };
    RequirementSetReply: {
      builtIn: boolean;
      requirements: components['schemas']['CoiRequirementsReply'];
      requirementSetId: string;
      updatedAt: string | null;
    };
    ResetMeshDocumentRequest: {
      /**
       * @description keep: the same content without its history; clear: an empty document
       * @enum {string}
       */
      content: 'keep' | 'clear';
      reason: string;
    };
    ResolvedQuarantine: {
      quarantineId: string;
      /** @description The sale that it became, or is already */
      saleId: string | null;
      /** @enum {string} */
      state: 'accepted' | 'discarded' | 'duplicate';
    };
    ResolveQuarantineRequest: {
      /** @enum {string} */
      action: 'accept' | 'discard';
      /** @description The row as corrected, to be accepted */
      sale?: {
        [key: string]: unknown;
      };
    };
    RevokedKey: {
      keyId: string;
      /** @constant */
      state: 'revoked';
    };
    RingChallenge: {
      challengeId: string;
      /** Format: date-time */
      expiresAt: string;
      toneSeconds: number;
      tonesHz: number[];
      /** @description Play it into the recording, before the ring */
      toneWavBase64: string;
    };
    RotateKeyRequest: {
      /**
       * @description How long the old key goes on; 0 ends it at once
       * @default 3600
       */
      graceSeconds?: number;
    };
    Saga: {
      /** @description Absent until a checkpoint covers the saga */
      inclusion?: components['schemas']['WalInclusion'];
      /** @description The answer, once the saga has ended, for 24 hours */
      result?: {
        [key: string]: unknown;
      };
      /**
       * Format: uuid
       * @description Id of a saga
       */
      sagaId: string;
      sagaName: string;
      /** @enum {string} */
      status: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'STUCK';
      tool: string;
      walCount: number;
      walEvents: components['schemas']['WalEvent'][];
      walHash: string;
    };
    SalesImport: {
      accepted: number;
      duplicates: number;
      /** @description The first of the rows that were quarantined */
      faults: {
        field: string;
        /** @description The value that was sent, shortened */
        got?: unknown;
        message: string;
        /** @description From 1; the header line of a CSV does not count */
        row: number;
      }[];
      /** @description null for a dry run */
      importId: string | null;
      /** @description Cards that the catalogue did not know before */
      newCards: number;
      quarantined: number;
      rows: number;
    };
    SdpFragment: string;
    SetLicencesRequest: {
      /** @enum {string} */
      state: 'active' | 'suspended' | 'revoked';
    };
    SetPlanRequest: {
      /** @enum {string} */
      plan: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
      /**
       * Format: date-time
       * @description When it ends; without, it goes on
       */
      until?: string;
    };
    SetSpotPriceRequest: {
      /**
       * Format: date-time
       * @description When the price held; not in the future
       */
      asOf: string;
      currency: string;
      /** @enum {string} */
      metal: 'XAU' | 'XAG' | 'XPT' | 'XPD';
      /**
       * @description Of one troy ounce, as a decimal string
       * @example 2387.15
       */
      price: string;
      source: string;
    };
    SignedAuditProof: {
      /** @description One sentence: what this evidence says nothing about */
      doesNotProve: string;
      /** @description When the signature ends */
      expiresAt: string;
      /** @description Key in /.well-known/svc-proof-keys.json */
      keyId: string;
      /** @description Leaves of the batch */
      leafCount: number;
      /** @description One for every 18 rules, at least one */
      leaves: components['schemas']['AuditLeaf'][];
      /**
       * @description The computation, the rules applied to it, or that the answer cannot be changed later
       * @enum {string}
       */
      proves: 'commitment' | 'rules' | 'computation';
      /** @description SHA-256 of the canonical (JCS) request, 0x hex */
      requestDigest: string;
      /** @description SHA-256 of the canonical (JCS) result without its auditProof, 0x hex */
      resultDigest: string;
      /** @description Merkle root of the batch */
      root: string;
      rules: components['schemas']['AppliedAuditRule'][];
      rulesetId: string;
      /** @description ML-DSA-65 signature over the proof of the root, or over the root where it has none; base64 */
      signature: string;
      /** @constant */
      version: 2;
    };
    SnnEstimate: {
      /** @enum {string} */
      backend: 'wasm' | 'webgpu';
      /** @enum {string} */
      connectivity: 'procedural' | 'stored';
      /** @constant */
      dryRun: true;
      /** @enum {string} */
      memoryKind: 'gpu' | 'host';
      /** @description Bytes that would be allocated, in megabytes of 10^6 */
      memoryMb: number;
      /** @description Estimate of the time of the run alone, from runs that were measured here */
      seconds: number;
      synapses: number;
      threads: number;
    };
    SnnPlasticity: {
      /**
       * @description Share of wMaxMv
       * @default 0.0105
       */
      aMinus?: number;
      /**
       * @description Share of wMaxMv, of a pair at once
       * @default 0.01
       */
      aPlus?: number;
      /**
       * @description stdp-nn: nearest-neighbour symmetric pairs; stdp-all: all pairs; none: weights stay
       * @default stdp-nn
       * @enum {string}
       */
      rule?: 'none' | 'stdp-nn' | 'stdp-all';
      /** @default 20 */
      tauMinusMs?: number;
      /** @default 20 */
      tauPlusMs?: number;
      /**
       * @description Greatest weight, mV; synapses begin at 1.62
       * @default 3.24
       */
      wMaxMv?: number;
    };
    SnnRecording: {
      /**
       * @description Bins of the rate of the population, at least a step wide; at most 10,000 bins
       * @default 4
       */
      binMs?: number;
      /**
       * @description Neurons of which each spike is told, evenly spread over the network; at most 100,000 spikes
       * @default 0
       */
      rasterNeurons?: number;
      /** @default 50 */
      rateHistogramBins?: number;
      /**
       * @description Raster and rates as SVG too
       * @default false
       */
      svg?: boolean;
    };
    /**
     * @example {
     *       "neuronCount": 1000000,
     *       "iterations": 100
     *     }
     */
    SnnRequest: {
      /**
       * @default auto
       * @enum {string}
       */
      backend?: 'auto' | 'wasm' | 'webgpu';
      /** @enum {string} */
      connectivity?: 'procedural' | 'stored';
      /** @default 1.5 */
      delayMs?: number;
      /**
       * @description Answer the memory estimate and simulate nothing
       * @default false
       */
      dryRun?: boolean;
      /** @default 0.1 */
      dtMs?: number;
      /**
       * @description Steps of dtMs of the whole network
       * @default 100
       */
      iterations?: number;
      /**
       * @description Neurons, 80 % excitatory. An absent value takes the default
       * @default 1000000
       */
      neuronCount: number;
      /** @default 80 */
      outDegree?: number;
      plasticity?: components['schemas']['SnnPlasticity'];
      record?: components['schemas']['SnnRecording'];
      /** @description Same seed, same answer */
      seed?: number;
      threads?: number;
      /** @default 0 */
      warmupSteps?: number;
    };
    SnnResult: {
      /** @description Distinct neurons that spiked */
      activeNeurons: number;
      adapter?: string;
      auditProof: components['schemas']['AuditProof'];
      /** @enum {string} */
      backend: 'wasm' | 'webgpu';
      buildMs: number;
      /** @enum {string} */
      connectivity: 'procedural' | 'stored';
      doesNotProve: string;
      /** @description Iterations by the wall time of the loop, the build left out: a frame is one step of all neurons */
      framerateFps: number;
      iterations: number;
      meanRateHz: number;
      /** @enum {string} */
      memoryKind: 'gpu' | 'host';
      neuronCount: number;
      /** @description Mean rate of all neurons over time */
      populationRate: {
        binMs: number;
        ratesHz: number[];
      };
      /** @constant */
      proves: 'commitment';
      /** @description Where rasterNeurons is more than 0: by step, then neuron */
      raster?: {
        neuron: number;
        stepIndex: number;
      }[];
      rasterTruncated?: boolean;
      /** @description Neurons by their own rate: bin k is [k, k + 1) · binHz, and all of them fit */
      rateHistogram: {
        binHz: number;
        counts: number[];
      };
      /** @description Simulated time by wall time */
      realTimeFactor: number;
      seed: number;
      spikeCount: number;
      /** @description Digest of the state at the end: the same for the same request, whatever the threads and the connectivity, on the backend wasm */
      stateHash: string;
      stepMs: {
        p50: number;
        p95: number;
      };
      svg?: {
        raster?: string;
        rates: string;
      };
      synapticEvents: number;
      threads: number;
      /** @description Bytes really allocated, in megabytes of 10^6 */
      vramConsumedMb: number;
      /** @description Plastic weights at the end */
      weights?: {
        meanMv: number;
        sdMv: number;
        /** @description Arrivals that may have missed spikes: since the arrival before, the neuron fired 16 times or more */
        truncatedHistories: number;
      };
    };
    /**
     * @example {
     *       "problem": "sssp",
     *       "nodes": 3,
     *       "edges": [
     *         [
     *           0,
     *           1,
     *           2
     *         ],
     *         [
     *           1,
     *           2,
     *           3
     *         ]
     *       ],
     *       "source": 0,
     *       "target": 2
     *     }
     */
    SolveGraphRequest: {
      /** @description [u, v, weight]. sssp: directed from u to v, whole weights of 1 and more; the others: undirected, weights of mis and coloring are not looked at. No loops; of edges that are there twice sssp takes the lightest, maxcut and hopfield the sum */
      edges: [number, number, number][];
      nodes: number;
      /** @enum {string} */
      problem: 'sssp' | 'maxcut' | 'mis' | 'coloring' | 'hopfield';
      /** @description Not of sssp */
      restarts?: number;
      /** @description Same seed, same answer */
      seed?: number;
      /** @description sssp alone, and needed there */
      source?: number;
      /** @description Not of sssp */
      steps?: number;
      /** @description sssp alone */
      target?: number;
    };
    SolveGraphResult: {
      auditProof: components['schemas']['AuditProof'];
      /** @description What no solution can pass: from above for maxcut and mis, from below for coloring and hopfield */
      bound?: number;
      doesNotProve: string;
      /** @description Spikes that arrived at a synapse */
      events: number;
      /** @description Whether nothing better can be: sssp alone */
      exact: boolean;
      /** @description sssp: distance to the target, -1 where it is out of reach, or the greatest distance without one; maxcut: weight of the cut; mis: size; coloring: colours; hopfield: energy */
      objective: number;
      /** @description sssp with a target: nodes from source to target; empty where it is out of reach */
      path?: number[];
      /** @enum {string} */
      problem: 'sssp' | 'maxcut' | 'mis' | 'coloring' | 'hopfield';
      /** @constant */
      proves: 'commitment';
      /** @description Simulated time, in steps */
      simSteps: number;
      /** @description One value a node. sssp: distance, -1 out of reach; maxcut: side, 0 or 1; mis: member, 0 or 1; coloring: colour from 0; hopfield: -1 or 1 */
      solution: number[];
      /** @description Measured time of the solution, reading the request left out */
      solveMs: number;
      spikes: number;
      /** @description The solution was checked against the graph */
      valid: boolean;
    };
    SpotPrice: {
      /** Format: date-time */
      asOf: string;
      currency: string;
      /** @enum {string} */
      metal: 'XAU' | 'XAG' | 'XPT' | 'XPD';
      /** @description Of one troy ounce, as a decimal string */
      price: string;
      /** Format: date-time */
      setAt: string;
      source: string;
    };
    SpotPriceList: {
      items: components['schemas']['SpotPrice'][];
    };
    /**
     * @example {
     *       "publicInputs": [
     *         "0x2a",
     *         "7"
     *       ],
     *       "privateWitness": [
     *         "1234"
     *       ],
     *       "contextDomain": "demo"
     *     }
     */
    StarkProveM31Request: {
      air?: components['schemas']['AirDefinition'];
      /**
       * @description raw: the AIR; own: the id of `air` as you have computed it, which must be the id of what came; of a statement of the gallery it stands alone
       * @example raw/fibonacci/v1
       */
      airId?: string;
      /** @description Domain tag for the circuit, at most 256 bytes, without U+0000 */
      contextDomain?: string;
      /**
       * @description raw, own: rows of the trace, a power of two; by default what the statement needs
       * @enum {integer}
       */
      degree?:
        | 8
        | 16
        | 32
        | 64
        | 128
        | 256
        | 512
        | 1024
        | 2048
        | 4096
        | 8192
        | 16384
        | 32768
        | 65536
        | 131072
        | 262144
        | 524288
        | 1048576;
      /** @description own: the given columns in the rows behind `rows`; by default their last row goes on */
      filler?: {
        [key: string]: string | number;
      };
      /**
       * @description FRI blowup factor
       * @default 8
       * @enum {integer}
       */
      friBlowup?: 2 | 4 | 8 | 16 | 32;
      /** @description own: columns that are made from others instead of being sent: `{"bits":{"of":"v","into":["b0","b1"]}}`, least bit first, or `{"inverse":{"of":"x","into":"y"}}`, 0 for 0 */
      hints?: (
        | {
            bits: {
              into: string[];
              of: string;
            };
          }
        | {
            inverse: {
              into: string;
              of: string;
            };
          }
      )[];
      /**
       * @description raw: what the AIR makes the trace from, instead of `trace`. Elements are below the modulus; `rows`, 2 to 1,048,576, is optional. `raw/fibonacci/v1`: `first`, `second`, `rows`. `raw/counter/v1`: `start`, `step`, `rows`. `raw/cubic8/v1`: `input` (8 elements), `rows`. `raw/lif-step/v1`, all integers: `decay` (0 to 4,095), `threshold`, `reset` (below `threshold`), `initialPotential` and each of `currents` (-32,768 to 32,767), `refractorySteps` (0 to 65,535); 1 to 65,536 `currents`, one a step.
       * @example {
       *       "first": "1",
       *       "second": "1",
       *       "rows": 100
       *     }
       */
      inputs?: {
        [key: string]: string | number | boolean | (string | number)[];
      };
      /**
       * @description The level of security, by name
       * @default m31
       * @enum {string}
       */
      parameterSet?: 'm31' | 'm31-fast';
      /** @description Hexadecimal or decimal; stays private: the proof is in zero knowledge */
      privateWitness?: string[];
      /** @description own: public inputs by name. Those that a constraint uses are needed; of others that a cell is fixed to, what the trace has is taken */
      public?: {
        [key: string]: string | number;
      };
      /** @description Hexadecimal or decimal; required for binding (at most 8,192 bytes of numbers in all) and preimage (the digest) */
      publicInputs?: string[];
      /** @description own: rows that the statement speaks of; by default as many as `trace` has */
      rows?: number;
      /** @description own: row 0 of the columns that follow from the row before, where no cell of it is fixed */
      start?: {
        [key: string]: string | number;
      };
      /**
       * @description binding: a commitment to all inputs, which is an output; preimage: knowledge of a witness whose hash is `publicInputs`; raw: a trace under a published AIR; own: a trace under a definition of yours, `air`
       * @default binding
       * @enum {string}
       */
      statement?: 'binding' | 'preimage' | 'raw' | 'own';
      /** @description raw: the whole trace, one array a column, instead of `inputs`; own: the columns that no constraint and no hint gives, in the order of the definition */
      trace?: (string | number)[][];
      /**
       * Format: base64
       * @description own: in place of `trace`, base64 of its elements, column after column, little-endian: 8 bytes each over Goldilocks, 4 over M31
       */
      traceBytes?: string;
      /** @description raw: hides the trace, by default not; own: by default it does; the other statements always do */
      zeroKnowledge?: boolean;
    };
    /**
     * @example {
     *       "publicInputs": [
     *         "0x2a",
     *         "7"
     *       ],
     *       "privateWitness": [
     *         "1234"
     *       ],
     *       "contextDomain": "demo"
     *     }
     */
    StarkProveRequest: {
      air?: components['schemas']['AirDefinition'];
      /**
       * @description raw: the AIR; own: the id of `air` as you have computed it, which must be the id of what came; of a statement of the gallery it stands alone
       * @example raw/fibonacci/v1
       */
      airId?: string;
      /** @description Domain tag for the circuit, at most 256 bytes, without U+0000 */
      contextDomain?: string;
      /**
       * @description raw, own: rows of the trace, a power of two; by default what the statement needs
       * @enum {integer}
       */
      degree?:
        | 8
        | 16
        | 32
        | 64
        | 128
        | 256
        | 512
        | 1024
        | 2048
        | 4096
        | 8192
        | 16384
        | 32768
        | 65536
        | 131072
        | 262144
        | 524288
        | 1048576;
      /** @description own: the given columns in the rows behind `rows`; by default their last row goes on */
      filler?: {
        [key: string]: string | number;
      };
      /**
       * @description FRI blowup factor
       * @default 8
       * @enum {integer}
       */
      friBlowup?: 2 | 4 | 8 | 16 | 32;
      /** @description own: columns that are made from others instead of being sent: `{"bits":{"of":"v","into":["b0","b1"]}}`, least bit first, or `{"inverse":{"of":"x","into":"y"}}`, 0 for 0 */
      hints?: (
        | {
            bits: {
              into: string[];
              of: string;
            };
          }
        | {
            inverse: {
              into: string;
              of: string;
            };
          }
      )[];
      /**
       * @description raw: what the AIR makes the trace from, instead of `trace`. Elements are below the modulus; `rows`, 2 to 1,048,576, is optional. `raw/fibonacci/v1`: `first`, `second`, `rows`. `raw/counter/v1`: `start`, `step`, `rows`. `raw/cubic8/v1`: `input` (8 elements), `rows`. `raw/lif-step/v1`, all integers: `decay` (0 to 4,095), `threshold`, `reset` (below `threshold`), `initialPotential` and each of `currents` (-32,768 to 32,767), `refractorySteps` (0 to 65,535); 1 to 65,536 `currents`, one a step.
       * @example {
       *       "first": "1",
       *       "second": "1",
       *       "rows": 100
       *     }
       */
      inputs?: {
        [key: string]: string | number | boolean | (string | number)[];
      };
      /**
       * @description The level of security, by name
       * @default P100
       * @enum {string}
       */
      parameterSet?: 'P100' | 'P128' | 'udr100' | 'conjectured96';
      /** @description Hexadecimal or decimal; stays private: the proof is in zero knowledge */
      privateWitness?: string[];
      /** @description own: public inputs by name. Those that a constraint uses are needed; of others that a cell is fixed to, what the trace has is taken */
      public?: {
        [key: string]: string | number;
      };
      /** @description Hexadecimal or decimal; required for binding (at most 8,192 bytes of numbers in all) and preimage (the digest) */
      publicInputs?: string[];
      /** @description own: rows that the statement speaks of; by default as many as `trace` has */
      rows?: number;
      /** @description own: row 0 of the columns that follow from the row before, where no cell of it is fixed */
      start?: {
        [key: string]: string | number;
      };
      /**
       * @description binding: a commitment to all inputs, which is an output; preimage: knowledge of a witness whose hash is `publicInputs`; raw: a trace under a published AIR; own: a trace under a definition of yours, `air`
       * @default binding
       * @enum {string}
       */
      statement?: 'binding' | 'preimage' | 'raw' | 'own';
      /** @description raw: the whole trace, one array a column, instead of `inputs`; own: the columns that no constraint and no hint gives, in the order of the definition */
      trace?: (string | number)[][];
      /**
       * Format: base64
       * @description own: in place of `trace`, base64 of its elements, column after column, little-endian: 8 bytes each over Goldilocks, 4 over M31
       */
      traceBytes?: string;
      /** @description raw: hides the trace, by default not; own: by default it does; the other statements always do */
      zeroKnowledge?: boolean;
    };
    StarkProveResult: {
      /** @description own: the definition, canonical: `airId` is the SHA-256 of this text, and a verifier needs it beside the proof */
      air?: string;
      airId: string;
      auditProof?: components['schemas']['AuditProof'];
      /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
      conjecturedSecurityBits: number;
      /** @description The tag that the proof was made under; empty: none */
      contextDomain: string;
      doesNotProve: string;
      /** @description Measured: proving and verifying */
      executionTimeMs: number;
      facts?: components['schemas']['AirFacts'];
      /** @description Base-field multiplications and additions of this proof, from AIR and parameters; grinding excluded */
      fieldOps: number;
      /** @example 0xffffffff00000001 */
      fieldPrimeHex: string;
      /** @description own: of the proof, 3 */
      formatVersion?: number;
      friBlowup: number;
      friQueryProofBytes: number;
      /** @description What opens the commitment beside the inputs: who has both can show what was committed to. Keep it; give it to nobody else */
      opening?: {
        [key: string]: string;
      };
      parameterSet: string;
      /** @description The receipt of the payment, as in the header Payment-Receipt */
      paymentReceipt: string;
      /** @description The proof, base64; see docs/stark-format.md */
      proof: string;
      proofBytes: number;
      /** @description Id of a stored proof: 128 random bits */
      proofId: string;
      /** @description BLAKE3 of the proof, 0x hex */
      proofRootHash: string;
      proverLatencyMs: number;
      /** @constant */
      proves: 'computation';
      publicInputs: components['schemas']['PublicInputs'];
      /** @description Proven soundness, bits */
      securityLevelBits: number;
      /** @description Merkle commitment to the execution trace, 0x hex */
      starkRootCommitment: string;
      /** @enum {string} */
      statement: 'binding' | 'preimage' | 'raw' | 'own';
      /** @description Rows that were proved */
      traceLength: number;
      /** @description own: what the proof takes, as the price of the route bounds it */
      units?: number;
      verificationLatencyMs: number;
      /** @constant */
      verified: true;
      zeroKnowledge: boolean;
    };
    StoredProofResult: {
      airId: string;
      /** @description The tag that the proof was made under, and verifies under; empty: none. Absent where it is not known any more */
      contextDomain?: string;
      /** Format: date-time */
      createdAt: string;
      /** @description The proof, base64 */
      proof: string;
      proofBytes: number;
      /** @description Id of a stored proof: 128 random bits */
      proofId: string;
      publicInputs: components['schemas']['PublicInputs'];
      /**
       * Format: date-time
       * @description When what the proof was made for was taken back. Its statement stays true: the service stands by it no more
       */
      revokedAt?: string;
    };
    StripeEvent: {
      [key: string]: unknown;
    };
    SyncMeshCrdtAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description SHA-256 of svc-crdt-v1 and the canonical JSON of the document, hex; the same on all replicas */
      crdtStateHash: string;
      /** @description Verified peers that are present */
      meshNodesDiscovered: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Whether the peer of peerId is */
      peerPresent?: boolean;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      /** @description Of the document, in the encoding of Yjs; base64 */
      stateVector?: string;
    };
    Task: {
      callback?: {
        attempts: number;
        lastError?: string;
        /** @enum {string} */
        state: 'waiting' | 'delivered' | 'given-up';
        url: string;
      };
      capability: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      deadlineAt?: string;
      /** @enum {string} */
      deptId:
        | 'proofs'
        | 'neuro'
        | 'acoustics'
        | 'mesh'
        | 'payments'
        | 'compliance'
        | 'valuation'
        | 'authentication'
        | 'parcels'
        | 'licensing';
      /** Format: date-time */
      endedAt?: string;
      /**
       * @description held until the task ends; delivered with its answer; returned where there is none: to the credential, or as credit
       * @enum {string}
       */
      payment?: 'held' | 'delivered' | 'returned' | 'superseded';
      /** @enum {string} */
      priority: 'low' | 'normal' | 'high';
      /** @description Why there is no answer */
      problem?: {
        /** @enum {string} */
        code:
          | 'MALFORMED_JSON'
          | 'VALIDATION_FAILED'
          | 'CONFLICTING_CREDENTIALS'
          | 'PAYMENT_METHOD_UNSUPPORTED'
          | 'WEBHOOK_INVALID'
          | 'UNKNOWN_CREDENTIAL'
          | 'IDENTITY_UNPROVED'
          | 'TICKET_UNKNOWN'
          | 'PAYMENT_REQUIRED'
          | 'PAYMENT_MALFORMED'
          | 'PAYMENT_INVALID'
          | 'PAYMENT_EXPIRED'
          | 'PAYMENT_INSUFFICIENT'
          | 'BUDGET_EXHAUSTED'
          | 'PAYMENT_BOUND_ELSEWHERE'
          | 'PAY_AT_VERIFY'
          | 'FORBIDDEN'
          | 'NOT_FOUND'
          | 'METHOD_NOT_ALLOWED'
          | 'REQUEST_TIMEOUT'
          | 'PAYMENT_IN_FLIGHT'
          | 'CHECKOUT_UNPAID'
          | 'TICKET_USED'
          | 'STREAM_INDEX_STALE'
          | 'CONFLICT'
          | 'TICKET_EXPIRED'
          | 'EXPIRED'
          | 'PRECONDITION_FAILED'
          | 'BODY_TOO_LARGE'
          | 'URI_TOO_LONG'
          | 'UNSUPPORTED_MEDIA_TYPE'
          | 'MISDIRECTED_REQUEST'
          | 'UNPROCESSABLE'
          | 'RATE_LIMITED'
          | 'QUEUE_FULL'
          | 'HEADERS_TOO_LARGE'
          | 'INTERNAL'
          | 'NOT_YET_AVAILABLE'
          | 'SERVICE_UNAVAILABLE'
          | 'OVERLOADED'
          | 'SETTLEMENT_UNKNOWN'
          | 'TIMEOUT';
        detail: string;
        errors?: {
          /** @description The published bound that was broken */
          bound?: unknown;
          /** @description The value that was sent, shortened */
          got?: unknown;
          message: string;
          /** @description JSON path of the field, `friBlowup` or `items[2].price`; empty for the body */
          path: string;
        }[];
      };
      /** @description Share of the work that is done */
      progress?: number;
      /** @description `Payment-Receipt` of its payment */
      receipt?: string;
      /** @description The answer of the capability, as its own route gives it */
      result?: {
        [key: string]: unknown;
      };
      /** @description What is being done */
      stage?: string;
      /** Format: date-time */
      startedAt?: string;
      /** @enum {string} */
      status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
      /** @description Id of a task: 128 random bits */
      taskId: string;
    };
    TaskRequest: {
      /**
       * Format: uri
       * @description https only; called once the task ends, signed
       */
      callbackUrl?: string;
      capability?: string;
      /** @description Milliseconds from now */
      deadlineMs?: number;
      /**
       * @default normal
       * @enum {string}
       */
      priority?: 'low' | 'normal' | 'high';
      /** @description The inputs of the capability */
      task: {
        [key: string]: unknown;
      };
    };
    Telemetry: {
      /** Format: date-time */
      measuredAt: string;
      /** @description By the rail of the payment; `key` is credit, `plan` what lay within plans, `subscription` their price */
      rails: {
        [key: string]: {
          amountUsd: string;
          payments: number;
        };
      };
      /** @description Count by state */
      sagas: {
        [key: string]: number;
      };
      /**
       * Format: date-time
       * @description Begin of the first saga of the log
       */
      since: string;
      starkRoots: {
        count: number;
        newest?: string;
      };
      /** @description Payments of all rails whose answers were delivered, and plans that were bought */
      transactionsExecuted: number;
      /** @description What was earned with them, less what was given back */
      treasuryClearedUsd: string;
    };
    ToolCatalog: {
      description: string;
      monetization: {
        destination: string;
        destinationName: string;
        networkId: string;
        pricing: {
          cardSptSupported: boolean;
          defaultProofFeeUsd: string;
          lightningSupported: boolean;
          minCardBundleUsd: string;
          tempoStablecoinSupported: boolean;
        };
        /** @constant */
        protocol: 'mpp';
      };
      name: string;
      /** @constant */
      protocolVersion: '2024-11-05';
      tools: {
        costUsd: string;
        description: string;
        inputSchema: {
          [key: string]: unknown;
        };
        /** @description Stated, milliseconds: what was measured is in answers and in GET /health */
        latencyMs?: number;
        name: components['schemas']['ToolName'];
        outputSchema: {
          [key: string]: unknown;
        };
      }[];
      /** @constant */
      version: '3.0.0';
    };
    /** @description The inputs of the named tool */
    ToolInput:
      | {
          /** @description Metres above ground */
          altitude?: number;
          /** @description The public box: a pair for each coordinate, then one for the altitude, both ends included, at most 2^32 - 1 units of the frame wide; by default the cell that the place lies in, of a degree, 1,000 metres of height or 10 km of a metric grid. The answer states it in whole units. */
          bounds?: number[][];
          /** @description Latitude, longitude, elevation or metric grid */
          coordinates: number[];
          /**
           * @description What the coordinates are: by default two or three are degrees, and metres, in wgs84, any other count a metric grid
           * @enum {string}
           */
          frame?: 'wgs84' | 'metric';
          parcelId?: string;
          /** @description A recording that the proof is about: it is bound by hash, with the parcel */
          traceData?: string;
        }
      | {
          /** @description Domain tag for the circuit */
          contextDomain?: string;
          privateWitness?: string[];
          /** @description Hexadecimal or decimal */
          publicInputs: string[];
        }
      | {
          challengeNonce: string;
          deviceId: string;
          /**
           * @default ultrasonic_19khz
           * @enum {string}
           */
          frequencyBand?: 'ultrasonic_19khz' | 'audible_fsk';
          /**
           * Format: base64
           * @description WAV file, base64: what the device heard. Without it the pairing that POST /v1/acoustic/verify-pairing answered for the device and the challenge is said again, while it is valid
           */
          recordingBase64?: string;
        }
      | {
          elevationContour: number[];
          parcelId: string;
          /** @description mS/m */
          soilConductivity?: number;
        }
      | {
          /**
           * @default developer_sdk
           * @enum {string}
           */
          tier?: 'developer_sdk' | 'enterprise_sam' | 'bullion_pro_trader';
          /** Format: email */
          workEmail?: string;
        }
      | Record<string, never>
      | {
          /** @default 1000000 */
          neuronCount?: number;
        }
      | {
          /** @description Public key of a peer, or its SHA-256, in hex digits */
          peerId?: string;
        }
      | {
          /** @description Name on the board of the arena */
          agentId?: string;
          /** @description JSON text: {"challengeId":…,"answer":…} answers a challenge; {"family"?,"level"?} asks for one; without it, one by the record of the account that pays */
          challengePayload?: string;
        }
      | {
          capability?: string;
          contractId?: string;
          /** @description The step that fails with simulateFault: 1 reserve, 2 contract, 3 prove, 4 settle; by default 3 */
          faultStep?: number;
          licenseeAgentId: string;
          /**
           * @default m2m_continuous_metered
           * @enum {string}
           */
          licensingTier?: 'm2m_autonomous_perpetual' | 'm2m_continuous_metered' | 'm2m_enterprise_mesh';
          /** @description When true, a step fails in mid-execution to demonstrate reverse compensation from the log */
          simulateFault?: boolean;
          /** @description Monotonically increasing sequence index */
          streamIndex?: number;
        };
    /**
     * @description A tool of the catalogue
     * @enum {string}
     */
    ToolName:
      | 'zk_prove_spatial'
      | 'generate_goldilocks_stark_proof'
      | 'verify_acoustic_proximity_token'
      | 'evaluate_spatial_parcel_fep'
      | 'create_purchase_link'
      | 'get_product_catalog'
      | 'webgpu_snn_attractor'
      | 'sync_mesh_crdt'
      | 'arena_challenge'
      | 'm2m_license_contract';
    /** @description The outputs of the named tool, and their evidence */
    ToolOutput:
      | components['schemas']['ZkProveSpatialAnswer']
      | components['schemas']['GenerateGoldilocksStarkProofAnswer']
      | components['schemas']['VerifyAcousticProximityTokenAnswer']
      | components['schemas']['EvaluateSpatialParcelFepAnswer']
      | components['schemas']['CreatePurchaseLinkAnswer']
      | components['schemas']['GetProductCatalogAnswer']
      | components['schemas']['WebgpuSnnAttractorAnswer']
      | components['schemas']['SyncMeshCrdtAnswer']
      | components['schemas']['ArenaChallengeAnswer']
      | components['schemas']['M2mLicenseContractAnswer'];
    TopUpRequest: {
      /**
       * @description A pack in place of an amount; `pack_10` where neither comes
       * @enum {string}
       */
      packId?: 'pack_10' | 'pack_50' | 'pack_250';
      /** @description What to pay, and what the credit is: decimal dollars, 0.01 to 1,000 */
      usd?: string;
    };
    TopUpResult: {
      accountId: string;
      /** @description What the account had just after */
      balanceMicroUsd: number;
      creditedMicroUsd: number;
      /**
       * @description Without a key beside the payment: the header with the key that the credit lies on
       * @constant
       */
      keyIn?: 'X-SVC-KEY';
    };
    Upload: {
      bytes: number;
      /** Format: date-time */
      expiresAt: string;
      /** @description SHA-256 of the file */
      sha256: string;
      /** @description In the place of the file in the arguments of a tool */
      uploadId: string;
    };
    VerifyAcousticProximityTokenAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @enum {string} */
      assurance?: 'beacon' | 'recording_submitted';
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      berNoiseFloorDb: number;
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      correctedWords?: number;
      doubleErrorWords?: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      pairingToken: string;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      secdedSyndrome: number;
      snrDb?: number;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      validUntil: number;
    };
    VerifyAuditRequest: {
      auditProof: components['schemas']['AuditProof'];
      policy?: components['schemas']['VerifyPolicy'];
      /** @description The request, with the defaults that were filled in */
      request?: {
        [key: string]: unknown;
      };
      /** @description The answer; its own auditProof is left out of account */
      result?: {
        [key: string]: unknown;
      };
    };
    /**
     * @example {
     *       "productId": "krugerrand",
     *       "massG": 33.93,
     *       "peaksHz": [
     *         4406,
     *         8652,
     *         10661,
     *         18532
     *       ]
     *     }
     */
    VerifyBullionRequest:
      | {
          /** @description Of the tone that was played into the recording: evidenceLevel CHALLENGED */
          challengeId?: string;
          /** @description What a conductivity meter shows, MS/m at 20 °C: gold and tungsten differ 2.4 times */
          conductivityMSm?: number;
          /** @description The same in percent of annealed copper, 58 MS/m; one of the two */
          conductivityPercentIacs?: number;
          diameterMm?: number;
          /**
           * @description What a strong magnet does on the tilted piece: it sticks, slides as on wood, or slower than that
           * @enum {string}
           */
          magnetSlide?: 'sticks' | 'free' | 'slow';
          /** @description As weighed, grams */
          massG: number;
          /** @description Frequencies that you have measured: evidenceLevel SELF_REPORTED */
          peaksHz?: number[];
          /** @example krugerrand */
          productId: string;
          /**
           * Format: base64
           * @description The ring, base64: WAV (PCM of 16 or 24 bits or float, 32 kHz or more) or Ogg Opus, at most 20 s; MP3, AAC, FLAC and WebM where the installation has ffmpeg, else 422 by name; what is compressed, to 48 kbit/s or more
           */
          recordingBase64?: string;
          /** @description How far a reading of the scale may lie off, grams; 0.01 where it is left out */
          scaleAccuracyG?: number;
          /**
           * @description Answer a picture of the spectrum
           * @default false
           */
          spectrumSvg?: boolean;
          /** @description Grams that a scale shows from which the piece hangs in water, for the specific gravity */
          submergedMassG?: number;
          thicknessMm?: number;
        }
      | {
          /** @description Of the tone that was played into the recording: evidenceLevel CHALLENGED */
          challengeId?: string;
          /** @description What a conductivity meter shows, MS/m at 20 °C: gold and tungsten differ 2.4 times */
          conductivityMSm?: number;
          /** @description The same in percent of annealed copper, 58 MS/m; one of the two */
          conductivityPercentIacs?: number;
          diameterMm?: number;
          fineness: number;
          lengthMm?: number;
          /**
           * @description What a strong magnet does on the tilted piece: it sticks, slides as on wood, or slower than that
           * @enum {string}
           */
          magnetSlide?: 'sticks' | 'free' | 'slow';
          /** @description As weighed, grams */
          massG: number;
          /** @enum {string} */
          metal: 'gold' | 'silver' | 'platinum' | 'palladium';
          /** @description Frequencies that you have measured: evidenceLevel SELF_REPORTED */
          peaksHz?: number[];
          /**
           * Format: base64
           * @description The ring, base64: WAV (PCM of 16 or 24 bits or float, 32 kHz or more) or Ogg Opus, at most 20 s; MP3, AAC, FLAC and WebM where the installation has ffmpeg, else 422 by name; what is compressed, to 48 kbit/s or more
           */
          recordingBase64?: string;
          /** @description How far a reading of the scale may lie off, grams; 0.01 where it is left out */
          scaleAccuracyG?: number;
          /**
           * @description A disc needs diameterMm, a bar lengthMm and widthMm
           * @enum {string}
           */
          shape: 'disc' | 'bar';
          /**
           * @description Answer a picture of the spectrum
           * @default false
           */
          spectrumSvg?: boolean;
          /** @description Grams that a scale shows from which the piece hangs in water, for the specific gravity */
          submergedMassG?: number;
          thicknessMm?: number;
          widthMm?: number;
        };
    VerifyBullionResult: {
      auditProof: components['schemas']['AuditProof'];
      /** @description False: the answer says nothing that was asked for, and the payment has become credit */
      charged: boolean;
      /** @description MS/m; null where none was sent, or no table has the alloy */
      conductivityCheck: {
        deviationPercent: number;
        expected: number;
        measured: number;
        tolerancePercent: number;
        withinTolerance: boolean;
      } | null;
      dimensionChecks: {
        deviationPercent: number;
        /** @enum {string} */
        dimension: 'diameterMm' | 'thicknessMm';
        expected: number;
        measured: number;
        tolerancePercent: number;
        withinTolerance: boolean;
      }[];
      disclosure: components['schemas']['FieldDisclosure'];
      /** @description Commits to disclosure.root, and to nothing else */
      disclosureProof: components['schemas']['AuditProof'];
      /** @enum {string} */
      evidenceLevel: 'SELF_REPORTED' | 'RECORDING' | 'CHALLENGED';
      /** @description What likely fakes of the same mass and outline make of all readings; where one fits, nothing passes */
      fakes: components['schemas']['LikelyFake'][];
      /** @description Mass × fineness */
      fineMassG: number;
      /** @description What this test cannot tell */
      limits: string[];
      /** @description Whether the magnet does what it does on this metal; null where that is not known */
      magnetAgrees: boolean | null;
      /** @description Null for a piece that is described by its measures: nobody says what it should weigh */
      massCheck: {
        deviationPercent: number;
        expectedG: number;
        measuredG: number;
        tolerancePercent: number;
        withinTolerance: boolean;
      } | null;
      /** @description US dollars, by the newest price; null where none is known */
      meltValue: string | null;
      /** @description How old the price is, or why there is none */
      meltValueNote: string | null;
      /** @description SPOT_STALE: the newest price is more than 7 days old */
      meltValueReason: ('SPOT_STALE' | 'SPOT_UNKNOWN') | null;
      modes: {
        /**
         * @description What expectedHz rests on
         * @enum {string}
         */
        basis: 'enrolled' | 'table' | 'physics';
        /** @description Middle of a doublet */
        expectedHz: number;
        measuredHz: number | null;
        /** @description Mode of the plate or the beam: (2,0), (0,1), … */
        n: string;
        /** @description Quality factor, π f τ */
        q: number | null;
        /** @description Distance of a doublet’s two lines */
        splitHz: number | null;
        /** @description |f − f_ref| / √(u_ref² + u_meas²) */
        z: number | null;
      }[];
      /** @description What it was held against */
      product: {
        fineness: number;
        massG: number | null;
        /** @enum {string} */
        metal: 'gold' | 'silver' | 'platinum' | 'palladium';
        name: string;
        productId?: string;
      };
      /** @description What led to the verdict, most important first */
      reasons: {
        code: string;
        text: string;
      }[];
      recording: {
        channels: number;
        clippedPercent: number;
        durationSeconds: number;
        peaks: {
          frequencyHz: number;
          levelDb: number;
          q: number | null;
          uncertaintyHz: number;
        }[];
        sampleRateHz: number;
        sha256: string;
        /** @description Of the strongest mode over the noise around it */
        snrDb: number;
      } | null;
      /** @description physics is never a PASS alone */
      reference: {
        /** @enum {string} */
        kind: 'enrolled' | 'table' | 'physics';
        /** @description Where the expected frequencies come from */
        source: string;
      };
      specificGravity: number | null;
      specificGravityCheck: {
        deviationPercent: number;
        expected: number;
        measured: number;
        tolerancePercent: number;
        withinTolerance: boolean;
      } | null;
      spectrumSvg?: string;
      spot: {
        /** Format: date-time */
        asOf: string;
        currency: string;
        metal: string;
        /** @description Of one troy ounce */
        price: string;
        source: string;
        stale: boolean;
      } | null;
      /** @description Root of the batch whose proof covers the rules: auditProof.root */
      starkRoot: string;
      /** @enum {string} */
      verdict: 'PASS' | 'FAIL' | 'INCONCLUSIVE';
    };
    VerifyPairingRequest: {
      challengeNonce: string;
      /** @description Of a challenge with a confirmationKey: Ed25519 over svc/pairing-confirmation/v1, a zero byte and the 16 bytes of the nonce, hex */
      confirmationSignature?: string;
      deviceId: string;
      /**
       * Format: base64
       * @description WAV file, base64: PCM of 16, 24 or 32 bits or float, one or two channels, 8 to 192 kHz, at most 60 s
       */
      recordingBase64: string;
    };
    /**
     * @example {
     *       "agentId": "agent-7"
     *     }
     */
    VerifyPaymentRequest: {
      agentId?: string;
      capability?: string;
      challengeToken?: string;
    };
    VerifyPaymentResult: {
      amountMicroUsd: number;
      capability?: string;
      /** Format: date-time */
      expiresAt: string;
      rail: string;
      receipt: string;
      /** @constant */
      status: 'PAYMENT_CLEARED';
      /** @description Single-use execution ticket: 32 random bytes */
      ticket: string;
      tool: string;
    };
    /** @description The least security that the verifier accepts; the proof cannot lower it */
    VerifyPolicy: {
      /** @description The statements that are accepted. Without it a proof under a definition is valid for the definition beside it, which its author chose */
      airIds?: string[];
      /** @description Least heuristic figure, by default 0 */
      conjecturedSecurityBitsMin?: number;
      /** @description Least proven security, by default 80 */
      securityBitsMin?: number;
    };
    VerifyProofOrAuditRequest:
      components['schemas']['VerifyProofRequest'] | components['schemas']['VerifyAuditRequest'];
    VerifyProofRequest: {
      air?: components['schemas']['AirDefinition'];
      /** @example hash-chain/v1 */
      airId: string;
      /** @description Domain tag the proof was made under */
      contextDomain?: string;
      policy?: components['schemas']['VerifyPolicy'];
      /**
       * Format: base64
       * @description The proof, base64
       */
      proof: string;
      publicInputs: components['schemas']['PublicInputs'];
      /** @description Rows that the proof must be about; without it any length is accepted, and the answer says which */
      traceLength?: number;
    };
    VerifyProofResult: {
      airId: string;
      /** @description A heuristic, bits: what random words leave a cheating prover (ePrint 2025/2010). Nothing proves that no attack is better; rely on the proven figure */
      conjecturedSecurityBits: number;
      /** @description Of a proof under a definition, where it is valid: whether `policy.airIds` names it. If not, it is valid under the definition that came beside it */
      definitionExpected?: boolean;
      /** @description What the proof might be taken to show and does not, of a definition, and where another statement has replaced that of `airId` */
      doesNotProve?: string;
      /** @description Of the proof, where it is valid */
      formatVersion?: number;
      friBlowup?: number;
      parameterSet?: string;
      /** @description Field and domain: gl3, gl2 or m31 */
      profile?: string;
      reason?: string;
      securityBits: number;
      /** @description Rows that the proof is about, where it is valid */
      traceLength?: number;
      valid: boolean;
      verificationLatencyMs: number;
      /** @description Whether the proof hides its trace */
      zeroKnowledge?: boolean;
    };
    VerifySlabRequest: {
      /**
       * Format: base64
       * @description Of the owner alone, as enrolment gave it: refused where a bit of it was changed
       */
      helperData?: string;
      /**
       * Format: base64
       * @description PNG, JPEG, WebP or TIFF of one page, base64; at most 16 megapixels (2^24)
       */
      imageBase64: string;
      pufId?: string;
      roi?: components['schemas']['RegionOfInterest'];
      /** @description The owner’s name of the piece; the first account that enrols it keeps it */
      slabId?: string;
      /** @description Of whoever is not the owner: as enrolment gave it, from the owner */
      verificationToken?: string;
    };
    VerifySlabResult: {
      alignment?: {
        rotationDeg: number;
        /** @description Pixels of this picture for one of the enrolled one */
        scale?: number;
        shiftXPx: number;
        shiftYPx: number;
      };
      auditProof: components['schemas']['AuditProof'];
      doesNotProve: string;
      /** @description Degrees of freedom of the fingerprints of this modality */
      dof?: number;
      /** Format: date-time */
      enrolledAt: string;
      /** @description Of another surface at this distance or below, times the alignments that were tried */
      falseMatchProbability?: number;
      /** @description Fractional Hamming distance over the bits that are usable in both */
      fhd?: number;
      /** @description Whether the key of enrolment came out of this image; of a match */
      keyReproduced?: boolean;
      /** @constant */
      proves: 'commitment';
      pufId: string;
      /** @description Where inconclusive: LOW_CONTRAST, SATURATED, REGULAR, TOO_FEW_BITS, NOISY, AMBIGUOUS */
      reason?: string;
      threshold?: number;
      usableBits?: number;
      /**
       * @description All that is told to whoever is not the owner. To them a picture is inconclusive by itself, whatever it is compared with
       * @enum {string}
       */
      verdict: 'match' | 'mismatch' | 'inconclusive';
    };
    WalCheckpoint: {
      /** Format: date-time */
      at: string;
      hash: string;
      keyId: string;
      leafCount: number;
      number: number;
      prevHash: string;
      /** @description RFC 6962 Merkle root over (saga, count, head), 0x hex */
      root: string;
      /** @description Ed25519, base64url */
      signature: string;
    };
    WalEvent: {
      /** Format: date-time */
      at: string;
      /** @description Which try of the step, from 1; 0 where it is about the saga */
      attempt: number;
      /** @description Of the lease under which the record was written */
      fence: number;
      hash: string;
      /** @description What a remote effect is known again by */
      idemKey?: string;
      /** @enum {string} */
      kind:
        | 'SAGA_BEGIN'
        | 'STEP_INTENT'
        | 'STEP_COMMIT'
        | 'STEP_FAIL'
        | 'COMP_INTENT'
        | 'COMP_COMMIT'
        | 'SAGA_COMMIT'
        | 'SAGA_ABORTED'
        | 'SAGA_STUCK';
      payload: {
        [key: string]: unknown;
      };
      /** @description SHA-256 of the canonical JSON of the payload */
      payloadDigest: string;
      prevHash: string;
      seq: number;
      /** @description Absent where the record is about the saga */
      step?: string;
    };
    WalInclusion: {
      checkpoint: components['schemas']['WalCheckpoint'];
      leafIndex: number;
      path: string[];
      /** @description Records of the saga that the checkpoint covers */
      walCount: number;
    };
    WebgpuSnnAttractorAnswer: {
      /** @description Spikes in the window that was measured */
      activeSpikes: number;
      /** @description The GPU, where one was used */
      adapter?: string;
      /** @description The AIR of that proof */
      airId?: string;
      /** @description b of the fit r_k = b · sigma^k */
      amplitude?: number;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /**
       * @description Where the network was simulated: on the processor or on a GPU
       * @enum {string}
       */
      backend?: 'wasm' | 'webgpu';
      binMs?: number;
      /** @description By which factor a disturbance decays a bin; of one that swings, its envelope */
      branchingRatioSigma: number;
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description Simulated time of the window */
      durationMs?: number;
      fitError?: number;
      meanRateHz?: number;
      /** @description Slope of each bin on the one before it */
      naiveRatio?: number;
      /** @description Simulated: it may be fewer than were asked for */
      neuronCount?: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      /** @description Where the activity oscillates: its frequency */
      oscillationHz?: number;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      seed?: number;
      /** @description Bootstrap interval of the branching ratio */
      sigmaInterval?: number[];
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      /** @description Of the simulation: anybody can run it again */
      stateHash?: string;
      /** @description Of the decay that the ratio stands for */
      timeConstantMs?: number;
      /** @description Simulated before it, and left out */
      warmupMs?: number;
    };
    WebhookReceipt: {
      /** @enum {string} */
      outcome: 'done' | 'duplicate' | 'ignored';
      /** @constant */
      received: true;
    };
    X402Resources: {
      docs: {
        [key: string]: string;
      };
      items: {
        accepts: {
          [key: string]: unknown;
        }[];
        /** Format: date-time */
        lastUpdated: string;
        metadata: {
          description: string;
          operationId: string;
          priceUsd: string;
        };
        method: string;
        resource: string;
        /** @constant */
        type: 'http';
        /** @constant */
        x402Version: 2;
      }[];
      /** @description Payment rails that can settle now */
      rails: string[];
      /** @description URLs that x402 pays for */
      resources: string[];
      /**
       * @description Of this document
       * @constant
       */
      version: 1;
      /** @constant */
      x402Version: 2;
    };
    ZkProveSpatialAnswer: {
      /** @description The AIR of that proof */
      airId?: string;
      /** @description Evidence of the whole answer but the opening */
      auditProof?: components['schemas']['AuditProof'];
      /** @description The tag that it was made under; empty: none */
      contextDomain?: string;
      /** @description Measured in this call: proving and verifying */
      latencyMs: number;
      /** @description What opens the commitment of that proof; keep it to yourself */
      opening?: {
        [key: string]: string;
      };
      paymentReceipt: string;
      primeField: string;
      /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
      proofId?: string;
      /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
      publicInputs?: components['schemas']['PublicInputs'];
      securityBits: number;
      /** @description Root of the STARK that was made: of the tool, else of the evidence */
      starkRoot?: string;
      starkRootCommitment: string;
      verified: boolean;
    };
  };
  responses: {
    /** @description RFC 9457 problem details */
    Problem: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['ProblemDetails'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  'gateway.index': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The index; a page for a browser */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GatewayIndex'];
          'text/html': string;
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.did': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document, without keys that were given up */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DidDocument'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.security': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The text */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.callback-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.license-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys, the newest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.pairing-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.proof-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.receipt-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.wal-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PublicKeys'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'well-known.x402': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resources */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['X402Resources'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.bullion-challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tone */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RingChallenge'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.bullion-enrol': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EnrolBullionRequest'];
      };
    };
    responses: {
      /** @description The enrolment */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BullionEnrolment'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.bullion-export-enrolments': {
    parameters: {
      query: {
        productId: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolmentFile'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.bullion-import-enrolments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EnrolmentFile'];
      };
    };
    responses: {
      /** @description What became of it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportedEnrolments'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.bullion-products': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The products */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BullionProductList'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.card-valuation-price': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The price record */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AgentPriceRecord'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.card-valuation': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CardValuationRequest'];
      };
    };
    responses: {
      /** @description The valuation */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CardValuationResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.card-search': {
    parameters: {
      query: {
        limit?: number;
        /** @description Free text: 1986 fleer jordan 57 */
        q: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The best matches first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CardSearch'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.verify-bullion-price': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The price record */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AgentPriceRecord'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.verify-bullion': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyBullionRequest'];
      };
    };
    responses: {
      /** @description The verdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifyBullionResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'arena.leaders': {
    parameters: {
      query?: {
        cursor?: string;
        family?: 'shortest-path' | 'max-cut' | 'sat' | 'modular-algebra';
        limit?: number;
        /** @description day: the current one, UTC */
        window?: 'day' | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, most points first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ArenaLeaders'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.asyncapi': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The AsyncAPI 3.0 document */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.get-audit': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        auditId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The audit */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiAudit'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.get-letter': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        auditId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The letter */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.override': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        auditId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OverrideRequest'];
      };
    };
    responses: {
      /** @description The override */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Override'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.create-batch': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CoiBatchRequest'];
      };
    };
    responses: {
      /** @description Taken */
      202: {
        headers: {
          /** @description The batch */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiBatch'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_INSUFFICIENT` */
      402: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.get-batch': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a batch: 128 random bits */
        batchId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The batch */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiBatch'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.cancel-batch': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a batch: 128 random bits */
        batchId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The batch */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiBatch'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.expiring': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        withinDays?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, those that end first first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiExpiring'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.list-requirement-sets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The sets */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequirementSetList'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.get-requirement-set': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        requirementSetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The set */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequirementSetReply'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'coi.put-requirement-set': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        requirementSetId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CoiRequirements'];
      };
    };
    responses: {
      /** @description The set */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequirementSetReply'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'departments.list': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The desks */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DepartmentList'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'departments.get': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        deptId:
          | 'proofs'
          | 'neuro'
          | 'acoustics'
          | 'mesh'
          | 'payments'
          | 'compliance'
          | 'valuation'
          | 'authentication'
          | 'parcels'
          | 'licensing';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The desk */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Department'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'departments.submit': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `wait=N` seconds, 2 by default and at most 25; `respond-async` */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path: {
        deptId:
          | 'proofs'
          | 'neuro'
          | 'acoustics'
          | 'mesh'
          | 'payments'
          | 'compliance'
          | 'valuation'
          | 'authentication'
          | 'parcels'
          | 'licensing';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TaskRequest'];
      };
    };
    responses: {
      /** @description Done within the wait */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      /** @description Queued */
      202: {
        headers: {
          /** @description The task */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'departments.get-task': {
    parameters: {
      query?: never;
      header?: {
        /** @description Of a stream: the last event that its reader has */
        'Last-Event-ID'?: string;
      };
      path: {
        deptId:
          | 'proofs'
          | 'neuro'
          | 'acoustics'
          | 'mesh'
          | 'payments'
          | 'compliance'
          | 'valuation'
          | 'authentication'
          | 'parcels'
          | 'licensing';
        /** @description Id of a task: 128 random bits */
        taskId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task; its progress as a stream by `Accept` */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
          'text/event-stream': string;
        };
      };
      /** @description Of a stream: the task has ended, and there is no event after the last one */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'departments.cancel-task': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        deptId:
          | 'proofs'
          | 'neuro'
          | 'acoustics'
          | 'mesh'
          | 'payments'
          | 'compliance'
          | 'valuation'
          | 'authentication'
          | 'parcels'
          | 'licensing';
        /** @description Id of a task: 128 random bits */
        taskId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.leads': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description Text in the account id or the domain of the address; with leads:pii in the whole address */
        q?: string;
        /** @description Those that came at or after it */
        since?: string;
        source?: 'checkout' | 'purchase-link';
        status?: 'new' | 'contacted' | 'won' | 'lost';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LeadPage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.change-lead': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a lead */
        leadId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LeadChange'];
      };
    };
    responses: {
      /** @description The lead */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Lead'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.livez': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Alive */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Liveness'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.llms': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The text */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.mcp-changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream, until its client closes it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['JsonRpcMessage'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JsonRpcMessage'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcMessage'];
          'text/event-stream': string;
        };
      };
      /** @description A notification was taken */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
    };
  };
  'tools.catalog': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The catalogue */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolCatalog'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.mcp-payment-changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream, until its client closes it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['JsonRpcMessage'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.mcp-payment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JsonRpcMessage'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcMessage'];
          'text/event-stream': string;
        };
      };
      /** @description A notification was taken */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JsonRpcRefusal'];
        };
      };
    };
  };
  'gateway.openapi': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The OpenAPI 3.1 document */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.coi-verify-price': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The price record */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AgentPriceRecord'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'agent.coi-verify': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CoiVerifyRequest'];
      };
    };
    responses: {
      /** @description The audit */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CoiVerifyResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'credits.prepay': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreditPackRequest'];
      };
    };
    responses: {
      /** @description A hosted checkout */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreditPackResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'credits.prepay-success': {
    parameters: {
      query: {
        /** @description The checkout session */
        session_id: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Fulfilled, with the new balance */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PrepayConfirmation'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CHECKOUT_UNPAID` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.problem': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its code in lower case, with hyphens */
        type: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it is; a page for a browser */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProblemType'];
          'text/html': string;
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'gateway.readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Ready */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadinessReport'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description Not ready */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadinessReport'];
        };
      };
    };
  };
  'sam.verify-key': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A licence key (`sam1.`), or the token of a licence between machines (`m2m1.`) */
        licenseKey: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The verdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LicenceVerdict'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.get': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Account'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.create-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateKeyRequest'];
      };
    };
    responses: {
      /** @description The key, shown once */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewAccountKey'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.revoke-key': {
    parameters: {
      query?: {
        /** @description Revoke the last active key too: nothing opens the account afterwards */
        force?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @description Id of a key of the account */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Revoked */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedKey'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.rotate-key': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a key of the account */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RotateKeyRequest'];
      };
    };
    responses: {
      /** @description The new key, shown once */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewAccountKey'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.ledger': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountLedger'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.licences': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The licences */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountLicences'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.recover-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoverKeyRequest'];
      };
    };
    responses: {
      /** @description The new key, shown once */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveredKey'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `IDENTITY_UNPROVED` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.recovery-challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoveryChallengeRequest'];
      };
    };
    responses: {
      /** @description What to sign, or to show beside the payment */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryChallenge'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.top-up': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TopUpRequest'];
      };
    };
    responses: {
      /** @description The credit is there */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description The key that the credit lies on */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TopUpResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'account.usage': {
    parameters: {
      query?: {
        cursor?: string;
        /** @description Days of one page */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountUsage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.beacons': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The emitters */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            beacons: components['schemas']['Beacon'][];
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.enrol-beacon': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EnrolBeaconRequest'];
      };
    };
    responses: {
      /** @description The emitter, with its secret */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolledBeacon'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.remove-beacon': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        beaconKey: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.beacon-sound': {
    parameters: {
      query?: {
        waitMs?: number;
      };
      header?: never;
      path: {
        beaconKey: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A WAV file */
      200: {
        headers: {
          /** @description Until when the challenge in it may be answered, RFC 3339 */
          'X-Sound-Expires-At'?: string;
          [name: string]: unknown;
        };
        content: {
          'audio/wav': string;
        };
      };
      /** @description Nothing to play */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.challenge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AcousticChallengeRequest'];
      };
    };
    responses: {
      /** @description The challenge */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AcousticChallenge'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.demodulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DemodulateRequest'];
      };
    };
    responses: {
      /** @description What was heard */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DemodulateResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.modulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModulateRequest'];
      };
    };
    responses: {
      /** @description The packet; with Accept: audio/wav its sound alone */
      200: {
        headers: {
          /** @description Of audio/wav: the SHA-256 of the sound (RFC 9530) */
          'Repr-Digest'?: string;
          /** @description Of audio/wav: the answer as JSON, without wavBase64 and auditProof */
          'SVC-Answer'?: string;
          /** @description Of audio/wav: the auditProof of that answer, as JSON */
          'SVC-Audit-Proof'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModulateResult'];
          'audio/wav': string;
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'acoustic.verify-pairing': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyPairingRequest'];
      };
    };
    responses: {
      /** @description The token */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PairingResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.accounts': {
    parameters: {
      query?: {
        cursor?: string;
        /** @description The whole address */
        email?: string;
        kind?: 'purchased' | 'derived' | 'bundle' | 'operator';
        limit?: number;
        plan?: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminAccountPage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.create-account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateAccountRequest'];
      };
    };
    responses: {
      /** @description The account */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminAccountDetail'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.account': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account */
        accountId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminAccountDetail'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.grant-credit': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path: {
        /** @description Id of an account */
        accountId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GrantCreditRequest'];
      };
    };
    responses: {
      /** @description The grant */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreditGrant'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.issue-key': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account */
        accountId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['IssueKeyRequest'];
      };
    };
    responses: {
      /** @description The key, shown once */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewAccountKey'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.revoke-key': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account */
        accountId: string;
        /** @description Id of a key of the account */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Revoked */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedKey'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.set-licences': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account */
        accountId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SetLicencesRequest'];
      };
    };
    responses: {
      /** @description As they are now */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LicencesSet'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.set-plan': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account */
        accountId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SetPlanRequest'];
      };
    };
    responses: {
      /** @description The account */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminAccountDetail'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.audit': {
    parameters: {
      query?: {
        action?: string;
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditPage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.import-card-sales': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ImportSalesRequest'];
      };
    };
    responses: {
      /** @description What became of the rows */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SalesImport'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.card-sales-quarantine': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['QuarantinePage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.resolve-card-sale': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quarantineId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResolveQuarantineRequest'];
      };
    };
    responses: {
      /** @description What became of it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResolvedQuarantine'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.reset-mesh-document': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResetMeshDocumentRequest'];
      };
    };
    responses: {
      /** @description The document that was begun */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MeshDocumentReset'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.reconcile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What was found */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReconciliationReport'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.refunds': {
    parameters: {
      query?: {
        /** @description The purchase: `claimId` of ledger entries, `id` of receipts */
        claimId?: string;
        cursor?: string;
        limit?: number;
        state?: 'requested' | 'sent' | 'done' | 'refused' | 'unknown';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RefundPage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.refund': {
    parameters: {
      query?: never;
      header: {
        /** @description Needed: the same value for every retry of one refund */
        'Idempotency-Key': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RefundRequest'];
      };
    };
    responses: {
      /** @description The refund as it stands */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refund'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.find-refund': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a refund */
        refundId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The refund */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refund'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.sagas': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        state?: 'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'STUCK';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminSagaPage'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.resume-saga': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a saga */
        sagaId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The saga after that */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminSaga'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.spot-prices': {
    parameters: {
      query?: {
        metal?: 'XAU' | 'XAG' | 'XPT' | 'XPD';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The prices */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SpotPriceList'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'admin.set-spot-price': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SetSpotPriceRequest'];
      };
    };
    responses: {
      /** @description The price */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SpotPrice'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.get-claim': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The last part of a claimUrl */
        claimToken: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it is for */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowClaim'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.claim': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The last part of a claimUrl */
        claimToken: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ClaimEscrowRequest'];
      };
    };
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.create-intent': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateEscrowRequest'];
      };
    };
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.list-intents': {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description Both where it is not said */
        role?: 'creator' | 'payee';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowList'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.get-intent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an escrow */
        intentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.accept': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an escrow */
        intentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.cancel': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path: {
        /** @description Id of an escrow */
        intentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'escrow.release': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path: {
        /** @description Id of an escrow */
        intentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReleaseEscrowRequest'];
      };
    };
    responses: {
      /** @description The escrow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EscrowIntent'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'fep.active-inference': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ActiveInferenceRequest'];
      };
    };
    responses: {
      /** @description Posteriors, free energies and the action */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ActiveInferenceResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'l402.bundle': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BundleRequest'];
      };
    };
    responses: {
      /** @description The bundle is open */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BundleState'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.inbox': {
    parameters: {
      query: {
        /** @description 16 random bytes; each serves once */
        nonce: string;
        /** @description 32 bytes: Ed25519; 33 or 65: secp256k1 */
        peerPublicKey: string;
        /** @description Of the peer over the text of docs/mesh.md: Ed25519, or ECDSA of SHA-256 (64 bytes, or DER) */
        signature: string;
        timestamp: number;
      };
      header?: {
        /** @description Goes on after this event */
        'Last-Event-ID'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Events, each an InboxEvent */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['InboxEvent'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `IDENTITY_UNPROVED` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.rendezvous': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RendezvousRequest'];
      };
    };
    responses: {
      /** @description The answer and its candidates */
      200: {
        headers: {
          /** @description Names the ICE session; stays as it is */
          ETag?: string;
          /** @description The session */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RendezvousResult'];
        };
      };
      /** @description The peer has not answered yet */
      202: {
        headers: {
          /** @description Names the ICE session; stays as it is */
          ETag?: string;
          /** @description The session */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RendezvousPending'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL`, `IDENTITY_UNPROVED` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.session': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a signalling session: 128 random bits */
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session */
      200: {
        headers: {
          /** @description Names the ICE session; stays as it is */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MeshSession'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.close-session': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a signalling session: 128 random bits */
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Closed */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.trickle': {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the session; or * */
        'If-Match'?: string;
      };
      path: {
        /** @description Id of a signalling session: 128 random bits */
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/trickle-ice-sdpfrag': components['schemas']['SdpFragment'];
      };
    };
    responses: {
      /** @description Added */
      204: {
        headers: {
          /** @description Names the ICE session; stays as it is */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'mesh.answer': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a signalling session: 128 random bits */
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MeshAnswerRequest'];
      };
    };
    responses: {
      /** @description The session */
      200: {
        headers: {
          /** @description Names the ICE session; stays as it is */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MeshSession'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `IDENTITY_UNPROVED` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'refunds.lightning': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LightningRefundRequest'];
      };
    };
    responses: {
      /** @description What became of it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LightningRefund'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `IDENTITY_UNPROVED` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'snn.solve': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `wait=N` seconds, 2 by default and at most 25; `respond-async` */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SnnRequest'];
      };
    };
    responses: {
      /** @description What the network did; what it would take; or the task, where it has ended within the wait */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['SnnResult']
            | components['schemas']['SnnEstimate']
            | components['schemas']['Task'];
        };
      };
      /** @description A task that goes on */
      202: {
        headers: {
          /** @description The task */
          Location?: string;
          /** @description `respond-async` */
          'Preference-Applied'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'snn.solve-graph': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `wait=N` seconds, 2 by default and at most 25; `respond-async` */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SolveGraphRequest'];
      };
    };
    responses: {
      /** @description The solution, checked; or the task, where it has ended within the wait */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SolveGraphResult'] | components['schemas']['Task'];
        };
      };
      /** @description A task that goes on */
      202: {
        headers: {
          /** @description The task */
          Location?: string;
          /** @description `respond-async` */
          'Preference-Applied'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'speckle.extract-puf': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ExtractPufRequest'];
      };
    };
    responses: {
      /** @description The fingerprint */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExtractPufResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'speckle.verify-slab': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifySlabRequest'];
      };
    };
    responses: {
      /** @description The verdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifySlabResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.get-job': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a proof job: 128 random bits */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProofJob'];
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.cancel-job': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a proof job: 128 random bits */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job, which was asked to end */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProofJob'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `CONFLICT` */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.job-events': {
    parameters: {
      query?: never;
      header?: {
        /** @description The last event that was read; the stream goes on after it */
        'Last-Event-ID'?: string;
      };
      path: {
        /** @description Id of a proof job: 128 random bits */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['ProofJobEvent'];
        };
      };
      /** @description The job has ended and every event was read */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.pq-verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PqVerifyRequest'];
      };
    };
    responses: {
      /** @description Both verdicts */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PqVerifyResult'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.fetch-proof': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a stored proof: 128 random bits */
        proofId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The proof: octets, or JSON by `Accept` */
      200: {
        headers: {
          /** @description The AIR that the proof is for */
          'X-Proof-Air'?: string;
          /** @description The domain tag that the proof was made under, its UTF-8 percent-encoded (RFC 3986); absent where it is empty */
          'X-Proof-Context'?: string;
          /** @description When the proof was made, RFC 3339 */
          'X-Proof-Created-At'?: string;
          /** @description When what the proof was made for was taken back, RFC 3339; absent where it was not */
          'X-Proof-Revoked-At'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredProofResult'];
          'application/octet-stream': unknown;
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.prove-goldilocks': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `respond-async`: the answer is 202 with a job to follow, at once (RFC 7240) */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StarkProveRequest'];
      };
    };
    responses: {
      /** @description The proof, verified */
      200: {
        headers: {
          /** @description Receipt of the payment: base64url JSON, as draft-httpauth-payment says */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StarkProveResult'];
        };
      };
      /** @description With `Prefer: respond-async`: a job that the payment is held for */
      202: {
        headers: {
          /** @description The job */
          Location?: string;
          /** @description respond-async */
          'Preference-Applied'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProofJob'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description The job that holds the payment */
          Location?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentInFlight'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.prove-m31': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `respond-async`: the answer is 202 with a job to follow, at once (RFC 7240) */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StarkProveM31Request'];
      };
    };
    responses: {
      /** @description The proof, verified */
      200: {
        headers: {
          /** @description Receipt of the payment: base64url JSON, as draft-httpauth-payment says */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StarkProveResult'];
        };
      };
      /** @description With `Prefer: respond-async`: a job that the payment is held for */
      202: {
        headers: {
          /** @description The job */
          Location?: string;
          /** @description respond-async */
          'Preference-Applied'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProofJob'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description The job that holds the payment */
          Location?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentInFlight'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'stark.verify-proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyProofOrAuditRequest'];
      };
    };
    responses: {
      /** @description The verdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifyProofResult'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.call': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path: {
        name: components['schemas']['ToolName'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolInput'];
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolOutput'];
        };
      };
      /** @description The saga of the tool goes on, or is stuck and will be resolved */
      202: {
        headers: {
          /** @description The saga */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExecuteResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.arena_challenge': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Name on the board of the arena */
          agentId?: string;
          /** @description JSON text: {"challengeId":…,"answer":…} answers a challenge; {"family"?,"level"?} asks for one; without it, one by the record of the account that pays */
          challengePayload?: string;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            award?: components['schemas']['ArenaAward'];
            challenge?: components['schemas']['ArenaChallenge'];
            /** @description 0 to 100; 0 where nothing was graded */
            cognitiveScore: number;
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            grading?: components['schemas']['ArenaGrading'];
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            satsAwarded: number;
            /** @description SHA-256 of the canonical JSON of grading.auditProof; empty where nothing was graded */
            starkProofHash: string;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.create_purchase_link': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @default developer_sdk
           * @enum {string}
           */
          tier?: 'developer_sdk' | 'enterprise_sam' | 'bullion_pro_trader';
          /** Format: email */
          workEmail?: string;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            checkoutUrl: string;
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            fulfillment: string;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            processorAccount: string;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.evaluate_spatial_parcel_fep': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          elevationContour: number[];
          parcelId: string;
          /** @description mS/m */
          soilConductivity?: number;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description 99 % point, nats a sample */
            adaptingUpTo?: number;
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description HOMEOSTATIC below 0.022; ADAPTING up to adaptingUpTo, which the model itself exceeds once in a hundred; beyond, DIVERGENT */
            homeostaticStatus: string;
            /** @description Of the contour under the model, nats */
            negLogEvidence?: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Elevations in metres, one a sample */
            optimalTrajectory: number[];
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            /** @description What the free energy is divided by */
            samples?: number;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            /** @description Nats a sample; 1/2 is expected of the model itself */
            variationalFreeEnergy: number;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.generate_goldilocks_stark_proof': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Domain tag for the circuit */
          contextDomain?: string;
          privateWitness?: string[];
          /** @description Hexadecimal or decimal */
          publicInputs: string[];
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description Measured in this call: proving and verifying */
            executionTimeMs: number;
            fieldPrimeHex: string;
            friQueryProofBytes: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            paymentReceipt: string;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            securityLevelBits: number;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            starkRootCommitment: string;
            verified: boolean;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.get_product_catalog': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': Record<string, never>;
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            catalog: (
              | {
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  description: string;
                  /** @constant */
                  kind: 'plan';
                  name: string;
                  priceUsdPerMonth: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                  /** @description Null: without end */
                  requestsPerMonth: number | null;
                }
              | {
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  /** @constant */
                  kind: 'subscription';
                  /** @description The licence that comes with it */
                  licence: {
                    features: string[];
                    seats: number;
                  } | null;
                  name: string;
                  /** @description The plan that it begins */
                  plan: string;
                  priceUsdPerMonth: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                  /** @description Null: without end */
                  requestsPerMonth: number | null;
                }
              | {
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  features?: string[];
                  /**
                   * @description A licence key, or a machine-to-machine licence
                   * @enum {string}
                   */
                  form: 'sam1' | 'm2m';
                  /** @constant */
                  kind: 'licence';
                  metered?: boolean;
                  nodesMax?: number;
                  /** @description Whether the price is one of each month */
                  perMonth: boolean;
                  /** @description US dollars */
                  priceUsd: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                  seats?: number;
                  sublicense?: boolean;
                  tier: string;
                  /** @description Null: without end */
                  validDays?: number | null;
                }
              | {
                  /** @description Certificate audits that it pays for */
                  audits: number;
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  /** @constant */
                  kind: 'pack';
                  /** @description US dollars */
                  priceUsd: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                }
              | {
                  /** @description True: every tool that is listed is sold here; whether its services answer now is said by `tools/list` of MCP */
                  available: boolean;
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  description: string;
                  /** @constant */
                  kind: 'tool';
                  /** @description Satoshis */
                  priceSats: number;
                  /** @description US dollars */
                  priceUsd: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                  tool: string;
                }
              | {
                  /** @description True: every route that is listed is sold here */
                  available: boolean;
                  /** @description The tool or the route that sells it */
                  buyWith: string;
                  /** @enum {string} */
                  charged: 'always' | 'over-quota';
                  description: string;
                  /** @constant */
                  kind: 'call';
                  /** @description Satoshis */
                  priceSats: number;
                  /** @description US dollars */
                  priceUsd: string;
                  /** @description Unique within the catalogue */
                  productId: string;
                }
            )[];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.m2m_license_contract': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          capability?: string;
          contractId?: string;
          /** @description The step that fails with simulateFault: 1 reserve, 2 contract, 3 prove, 4 settle; by default 3 */
          faultStep?: number;
          licenseeAgentId: string;
          /**
           * @default m2m_continuous_metered
           * @enum {string}
           */
          licensingTier?: 'm2m_autonomous_perpetual' | 'm2m_continuous_metered' | 'm2m_enterprise_mesh';
          /** @description When true, a step fails in mid-execution to demonstrate reverse compensation from the log */
          simulateFault?: boolean;
          /** @description Monotonically increasing sequence index */
          streamIndex?: number;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            contractId: string;
            /** @description Measured: from the first record of the log to the last */
            executionTimeMs: number;
            m2mLicenseToken: string;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            sagaName: string;
            settlementTreasury: string;
            starkExecutionProof: string;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            status: string;
            walCount: number;
            walEvents: components['schemas']['WalEvent'][];
            walHash: string;
          };
        };
      };
      /** @description The saga of the tool goes on, or is stuck and will be resolved */
      202: {
        headers: {
          /** @description The saga */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExecuteResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.sync_mesh_crdt': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Public key of a peer, or its SHA-256, in hex digits */
          peerId?: string;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description SHA-256 of svc-crdt-v1 and the canonical JSON of the document, hex; the same on all replicas */
            crdtStateHash: string;
            /** @description Verified peers that are present */
            meshNodesDiscovered: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Whether the peer of peerId is */
            peerPresent?: boolean;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            /** @description Of the document, in the encoding of Yjs; base64 */
            stateVector?: string;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.verify_acoustic_proximity_token': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          challengeNonce: string;
          deviceId: string;
          /**
           * @default ultrasonic_19khz
           * @enum {string}
           */
          frequencyBand?: 'ultrasonic_19khz' | 'audible_fsk';
          /**
           * Format: base64
           * @description WAV file, base64: what the device heard. Without it the pairing that POST /v1/acoustic/verify-pairing answered for the device and the challenge is said again, while it is valid
           */
          recordingBase64?: string;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @enum {string} */
            assurance?: 'beacon' | 'recording_submitted';
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            berNoiseFloorDb: number;
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            correctedWords?: number;
            doubleErrorWords?: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            pairingToken: string;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            secdedSyndrome: number;
            snrDb?: number;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            validUntil: number;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.webgpu_snn_attractor': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @default 1000000 */
          neuronCount?: number;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Spikes in the window that was measured */
            activeSpikes: number;
            /** @description The GPU, where one was used */
            adapter?: string;
            /** @description The AIR of that proof */
            airId?: string;
            /** @description b of the fit r_k = b · sigma^k */
            amplitude?: number;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /**
             * @description Where the network was simulated: on the processor or on a GPU
             * @enum {string}
             */
            backend?: 'wasm' | 'webgpu';
            binMs?: number;
            /** @description By which factor a disturbance decays a bin; of one that swings, its envelope */
            branchingRatioSigma: number;
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description Simulated time of the window */
            durationMs?: number;
            fitError?: number;
            meanRateHz?: number;
            /** @description Slope of each bin on the one before it */
            naiveRatio?: number;
            /** @description Simulated: it may be fewer than were asked for */
            neuronCount?: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            /** @description Where the activity oscillates: its frequency */
            oscillationHz?: number;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            seed?: number;
            /** @description Bootstrap interval of the branching ratio */
            sigmaInterval?: number[];
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            /** @description Of the simulation: anybody can run it again */
            stateHash?: string;
            /** @description Of the decay that the ratio stands for */
            timeConstantMs?: number;
            /** @description Simulated before it, and left out */
            warmupMs?: number;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tool.zk_prove_spatial': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Metres above ground */
          altitude?: number;
          /** @description The public box: a pair for each coordinate, then one for the altitude, both ends included, at most 2^32 - 1 units of the frame wide; by default the cell that the place lies in, of a degree, 1,000 metres of height or 10 km of a metric grid. The answer states it in whole units. */
          bounds?: number[][];
          /** @description Latitude, longitude, elevation or metric grid */
          coordinates: number[];
          /**
           * @description What the coordinates are: by default two or three are degrees, and metres, in wgs84, any other count a metric grid
           * @enum {string}
           */
          frame?: 'wgs84' | 'metric';
          parcelId?: string;
          /** @description A recording that the proof is about: it is bound by hash, with the parcel */
          traceData?: string;
        };
      };
    };
    responses: {
      /** @description The outputs of the tool, and their evidence */
      200: {
        headers: {
          /** @description Receipt of the payment */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The AIR of that proof */
            airId?: string;
            /** @description Evidence of the whole answer but the opening */
            auditProof?: components['schemas']['AuditProof'];
            /** @description The tag that it was made under; empty: none */
            contextDomain?: string;
            /** @description Measured in this call: proving and verifying */
            latencyMs: number;
            /** @description What opens the commitment of that proof; keep it to yourself */
            opening?: {
              [key: string]: string;
            };
            paymentReceipt: string;
            primeField: string;
            /** @description Proof of the tool, where it makes one: /v1/stark/proofs/:proofId */
            proofId?: string;
            /** @description What that proof states in public: the box and the commitment, or the inputs and the commitment */
            publicInputs?: components['schemas']['PublicInputs'];
            securityBits: number;
            /** @description Root of the STARK that was made: of the tool, else of the evidence */
            starkRoot?: string;
            starkRootCommitment: string;
            verified: boolean;
          };
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `CONFLICT`, `STREAM_INDEX_STALE` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'tools.upload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      /** @description The file is there */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'x402.challenge': {
    parameters: {
      query?: {
        tool?: components['schemas']['ToolName'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAY_AT_VERIFY` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'x402.execute': {
    parameters: {
      query?: {
        tool?: components['schemas']['ToolName'];
      };
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        'X-Execution-Ticket'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ExecuteRequest'];
      };
    };
    responses: {
      /** @description The saga ended */
      200: {
        headers: {
          /** @description The saga */
          Link?: string;
          /** @description Receipt of the payment (MPP) */
          'Payment-Receipt'?: string;
          /** @description Settlement of the payment (x402) */
          'PAYMENT-RESPONSE'?: string;
          /** @description Signed receipt of a payment that came with the call, which binds request and answer: a compact JWS */
          'SVC-Receipt'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExecuteResult'];
        };
      };
      /** @description The saga goes on, or is stuck and will be resolved */
      202: {
        headers: {
          /** @description The saga */
          Location?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExecuteResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL`, `TICKET_UNKNOWN` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT`, `TICKET_USED`, `STREAM_INDEX_STALE`, `CONFLICT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED`, `TICKET_EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'x402.saga': {
    parameters: {
      query?: never;
      header?: {
        'X-Execution-Ticket'?: string;
        'X-SVC-KEY'?: string;
      };
      path: {
        /** @description Id of a saga */
        sagaId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The saga */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Saga'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL`, `TICKET_UNKNOWN` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `NOT_FOUND` */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'x402.telemetry': {
    parameters: {
      query?: never;
      header?: {
        /** @description Version of the last event that was read */
        'Last-Event-ID'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A snapshot; a stream of them by `Accept` */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Telemetry'];
          'text/event-stream': string;
        };
      };
      /** @description `VALIDATION_FAILED` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'x402.verify': {
    parameters: {
      query?: {
        tool?: components['schemas']['ToolName'];
      };
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyPaymentRequest'];
      };
    };
    responses: {
      /** @description Payment cleared, ticket issued */
      200: {
        headers: {
          /** @description Receipt of the payment (MPP) */
          'Payment-Receipt'?: string;
          /** @description Settlement of the payment (x402) */
          'PAYMENT-RESPONSE'?: string;
          /** @description Signed receipt that binds request and ticket: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          /** @description Credit that the payment left over */
          'X-SVC-KEY'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifyPaymentResult'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'zk.check-air': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AirCheckRequest'];
      };
    };
    responses: {
      /** @description What the definition is, and what came of the statement */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AirCheckResult'];
        };
      };
      /** @description `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'zk.prove': {
    parameters: {
      query?: never;
      header?: {
        /** @description The same value for every retry of one purchase */
        'Idempotency-Key'?: string;
        /** @description `respond-async`: the answer is 202 with a job to follow, at once (RFC 7240) */
        Prefer?: string;
        /** @description What the caller pays at most, decimal dollars: a call that costs more is refused */
        'X-Svc-Max-Price'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProveRequest'];
      };
    };
    responses: {
      /** @description The proof, verified */
      200: {
        headers: {
          /** @description Receipt of the payment: base64url JSON, as draft-httpauth-payment says */
          'Payment-Receipt'?: string;
          /** @description Signed receipt that binds request and answer: a compact JWS; not where a plan has paid */
          'SVC-Receipt'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProveResult'];
        };
      };
      /** @description With `Prefer: respond-async`: a job that the payment is held for */
      202: {
        headers: {
          /** @description The job */
          Location?: string;
          /** @description respond-async */
          'Preference-Applied'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProofJob'];
        };
      };
      /** @description `CONFLICTING_CREDENTIALS`, `PAYMENT_METHOD_UNSUPPORTED`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNKNOWN_CREDENTIAL` */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_REQUIRED`, `PAYMENT_MALFORMED`, `PAYMENT_INVALID`, `PAYMENT_EXPIRED`, `PAYMENT_INSUFFICIENT`, `BUDGET_EXHAUSTED`, `PAYMENT_BOUND_ELSEWHERE` */
      402: {
        headers: {
          /** @description Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body */
          'PAYMENT-REQUIRED'?: string;
          /** @description One line a challenge: L402, Payment */
          'WWW-Authenticate'?: string;
          /** @description The challenge token */
          'X-402-Challenge'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentChallenge'];
        };
      };
      /** @description `FORBIDDEN` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PAYMENT_IN_FLIGHT` */
      409: {
        headers: {
          /** @description The job that holds the payment */
          Location?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'] &
            components['schemas']['PaymentInFlight'];
        };
      };
      /** @description `EXPIRED` */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `PRECONDITION_FAILED` */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNPROCESSABLE` */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `QUEUE_FULL`, `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SETTLEMENT_UNKNOWN`, `OVERLOADED`, `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
  'webhooks.stripe': {
    parameters: {
      query?: never;
      header?: {
        'Stripe-Signature'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StripeEvent'];
      };
    };
    responses: {
      /** @description Taken */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookReceipt'];
        };
      };
      /** @description `WEBHOOK_INVALID`, `VALIDATION_FAILED`, `MALFORMED_JSON` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `REQUEST_TIMEOUT` */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `BODY_TOO_LARGE` */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `URI_TOO_LONG` */
      414: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `UNSUPPORTED_MEDIA_TYPE` */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `MISDIRECTED_REQUEST` */
      421: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `RATE_LIMITED` */
      429: {
        headers: {
          /** @description What is left of the policy that was broken */
          RateLimit?: string;
          /** @description The policy that was broken */
          'RateLimit-Policy'?: string;
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `HEADERS_TOO_LARGE` */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `INTERNAL` */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `SERVICE_UNAVAILABLE` */
      503: {
        headers: {
          /** @description Seconds to wait */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
      /** @description `TIMEOUT` */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['ProblemDetails'];
        };
      };
    };
  };
}
