import { CERTIFICATE_RULESET_ID, type CertificateRule } from '@svc/certificates';
import { AUDIT_RULES_MAX, certificatesRoutes } from '@svc/contracts';
import type { EvidenceClaim } from '../evidence/agent-evidence.js';

const DOES_NOT_PROVE =
  'That the certificate is genuine, that the policies exist, are paid for or cover what is asked, or that the fields were read without error: it covers which fields and rules gave the verdict.';
const STATEMENT_CHARS_MAX = 500;

type ClaimedRule = EvidenceClaim['rules'][number];

/**
 * What the evidence of an audit says: each rule that bears on the verdict as value ≥ threshold, and last the verdict. Limits are
 * in dollars and days count from 1970; every other rule is a flag, 1 where it holds. What could not be determined is a flag
 * that does not hold, whatever was read.
 */
export function auditClaim(
  rules: readonly CertificateRule[],
  request: Readonly<Record<string, unknown>>,
): EvidenceClaim {
  const bearing = rules.filter(({ affectsVerdict, outcome }) => affectsVerdict || outcome === 'fail');
  const endorsements = bearing.filter(isEndorsement);
  const claimed = bearing.filter(rule => !isEndorsement(rule)).map(claimedRule);
  if (endorsements.length > 0) claimed.push(endorsementsRule(endorsements));
  claimed.push(verdictRule(bearing));
  if (claimed.length > AUDIT_RULES_MAX) {
    throw new RangeError(`an audit claims at most ${AUDIT_RULES_MAX} rules, not ${claimed.length}`);
  }
  return {
    operationId: certificatesRoutes.verify.operationId,
    request,
    doesNotProve: DOES_NOT_PROVE,
    rulesetId: CERTIFICATE_RULESET_ID,
    rules: claimed,
  };
}

const isEndorsement = ({ id }: CertificateRule) => id.startsWith('ENDORSEMENT_');

function claimedRule({ id, title, outcome, comparison }: CertificateRule): ClaimedRule {
  const isDecided = outcome === 'pass' || outcome === 'fail';
  const agrees = comparison && comparison.value >= comparison.threshold === (outcome === 'pass');
  if (isDecided && agrees) {
    const { statement, value, threshold } = comparison;
    return ruleOf(id, statement, value, threshold);
  }
  return ruleOf(id, `${title} (1: sure to hold)`, outcome === 'pass' ? 1 : 0, 1);
}

/** One rule for all forms: a set may ask for more than fit one by one. */
function endorsementsRule(rules: readonly CertificateRule[]): ClaimedRule {
  const named = rules.filter(({ outcome }) => outcome === 'pass').length;
  return ruleOf('ENDORSEMENTS', 'endorsements that are named, of those required', named, rules.length);
}

function verdictRule(rules: readonly CertificateRule[]): ClaimedRule {
  const open = rules.filter(({ outcome }) => outcome !== 'pass').length;
  return ruleOf('COMPLIANT', 'at most 0 rules do not hold: 0 is at least their number', 0, open);
}

function ruleOf(id: string, statement: string, value: number, threshold: number): ClaimedRule {
  return {
    id,
    statement: statement.slice(0, STATEMENT_CHARS_MAX),
    decimals: 0,
    value: String(value),
    threshold: String(threshold),
  };
}
