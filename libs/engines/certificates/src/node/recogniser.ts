import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
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

/** Threads that recognise side by side what is asked for together, on a machine of two cores. */
const THREADS = Math.min(2, availableParallelism());

function startThread(): Promise<Worker> {
  return createWorker('eng', OEM.LSTM_ONLY, {
    langPath: LANGUAGE,
    cacheMethod: 'none',
    gzip: true,
    logger: () => {},
    errorHandler: () => {},
  });
}

/** Recognises characters, offline: its program and its language come with the packages, and it writes nothing. */
export class Recogniser {
  private threads: Promise<Worker>[] | undefined;
  private readonly idle: Promise<Worker>[] = [];
  private readonly waiting: ((thread: Promise<Worker>) => void)[] = [];

  /** Threads take a while to stand; whoever knows that pictures will come starts them before. */
  start(): void {
    if (this.threads) return;
    this.threads = Array.from({ length: THREADS }, startThread);
    // A thread that does not start fails whoever waits for it, and nobody else.
    for (const thread of this.threads) thread.catch(() => {});
    this.idle.push(...this.threads);
  }

  /**
   * Words of a picture with their boxes, in pixels. Pictures that are asked for together are recognised side by side.
   * @param mode how the words stand: a block of lines, one line, one letter
   * @param letters the only ones that may be recognised; all where it is empty
   */
  async words(picture: GreyPicture, mode: PSM, letters = ''): Promise<TextWord[]> {
    const thread = await this.acquire();
    try {
      return await wordsBy(await thread.started, picture, mode, letters);
    } finally {
      this.release(thread.started);
    }
  }

  /** A thread that nobody else has: what it is told stays told. In an object, for it may not have started yet. */
  private async acquire(): Promise<{ started: Promise<Worker> }> {
    this.start();
    const idle = this.idle.shift();
    if (idle) return { started: idle };
    return new Promise(resolve => this.waiting.push(started => resolve({ started })));
  }

  private release(thread: Promise<Worker>): void {
    const next = this.waiting.shift();
    if (next) next(thread);
    else this.idle.push(thread);
  }
}

async function wordsBy(
  worker: Worker,
  picture: GreyPicture,
  mode: PSM,
  letters: string,
): Promise<TextWord[]> {
  await worker.setParameters({
    tessedit_pageseg_mode: mode,
    tessedit_char_whitelist: letters,
    user_defined_dpi: String(Math.round(picture.dpi)),
    tessedit_do_invert: '0',
  });
  const { data } = await worker.recognize(greyMap(picture), {}, { blocks: true, text: false });
  const lines = (data.blocks ?? []).flatMap(block => block.paragraphs.flatMap(paragraph => paragraph.lines));
  return lines
    .flatMap(line => line.words)
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, confidence, bbox }) => ({
      text: text.trim(),
      box: [bbox.x0, bbox.y0, bbox.x1, bbox.y1] as Box,
      confidence: confidence / 100,
    }));
}
