import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import type { Commitment } from '@svc/protocol/chain/commitment'
import type { StandingRegistration } from '@svc/protocol/did/registration'
import type { ChainRecord } from '../chain/record.ts'
import type { IdentityRecord, RootKey } from './rules.ts'
import type { IdentityTransaction } from './transaction.ts'

export interface GenesisReading {
  readonly identity: IdentityRecord
  readonly genesis: ChainRecord
  /** The key that signed block "0". */
  readonly key: RootKey
  readonly commitment: Commitment | null
}

export interface RootKeyReading {
  readonly identity: IdentityRecord
  readonly key: RootKey
  readonly supersededAt: number | null
}

export interface AuthorityReading {
  readonly identity: IdentityRecord
  readonly keyAgreement: { readonly signed: SignedKeyAgreement; readonly acceptedAt: number } | null
  readonly registration: StandingRegistration | null
  /** Superseded keys, newest first. */
  readonly previousKeys: readonly RootKey[]
}

/** How many superseded keys a DID document's metadata lists: 2.7 kB each. */
const MAX_PREVIOUS_KEYS = 16

/** Reads, inside an identity's object, what is public of it: its first block, its root keys and its registration. */
export class IdentityReading {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  genesis(): GenesisReading | null {
    const { identities, chain } = this.#transaction
    const identity = this.#transaction.read()
    const genesis = identity && chain.at(0)
    const [key] = identity ? identities.keys(0, 0) : []
    return identity && genesis && key ? { identity, genesis, key, commitment: identities.genesisCommitment() } : null
  }

  /** The root key of an epoch, or the one in force at a time, and its successor. */
  rootKey(wanted: { readonly epoch: number | null; readonly at: number | null }): RootKeyReading | null {
    const { identities } = this.#transaction
    const identity = this.#transaction.read()
    const key = identity && identities.keyAt(wanted)
    if (!key) return null
    const next = identities.keyAt({ epoch: key.epoch + 1, at: null })
    return { identity, key, supersededAt: next?.activatedAt ?? null }
  }

  /** A statement of key agreement ends with the root key that signed it. */
  authority(): AuthorityReading | null {
    const { identities } = this.#transaction
    const identity = this.#transaction.read()
    if (!identity) return null
    const { epoch } = identity.current
    const first = Math.max(0, epoch - MAX_PREVIOUS_KEYS)
    const previousKeys = identities
      .keys(first, MAX_PREVIOUS_KEYS)
      .filter((key) => key.epoch < epoch)
      .toReversed()
    return {
      identity,
      keyAgreement: identities.keyAgreement(epoch),
      registration: identities.registration(),
      previousKeys,
    }
  }
}
