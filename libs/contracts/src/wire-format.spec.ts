import { PlainText, plainText } from './wire-format.js';

const accepts = (schema: ReturnType<typeof plainText>) => (text: string) => schema.safeParse(text).success;

describe('plain text', () => {
  it.each(['', 'a', 'ß – ¼', '日本', '🥇 and 👩‍🚒', '\u00a0', '\ud83e\udd47'])('may be %j', text => {
    expect(accepts(PlainText)(text)).toBe(true);
  });

  it.each(['\0', 'a\nb', '\t', '\u001f', '\u007f', '\u0080', '\u009f', '\ud83e', 'a\udd47b', '\udd47\ud83e'])(
    'is never %j',
    text => {
      expect(accepts(PlainText)(text)).toBe(false);
    },
  );

  it('has the control characters that are allowed, and no others', () => {
    const lines = accepts(plainText(String.raw`\n`));
    expect(['a\nb', '\n', 'a\tb', '\ud83e\n'].map(lines)).toEqual([true, true, false, false]);
  });
});
