import type { ExtractedCertificate } from '../extracted-certificate.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import type { CertificateReading, Evidence } from './certificate-reading.js';
import { applied, type CertificateRule, type RuleFinding, shortened } from './certificate-rule.js';
import { textNamesCompany } from './company-name.js';
import { GENERAL_LIABILITY, rowOf } from './coverage-line.js';
import {
  type EndorsementForm,
  type EndorsementLine,
  type EndorsementPurpose,
  isHedged,
  lineOf,
  namedForms,
  purposeOf,
  requiredForm,
} from './endorsement-form.js';

/** Forms that make all with whom a contract asks for it additional insureds; the others name theirs. */
const AUTOMATIC_FORMS = new Set(['CG 20 33', 'CG 20 38']);
/** Forms for additional insureds that end with the work. */
const ONGOING_OPERATIONS = new Set(['CG 20 10', 'CG 20 26', 'CG 20 33', 'CG 20 38']);
const COMPLETED_OPERATIONS = 'CG 20 37';
/** The one edition of CG 20 10 that covers "your work", completed or not. */
const COVERS_COMPLETED = '11 85';
const BLANKET =
  /WRITTEN (CONTRACT|AGREEMENT)|ANY PERSON(S)? OR ORGANI[SZ]ATION(S)?|WHERE REQUIRED BY CONTRACT/;

/** Of a page that came along as much is looked at: an endorsement has a page or two. */
const PAGE_CHARS_MAX = 20_000;
/** Longest policy number that is looked for on pages. */
const NUMBER_CHARS_MAX = 64;

/** A form where it was named: in the remarks, or on a page that came along. */
interface Mention extends EndorsementForm {
  readonly isHedged: boolean;
  readonly evidence: Evidence;
}

/** Everything that the certificate and its pages say about endorsements. */
export class EndorsementReading {
  readonly mentions: readonly Mention[];
  private readonly pages: ExtractedCertificate['attachments'];

  constructor(private readonly reading: CertificateReading) {
    const remarks = reading.certificate.fields.CertificateOfInsurance_RemarkText;
    const inRemarks = remarks
      ? mentionsIn(remarks.value, 'CertificateOfInsurance_RemarkText', remarks.page)
      : [];
    this.pages = reading.certificate.attachments.map(({ page, text }) => ({
      page,
      text: text.slice(0, PAGE_CHARS_MAX),
    }));
    const onPages = this.pages.flatMap(({ page, text }) => mentionsIn(text, 'Attachment', page, true));
    this.mentions = [...inRemarks, ...onPages];
  }

  /** Whether a form is named, with its edition where one is asked for. */
  named(asked: string): RuleFinding {
    const { form, edition } = requiredForm(asked);
    const mentions = this.mentions.filter(mention => mention.form === form);
    const [first] = mentions;
    if (first === undefined) return this.unnamed(form);
    const clear = mentions.filter(mention => !mention.isHedged);
    const editions = edition === undefined ? clear : clear.filter(mention => mention.edition === edition);
    // A form that is named once and taken back elsewhere is not sure.
    if (clear.length < mentions.length) {
      const detail = `${form} is named in a sentence that takes something back or leaves it open.`;
      return {
        outcome: 'not_determinable',
        detail,
        evidence: mentions.find(each => each.isHedged)?.evidence,
      };
    }
    if (editions.length > 0) {
      return { outcome: 'pass', detail: `${form} is named.`, evidence: editions[0].evidence };
    }
    const shown = clear.find(mention => mention.edition !== undefined);
    return shown
      ? { outcome: 'fail', detail: `${form} is named in edition ${shown.edition}.`, evidence: shown.evidence }
      : {
          outcome: 'not_determinable',
          detail: `${form} is named without its edition.`,
          evidence: first.evidence,
        };
  }

  /** Whether a page that came along makes the holder an additional insured of the general liability policy. */
  additionalInsuredPage(): RuleFinding {
    const findings = this.pages
      .map(page => this.provesAdditionalInsured(page))
      .filter(each => each !== undefined);
    const proof = findings.find(({ outcome }) => outcome === 'pass') ?? findings[0];
    if (proof) return proof;
    const others = [...new Set(this.pages.flatMap(({ text }) => ownForms(text)))].slice(0, 6).join(', ');
    const what = others === '' ? '' : ` (${others} came along, which make none)`;
    const detail = `The additional insured box is ticked, and no page of such an endorsement of the general liability policy came with the certificate${what}: the box alone gives no right.`;
    return { outcome: 'warn', detail };
  }

  /** Whether what makes additional insureds reaches past the end of the work. */
  completedOperations(): RuleFinding {
    const clear = this.mentions.filter(mention => !mention.isHedged);
    const covering = clear.find(
      ({ form, edition }) =>
        form === COMPLETED_OPERATIONS || (form === 'CG 20 10' && edition === COVERS_COMPLETED),
    );
    if (covering) {
      return { outcome: 'pass', detail: `${covering.form} is named.`, evidence: covering.evidence };
    }
    const ongoing = clear.find(({ form }) => ONGOING_OPERATIONS.has(form));
    if (ongoing) {
      const detail = `${ongoing.form} covers ongoing operations alone: without ${COMPLETED_OPERATIONS} nothing is said of completed operations.`;
      return { outcome: 'warn', detail, evidence: ongoing.evidence };
    }
    return { outcome: 'pass', detail: 'No form that ends with the work is named.' };
  }

