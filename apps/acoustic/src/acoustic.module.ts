import { Module, type Provider } from '@nestjs/common';
import { PacketThreads } from '@svc/modem/node';
import {
  PostgresToolCalls,
  queueTurn,
  Retention,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { challengeKeysOf, challengeSecretsOf, listeningThreadsOf, pairingKeysOf } from './acoustic-config.js';
import { BeaconSounds } from './beacons/beacon-sounds.js';
import { Beacons } from './beacons/beacons.js';
import { BeaconsNatsController } from './beacons/beacons.nats.controller.js';
import { ChallengeKeys } from './pairing/challenge-keys.js';
import { ChallengeListener } from './pairing/challenge-listener.js';
import { ChallengeService } from './pairing/challenge.service.js';
import { PairingChallenges } from './pairing/pairing-challenges.js';
import { PairingKeys } from './pairing/pairing-keys.js';
import { PairingNatsController } from './pairing/pairing.nats.controller.js';
import { PairingService } from './pairing/pairing.service.js';
import { PairingTokens } from './pairing/pairing-tokens.js';
import { SelfCheck } from './self-check.js';
import { SoundNatsController } from './sound/sound.nats.controller.js';
import { SoundService } from './sound/sound.service.js';
import { ProximityTool } from './tool/proximity-tool.js';
import { ToolNatsController } from './tool/tool.nats.controller.js';

/** How often what nobody can ask for any more is deleted, milliseconds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;

const inject = [SERVICE_ENVIRONMENT];

/** What is made of the environment: keys, threads, and the deletion of what is past its time. */
const environmentProviders: readonly Provider[] = [
  {
    ...{ provide: ChallengeKeys, inject },
    useFactory: ({ secrets }: ServiceEnvironment) => challengeKeysOf(secrets),
  },
  {
    ...{ provide: PairingKeys, inject },
    useFactory: ({ secrets }: ServiceEnvironment) => pairingKeysOf(secrets),
  },
  {
    ...{ provide: PacketThreads, inject },
    useFactory: ({ variables }: ServiceEnvironment) =>
      new PacketThreads({ listeners: listeningThreadsOf(variables), turnOf: queueTurn }),
  },
  {
    ...{ provide: PostgresToolCalls, inject: [DataSource, SERVICE_ENVIRONMENT, PairingChallenges] },
    useFactory: (
      dataSource: DataSource,
      { service, secrets }: ServiceEnvironment,
      challenges: PairingChallenges,
    ) =>
      new PostgresToolCalls(dataSource, {
        ...{ service, stage: 'listening' },
        secrets: challengeSecretsOf(secrets),
        // The pairing that the call made is said to nobody any more; its nonce stays used.
        undo: (manager, idemKey) => challenges.withdraw(manager, Buffer.from(idemKey, 'hex')),
      }),
  },
  {
    provide: Retention,
    inject: [SERVICE_ENVIRONMENT, PairingChallenges, BeaconSounds, PostgresToolCalls],
    useFactory: (
      { logger }: ServiceEnvironment,
      challenges: PairingChallenges,
      sounds: BeaconSounds,
      calls: PostgresToolCalls,
    ) =>
      new Retention(
        PURGE_INTERVAL_MS,
        {
          pairingChallenges: () => challenges.purge(),
          beaconSounds: () => sounds.purge(),
          toolCalls: () => calls.purge(),
        },
        logger,
      ),
  },
];

@Module({
  controllers: [SoundNatsController, PairingNatsController, BeaconsNatsController, ToolNatsController],
  providers: [
    ...environmentProviders,
    ...[SoundService, PairingChallenges, ChallengeListener, PairingTokens, PairingService],
    ...[Beacons, BeaconSounds, ChallengeService],
    ...[ProximityTool, SelfCheck],
  ],
})
export class AcousticModule {}
