import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import type { Box } from '../extracted-certificate.js';
import type { GreyPicture } from '../scan/grey-picture.js';
import type { TextWord } from '../text/page-text.js';

const LANGUAGE = join(
  dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')),
  '4.0.0_best_int',
);

/** A picture as a file that needs no packing: the portable grey map (Netpbm, PGM P5). */
function greyMap({ width, height, pixels }: GreyPicture): Buffer {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  return Buffer.concat([head, pixels]);
}

/** Recognises characters, offline: its program and its language come with the packages, and it writes nothing. */
export class Recogniser {
  private worker: Promise<Worker> | undefined;

  private start(): Promise<Worker> {
    return (this.worker ??= createWorker('eng', OEM.LSTM_ONLY, {
      langPath: LANGUAGE,
      cacheMethod: 'none',
      gzip: true,
      logger: () => {},
      errorHandler: () => {},
    }));
  }

  /**
   * Words of a picture with their boxes, in pixels.
   * @param mode how the words stand: a block of lines, one line, one letter
   * @param letters the only ones that may be recognised; all where it is empty
   */
  async words(picture: GreyPicture, mode: PSM, letters = ''): Promise<TextWord[]> {
    const worker = await this.start();
    await worker.setParameters({
      tessedit_pageseg_mode: mode,
      tessedit_char_whitelist: letters,
      user_defined_dpi: String(Math.round(picture.dpi)),
      tessedit_do_invert: '0',
    });
    const { data } = await worker.recognize(greyMap(picture), {}, { blocks: true, text: false });
    const lines = (data.blocks ?? []).flatMap(block =>
      block.paragraphs.flatMap(paragraph => paragraph.lines),
    );
    return lines
      .flatMap(line => line.words)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, confidence, bbox }) => ({
        text: text.trim(),
        box: [bbox.x0, bbox.y0, bbox.x1, bbox.y1] as Box,
        confidence: confidence / 100,
      }));
  }
}
