import { Injectable } from '@nestjs/common';
import {
  accountContract,
  COI_BATCH_DOCUMENT_BYTES_MAX,
  type CoiBatch,
  coiBatchContract,
  coiBatchesRoutes,
  type CoiBatchRequest,
  departmentTaskContract,
  type KeyHolder,
  type RequestOf,
} from '@svc/contracts';
import { boundDigest, type HeldClaim, isOutcomeUnknown, PaymentClaims, undecided, without } from '@svc/edge';
import { asProblem, BusClient, problem, ProblemError } from '@svc/platform';
import { priceOf, usdText } from '@svc/protocols';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** What a document is paid as, and who audits it. */
const OPERATION_ID = 'agent.coi-verify';
const DESK = { deptId: 'compliance', capability: 'coi.verify' } as const;
/** Claims, and documents on their way to the desk, beside one another. */
const CLAIMS_ABREAST = 16;
const DOCUMENTS_ABREAST = 4;
/** Waits between the tries to give a document to the desk; the same task may be sent again. */
const GIVE_WAITS_MS = [100, 400, 1_000];
/** Members of a refusal that tell this house which claim it is about, and nobody else. */
const CLAIM_MEMBERS = ['claimId', 'attempt'];

type Document = CoiBatchRequest['documents'][number];

/** A request for a batch, and whose it is. */
export interface BatchCall {
  readonly documents: readonly Document[];
  readonly holder: KeyHolder;
  readonly accountKey: string;
  readonly idempotencyKey: string | undefined;
}

interface Untaken {
  readonly index: number;
  readonly taskId: string;
}
interface PaidDocument extends Untaken {
  readonly claim: HeldClaim;
}

/**
 * Takes batches of audits: every document is paid for by the key before the first is given to its desk, so that a balance
 * that does not do costs nothing. A batch that was broken off goes on where it was, under the same Idempotency-Key: the desk
 * says which documents have no task, and their claims are found again by the batch and their places in it.
 */
@Injectable()
export class CoiBatchTaking {
  private readonly claims: PaymentClaims;

  constructor(private readonly bus: BusClient) {
    this.claims = new PaymentClaims(bus);
  }

  /** @throws ProblemError, with the batch once there is one */
  async take(call: BatchCall): Promise<CoiBatch> {
    const digests = await digestsOf(call.documents);
    await this.requireBalance(call, call.documents.length, true);
    const { batchId, untaken } = await this.bus.call(coiBatchContract.openBatch, {
      accountId: call.holder.accountId,
      idempotencyKey: call.idempotencyKey,
      requestDigest: await boundDigest(coiBatchesRoutes.create.operationId, { documents: digests }),
      terms: call.documents.map(termsOf),
    });
    try {
      if (untaken.length > 0) await this.takeDocuments(call, batchId, untaken, digests);
      return await this.taken(batchId);
    } catch (error) {
      throw naming(error, batchId);
    }
  }

  private async takeDocuments(
    call: BatchCall,
    batchId: string,
    untaken: readonly Untaken[],
    digests: readonly string[],
  ): Promise<void> {
    await this.requireBalance(call, untaken.length, false);
    const paid = await this.pay(call, batchId, untaken, digests);
    try {
      await this.takePaid(call, batchId, paid);
    } finally {
      for (const { claim } of paid) this.claims.end(claim);
    }
  }

  private async takePaid(call: BatchCall, batchId: string, paid: readonly PaidDocument[]): Promise<void> {
    // Since the claims are held, nobody else takes these documents; before that, somebody may have.
    const left = await this.bus.call(coiBatchContract.untakenDocuments, { batchId }).catch(async error => {
      const isGivenBack = await this.giveBack(paid, asProblem(error).code);
      throw isGivenBack ? error : undecided(error);
    });
    const due = new Set(left.untaken.map(({ index }) => index));
    await this.giveBack(
      paid.filter(({ index }) => !due.has(index)),
      'CONFLICT',
    );
    await this.give(
      call,
      paid.filter(({ index }) => due.has(index)),
    );
  }

  /** Of several calls for one batch, the one that has the first document's claim goes on. All claims, or none. */
  private async pay(
    call: BatchCall,
    batchId: string,
    untaken: readonly Untaken[],
    digests: readonly string[],
  ): Promise<PaidDocument[]> {
    const paid: PaidDocument[] = [];
    const payOne = async (document: Untaken) => {
      const { index } = document;
      const claim = await this.claims.claim({
        operationId: OPERATION_ID,
        // Two documents that are alike are two audits: each is bound to its place.
        requestDigest: await boundDigest(OPERATION_ID, { batchId, index, document: digests[index] }),
        accountKey: call.accountKey,
        idempotencyKey: `${batchId}:${index}`,
      });
      if (claim.outcome === 'claimed') paid.push({ ...document, claim });
    };
    try {
      await payOne(untaken[0]);
      await abreast(CLAIMS_ABREAST, untaken.slice(1), payOne);
      return paid;
    } catch (error) {
      const isGivenBack = await this.giveBack(paid, asProblem(error).code);
      for (const { claim } of paid) this.claims.end(claim);
      const refused = error instanceof ProblemError ? without(error, CLAIM_MEMBERS) : error;
      throw isGivenBack ? refused : undecided(refused);
    }
  }

