import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { KeyedMacs, type VersionedNames } from '@svc/service'

/**
 * Names of claimants that only this deployment can compute. An identity has the same name for all its texts, and another
 * one under each version of the seed. A name begins with the version that it was made with.
 */
export class Claimants {
  readonly #macs: KeyedMacs

  constructor(seeds: ReadonlyMap<number, string>) {
    this.#macs = new KeyedMacs(seeds, 'text-claimant')
  }

  async namesOf(did: string): Promise<VersionedNames> {
    const names = await this.#macs.names(did)
    if (!names) throw new DependencyFault('claimants', { cause: new Error('no seed') })
    return names
  }
}
