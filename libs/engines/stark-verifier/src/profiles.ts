import { circleProfile } from './circle/circle-profile.js';
import { gl2Profile, gl3Profile } from './multiplicative-profile.js';
import type { Profile } from './profile.js';
import type { ProfileName } from './profile-facts.js';

/** Every profile that prover and verifier know. A new one is a file beside these and a line here. */
const PROFILES: readonly Profile[] = [gl3Profile, gl2Profile, circleProfile];

const BY_NAME: ReadonlyMap<string, Profile> = new Map(PROFILES.map(profile => [profile.facts.name, profile]));
const BY_CODE: ReadonlyMap<number, Profile> = new Map(PROFILES.map(profile => [profile.facts.code, profile]));

/** @throws RangeError for a profile that this build does not know */
export function profileOf(name: ProfileName): Profile {
  const profile = BY_NAME.get(name);
  if (!profile) throw new RangeError(`profile must be one of ${[...BY_NAME.keys()].join(', ')}, got ${name}`);
  return profile;
}

/** The profile of a header's byte, or undefined. */
export function findProfile(code: number): Profile | undefined {
  return BY_CODE.get(code);
}
