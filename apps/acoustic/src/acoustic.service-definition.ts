import type { ServiceDefinition } from '@svc/platform';
import { acousticConfigFaults } from './acoustic-config.js';
import { AcousticModule } from './acoustic.module.js';
import { BeaconSounds } from './beacons/beacon-sounds.js';
import { Acoustic1764900000000 } from './migrations/1764900000000-acoustic.js';
import { ConfirmationKeys1768900000000 } from './migrations/1768900000000-confirmation-keys.js';
import { ACOUSTIC_MEASUREMENTS } from './sound/sound.service.js';

export const acousticService: ServiceDefinition = {
  name: 'acoustic',
  migrations: [Acoustic1764900000000, ConfirmationKeys1768900000000],
  tableRights: {
    beacon: ['SELECT', 'INSERT', 'DELETE'],
    // Who a challenge was made for, and when it ends, stays as it was issued.
    pairing_challenge: [
      'SELECT',
      'INSERT',
      'UPDATE (tries, used_at, used_by_recording, used_by_call, token_until, pairing)',
      'DELETE',
    ],
    beacon_sound: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    tool_call: ['SELECT', 'INSERT', 'UPDATE (state, reply)', 'DELETE'],
  },
  drains: BeaconSounds,
  measurements: ACOUSTIC_MEASUREMENTS,
  configFaults: ({ secrets }, variables) => acousticConfigFaults(secrets, variables),
  module: () => AcousticModule,
};
