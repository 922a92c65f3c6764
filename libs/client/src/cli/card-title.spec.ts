import { cardOfTitle, gradeIn } from './card-title.js';

const told = (title: string) => {
  const found = cardOfTitle(title);
  if (typeof found === 'string') return found;
  const { card, company, grade, qualifier } = found;
  return [
    card.year,
    card.set,
    card.number,
    card.player,
    card.parallel ?? '',
    company,
    grade ?? '',
    qualifier ?? '',
  ].join(' | ');
};

describe('a title of a listing', () => {
  test.each([
    ['1986 Fleer Michael Jordan #57 PSA 8', '1986 | Fleer | 57 | Michael Jordan |  | PSA | 8 | '],
    [
      '1986-87 FLEER BASKETBALL #57 MICHAEL JORDAN ROOKIE RC HOF PSA 9 MINT',
      '1986 | Fleer | 57 | MICHAEL JORDAN |  | PSA | 9 | ',
    ],
    [
      'PSA 10 GEM MINT 2018 Panini Prizm Silver Luka Doncic RC #280 Dallas Mavericks',
      '2018 | Panini Prizm | 280 | Luka Doncic | Silver | PSA | 10 | ',
    ],
    [
      '2011 Topps Update Mike Trout #US175 RC BGS 9.5 GEM MINT',
      '2011 | Topps Update | US175 | Mike Trout |  | BGS | 9.5 | ',
    ],
    [
      '1989 Upper Deck Ken Griffey Jr. #1 BGS 10 BLACK LABEL',
      '1989 | Upper Deck | 1 | Ken Griffey Jr. |  | BGS | 10 | BLACK',
    ],
    [
      '1993 SP Derek Jeter #279 CGC PRISTINE 10 Yankees',
      '1993 | SP | 279 | Derek Jeter |  | CGC | 10 | PRISTINE',
    ],
    [
      '1979 O-Pee-Chee #18 Wayne Gretzky SGC 5.5 EX+',
      '1979 | O-Pee-Chee | 18 | Wayne Gretzky |  | SGC | 5.5 | ',
    ],
    [
      '1980 Topps #482 Rickey Henderson PSA 8 (OC)',
      '1980 | Topps | 482 | Rickey Henderson |  | PSA | 8 | OC',
    ],
    [
      '2003 Topps Chrome LeBron James #111 TAG 9 MINT Cavaliers',
      '2003 | Topps Chrome | 111 | LeBron James |  | TAG | 9 | ',
    ],
    ['1957 Topps Bill Russell #77 HOF raw', 'not the name'],
    ['1957 Topps Bill Russell #77 Celtics RC', '1957 | Topps | 77 | Bill Russell |  | RAW |  | '],
  ])('%s', (title, expected) => {
    if (expected.includes('|')) expect(told(title)).toBe(expected);
    else expect(told(title)).not.toContain('|');
  });

  test.each([
    ['an autograph', '2018 Panini Prizm Luka Doncic #280 Auto PSA 10'],
    ['a reprint', '1952 Topps Mickey Mantle #311 Reprint'],
    ['a lot', 'LOT of 2 1986 Fleer Michael Jordan #57'],
    ['a limited card', '2018 Panini Prizm Gold Luka Doncic #280 7/10 PSA 10'],
    ['a limited card, without its own number', '2018 Panini Prizm Gold Luka Doncic #280 /10 PSA 10'],
    ['two grades', '1986 Fleer Michael Jordan #57 PSA 8 not PSA 9'],
    ['a grade to be', '1986 Fleer Michael Jordan #57 PSA ready'],
    ['no grade of the company', '1986 Fleer Michael Jordan #57 PSA Authentic Altered'],
    ['a company that has no place here', '1957 Topps Bill Russell #77 BVG 5'],
    ['no year', 'Fleer Michael Jordan #57 PSA 8'],
    ['two years', '1986 Fleer Michael Jordan #57 PSA 8 1987'],
    ['no number', '1986 Fleer Michael Jordan PSA 8'],
    ['two numbers', '1986 Fleer Michael Jordan #57 #8 PSA 8'],
    ['no set', '1986 Blorb Michael Jordan #57 PSA 8'],
    ['two sets', '1986 Fleer Topps Michael Jordan #57 PSA 8'],
    ['two parallels', '2018 Panini Prizm Silver Gold Luka Doncic #280 PSA 10'],
    ['one name', '1986 Fleer Jordan #57 PSA 8'],
    ['a third word', '1986 Fleer Michael Jordan Sticker? Wow #57 PSA 8'],
    ['a team in place of a name', '1986 Fleer Jordan Bulls #57 PSA 8'],
    ['another number that looks like a grade', '1986 Fleer Michael Jordan #57 PSA 85'],
  ])('of %s is left to a person', (_, title) => expect(told(title)).not.toContain('|'));

  test('is read with names of one’s own', () => {
    const title = '1997 Blorb Deluxe Plasma Tim Duncan #1 PSA 10';
    expect(cardOfTitle(title)).toBe('names no set that is known');
    expect(cardOfTitle(title, { sets: ['Blorb Deluxe'], parallels: ['Plasma'] })).toMatchObject({
      card: { set: 'Blorb Deluxe', parallel: 'Plasma', player: 'Tim Duncan' },
    });
  });

  test('names a grade, a label of its own, or none', () => {
    expect(gradeIn('BECKETT 9.5')).toEqual({ company: 'BGS', grade: 9.5 });
    expect(gradeIn('CGC Pristine 10'.toUpperCase())).toEqual({
      company: 'CGC',
      grade: 10,
      qualifier: 'PRISTINE',
    });
    expect(gradeIn('PSA 10')).toEqual(gradeIn('PSA GEM MT 10'));
    expect(gradeIn('Tag Team GX')).toEqual({ company: 'RAW' });
    expect(gradeIn('PSA 11')).toBe('names a grading company and no grade of its own');
  });
});
