import { AuditTally, generateCertificate, TAMPER_KINDS, tamperedCertificate } from '../src/testing/index.js';
import { reader } from './warm-reader.js';

const IS_LONG = process.env.SUITE_TIER === 'long';
/** Sound and faulty ones, each against every built-in set; the benchmark audits hundreds of each. */
const FILES = IS_LONG ? 40 : 1;
/** Every third kind of forgery at commit; the rules see all of them in audit-certificate.spec.ts. */
const FORGERIES = TAMPER_KINDS.filter((_, i) => IS_LONG || i % 3 === 0);
const FIRST_SEED = 7_000;
/** At commit one that does for two of the sets and does not for three. */
const FIRST_FILE = IS_LONG ? FIRST_SEED : 7_006;

export function describeReadAndAudit(): void {
  describe('read and audit', () => {
    describe('what is read from a file and audited', () => {
      it.each(['fillable', 'flattened'] as const)(
        'is never COMPLIANT where the certificate is not, of %s files, and is where it is',
        async variant => {
          const tally = new AuditTally();
          for (let seed = FIRST_FILE; seed < FIRST_FILE + FILES; seed++) {
            const { bytes, truth } = await generateCertificate(seed, { variant });
            tally.add(truth, await reader.read(bytes));
          }
          expect(tally.falselyCompliant).toEqual([]);
          expect(tally.unsound).toBeGreaterThan(FILES);
          expect(tally.sound.DEFICIENT).toBe(0);
          expect(tally.soundCompliantShare).toBeGreaterThan(0.9);
        },
      );

      it.each(FORGERIES)('is never COMPLIANT of a file forged by %s', async kind => {
        const tally = new AuditTally();
        const { bytes, truth, forgery } = await tamperedCertificate(FIRST_SEED, kind);
        const reading = await reader.read(bytes);
        tally.add(truth, reading, true);
        expect(tally.unsound).toBeGreaterThan(0);
        expect(tally.falselyCompliant).toEqual([]);
        if (kind.startsWith('overlaid')) {
          const over = reading.tamperSigns.filter(sign => sign.includes('printed over each other'));
          expect(over.join()).toContain(forgery.issued.split(' ')[0]);
        }
      });
    });
  });
}
