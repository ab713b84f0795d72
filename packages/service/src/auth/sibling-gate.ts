import { type Caller, checkDevice, mayUse, type SpendRefusal, type VerifiedAssertion } from '@svc/assertion'
import { deviceRecordSchema } from '@svc/protocol/base/device'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type KeyScope, keyScopeSchema, type SpendAssertion } from '@svc/protocol/internal/core'
import type { InternalClient, InternalFault } from '../internal/internal.ts'
import type { Gate } from './gate.ts'

/** The shared verifier accepts five minutes of clock skew. */
export const SIBLING_SKEW_MS = 300_000

/**
 * How a service other than core spends an assertion: core checks in one step that the key is current, compares what a
 * device claims with its record, and spends the nonce. In this order, so that an unknown key creates nothing.
 */
export class SiblingGate implements Gate {
  readonly skewMs = SIBLING_SKEW_MS
  /** Core knows whether the deployment accepts devices, and refuses by name if it does not. */
  readonly acceptsDevices = true
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  async identify(assertion: VerifiedAssertion, isMutation: boolean): Promise<Result<Caller, SpendRefusal>> {
    return assertion.device ? this.#device(assertion, isMutation) : this.#root(assertion)
  }

  async spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    const { userId, publicKeyB64u, device, nonce, keepUntil, issuedAt } = assertion
    const claims = device && { ...device, publicKeyB64u, capabilities: [...device.capabilities] }
    // By the clock that verified the assertion, which may not be that of core.
    const now = Date.now()
    const keepMs = Math.max(1, keepUntil - now)
    const query = issuedAt === undefined ? '' : `?signedAgoMs=${now - issuedAt}`
    const body = { userId, device: claims, nonce, keepMs } satisfies SpendAssertion
    const path = `/api/internal/assertion/spend${query}`
    const spent = await this.#core.call({ method: 'POST', path, body }, keyScopeSchema)
    if (!spent.ok) return err(device ? deviceFailure(spent.error) : keyFailure(spent.error))
    if (!isAnswerTo(assertion, spent.value)) return err({ reason: 'unavailable', dependency: 'core' })
    if (!mayUse(assertion.requiredCapability, device)) return err({ reason: 'capability' })
    return ok(callerOf(spent.value, assertion))
  }

  async #root(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    const path = `/api/internal/key-scope/${assertion.userId}`
    const scope = await this.#core.call({ method: 'GET', path }, keyScopeSchema)
    if (!scope.ok) return err(keyFailure(scope.error))
    if (!isAnswerTo(assertion, scope.value)) return err({ reason: 'unavailable', dependency: 'core' })
    return ok(callerOf(scope.value, assertion))
  }

  /** Core verified the attestation; the device's claims are compared with it here. */
  async #device(assertion: VerifiedAssertion, isMutation: boolean): Promise<Result<Caller, SpendRefusal>> {
    const { device, keyDid } = assertion
    if (!device) return err({ reason: 'unknown_device' })
    const { deviceId } = device
    const path = `/api/internal/device/${deviceId}?did=${keyDid}${isMutation ? '&consistency=primary' : ''}`
    const record = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (!record.ok) return err(deviceFailure(record.error))
    if (record.value.deviceId !== deviceId) return err({ reason: 'unavailable', dependency: 'core' })
    const refusal = checkDevice(record.value, { ...assertion, device }, Date.now())
    if (refusal) return err({ reason: refusal })
    const { did, scope, userId, currentEpoch: epoch, rootPublicKeyB64u: publicKeyB64u } = record.value
    return ok(callerOf({ did, scope, userId, epoch, publicKeyB64u }, assertion))
  }
}

function callerOf(owner: KeyScope, { device, publicKeyB64u }: VerifiedAssertion): Caller {
  if (!device) return { ...owner, device: null }
  const { deviceId, capabilities } = device
  return { ...owner, device: { deviceId, publicKeyB64u, capabilities } }
}

/** An answer about another key does not count. */
function isAnswerTo({ userId, publicKeyB64u, device, keyDid }: VerifiedAssertion, answer: KeyScope): boolean {
  if (answer.userId !== userId) return false
  if (!device) return answer.publicKeyB64u === publicKeyB64u
  return answer.did === keyDid && answer.scope === device.scope && answer.epoch === device.rootEpoch
}

/** Only these refusals concern the key; any other, such as a wrong internal secret, means that core is unavailable. */
function keyFailure(failure: InternalFault): SpendRefusal {
  if (failure.reason === 'unavailable') return { reason: 'unavailable', dependency: 'core' }
  if (failure.error === 'key_superseded') return { reason: 'superseded' }
  return failure.error === 'not_found' ? { reason: 'unknown_key' } : commonFailure(failure.error)
}

function commonFailure(error: string): SpendRefusal {
  if (error === 'did_deactivated') return { reason: 'deactivated' }
  if (error === 'assertion_replay') return { reason: 'replay' }
  if (error === 'assertion_expired') return { reason: 'expired' }
  return { reason: 'unavailable', dependency: 'core' }
}

const FORWARDED = ['device_keys_disabled', 'device_index_unavailable', 'attestation_unverifiable'] as const

/** Forwarded verbatim. */
function deviceFailure(failure: InternalFault): SpendRefusal {
  const forwarded = FORWARDED.find((name) => name === failure.error)
  if (forwarded) return { reason: forwarded }
  if (failure.reason === 'unavailable') return { reason: 'unavailable', dependency: 'core' }
  if (failure.error === 'unauthorized') return { reason: 'device_refused' }
  return failure.error === 'not_found' ? { reason: 'unknown_device' } : commonFailure(failure.error)
}
