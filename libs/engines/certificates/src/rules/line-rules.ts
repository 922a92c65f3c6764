import type { CertificateField } from '../certificate-field.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import type { CertificateReading, Reading } from './certificate-reading.js';
import {
  applied,
  type CertificateRule,
  type RuleFinding,
  tickedFinding,
  unread,
} from './certificate-rule.js';
import {
  AUTOMOBILE,
  type CoverageLine,
  GENERAL_LIABILITY,
  rowOf,
  UMBRELLA,
  WORKERS_COMPENSATION,
} from './coverage-line.js';
import { consistencyRule, occurrenceFinding } from './limit-rules.js';

/** The lines that a requirement set asks for, in the order of the form; the umbrella where some limit leans on it too. */
export function askedLines(requirements: CertificateRequirements, usesUmbrella: boolean): CoverageLine[] {
  const { generalLiability, automobileLiability, umbrella, workersCompensation } = requirements;
  const asksUmbrella = umbrella?.eachOccurrenceUsd !== undefined || umbrella?.aggregateUsd !== undefined;
  return [
    ...(generalLiability ? [GENERAL_LIABILITY] : []),
    ...(automobileLiability ? [AUTOMOBILE] : []),
    ...(asksUmbrella || usesUmbrella ? [UMBRELLA] : []),
    ...(workersCompensation ? [WORKERS_COMPENSATION] : []),
  ];
}

/** What is asked of single lines beside limits and terms: boxes. */
export function lineRules(
  reading: CertificateReading,
  requirements: CertificateRequirements,
): CertificateRule[] {
  return [
    ...generalLiabilityRules(reading, requirements),
    ...automobileRules(reading, requirements),
    ...workersCompensationRules(reading, requirements),
  ];
}

function generalLiabilityRules(
  reading: CertificateReading,
  { generalLiability: asked }: CertificateRequirements,
): CertificateRule[] {
  if (!asked) return [];
  const row = rowOf(GENERAL_LIABILITY);
  const rules = [consistencyRule(reading)];
  if (asked.occurrenceForm) {
    const occurrence = reading.flag('GeneralLiability_OccurrenceIndicator', row);
    const claimsMade = reading.flag('GeneralLiability_ClaimsMadeIndicator', row);
    rules.push(
      applied(
        { id: 'GL_OCCURRENCE_FORM', title: 'General liability: occurrence form' },
        occurrenceFinding(occurrence, claimsMade),
      ),
    );
  }
  if (asked.aggregatePerProject) {
    rules.push(
      applied(
        { id: 'GL_AGGREGATE_PER_PROJECT', title: 'General liability: aggregate per project' },
        perProjectFinding(reading),
      ),
    );
  }
  return [...rules, ...boxRules(reading, GENERAL_LIABILITY, asked)];
}

/** The additional insured and subrogation boxes of a line. */
function boxRules(
  reading: CertificateReading,
  line: CoverageLine,
  asked: { readonly additionalInsured?: boolean; readonly subrogationWaived?: boolean },
): CertificateRule[] {
  const row = rowOf(line);
  const rules: CertificateRule[] = [];
  const title = `${line.name[0].toUpperCase()}${line.name.slice(1)}`;
  if (asked.additionalInsured && line.additionalInsured) {
    rules.push(
      applied(
        { id: `${line.id}_ADDITIONAL_INSURED`, title: `${title}: additional insured` },
        tickedFinding(reading.flag(line.additionalInsured, row), `additional insured box of ${line.name}`),
      ),
    );
  }
  if (asked.subrogationWaived) {
    rules.push(
      applied(
        { id: `${line.id}_SUBROGATION_WAIVED`, title: `${title}: subrogation waived` },
        tickedFinding(reading.flag(line.subrogationWaived, row), `subrogation waived box of ${line.name}`),
      ),
    );
  }
  return rules;
}

