import {
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import type { NatsLink } from '../messaging/nats-link.js';
import type { PresenceSettings } from './presence-board.js';
import { presenceNamesOf } from './presence-key.js';

/** A service has no right to ask for the account, so that is not asked. */
const API = { checkAPI: false, timeout: 3_000 };
/** JetStream's own; it may not be longer than the entries live. */
const DUPLICATE_WINDOW_MS_MAX = 2 * 60 * 1_000;

/** The key-value store of one service's board, made where it is missing. */
export class PresenceBucket {
  readonly names;
  private ensured: Promise<KV> | undefined;

  constructor(
    readonly link: NatsLink,
    private readonly settings: Required<PresenceSettings>,
  ) {
    this.names = presenceNamesOf(settings.owner);
  }

  /** Two that are missed end a tail of it. */
  get heartbeatMs(): number {
    return this.settings.heartbeatMs;
  }

  /** Does the work in the bucket, once more where the server has lost that meanwhile: it keeps it in memory. */
  async use<T>(work: (store: KV) => Promise<T>): Promise<T> {
    const ensured = this.ensure();
    try {
      return await work(await ensured);
    } catch (error) {
      if (!isBucketAway(error)) throw error;
      // Of many that notice it one makes it again.
      if (this.ensured === ensured) this.ensured = undefined;
      return work(await this.ensure());
    }
  }

  /** Also where it was there the last time. */
  ensureAgain(): Promise<KV> {
    this.ensured = undefined;
    return this.ensure();
  }

  /** @throws ProblemError SERVICE_UNAVAILABLE while the link is lost */
  client(): JetStreamClient {
    return jetstream(this.link.nats, API);
  }

  async manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.link.nats, API);
  }

  async info(): Promise<StreamInfo> {
    return (await this.manager()).streams.info(this.names.stream);
  }

  private ensure(): Promise<KV> {
    this.ensured ??= this.make().catch((error: unknown) => {
      this.ensured = undefined;
      throw error;
    });
    return this.ensured;
  }

  private async make(): Promise<KV> {
    const { ttlMs, replicas, bytesMax } = this.settings;
    // Replicas that make it at once make the same one, and all of them are told that it is there.
    const store = await new Kvm(this.client()).create(this.names.bucket, {
      storage: StorageType.Memory,
      history: 1,
      ttl: ttlMs,
      replicas,
      max_bytes: bytesMax,
      // Whoever has the last word on claims answers questions too: another server may be behind.
      allow_direct: false,
    });
    const { config } = await this.info();
    const wanted: Partial<StreamConfig> = {
      max_age: nanos(ttlMs),
      num_replicas: replicas,
      max_bytes: bytesMax,
      duplicate_window: nanos(Math.min(ttlMs, DUPLICATE_WINDOW_MS_MAX)),
    };
    if (CHANGEABLE.some(key => config[key] !== wanted[key]))
      await (await this.manager()).streams.update(this.names.stream, wanted);
    return store;
  }
}

const CHANGEABLE = ['max_age', 'num_replicas', 'max_bytes', 'duplicate_window'] as const;

/** A publication that no stream answers is, to the client, one to a server without JetStream. */
export const isBucketAway = (error: unknown) =>
  (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) ||
  (error instanceof Error && error.name === 'JetStreamNotEnabled');
