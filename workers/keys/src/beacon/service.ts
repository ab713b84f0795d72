import { reaching } from '@svc/protocol/base/dependency-fault'
import type { BeaconDescription } from '@svc/protocol/merkle/beacon'
import type { TilePath } from '@svc/tlog/tiles'
import { BEACON_MS } from './beacon.ts'
import type { BeaconConfig } from './config.ts'
import type { BeaconObject } from './object.ts'
import { beaconKeys, beaconName } from './signing.ts'

/** The beacon as the routes read it. */
export class BeaconService {
  readonly #objects: DurableObjectNamespace<BeaconObject>
  readonly #config: BeaconConfig
  readonly #seed: string | undefined
  #keys: Promise<string[]> | undefined

  /** `seed` is that of the logs. */
  constructor(objects: DurableObjectNamespace<BeaconObject>, config: BeaconConfig, seed: string | undefined) {
    this.#objects = objects
    this.#config = config
    this.#seed = seed
  }

  /** Null without a key. */
  async describe(): Promise<BeaconDescription | null> {
    this.#keys ??= beaconKeys(this.#seed, this.#config).then((keys) => keys.map(({ verifierKey }) => verifierKey))
    const verifierKeys = await this.#keys
    if (verifierKeys.length === 0) return null
    const { BEACON_WITNESSES: witnesses } = this.#config
    return { origin: beaconName(this.#config), verifierKeys, everySeconds: BEACON_MS / 1000, witnesses }
  }

  checkpoint(): Promise<string | null> {
    return reaching('beacon', () => this.#object().checkpoint())
  }

  tile(path: TilePath): Promise<Uint8Array | null> {
    return reaching('beacon', () => this.#object().tile(path))
  }

  #object(): DurableObjectStub<BeaconObject> {
    return this.#objects.getByName(beaconName(this.#config))
  }
}