  /** Whether a form for this purpose, of this policy, is named by its number and not taken back. */
  names(purpose: EndorsementPurpose, line: EndorsementLine): boolean {
    return this.mentions.some(
      ({ form, isHedged }) => !isHedged && purposeOf(form) === purpose && lineOf(form) === line,
    );
  }

  /** Pages of endorsements that take cover away, each with its form. */
  limitingPages(): { readonly form: string; readonly evidence: Evidence }[] {
    return this.pages.flatMap(({ page, text }) => {
      const form = ownForms(text).find(each => purposeOf(each) === 'limiting');
      return form === undefined
        ? []
        : [{ form, evidence: { field: 'Attachment', value: shortened(text), page } }];
    });
  }

  private unnamed(form: string): RuleFinding {
    const { variant, fields } = this.reading.certificate;
    const remarks = fields.CertificateOfInsurance_RemarkText;
    const isSure = variant === 'fillable' || variant === 'fields';
    const detail = `${form} is named neither in the remarks nor on a page that came along.`;
    const evidence = remarks && {
      field: 'CertificateOfInsurance_RemarkText',
      value: shortened(remarks.value),
    };
    // What was read off a page may have been misread: a form's number is few characters.
    return { outcome: isSure ? 'fail' : 'not_determinable', detail, evidence };
  }

  private provesAdditionalInsured({ page, text }: { page: number; text: string }): RuleFinding | undefined {
    const upper = text.toUpperCase();
    const evidence = { field: 'Attachment', value: shortened(text), page };
    const forms = ownForms(text);
    const isProof = (form: string) => purposeOf(form) === 'additional-insured' && lineOf(form) === 'GL';
    if (forms.length === 0) {
      if (!/\bADDITIONAL INSURED\b/.test(upper)) return undefined;
      const detail = `The page ${page} speaks of additional insureds and has no number of a form that makes them.`;
      return { outcome: 'warn', detail, evidence };
    }
    // A waiver, or primary wording "for an additional insured", makes no one that.
    if (!forms.every(isProof)) return undefined;
    const isAutomatic = forms.some(form => AUTOMATIC_FORMS.has(form));
    const number = this.reading.text(GENERAL_LIABILITY.policyNumber, rowOf(GENERAL_LIABILITY));
    if (number.state !== 'known' || !showsNumber(text, number.value)) {
      const detail = `The endorsement on page ${page} does not show the number of the general liability policy.`;
      return { outcome: 'warn', detail, evidence };
    }
    if (!isAutomatic && !BLANKET.test(upper) && !this.namesHolder(text)) {
      const detail = `The endorsement on page ${page} neither names the certificate holder nor applies to all by written contract.`;
      return { outcome: 'warn', detail, evidence };
    }
    return { outcome: 'pass', detail: `The endorsement is on page ${page}.`, evidence };
  }

  private namesHolder(text: string): boolean {
    const holder = this.reading.text('CertificateHolder_FullName');
    return holder.state === 'known' && textNamesCompany(text, holder.value);
  }
}

/** The forms that have to be named, one rule for each. */
export function endorsementRules(
  endorsements: EndorsementReading,
  { endorsements: asked }: CertificateRequirements,
): CertificateRule[] {
  const rules = asked.map(text => {
    const { form, edition } = requiredForm(text);
    const name = edition === undefined ? form : `${form} ${edition}`;
    return applied(
      { id: `ENDORSEMENT_${name.replaceAll(' ', '_')}`, title: `Endorsement ${name}` },
      endorsements.named(text),
    );
  });
  // Two spellings of one form are one rule.
  return [...new Map(rules.map(rule => [rule.id, rule])).values()];
}

/** What a tick in the additional insured box is worth: its endorsement, and how far that reaches. */
export function additionalInsuredRules(
  endorsements: EndorsementReading,
  { generalLiability }: CertificateRequirements,
  isTicked: boolean,
): CertificateRule[] {
  if (!generalLiability?.additionalInsured) return [];
  const asksCompleted = generalLiability.productsCompletedOperationsUsd !== undefined;
  const completed = applied(
    {
      id: 'AI_COMPLETED_OPERATIONS',
      title: 'Additional insured: completed operations',
      affectsVerdict: asksCompleted,
    },
    endorsements.completedOperations(),
  );
  if (!isTicked) return [completed];
  return [
    applied(
      { id: 'AI_UNPROVEN', title: 'Additional insured: the endorsement came along' },
      endorsements.additionalInsuredPage(),
    ),
    completed,
  ];
}

function mentionsIn(text: string, field: string, page: number | undefined, isForm = false): Mention[] {
  return namedForms(text).map(mention => ({
    ...mention,
    // An endorsement's own text is full of exclusions: that is how it is written.
    isHedged: !isForm && isHedged(text, mention),
    evidence: {
      field,
      value: shortened(text.slice(Math.max(0, mention.from - 20), mention.to + 40)),
      ...(page === undefined ? {} : { page }),
    },
  }));
}

/** The form that a page is: its number stands at the head or the foot, and what is named between is what it speaks of. */
function ownForms(text: string): string[] {
  const forms = namedForms(text).map(({ form }) => form);
  return [...new Set(forms.length === 0 ? [] : [forms[0], forms[forms.length - 1]])];
}

/** Whether a text shows a policy number, however it is spaced. */
function showsNumber(text: string, number: string): boolean {
  const plain = (value: string) => value.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const wanted = plain(number);
  if (wanted.length < 4 || wanted.length > NUMBER_CHARS_MAX) return false;
  const pattern = [...wanted].join('[^A-Z0-9]{0,2}');
  return new RegExp(`(?<![A-Z0-9])${pattern}(?![A-Z0-9])`).test(text.toUpperCase());
}
