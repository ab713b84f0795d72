/** Thefts over HTTP: an owner and a thief with copies of the same root key. */
import { rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import type { TestCaller, TestDevice } from '@svc/testing'
import { anonymous, call, freshCaller } from '../harness.ts'
import { approvalOf, at, cosignBy, DAY_MS, freezeBy, memberOf, OPERATOR_SEED, requestBy } from './rotation.fixture.ts'

export const FREEZE = '/api/chain/rotation/freeze'
export const COSIGN = '/api/chain/rotation/cosign'
export const WINDOW_MS = DAY_MS
export const NOT_ELIGIBLE = { status: 403, body: { error: 'not_eligible' } }

/** An owner with a phone that counts, and a request kept for an emergency. `bob` only lends assertions. */
export async function owner(...capabilities: Parameters<typeof memberOf>[1][]) {
  const [alice, bob] = [await freshCaller(), await freshCaller()]
  const phone = await memberOf(alice, ...(capabilities.length > 0 ? capabilities : (['rotation:cosign'] as const)))
  const kept = await requestBy(alice.identity, await alice.identity.successor())
  at(Date.now() + WINDOW_MS)
  return { alice, bob, phone, kept }
}

/** A freeze by the phone, sent with another identity's assertion: the thief may have revoked it. */
export async function freezes(by: TestDevice, of: TestCaller, rotationId: string, lent: TestCaller) {
  const { device } = by
  return call(lent, 'POST', FREEZE, await freezeBy(device, device.deviceId, of.identity, rotationId))
}

export async function recovers(by: TestDevice, of: TestCaller, kept: SignedRotationRequest, lent: TestCaller) {
  const { device } = by
  const signed = await cosignBy(device, device.deviceId, of.identity, rotationIdOf(kept.statement))
  return call(lent, 'POST', COSIGN, { ...signed, request: kept })
}

/** The operator approves a version-1 request that core never saw. */
export async function approvesCarried(of: TestCaller, request: SignedRotationRequest) {
  const rotationId = rotationIdOf(request.statement)
  const act = await approvalOf(of.identity.did, rotationId, OPERATOR_SEED, request)
  return anonymous('POST', '/api/operator/acts', act)
}

/** A request to a key of the signer's own. */
export async function requestOf({ identity }: TestCaller, version: 1 | 2): Promise<SignedRotationRequest> {
  return requestBy(identity, await identity.successor(), { statement: { version } })
}

/** Activates a request with a stranger's assertion, and returns the error if it is refused. */
export async function activates(of: TestCaller, { statement }: SignedRotationRequest, lent: TestCaller) {
  const path = statement.version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
  const members = { rotationId: rotationIdOf(statement), did: of.identity.did }
  const { status, body } = await call(lent, 'POST', path, members)
  return status === 200 ? 'active' : body['error']
}

/** The root key as anybody reads it. */
export async function rootOf({ identity }: TestCaller): Promise<unknown> {
  const { body } = await anonymous('GET', `/api/chain/root/${identity.did}`)
  return (body['data'] as Record<string, unknown>)['publicKeyB64u']
}
