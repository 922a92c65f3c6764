/** Ranges that are read of one `Accept` or `Accept-Encoding` header; the rest does not count. */
const RANGES_MAX = 32;

/**
 * The offered media type that an `Accept` header likes best (RFC 9110, section 12.5.1); of equals the
 * one offered first. A header that is absent, or that accepts none of them, gets the first.
 * @param offered media types without parameters, the preferred first, at least one
 */
export function preferredType<T extends string>(accept: string | undefined, offered: readonly T[]): T {
  let best = offered[0];
  let bestQuality = 0;
  const ranges = parseAccept(accept ?? '*/*');
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) {
      best = type;
      bestQuality = quality;
    }
  }
  return best;
}

/**
 * The coding that an `Accept-Encoding` header likes best (RFC 9110, section 12.5.3); of equals the one offered first. `identity`
 * where there is no header, or it accepts none of them: nobody is refused for what it does not accept.
 * @param offered the preferred first
 */
export function preferredCoding<T extends string>(
  acceptEncoding: string | undefined,
  offered: readonly T[],
): T | 'identity' {
  const ranges = parseAccept(acceptEncoding ?? '');
  const qualityOf = (coding: string) =>
    (ranges.find(({ type }) => type === coding) ?? ranges.find(({ type }) => type === '*'))?.quality ?? 0;
  let best: T | 'identity' = 'identity';
  let bestQuality = ranges.find(({ type }) => type === best)?.quality ?? 0;
  for (const coding of offered) {
    const quality = qualityOf(coding);
    // A compressed answer is taken rather than the plain one where both are liked alike.
    if (quality > bestQuality || (quality > 0 && best === 'identity' && quality === bestQuality)) {
      best = coding;
      bestQuality = quality;
    }
  }
  return best;
}

interface AcceptedRange {
  readonly type: string;
  readonly quality: number;
}

function parseAccept(header: string): AcceptedRange[] {
  const ranges: AcceptedRange[] = [];
  for (const part of header.split(',', RANGES_MAX)) {
    const [type, ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    if (quality >= 0 && quality <= 1) ranges.push({ type, quality });
  }
  return ranges;
}

/** The most specific range decides, as the RFC says. */
function qualityOf(type: string, ranges: readonly AcceptedRange[]): number {
  for (const pattern of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const range = ranges.find(candidate => candidate.type === pattern);
    if (range) return range.quality;
  }
  return 0;
}
