import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyAgreement } from '@svc/protocol/devices/agreement'
import type {
  DeviceConfirmed,
  InceptionAppended,
  InceptionEvents,
  InceptionHeadAnswer,
} from '@svc/protocol/devices/api'
import {
  type InceptionEvent,
  type InceptOrg,
  isAttestation,
  type RotateOfficers,
} from '@svc/protocol/devices/inception'
import { verifyEventSignatures } from '@svc/protocol/devices/verifier'
import type { OfficersRecord } from '@svc/protocol/internal/core'
import type { Alias } from '../identity/rules.ts'
import type { Background, IdentityService } from '../identity/service.ts'
import type { WriteAuthority } from '../identity/transaction.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { DeviceService } from './device-service.ts'
import type { InceptionRefusal } from './judging.ts'
import type { AgreeingKeys } from './transaction.ts'

/** Faults of an event that need no storage to detect. */
export type EventRefusal = {
  readonly reason: 'invalid_signature' | 'officer_unverifiable' | 'key_in_use' | 'not_found' | 'unknown_head'
}
export type AppendRefusal = SpendRefusal | InceptionRefusal | EventRefusal

/** Appends to and reads one caller's inception log. */
export class InceptionService {
  readonly #identities: IdentityService
  readonly #devices: DeviceService
  readonly #budget: StorageBudget
  readonly #realms: Realms

  constructor(parts: {
    readonly identities: IdentityService
    readonly devices: DeviceService
    readonly budget: StorageBudget
    readonly realms: Realms
  }) {
    this.#identities = parts.identities
    this.#devices = parts.devices
    this.#budget = parts.budget
    this.#realms = parts.realms
  }

  head(
    assertion: VerifiedAssertion,
    scope: string,
  ): Promise<Result<InceptionHeadAnswer, SpendRefusal | { reason: 'owner_mismatch' }>> {
    return this.#identities.act(assertion, async (object) => object.inceptionHead(assertion, scope))
  }

  events(assertion: VerifiedAssertion, from: number): Promise<Result<InceptionEvents, SpendRefusal>> {
    return this.#identities.act(assertion, async (object) => object.inceptionEvents(assertion, from))
  }

  /** The device that calls has stored its keys. */
  async confirm(
    assertion: VerifiedAssertion,
  ): Promise<Result<DeviceConfirmed, SpendRefusal | { reason: 'no_such_device' }>> {
    const confirmed = await this.#identities.act(assertion, async (object) => object.confirmDevice(assertion))
    if (confirmed.ok) await this.#devices.forget([confirmed.value.deviceId])
    return confirmed
  }

