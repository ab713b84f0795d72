import type { VerifiedAssertion } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { ok, type Result } from '@svc/protocol/base/result'
import type { GenesisBlock } from '@svc/protocol/chain/chain'
import type { GenesisEvidence } from '@svc/protocol/chain/genesis'
import {
  type CurrentRotation,
  MAX_PAGE_KEYS,
  type ReplacementEvidence,
  type RootKeyEvidence,
  type RotationRecord,
} from '@svc/protocol/chain/rotation'
import { blockOf } from '../chain/record.ts'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import type { Rotation } from './rules.ts'

export interface KeyPage {
  readonly identity: IdentityRecord
  readonly keys: readonly RootKeyEvidence[]
  readonly next: number | null
  readonly rotation: RotationRecord | null
}

export interface RootReading {
  readonly identity: IdentityRecord
  readonly rotation: Rotation | null
  readonly isDisputed: boolean
  /** Hashes of the watch tokens that work, whose holders may see the devices. */
  readonly watchers: readonly string[]
}

/** Reads the rotations of an identity inside its object. */
export class RotationReading {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  root(): RootReading | null {
    const identity = this.#transaction.read()
    if (!identity) return null
    const isDisputed = this.#transaction.rotations.disputed(identity.current.epoch + 1).length > 0
    const watchers = this.#transaction.watch.all(Date.now()).map(({ tokenHash }) => tokenHash)
    return { identity, rotation: this.#transaction.rotations.latest(), isDisputed, watchers }
  }

  latest(): Rotation | null {
    return this.#transaction.read() ? this.#transaction.rotations.latest() : null
  }

  current(assertion: VerifiedAssertion): Result<CurrentRotation, Refused> {
    return this.#transaction.authorized(assertion, (identity) => {
      const { rotations } = this.#transaction
      const active = rotations.activated(identity.current.epoch)
      const latest = rotations.latest()
      return ok({ active: active && rotations.record(active), latest: latest && rotations.record(latest) })
    })
  }

  /** One rotation, by default the newest, for the Worker that asks on its owner's behalf. */
  find(rotationId: string | null): RotationRecord | null {
    if (rotationId === null || !this.#transaction.read()) {
      const latest = this.latest()
      return latest && this.#transaction.rotations.record(latest)
    }
    const found = this.#transaction.rotations.find(rotationId)
    return found && this.#transaction.rotations.record(found)
  }

  /** Root keys from an epoch on, each with the request that activated it. */
  keyHistory(from: number): KeyPage | null {
    const identity = this.#transaction.read()
    if (!identity) return null
    const { identities, rotations } = this.#transaction
    const keys = identities.keys(from, MAX_PAGE_KEYS)
    const latest = rotations.latest()
    return {
      identity,
      keys: keys.slice(0, MAX_PAGE_KEYS).map(({ epoch, userId, publicKey, activatedAt }) => {
        const brought = rotations.activated(epoch)
        const request = brought && rotations.request(brought.rotationId)
        const publicKeyB64u = encodeBase64url(publicKey)
        // Who may follow decides once somebody wants to.
        const genesis = epoch === 0 && latest ? this.#genesis(identity, publicKeyB64u) : null
        const replacement = brought?.basis === 'replacement' ? this.#replacement(brought) : null
        return { epoch, userId, publicKeyB64u, activatedAt, request, genesis, ...(replacement && { replacement }) }
      }),
      next: keys[MAX_PAGE_KEYS]?.epoch ?? null,
      rotation: latest && rotations.record(latest),
    }
  }

  /**
   * Rule R19: returns the evidence that root key and device requested the rotation, and when. The first co-signature
   * opened it.
   */
  #replacement(rotation: Rotation): ReplacementEvidence | null {
    const { requestedAt, epoch } = rotation
    const [cosigned] = this.#transaction.rotations.record(rotation).cosigned
    if (!cosigned) return null
    const events = this.#transaction.inception.ofDevice(cosigned.statement.signedBy, epoch - 1, requestedAt)
    return { requestedAt, cosigned, events }
  }

  #genesis({ scope }: IdentityRecord, publicKeyB64u: string): GenesisEvidence | null {
    const { chain, identities } = this.#transaction
    const first = chain.at(0)
    if (!first) throw new Error('An identity without its genesis block')
    return { block: blockOf(first, scope, publicKeyB64u) as GenesisBlock, commitment: identities.genesisCommitment() }
  }
}
