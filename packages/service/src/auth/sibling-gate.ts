import { type Caller, checkDevice, mayUse, type SpendRefusal, type VerifiedAssertion } from '@svc/assertion'
import type { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { deviceRecordSchema } from '@svc/protocol/base/device'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { keyScopeSchema } from '@svc/protocol/internal/core'
import type { InternalClient, InternalFault } from '../internal/internal.ts'
import type { Gate } from './gate.ts'

/** The shared verifier accepts five minutes of clock skew. */
export const SIBLING_SKEW_MS = 300_000

/**
 * How a service other than core spends an assertion: core reports whether the key is current, then the guard of that key
 * spends the nonce. In this order, so that a key unknown to core creates nothing.
 */
export class SiblingGate implements Gate {
  readonly skewMs = SIBLING_SKEW_MS
  /** Core knows whether the deployment accepts devices, and refuses by name if it does not. */
  readonly acceptsDevices = true
  readonly #core: InternalClient
  readonly #guards: NonceGuardClient

  constructor(core: InternalClient, guards: NonceGuardClient) {
    this.#core = core
    this.#guards = guards
  }

  identify(assertion: VerifiedAssertion, isMutation: boolean): Promise<Result<Caller, SpendRefusal>> {
    return assertion.device ? this.#device(assertion, isMutation) : this.#root(assertion)
  }

  async spend(
    assertion: VerifiedAssertion,
    isMutation: boolean,
    identified?: Caller,
  ): Promise<Result<Caller, SpendRefusal>> {
    const caller = identified ? ok(identified) : await this.identify(assertion, isMutation)
    if (!caller.ok) return caller
    const outcome = await this.#guards.spend(assertion)
    switch (outcome) {
      case 'spent':
        return mayUse(assertion.requiredCapability, assertion.device) ? caller : err({ reason: 'capability' })
      case 'unavailable':
        return err({ reason: 'unavailable', dependency: 'nonces' })
      case 'replay':
      case 'expired':
        return err({ reason: outcome })
    }
  }

  async #root({ userId, publicKeyB64u }: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    const scope = await this.#core.call({ method: 'GET', path: `/api/internal/key-scope/${userId}` }, keyScopeSchema)
    if (!scope.ok) {
      const reason = standingOf(scope.error)
      return err(reason === 'unavailable' ? { reason, dependency: 'core' } : { reason })
    }
    // An answer about another key does not count.
    if (scope.value.userId !== userId || scope.value.publicKeyB64u !== publicKeyB64u) {
      return err({ reason: 'unavailable', dependency: 'core' })
    }
    return ok({ ...scope.value, device: null })
  }

  /** Core verified the attestation; the device's claims are compared with it here. */
  async #device(assertion: VerifiedAssertion, isMutation: boolean): Promise<Result<Caller, SpendRefusal>> {
    const { device } = assertion
    if (!device) return err({ reason: 'unknown_device' })
    const { deviceId, capabilities } = device
    const path = `/api/internal/device/${deviceId}${isMutation ? '?consistency=primary' : ''}`
    const record = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (!record.ok) return err(deviceFailure(record.error))
    if (record.value.deviceId !== deviceId) return err({ reason: 'unavailable', dependency: 'core' })
    const refusal = checkDevice(record.value, { ...assertion, device }, Date.now())
    if (refusal) return err({ reason: refusal })
    const { did, scope, userId, currentEpoch: epoch, rootPublicKeyB64u: publicKeyB64u } = record.value
    return ok({
      did,
      scope,
      userId,
      epoch,
      publicKeyB64u,
      device: { deviceId, publicKeyB64u: assertion.publicKeyB64u, capabilities },
    })
  }
}

/** Only these refusals concern the key; any other, such as a wrong internal secret, means that core is unavailable. */
function standingOf(failure: InternalFault): 'superseded' | 'deactivated' | 'unknown_key' | 'unavailable' {
  if (failure.reason === 'unavailable') return 'unavailable'
  if (failure.error === 'key_superseded') return 'superseded'
  if (failure.error === 'did_deactivated') return 'deactivated'
  return failure.error === 'not_found' ? 'unknown_key' : 'unavailable'
}

const FORWARDED = ['device_keys_disabled', 'device_index_unavailable', 'attestation_unverifiable'] as const

/** Forwarded verbatim. */
function deviceFailure(failure: InternalFault): SpendRefusal {
  const forwarded = FORWARDED.find((name) => name === failure.error)
  if (forwarded) return { reason: forwarded }
  if (failure.reason === 'unavailable') return { reason: 'unavailable', dependency: 'core' }
  if (failure.error === 'did_deactivated') return { reason: 'deactivated' }
  return failure.error === 'not_found' ? { reason: 'unknown_device' } : { reason: 'unavailable', dependency: 'core' }
}
