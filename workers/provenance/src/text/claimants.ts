import { encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { KeyedMacs } from '@svc/service'

/**
 * Names of claimants that only this deployment can compute. An identity has the same name for all its texts, and another
 * one under each version of the seed. A name begins with the version that it was made with.
 */
export class Claimants {
  readonly #macs: KeyedMacs

  constructor(seeds: ReadonlyMap<number, string>) {
    this.#macs = new KeyedMacs(seeds, 'text-claimant')
  }

  /** Under the newest seed first, then under those before: a row may have any of them. */
  async namesOf(did: string): Promise<[string, ...string[]]> {
    const macs = await this.#macs.all(did)
    const [newest, ...earlier] = macs.map(({ version, mac }) => `${version}.${encodeBase64url(mac)}`)
    if (newest === undefined) throw new DependencyFault('claimants', { cause: new Error('no seed') })
    return [newest, ...earlier]
  }
}
