/** Names of the glyphs of ASCII that are no letters, from 32, 91 and 123 on (Adobe Glyph List; letters are named by themselves). */
const NAMES: readonly (readonly [from: number, names: string])[] = [
  [
    32,
    'space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash ' +
      'zero one two three four five six seven eight nine colon semicolon less equal greater question at',
  ],
  [91, 'bracketleft backslash bracketright asciicircum underscore grave'],
  [123, 'braceleft bar braceright asciitilde'],
];
/** Others that certificates are written with. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ quoteright: '’', quoteleft: '‘', quotedblleft: '“', quotedblright: '”', endash: '–', emdash: '—' },
  ...{ bullet: '•', minus: '−', nbspace: ' ', nonbreakingspace: ' ', sfthyphen: '-', section: '§' },
  ...{ copyright: '©', registered: '®', trademark: '™', degree: '°', Euro: '€', sterling: '£', cent: '¢' },
};

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...NAMES.flatMap(([from, names]) =>
    names.split(' ').map((name, i) => [name, String.fromCharCode(from + i)] as const),
  ),
  ...Object.entries(OTHERS),
]);

/**
 * The letter that a glyph's name stands for; `undefined` for names that fonts make up (`g17`).
 *
 * @example letterOfGlyph('seven') === '7'
 */
export function letterOfGlyph(name: string): string | undefined {
  if (/^[A-Za-z]$/.test(name)) return name;
  const code = /^(?:uni([0-9A-F]{4})|u([0-9A-F]{4,6}))$/.exec(name);
  if (!code) return BY_NAME.get(name);
  const point = parseInt(code[1] ?? code[2], 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
