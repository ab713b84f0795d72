/**
 * Checks an inception log as it arrives, trusting nothing but the DID, its genesis block and the evidence for its root
 * keys; and folds it into the devices and officers that are in force.
 *
 * @module
 */
import { bytesOf } from './base64url.ts'
import type { EpochKey } from './chain.ts'
import { didOf } from './identity.ts'
import {
  type Device,
  eventHash,
  type InceptionEvent,
  type InceptionFault,
  type InceptionHead,
  judge,
} from './inception.ts'
import type { Roster } from './officers.ts'
import { err, ok, type Result } from './result.ts'
import { verifyStatement } from './statement.ts'

export type InceptionLogFault = InceptionFault | { readonly reason: 'invalid_signature' | 'unknown_epoch' }

/**
 * Whether everybody signed who had to: the root key the statement, a device its acceptance, officers theirs. Whose the
 * officers' keys are is not known from the event; the service checks that against each officer's own identity.
 */
export async function verifyEventSignatures(event: InceptionEvent, rootKey: Uint8Array): Promise<boolean> {
  const { statement } = event
  if (!(await verifyStatement(event, rootKey))) return false
  if ('acceptance' in event) {
    return verifyStatement(event.acceptance, bytesOf(event.acceptance.statement.devicePublicKeyB64u))
  }
  if (!('acceptances' in event)) return true
  for (const acceptance of event.acceptances) {
    if (!(await verifyStatement(acceptance, bytesOf(acceptance.publicKeyB64u)))) return false
  }
  for (const { publicKeyB64u, signatureB64u } of 'approvals' in event ? event.approvals : []) {
    if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(publicKeyB64u)))) return false
  }
  return true
}

/** One instance verifies one log; after a fault, stop. */
export class InceptionVerifier {
  readonly #keys: readonly [EpochKey, ...EpochKey[]]
  readonly #did: string
  readonly #devices = new Map<string, Device>()
  #roster: Roster | null = null
  #head: InceptionHead
  #epoch = 0

  /** `keys` come from `verifyKeyHistory`, `genesisHash` from a genesis block that was verified. */
  constructor(keys: readonly [EpochKey, ...EpochKey[]], genesisHash: string) {
    this.#keys = keys
    this.#did = didOf(keys[0].userId)
    this.#head = { sequence: 0, hash: genesisHash }
  }

  get head(): InceptionHead {
    return this.#head
  }

  get roster(): Roster | null {
    return this.#roster
  }

  /** Every device that was ever attested, in its present state. */
  get devices(): readonly Device[] {
    return [...this.#devices.values()]
  }

  async next(event: InceptionEvent): Promise<Result<InceptionHead, InceptionLogFault>> {
    const { rootEpoch, sequence } = event.statement
    const key = this.#keys[rootEpoch]
    // A root key that was superseded signs nothing any more.
    if (!key || rootEpoch < this.#epoch) return err({ reason: 'unknown_epoch' })
    const judged = judge(
      {
        did: this.#did,
        scope: this.#keys[0].userId,
        epoch: rootEpoch,
        head: this.#head,
        roster: this.#roster,
        device: (deviceId) => this.#devices.get(deviceId) ?? null,
        countDevices: () =>
          this.devices.filter((device) => device.rootEpoch === rootEpoch && device.status !== 'revoked').length,
      },
      event,
    )
    if (!judged.ok) return judged
    if (!(await verifyEventSignatures(event, bytesOf(key.publicKeyB64u)))) return err({ reason: 'invalid_signature' })
    if (judged.value.kind === 'device') this.#devices.set(judged.value.device.deviceId, judged.value.device)
    else this.#roster = judged.value.roster
    this.#epoch = rootEpoch
    this.#head = { sequence, hash: eventHash(event) }
    return ok(this.#head)
  }
}
