import { VersionedObject } from '@svc/objects'
import { doneOrDelayed, raiseAlarm, readConfig } from '@svc/service'
import type { SigningKey } from '@svc/tlog/note-keys'
import type { TilePath } from '@svc/tlog/tiles'
import { directoryLogs } from '../transparency/logs.ts'
import { BEACON_MS, Beacon } from './beacon.ts'
import { beaconConfigSchema } from './config.ts'
import { BeaconFiles } from './files.ts'
import { openHeads } from './open-heads.ts'
import { BEACON } from './schema.ts'
import { beaconKeys, beaconName } from './signing.ts'
import { WitnessClient } from './witness-client.ts'

const RETRY_MS = 5_000

/** The beacon of one period, named by its origin: the only writer of its order. Its alarm adds a leaf a minute. */
export class BeaconObject extends VersionedObject<Env> {
  static override readonly schemas = [BEACON]
  readonly #beacon: Beacon

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = readConfig(beaconConfigSchema, env)
    let keys: Promise<SigningKey[]> | undefined
    this.#beacon = new Beacon({
      origin: beaconName(config),
      stored: this.stored,
      files: new BeaconFiles(env.TILES, beaconName(config)),
      signers: () => (keys ??= beaconKeys(directoryLogs(env).seed, config)),
      openHeads: () => openHeads(env),
      witnesses: new Map(
        config.BEACON_WITNESSES.map((witness) => [
          witness.url,
          new WitnessClient(witness, (url, init) => fetch(url, init)),
        ]),
      ),
      now: () => Date.now(),
      onFault: (witness, reason) =>
        raiseAlarm({ service: 'keys', alarm: 'beacon_not_cosigned', subject: new URL(witness).host, reason }),
    })
  }

  /** The newest published checkpoint. The first call starts the beacon. */
  async checkpoint(): Promise<string | null> {
    if (this.#beacon.published() === null) await this.#turn()
    else this.start()
    return this.#beacon.published()
  }

  tile(path: TilePath): Promise<Uint8Array | null> {
    return this.#beacon.tile(path)
  }

  /** Has the alarm set, if the platform dropped it after many failures. */
  start(): void {
    void this.stored.alarm.by(Date.now() + BEACON_MS)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    const isDone = await doneOrDelayed({ service: 'keys', delayed: 'beacon' }, () => this.#turn())
    if (!isDone) void this.stored.alarm.by(Date.now() + RETRY_MS)
  }

  async #turn(): Promise<void> {
    const startedAt = Date.now()
    const isDone = await this.#beacon.turn()
    // Without a key there is no beacon, and nothing to wake up for.
    if (this.stored.exists) void this.stored.alarm.by(isDone ? startedAt + BEACON_MS : Date.now())
  }
}
