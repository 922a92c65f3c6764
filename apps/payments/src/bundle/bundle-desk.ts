import { Inject, Injectable } from '@nestjs/common';
import type { BundleState, l402BundleContract, ParsedRequestOf, ReplyOf } from '@svc/contracts';
import { problem } from '@svc/platform';
import { mayPayFor, PRICE_LIST } from '@svc/protocols';
import { DataSource } from 'typeorm';
import { expired } from '../claim/bid.js';
import { readerOf } from '../rail/payment-method.js';
import { type PresentedBundle, type Rail, RAILS } from '../rail/rail.js';
import { StoredReceipt } from '../receipt/stored-receipt.js';
import { bundleElsewhere, bundleEnded, bundleExhausted, hasExpired, satsOf } from './bundle-problems.js';
import { Bundles, limitIdOf } from './bundles.js';

type Asked = ParsedRequestOf<typeof l402BundleContract.open>;

interface Row {
  readonly cap: number;
  readonly spent: number;
  readonly left_micro_usd: number;
  readonly receipt: unknown;
}

/** What a credential has left of its budgets, those above it among them, and of the money, while its bundle was not ended. */
const STATE = `
  SELECT own.cap_total_micro_usd::float8 AS cap, own.spent_micro_usd::float8 AS spent, claim.receipt,
         (SELECT least(account.balance_micro_usd, min(up.cap_total_micro_usd - up.spent_micro_usd)) FROM key_limit up
           WHERE up.limit_id = ANY (own.lineage))::float8 AS left_micro_usd
    FROM key_limit own JOIN api_key live ON live.limit_id = own.limit_id AND live.state = 'active'
         JOIN account ON account.account_id = own.account_id,
         payment_claim claim
   WHERE own.limit_id = $1 AND claim.rail_family = 'lightning' AND claim.proof_key = $2`;

/** Opens bundles, and says what is left of them. */
@Injectable()
export class BundleDesk {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bundles: Bundles,
    @Inject(RAILS) private readonly rails: readonly Rail[],
  ) {}

  /** @throws ProblemError as `l402BundleContract.open` says */
  async open({ credential, asked }: Asked): Promise<ReplyOf<typeof l402BundleContract.open>> {
    const rail = readerOf(this.rails, credential);
    const bundle = rail.bundleOf?.(credential);
    if (!bundle) throw problem('PAYMENT_BOUND_ELSEWHERE', 'The payment is for one call, and no bundle');
    if (asked && !isOf(bundle, asked)) {
      const what = `another bundle: it is one of ${bundle.issued.budgetSats} sats`;
      throw bundleElsewhere(bundle.issued.capabilities, what);
    }
    // Also where it has expired: its money is then on record, and its payer can have it back.
    await this.bundles.open(bundle, rail);
    if (hasExpired(bundle)) throw expired({ ...bundle.payment, expiresAtMs: bundle.expiresAtMs });
    const [row]: Row[] = await this.dataSource.query(STATE, [
      limitIdOf(bundle.budgets.at(-1)!),
      bundle.payment.proofKey,
    ]);
    if (!row) throw bundleEnded();
    const leastSats = leastPriceSats(bundle.capabilities);
    const leftSats = satsOf(row.left_micro_usd);
    if (leftSats < leastSats)
      throw bundleExhausted(
        { capMicroUsd: row.cap, spentMicroUsd: row.spent },
        row.left_micro_usd,
        leastSats,
      );
    const { headers } = StoredReceipt.parse(row.receipt);
    return { state: stateOf(bundle, row, leftSats), headers };
  }
}

const stateOf = (
  { capabilities, expiresAtMs }: PresentedBundle,
  { cap, spent }: Row,
  leftSats: number,
): BundleState => ({
  ...{ budgetSats: satsOf(cap), spentSats: satsOf(spent), leftSats, capabilities: [...capabilities] },
  expiresAt: new Date(expiresAtMs).toISOString(),
});

const isOf = ({ issued }: PresentedBundle, { sats, capabilities }: NonNullable<Asked['asked']>): boolean =>
  issued.budgetSats === sats && issued.capabilities.join(',') === capabilities.join(',');

/** Infinite where it may pay for nothing. */
const leastPriceSats = (capabilities: readonly string[]): number =>
  Math.min(
    ...PRICE_LIST.filter(({ operationId }) => mayPayFor(capabilities, operationId)).map(
      ({ amountSats }) => amountSats,
    ),
  );
