import type { EpochKey } from '#protocol/chain/chain'
import type { InceptionEvent } from '#protocol/devices/inception'
import { unverified } from '../verification/verification-error.ts'

/** Finds the root keys of an identity, by epoch. */
interface RootKeyHistory {
  of(did: string): Promise<readonly Pick<EpochKey, 'epoch' | 'publicKeyB64u'>[]>
}

/** Checks which keys signed as officers of one organization, event by event. Use one instance per log. */
export class OfficerKeys {
  readonly #keys: RootKeyHistory
  /** The epoch of the newest root key that an officer has signed with, by DID. */
  readonly #epochs = new Map<string, number>()

  constructor(keys: RootKeyHistory) {
    this.#keys = keys
  }

  /**
   * Throws unless every officer of an event signed with a root key of their DID, whether current or superseded by now, and
   * none with an older key than in an earlier event: core takes only current keys, so a thief of an ended key is late.
   */
  async check(event: InceptionEvent): Promise<void> {
    if (!('acceptances' in event)) return
    const signers = [
      ...event.acceptances.map(({ statement, publicKeyB64u }) => ({ did: statement.officerDid, publicKeyB64u })),
      ...('approvals' in event ? event.approvals : []).map((one) => ({ did: one.officerDid, ...one })),
    ]
    for (const { did, publicKeyB64u } of signers) {
      const known = (await this.#keys.of(did)).find((key) => key.publicKeyB64u === publicKeyB64u)
      if (!known)
        throw unverified('roster', 'wrong_key', `An officer’s key does not belong to ${did}`, { evidence: event })
      if (known.epoch < (this.#epochs.get(did) ?? 0))
        throw unverified('roster', 'unknown_epoch', `${did} signed with an older root key than before`, {
          evidence: event,
        })
      this.#epochs.set(did, known.epoch)
    }
  }
}
