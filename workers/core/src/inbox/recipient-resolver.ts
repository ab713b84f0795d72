import { assetIdSchema } from '@svc/protocol/assets'
import { kemKeyId, type SignedKeyAgreement } from '@svc/protocol/key-agreement'
import type { AssetStore } from '../assets/asset-store.ts'
import type { IdentityService } from '../identity/identity-service.ts'

/**
 * When a failure to find an owner is answered. Two reads of 5 to 300 ms fit well within it; above it a person would
 * wait too long to learn that there is nobody.
 */
const RESOLUTION_DEADLINE_MS = 1_500

/** Whom a message goes to, and the key that it is sealed to. */
export interface Recipient {
  readonly did: string
  readonly kemKeyId: string
  readonly keyAgreement: SignedKeyAgreement
  readonly rootPublicKeyB64u: string
  readonly rootEpoch: number
}

/**
 * From an asset to its owner. Every failure is the same, and is told at the deadline and not before: neither the answer
 * nor its time says whether there is no such asset, no owner any more, no key, or a store that could not be reached.
 */
export class RecipientResolver {
  readonly #assets: Pick<AssetStore, 'standing'>
  readonly #identities: Pick<IdentityService, 'authority'>
  readonly #wait: (milliseconds: number) => Promise<void>

  constructor(
    assets: Pick<AssetStore, 'standing'>,
    identities: Pick<IdentityService, 'authority'>,
    wait: (milliseconds: number) => Promise<void>,
  ) {
    this.#assets = assets
    this.#identities = identities
    this.#wait = wait
  }

  async ofAsset(assetId: string): Promise<Recipient | null> {
    const deadline = this.#wait(RESOLUTION_DEADLINE_MS).then(() => null)
    const found = await Promise.race([this.#find(assetId).catch(() => null), deadline])
    return found ?? deadline
  }

  /** The key that an owner states now; null when the identity has ended or states none. A fault is a fault here. */
  async keyInForce(did: string): Promise<Recipient | null> {
    const authority = await this.#identities.authority(did)
    if (!authority || authority.deactivated || !authority.keyAgreement) return null
    const { keyAgreement, publicKeyB64u: rootPublicKeyB64u, epoch: rootEpoch } = authority
    return { did, kemKeyId: kemKeyId(keyAgreement.statement.publicKeyB64u), keyAgreement, rootPublicKeyB64u, rootEpoch }
  }

  async #find(assetId: string): Promise<Recipient | null> {
    if (!assetIdSchema.safeParse(assetId).success) return null
    const standing = await this.#assets.standing(assetId)
    return standing && this.keyInForce(standing.owner)
  }
}
