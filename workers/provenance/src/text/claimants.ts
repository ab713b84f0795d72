import { encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { InternalMacs, type InternalSecrets } from '@svc/service'

/** Names of claimants that only this deployment can compute: one identity has another name for each text. */
export class Claimants {
  readonly #macs: InternalMacs

  constructor(secrets: InternalSecrets) {
    this.#macs = new InternalMacs(secrets)
  }

  /** Under the current secret first, then under the one before. */
  async namesOf(assetId: string, did: string): Promise<[string, ...string[]]> {
    const macs = await this.#macs.all(`text-claimant:${assetId}:${did}`)
    const [current, ...earlier] = macs.map((mac) => encodeBase64url(mac))
    if (current === undefined) throw new DependencyFault('claimants', { cause: new Error('no secret') })
    return [current, ...earlier]
  }
}
