import { encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { InternalMacs, type InternalSecrets } from '@svc/service'

/** Names of claimants that only this deployment can compute. An identity has the same name for all its texts. */
export class Claimants {
  readonly #macs: InternalMacs

  constructor(secrets: InternalSecrets) {
    this.#macs = new InternalMacs(secrets)
  }

  /** Under the current secret first, then under the one before. */
  async namesOf(did: string): Promise<[string, ...string[]]> {
    const macs = await this.#macs.all(`text-claimant:${did}`)
    const [current, ...earlier] = macs.map((mac) => encodeBase64url(mac))
    if (current === undefined) throw new DependencyFault('claimants', { cause: new Error('no secret') })
    return [current, ...earlier]
  }
}
