import { encodeBase64url } from '@svc/protocol/base/base64url'
import { isCommitted } from '@svc/protocol/chain/commitment'
import type { SignedCosign, SignedVeto } from '@svc/protocol/chain/rotation'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import type { Rotation, Times, Vetoer } from './rules.ts'
import { hasCosignStanding, hasStanding, needsCosigner, type Span } from './standing-rules.ts'

/** Who may sign for or against a rotation of an identity: its root key, and its devices by what they are and were. */
export class RotationSigners {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** When each device was active in this epoch. */
  spansOf({ current }: IdentityRecord, now: number): Span[][] {
    return [...this.#transaction.devices.spans(current.epoch, now).values()]
  }

  /** What is recorded of the devices when a request is accepted. */
  factsFor(
    { current }: IdentityRecord,
    { basis, version }: Pick<Rotation, 'basis' | 'version'>,
    times: Times,
    now: number,
  ): Pick<Rotation, 'eligible' | 'witnesses' | 'requiredCosigners'> {
    const spans = this.#transaction.devices.spans(current.epoch, now)
    const those = (test: typeof hasStanding) =>
      [...spans].filter(([, of]) => test(of, now, times)).map(([deviceId]) => deviceId)
    return {
      eligible: those(hasCosignStanding),
      witnesses: those(hasStanding),
      // R13: what a successor signed needs no device.
      requiredCosigners: version === 2 && basis === 'root' && needsCosigner([...spans.values()], now, times) ? 1 : 0,
    }
  }

  vetoer(identity: IdentityRecord, rotation: Rotation, signedBy: string, times: Times, now: number): Vetoer {
    if (signedBy === 'root' || signedBy === 'successor') return signedBy
    return {
      isActive: this.#transaction.isActive(signedBy, now),
      hasStanding: hasStanding(this.#spans(identity, signedBy, now), now, times),
      isWitness: rotation.witnesses.includes(signedBy),
    }
  }

  /** Whether a device may bring a request with its co-signature. */
  mayCarry(identity: IdentityRecord, deviceId: string, times: Times, now: number): boolean {
    return hasCosignStanding(this.#spans(identity, deviceId, now), now, times)
  }

  /** The key of a signer; null if the identity has no such device in this epoch, or has not committed to the key. */
  keyOf({ current, commitment }: IdentityRecord, { statement }: SignedVeto | SignedCosign): string | null {
    const { signedBy } = statement
    if (signedBy === 'root') return encodeBase64url(current.publicKey)
    if (signedBy === 'successor') {
      const key = 'successorPublicKeyB64u' in statement ? statement.successorPublicKeyB64u : undefined
      return key !== undefined && isCommitted(commitment, key) ? key : null
    }
    const device = this.#transaction.devices.find(signedBy)
    return device?.rootEpoch === current.epoch ? device.publicKeyB64u : null
  }

  #spans({ current }: IdentityRecord, deviceId: string, now: number) {
    return this.#transaction.devices.spans(current.epoch, now).get(deviceId) ?? []
  }
}
