/**
 * The inception log inside an identity's object: one transaction for each method. What an event may do is the law of
 * `@svc/protocol/inception`; this file gives it the state and keeps what it decides.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { DeviceRecord } from '@svc/protocol/device'
import {
  type AttestDevice,
  type Device,
  eventHash,
  type InceptionEffect,
  type InceptionEvent,
  type InceptionFault,
  type InceptionHead,
  isAttestation,
  judge,
  type RotateOfficers,
} from '@svc/protocol/inception'
import {
  type InceptionAppended,
  type InceptionEvents,
  type InceptionHeadAnswer,
  MAX_PAGE_EVENTS,
} from '@svc/protocol/inception-api'
import { err, ok, type Result } from '@svc/protocol/result'
import type { IdentityRecord } from '../identity/identity.ts'
import type { IdentitySession, Refused, WriteAuthority } from '../identity/identity-session.ts'
import type { RosterReading } from './inception-store.ts'

/** Every new key takes an object of its own for good: this many in 30 days, revoked ones included. */
const MAX_NEW_DEVICES = 64
const ATTESTATION_PERIOD_MS = 30 * 24 * 3_600_000

/** `appended` is the receipt of this very request when it is in place already, so that a retry can tell. */
export type InceptionRefusal =
  | (InceptionFault & { readonly appended?: InceptionAppended | null })
  | { readonly reason: 'security_hold'; readonly appended: InceptionAppended | null }

interface Judged {
  readonly event: InceptionEvent
  readonly hash: string
  readonly effect: InceptionEffect
}

export interface DeviceReading {
  readonly record: DeviceRecord
  /** What the root key and the device have signed, to be verified by whoever relies on it. */
  readonly attestation: AttestDevice
  readonly deactivated: boolean
}

export class InceptionSession {
  readonly #session: IdentitySession

  constructor(session: IdentitySession) {
    this.#session = session
  }

