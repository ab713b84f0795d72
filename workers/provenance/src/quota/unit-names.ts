import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { KeyedMacs } from '@svc/service'

export interface UnitName {
  readonly key: string
  /** Under the versions of the seed before: a unit that was held then is still the same. */
  readonly earlierKeys: readonly string[]
}

/**
 * What pay knows a unit by. It tells pay neither what is registered nor that two identities register the same. A name begins
 * with the version of the seed that it was made with.
 */
export class UnitNames {
  readonly #macs: KeyedMacs

  constructor(seeds: ReadonlyMap<number, string>) {
    this.#macs = new KeyedMacs(seeds, 'quota-unit')
  }

  /** Of what an identity registers. A DID has no space. */
  async of(did: string, what: string): Promise<UnitName> {
    const names = await this.#macs.names(`${did} ${what}`)
    if (!names) throw new DependencyFault('quota', { cause: new Error('no seed') })
    return { key: names.newest, earlierKeys: names.earlier }
  }
}
