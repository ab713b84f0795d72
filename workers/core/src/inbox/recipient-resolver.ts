import { kemKeyId, type SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { assetIdSchema } from '@svc/protocol/ledger/assets'
import type { AssetStore } from '../assets/store.ts'
import type { IdentityService } from '../identity/service.ts'
import type { InboxService } from './service.ts'

/**
 * When a failure to find an owner is reported. Two reads of 5 to 300 ms fit well within it; a longer one would keep
 * people waiting to learn that there is no recipient.
 */
const RESOLUTION_DEADLINE_MS = 1_500

/** The recipient of a message, and the key it is sealed to. */
export interface Recipient {
  readonly did: string
  readonly kemKeyId: string
  readonly keyAgreement: SignedKeyAgreement
  readonly rootPublicKeyB64u: string
  readonly rootEpoch: number
}

/**
 * Finds the owner of an asset. All failures are identical and reported at the deadline, never earlier: neither the
 * answer nor its timing reveals whether the asset, its owner or the key is missing or a store could not be reached.
 */
export class RecipientResolver {
  readonly #assets: Pick<AssetStore, 'standing'>
  readonly #identities: Pick<IdentityService, 'authority'>
  readonly #inboxes: Pick<InboxService, 'settings'>
  readonly #wait: (milliseconds: number) => Promise<void>

  constructor(
    parts: {
      readonly assets: Pick<AssetStore, 'standing'>
      readonly identities: Pick<IdentityService, 'authority'>
      readonly inboxes: Pick<InboxService, 'settings'>
    },
    wait: (milliseconds: number) => Promise<void>,
  ) {
    this.#assets = parts.assets
    this.#identities = parts.identities
    this.#inboxes = parts.inboxes
    this.#wait = wait
  }

  async ofAsset(assetId: string): Promise<Recipient | null> {
    const deadline = this.#wait(RESOLUTION_DEADLINE_MS).then(() => null)
    const found = await Promise.race([this.#find(assetId).catch(() => null), deadline])
    return found ?? deadline
  }

  /**
   * The owner's current key; null if the identity is deactivated, states no key, or takes no requests of strangers. Throws
   * on a fault.
   */
  async keyInForce(did: string): Promise<Recipient | null> {
    const authority = await this.#identities.authority(did)
    if (!authority || authority.deactivated || !authority.keyAgreement) return null
    if ((await this.#inboxes.settings(did)).acceptsFrom !== 'anyone') return null
    const { keyAgreement, publicKeyB64u: rootPublicKeyB64u, epoch: rootEpoch } = authority
    return { did, kemKeyId: kemKeyId(keyAgreement.statement.publicKeyB64u), keyAgreement, rootPublicKeyB64u, rootEpoch }
  }

  /** The same, if this identity owns the asset; null otherwise. */
  async keyOfOwner(assetId: string, did: string): Promise<Recipient | null> {
    const standing = await this.#assets.standing(assetId)
    return standing?.owner === did ? this.keyInForce(did) : null
  }

  async #find(assetId: string): Promise<Recipient | null> {
    if (!assetIdSchema.safeParse(assetId).success) return null
    const standing = await this.#assets.standing(assetId)
    return standing && this.keyInForce(standing.owner)
  }
}