  head(
    assertion: VerifiedAssertion,
    scope: string,
  ): Result<InceptionHeadAnswer, Refused | { reason: 'owner_mismatch' }> {
    return this.#session.authorized(
      assertion,
      (identity): Result<InceptionHeadAnswer, { reason: 'owner_mismatch' }> => {
        if (scope !== identity.scope) return err({ reason: 'owner_mismatch' })
        return ok({ did: identity.did, scope, ...this.#head(), rootEpoch: identity.current.epoch })
      },
    )
  }

  events(assertion: VerifiedAssertion, from: number): Result<InceptionEvents, Refused> {
    return this.#session.authorized(assertion, () => {
      const events = this.#session.inception.range(from, MAX_PAGE_EVENTS)
      const next = events[MAX_PAGE_EVENTS]?.statement.sequence ?? null
      return ok({ events: events.slice(0, MAX_PAGE_EVENTS), next, head: this.#head() })
    })
  }

  /** Spends the assertion and says whether the events could follow now; nothing is reserved. */
  check(assertion: VerifiedAssertion, events: readonly InceptionEvent[]): Result<void, Refused | InceptionRefusal> {
    return this.#session.authorized(assertion, (identity): Result<void, InceptionRefusal> => {
      const judged = this.#judgeAll(identity, events)
      return judged.ok ? ok(undefined) : judged
    })
  }

  /** All or nothing: each event follows the one before it, and every one holds or none is kept. */
  append(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<InceptionAppended, Refused | InceptionRefusal> {
    return this.#session.write(authority, (identity) => this.#append(identity, events))
  }

  /** A change of officers carries its own credentials; `signerUserId` is the root key that was verified. */
  rotateOfficers(
    event: RotateOfficers,
    signerUserId: string,
  ): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> {
    return this.#session.storage.transactionSync(
      (): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> => {
        const identity = this.#session.read()
        if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
        if (identity.current.userId !== signerUserId) return err({ reason: 'invalid_signature' })
        return this.#append(identity, [event])
      },
    )
  }

  /** A roster of officers with what brought it; null for an identity that has none such. */
  roster(
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): (RosterReading & { readonly identity: IdentityRecord; readonly held: boolean }) | null {
    const identity = this.#session.read()
    const reading = identity && this.#session.inception.rosterAt(wanted, withEvent)
    return reading && { ...reading, identity, held: this.#session.identities.hold().held }
  }

  /** A device as it stands, with what was signed when it was attested. */
  device(deviceId: string): DeviceReading | null {
    const { inception } = this.#session
    const identity = this.#session.read()
    const device = identity && inception.device(deviceId)
    const attestation = device && inception.attestation(deviceId)
    if (!attestation || !isAttestation(attestation)) return null
    return { record: recordOf(identity, device), attestation, deactivated: identity.deactivatedAt !== null }
  }

  #append(identity: IdentityRecord, events: readonly InceptionEvent[]): Result<InceptionAppended, InceptionRefusal> {
    const judged = this.#judgeAll(identity, events)
    if (!judged.ok) return judged
    const { inception } = this.#session
    const acceptedAt = Date.now()
    for (const { event, hash, effect } of judged.value) {
      inception.append(event, hash, acceptedAt)
      if (effect.kind === 'roster') inception.putRoster(effect.roster, event.statement.sequence, acceptedAt)
      else {
        inception.putDevice(effect.device, event.statement.sequence, acceptedAt)
        if (isAttestation(event)) inception.noteAttestation(effect.device.deviceId, event.statement.sequence)
      }
    }
    const last = judged.value.at(-1)
    return ok({ sequence: last?.event.statement.sequence ?? 0, hash: last?.hash ?? '', acceptedAt })
  }

  #judgeAll(identity: IdentityRecord, events: readonly InceptionEvent[]): Result<Judged[], InceptionRefusal> {
    const { inception, identities } = this.#session
    const last = events.at(-1)
    const appended = () => (last ? inception.receipt(last) : null)
    if (identities.hold().held) return err({ reason: 'security_hold', appended: appended() })
    const { did, scope, current } = identity
    // What the events before in this request do is seen by those after, and by nobody else until all of them hold.
    const changed = new Map<string, Device>()
    let head = this.#head()
    let roster = inception.roster()
    const judged: Judged[] = []
    for (const event of events) {
      const device = (deviceId: string) => changed.get(deviceId) ?? inception.device(deviceId)
      const countDevices = () => {
        const standing = new Map([
          ...inception.devices(current.epoch).map((one) => [one.deviceId, one] as const),
          ...changed,
        ])
        return [...standing.values()].filter((one) => one.status !== 'revoked' && one.rootEpoch === current.epoch)
          .length
      }
      const verdict = judge({ did, scope, epoch: current.epoch, head, roster, device, countDevices }, event)
      if (!verdict.ok) return err({ ...verdict.error, appended: appended() })
      const effect = verdict.value
      if (effect.kind === 'roster') roster = effect.roster
      else changed.set(effect.device.deviceId, effect.device)
      head = { sequence: event.statement.sequence, hash: eventHash(event) }
      judged.push({ event, hash: head.hash, effect })
    }
    // A key that is renewed, or attested anew after a rotation, has its object already.
    const added = [...changed.keys()].filter((deviceId) => !inception.device(deviceId)).length
    const recent = added === 0 ? 0 : inception.addedSince(Date.now() - ATTESTATION_PERIOD_MS)
    if (recent + added > MAX_NEW_DEVICES) return err({ reason: 'device_limit', appended: appended() })
    return ok(judged)
  }

  /** While the log is empty its head is the genesis block, which is what its first event follows. */
  #head(): InceptionHead {
    const head = this.#session.inception.head()
    if (head) return head
    const genesis = this.#session.chain.at(0)
    if (!genesis) throw new Error('an identity without a genesis block')
    return { sequence: 0, hash: genesis.hash }
  }
}

function recordOf({ did, scope, current }: IdentityRecord, device: Device): DeviceRecord {
  return {
    ...device,
    capabilities: [...device.capabilities],
    did,
    scope,
    userId: current.userId,
    currentEpoch: current.epoch,
    rootPublicKeyB64u: encodeBase64url(current.publicKey),
  }
}
