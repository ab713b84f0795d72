/**
 * Verifies an inception log incrementally, trusting only the DID, its genesis block and the evidence for its root keys,
 * and folds it into the current devices and officers.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { didOf } from '../base/identity.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import type { EpochKey } from '../chain/chain.ts'
import { AcceptedOfficers } from './acceptance-order.ts'
import { verifyAgreement } from './agreement.ts'
import { type Device, eventHash, type InceptionEvent, type InceptionFault, isAttestation, judge } from './inception.ts'
import type { Roster } from './officers.ts'
import type { InceptionStep } from './signer-standing.ts'

export type InceptionLogFault = InceptionFault | { readonly reason: 'invalid_signature' | 'unknown_epoch' }

/**
 * Whether all required signatures verify: the root key's over the statement, the device's or the officers' over their
 * acceptances, and those of approvals. An event does not prove whose keys the officers' keys are; the service checks
 * them against each officer's own identity. Agreements are verified by `verifyAgreement`, with a key from earlier in the
 * log.
 */
export async function verifyEventSignatures(
  event: InceptionEvent,
  rootKey: Uint8Array,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement } = event
  if (!(await verifyStatement(event, rootKey, expectedRealms))) return false
  if ('acceptance' in event) {
    return verifyStatement(event.acceptance, bytesOf(event.acceptance.statement.devicePublicKeyB64u), expectedRealms)
  }
  if (!('acceptances' in event)) return true
  for (const acceptance of event.acceptances) {
    if (!(await verifyStatement(acceptance, bytesOf(acceptance.publicKeyB64u), expectedRealms))) return false
  }
  for (const { publicKeyB64u, signatureB64u } of 'approvals' in event ? event.approvals : []) {
    const approval = { statement, signatureB64u }
    if (!(await verifyStatement(approval, bytesOf(publicKeyB64u), expectedRealms))) return false
  }
  return true
}

/** Use one instance per log. Stop after a fault. */
export class InceptionVerifier {
  readonly #keys: readonly [EpochKey, ...EpochKey[]]
  readonly #did: string
  readonly #realms: Realms
  readonly #devices = new Map<string, Device>()
  readonly #steps: InceptionStep[]
  readonly #officers = new AcceptedOfficers()
  #roster: Roster | null = null
  #head: InceptionHead
  #epoch = 0

  /** `keys` come from `verifyKeyHistory`, `genesisHash` from a verified genesis block. */
  constructor(keys: readonly [EpochKey, ...EpochKey[]], genesisHash: string, expectedRealms: Realms) {
    this.#keys = keys
    this.#realms = expectedRealms
    this.#did = didOf(keys[0].userId)
    this.#head = { sequence: 0, hash: genesisHash }
    this.#steps = [{ hash: genesisHash, rootEpoch: 0, issuedAt: 0, device: null }]
  }

  get head(): InceptionHead {
    return this.#head
  }

  get roster(): Roster | null {
    return this.#roster
  }

  /** Every device ever attested, in its current state. */
  get devices(): readonly Device[] {
    return [...this.#devices.values()]
  }

  /** The genesis block and every event so far, by sequence: what `signerStanding` reads. */
  get steps(): readonly InceptionStep[] {
    return this.#steps
  }

  async next(event: InceptionEvent): Promise<Result<InceptionHead, InceptionLogFault>> {
    const { rootEpoch, sequence, issuedAt } = event.statement
    const key = this.#keys[rootEpoch]
    // A superseded root key may no longer sign.
    if (!key || rootEpoch < this.#epoch) return err({ reason: 'unknown_epoch' })
    const judged = judge(
      {
        did: this.#did,
        scope: this.#keys[0].userId,
        epoch: rootEpoch,
        head: this.#head,
        roster: this.#roster,
        device: (deviceId) => this.#devices.get(deviceId) ?? null,
        has: (head) => this.#steps[head.sequence]?.hash === head.hash,
        newestEventOf: (deviceId) => this.#newestEventOf(deviceId),
        acceptedBefore: (officerDid) => this.#officers.acceptedBefore(officerDid),
        countDevices: () => this.devices.filter((device) => device.rootEpoch === rootEpoch && isCounted(device)).length,
      },
      event,
    )
    if (!judged.ok) return judged
    const isSigned =
      (await verifyEventSignatures(event, bytesOf(key.publicKeyB64u), this.#realms)) && (await this.#isAgreed(event))
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const device = judged.value.kind === 'device' ? judged.value.device : null
    if (device) this.#devices.set(device.deviceId, device)
    if (judged.value.kind === 'roster') this.#roster = judged.value.roster
    if ('acceptances' in event) this.#officers.add(event.acceptances)
    this.#epoch = rootEpoch
    this.#head = { sequence, hash: eventHash(event) }
    this.#steps.push({ hash: this.#head.hash, rootEpoch, issuedAt, device })
    return ok(this.#head)
  }

  #newestEventOf(deviceId: string): number | null {
    const newest = this.#steps.findLastIndex(({ device }) => device?.deviceId === deviceId)
    return newest === -1 ? null : newest
  }

  async #isAgreed(event: InceptionEvent): Promise<boolean> {
    if (!isAttestation(event) || !event.agreement) return true
    const device = this.#devices.get(event.agreement.statement.signedBy)
    return verifyAgreement(event, device?.publicKeyB64u ?? null, this.#realms)
  }
}

/** The log does not tell which devices have ended unconfirmed, so none that had to confirm is counted. */
function isCounted({ status, confirmBy }: Device): boolean {
  return status !== 'revoked' && confirmBy === undefined
}
