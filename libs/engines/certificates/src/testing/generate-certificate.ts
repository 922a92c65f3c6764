import { certificateTruth, type TruthOptions } from './truth-generator.js';
import type { CertificateTruth } from './certificate-truth.js';
import { addFormFields, draftCertificate, drawValues, LAYOUTS } from './draw-certificate.js';
import type { LayoutId } from './layout.js';

/** A file with the truth about it. */
export interface GeneratedCertificate {
  readonly bytes: Uint8Array;
  readonly layout: LayoutId;
  readonly variant: 'fillable' | 'flattened';
  readonly truth: CertificateTruth;
}

export interface CertificateOptions extends TruthOptions {
  readonly layout?: LayoutId;
  readonly variant?: 'fillable' | 'flattened';
}

const LAYOUT_IDS = Object.keys(LAYOUTS) as LayoutId[];

/**
 * One certificate of our own design, marked synthetic. The same seed and options give the same bytes; layouts take turns.
 *
 * @example const { bytes, truth } = await generateCertificate(7, { variant: 'flattened', layout: 'panels' });
 */
export async function generateCertificate(
  seed: number,
  {
    layout = LAYOUT_IDS[seed % LAYOUT_IDS.length],
    variant = 'fillable',
    ...options
  }: CertificateOptions = {},
): Promise<GeneratedCertificate> {
  const truth = certificateTruth(seed, options);
  const draft = await draftCertificate(LAYOUTS[layout], truth.endorsementPages);
  if (variant === 'fillable') addFormFields(draft, truth.fields);
  else drawValues(draft, truth.fields);
  return { bytes: await draft.document.save({ updateFieldAppearances: false }), layout, variant, truth };
}