/** Of the boxes under the aggregate one says to what it applies. */
function perProjectFinding(reading: CertificateReading): RuleFinding {
  const row = rowOf(GENERAL_LIABILITY);
  const box = (what: 'PerPolicy' | 'PerProject' | 'PerLocation' | 'ToOther') =>
    reading.flag(`GeneralLiability_GeneralAggregate_LimitApplies${what}Indicator`, row);
  const project = box('PerProject');
  const others = [box('PerPolicy'), box('PerLocation'), box('ToOther')];
  const isTicked = (reading: Reading<boolean>) => reading.state === 'known' && reading.value;
  if (isTicked(project) && others.some(isTicked)) {
    const detail = 'The aggregate is ticked to apply per project and to something else.';
    return { outcome: 'not_determinable', detail, evidence: evidenceIn(project) };
  }
  return tickedFinding(project, 'box for an aggregate per project');
}

function automobileRules(
  reading: CertificateReading,
  { automobileLiability: asked }: CertificateRequirements,
): CertificateRule[] {
  if (!asked) return [];
  const rules: CertificateRule[] = [];
  if (asked.anyAutoOrHiredAndNonOwned) {
    rules.push(
      applied(
        { id: 'AUTO_SCOPE', title: 'Automobile liability: any auto, or hired and non-owned autos' },
        autoScopeFinding(reading),
      ),
    );
  }
  return [...rules, ...boxRules(reading, AUTOMOBILE, asked)];
}

function autoScopeFinding(reading: CertificateReading): RuleFinding {
  const row = rowOf(AUTOMOBILE);
  const any = reading.flag('Vehicle_AnyAutoIndicator', row);
  if (any.state === 'known' && any.value) return tickedFinding(any, 'any auto box');
  const hired = reading.flag('Vehicle_HiredAutosIndicator', row);
  const nonOwned = reading.flag('Vehicle_NonOwnedAutosIndicator', row);
  // What is missing decides: an unclear box leaves it open, an empty one does not.
  const weaker = [hired, nonOwned].find(({ state }) => state === 'unclear') ?? hired;
  const findings = [hired, nonOwned].map(box => tickedFinding(box, 'hired and non-owned autos boxes'));
  const bad = findings.find(({ outcome }) => outcome !== 'pass');
  if (bad === undefined) return findings[1];
  if (any.state === 'unclear') return unread(any, 'any auto box');
  return weaker.state === 'unclear' ? unread(weaker, 'hired and non-owned autos boxes') : bad;
}

function workersCompensationRules(
  reading: CertificateReading,
  { workersCompensation: asked }: CertificateRequirements,
): CertificateRule[] {
  if (!asked) return [];
  const row = rowOf(WORKERS_COMPENSATION);
  const statutory = reading.flag('WorkersCompensationEmployersLiability_StatutoryLimitsIndicator', row);
  const rules = [
    applied(
      { id: 'WC_STATUTORY', title: 'Workers compensation: statutory limits' },
      tickedFinding(statutory, 'statutory limits box'),
    ),
  ];
  if (asked.noExclusions) {
    const field = 'WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator';
    rules.push(
      applied(
        { id: 'WC_EXCLUSIONS', title: 'Workers compensation: nobody is excluded' },
        excludedFinding(reading, field),
      ),
    );
  }
  return [...rules, ...boxRules(reading, WORKERS_COMPENSATION, asked)];
}

/** Whether nobody is excluded has to be said: an empty box says nothing, and a tick is taken for a yes by nobody else. */
function excludedFinding(reading: CertificateReading, field: CertificateField): RuleFinding {
  const excluded = reading.flag(field, rowOf(WORKERS_COMPENSATION));
  if (excluded.state === 'absent') {
    const detail = 'The certificate does not say whether proprietors, partners or officers are excluded.';
    return { outcome: 'not_determinable', detail, confidence: excluded.confidence };
  }
  if (excluded.state === 'unclear') return unread(excluded, 'box for excluded persons');
  const { evidence, confidence } = excluded;
  return excluded.value
    ? { outcome: 'fail', detail: 'Proprietors, partners or officers are excluded.', evidence, confidence }
    : { outcome: 'pass', detail: 'Nobody is excluded.', evidence, confidence };
}

function evidenceIn(reading: Reading<unknown>) {
  return reading.state === 'absent' ? undefined : reading.evidence;
}