  /** What is refused for certain is given back; of what may have been taken, the end of the lease decides. */
  private async give(call: BatchCall, paid: readonly PaidDocument[]): Promise<void> {
    const due = new Set(paid);
    try {
      await abreast(DOCUMENTS_ABREAST, paid, async document => {
        due.delete(document);
        await this.giveOne(call, document).catch((error: unknown) => {
          if (!isOutcomeUnknown(error)) due.add(document);
          throw error;
        });
      });
    } catch (error) {
      await this.giveBack([...due], asProblem(error).code);
      // Documents that the desk has may be audited already.
      throw undecided(error);
    }
  }

  private async giveOne({ documents, holder }: BatchCall, document: PaidDocument): Promise<void> {
    const { index, taskId, claim } = document;
    const { claimId, attempt, canBeGivenUp, receipt } = claim;
    const order: RequestOf<typeof departmentTaskContract.submitTask> = {
      taskId,
      deptId: DESK.deptId,
      request: { capability: DESK.capability, task: { ...documents[index] }, priority: 'low' },
      payment: {
        claim: { claimId, attempt, canBeGivenUp, receipt: receipt.headers['Payment-Receipt'] ?? '' },
      },
      accountId: holder.accountId,
    };
    for (let turn = 0; ; turn++) {
      try {
        await this.bus.call(departmentTaskContract.submitTask, order);
        return;
      } catch (error) {
        if (!isOutcomeUnknown(error) || turn >= GIVE_WAITS_MS.length) throw error;
        await delay(GIVE_WAITS_MS[turn]);
      }
    }
  }

  /** One that was cancelled while its documents were given to the desk is cancelled with all of them. */
  private async taken(batchId: string): Promise<CoiBatch> {
    const batch = await this.bus.call(coiBatchContract.batch, { batchId });
    const isOver = batch.cancelledAt === undefined || batch.status !== 'RUNNING';
    return isOver ? batch : this.bus.call(coiBatchContract.cancelBatch, { batchId });
  }

  /** Whether all of them are known to be given back; of the others the ends of their leases decide. */
  private async giveBack(paid: readonly PaidDocument[], reason: string): Promise<boolean> {
    let isGivenBack = true;
    await abreast(CLAIMS_ABREAST, paid, async ({ claim }) => {
      isGivenBack = (await this.claims.release(claim, reason)).isGivenBack && isGivenBack;
    });
    return isGivenBack;
  }

  /**
   * Asks whether the balance covers the documents, so that most batches that it does not cover begin no claim.
   * @param isFirst where a batch may be there already that needs less
   * @throws ProblemError PAYMENT_INSUFFICIENT
   */
  private async requireBalance({ holder, idempotencyKey }: BatchCall, count: number, isFirst: boolean) {
    if (isFirst === (idempotencyKey !== undefined)) return;
    const { balanceMicroUsd } = await this.bus.call(accountContract.account, { by: holder });
    const priceMicroUsd = count * priceOf(OPERATION_ID).amountMicroUsd;
    if (balanceMicroUsd >= priceMicroUsd) return;
    const balance = balanceMicroUsd === 0 ? '0' : usdText(balanceMicroUsd);
    throw problem(
      'PAYMENT_INSUFFICIENT',
      `${count} audits cost ${usdText(priceMicroUsd)} USD and the account of the key has ${balance} USD; nothing was taken`,
      { extensions: { balanceMicroUsd, priceMicroUsd } },
    );
  }
}

/** @throws ProblemError VALIDATION_FAILED for a document that is too large for its desk, or has no digest */
async function digestsOf(documents: readonly Document[]): Promise<string[]> {
  const digests: string[] = [];
  for (const [index, document] of documents.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(document));
    if (bytes > COI_BATCH_DOCUMENT_BYTES_MAX) {
      const message = `has more than ${COI_BATCH_DOCUMENT_BYTES_MAX} bytes of JSON`;
      throw problem('VALIDATION_FAILED', `documents[${index}]: ${message}`, {
        errors: [{ path: `documents[${index}]`, message, bound: COI_BATCH_DOCUMENT_BYTES_MAX, got: bytes }],
      });
    }
    digests.push(await boundDigest(OPERATION_ID, document));
    // A hundred large documents are no reason for others to wait.
    await nextTurn();
  }
  return digests;
}

function termsOf({ asOf, projectEnd, requirements, requirementSetId }: Document) {
  return { asOf, projectEnd, requirements, requirementSetId };
}

/** Does the work of all, some beside one another; after a failure begins no more, and waits for those under way. */
async function abreast<Item>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const failures: unknown[] = [];
  const next = async () => {
    while (left.length > 0 && failures.length === 0) {
      await work(left.shift()!).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, next));
  if (failures.length > 0) throw failures[0];
}

/** Where the batch that was not taken whole is asked for. */
export const batchPathOf = (batchId: string): string =>
  coiBatchesRoutes.batch.path.replace(':batchId', batchId);

function naming(error: unknown, batchId: string): ProblemError {
  const { payload, cause } = asProblem(error);
  const extensions = { ...payload.extensions, batchId, batch: batchPathOf(batchId) };
  return new ProblemError({ ...payload, extensions }, { cause });
}