  /**
   * Devices and their events, in three steps. First the assertion is spent, the events are judged, their room among the
   * rules, and the keys that they attest are counted. Then their
   * signatures are verified and the attested keys reserved, each in its own object. Last, the events are judged again and
   * appended. A stranger costs no verification; a crash in between leaves keys that only this identity can use.
   */
  async append(
    assertion: VerifiedAssertion,
    events: readonly InceptionEvent[],
  ): Promise<Result<InceptionAppended, AppendRefusal>> {
    const checked = await this.#check(assertion, events)
    if (!checked.ok) return checked
    const fault = (await this.#refusalOf(events, assertion, checked.value)) ?? (await this.#reserve(events))
    return fault ? err(fault) : this.#commit(assertion, events)
  }

  /** Officers accept with the root keys of their own identities, which are looked up. */
  async inceptOrg(assertion: VerifiedAssertion, event: InceptOrg): Promise<Result<InceptionAppended, AppendRefusal>> {
    const checked = await this.#check(assertion, [event])
    if (!checked.ok) return checked
    const fault = (await this.#refusalOf([event], assertion, checked.value)) ?? (await this.#officerRefusal(event))
    return fault ? err(fault) : this.#commit(assertion, [event])
  }

  /** Checks all keys before it reserves the first: a failing batch reserves none. */
  async #reserve(events: readonly InceptionEvent[]): Promise<EventRefusal | null> {
    const aliases = events.filter(isAttestation).map(({ statement }): Alias => {
      const { devicePublicKeyB64u, did, scope } = statement
      return { kind: 'device', userId: userIdOfKey(devicePublicKeyB64u), did, scope }
    })
    const standings = await Promise.all(aliases.map((alias) => this.#identities.isFree(alias)))
    if (standings.includes(false)) return { reason: 'key_in_use' }
    for (const alias of aliases) if (!(await this.#identities.reserve(alias))) return { reason: 'key_in_use' }
    return null
  }

  /** Needs no assertion: the organization's key, a quorum of the outgoing officers and all incoming ones have signed. */
  async rotateOfficers(event: RotateOfficers): Promise<Result<InceptionAppended, InceptionRefusal | EventRefusal>> {
    const { did } = event.statement
    const identity = await this.#identities.ask(did, async (object) => object.read())
    if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { current } = identity
    // Checks the organization's own signature first: officers are only looked up for a caller who has its key.
    if (!(await verifyEventSignatures(event, current.publicKey, this.#realms)))
      return err({ reason: 'invalid_signature' })
    const fault = await this.#officerRefusal(event)
    if (fault) return err(fault)
    return this.#budget.within(() =>
      this.#identities.ask(did, async (object) => object.rotateOfficers(event, current.userId)),
    )
  }

  /** A roster of officers; null if the identity is not an organization, or was not one then. */
  async officers(
    did: string,
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
    background?: Background,
  ): Promise<OfficersRecord | null> {
    const name = `officers ${wanted.version} ${wanted.at} ${withEvent}`
    const reading = await this.#identities.read(
      did,
      name,
      async (object) => object.roster(wanted, withEvent),
      background,
    )
    if (!reading) return null
    const { identity, held, roster, since, until, event } = reading
    const { scope, deactivatedAt, current } = identity
    const standing = { deactivatedAt, rootEpoch: current.epoch, held }
    return { did, scope, ...roster, officers: [...roster.officers], since, until, ...standing, event }
  }

  async #commit(
    assertion: VerifiedAssertion,
    events: readonly InceptionEvent[],
  ): Promise<Result<InceptionAppended, AppendRefusal>> {
    const appended = await this.#budget.within(() =>
      this.#identities.act(assertion, async (object) => object.appendInception({ spentBy: assertion }, events)),
    )
    if (!appended.ok) return appended
    await this.#devices.forget(events.flatMap(({ statement }) => ('deviceId' in statement ? [statement.deviceId] : [])))
    return ok(appended.value)
  }

  #check(assertion: VerifiedAssertion, events: readonly InceptionEvent[]) {
    const check = (authority: WriteAuthority) =>
      this.#identities.act(assertion, async (object) => object.checkInception(authority, events))
    return this.#budget.within(
      () => check({ assertion }),
      () => check({ spentBy: assertion }),
    )
  }

  async #refusalOf(
    events: readonly InceptionEvent[],
    { publicKeyB64u }: VerifiedAssertion,
    agreeing: AgreeingKeys,
  ): Promise<EventRefusal | null> {
    const rootKey = bytesOf(publicKeyB64u)
    for (const event of events) {
      const isSigned = await verifyEventSignatures(event, rootKey, this.#realms)
      if (!isSigned || !(await this.#isAgreed(event, agreeing))) return { reason: 'invalid_signature' }
    }
    return null
  }

  async #isAgreed(event: InceptionEvent, agreeing: AgreeingKeys): Promise<boolean> {
    if (!isAttestation(event) || !event.agreement) return true
    return verifyAgreement(event, agreeing[event.agreement.statement.signedBy] ?? null, this.#realms)
  }

  /**
   * Whether every officer signed with the root key that is current for that DID now, and names an event of its own log. A
   * thief who named a later one would lock the officer out: no later acceptance can name an older event.
   */
  async #officerRefusal(event: InceptOrg | RotateOfficers): Promise<EventRefusal | null> {
    const approvals = 'approvals' in event ? event.approvals : []
    const signers = [
      ...event.acceptances.map(({ statement: { officerDid, inception }, publicKeyB64u }) => ({
        officerDid,
        publicKeyB64u,
        inception,
      })),
      ...approvals.map(({ officerDid, publicKeyB64u }) => ({ officerDid, publicKeyB64u, inception: null })),
    ]
    for (const { officerDid, publicKeyB64u, inception } of signers) {
      const officer = await this.#identities.ask(officerDid, async (object) => object.signer(inception))
      const isCurrent =
        officer?.identity.deactivatedAt === null && officer.identity.current.userId === userIdOfKey(publicKeyB64u)
      if (!isCurrent) return { reason: 'officer_unverifiable' }
      if (!officer.hasNamed) return { reason: 'unknown_head' }
    }
    return null
  }
}
