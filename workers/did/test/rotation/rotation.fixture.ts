/** What the tests of rotation at this service share: an operator at core, and a root key handed over. */
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import type { RotationRecord, SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { ALLOWED_ORIGIN, type Exchange, Prober } from '@svc/service/testing'
import { callerOf, REALM, type TestCaller } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, send, sendToCore, toEachHost } from '../harness.ts'

export const REQUEST = '/api/rotation/request'
export const ACTIVATED = '/api/rotation/activated'
const OPERATOR_SEED = new Uint8Array(32).fill(7)

export const prober = new Prober({ service, send, base: BASE })

/** A request by this caller that this caller signs, of version 1 unless told. */
export async function requestOf({ client, identity }: TestCaller, version: 1 | 2 = 1): Promise<SignedRotationRequest> {
  return client.rotation.makeRequest(await identity.successor(), { version })
}

/** Posts with a fresh assertion for `identity` and an allowed Origin; headers given replace them. */
export async function post(
  by: TestCaller,
  path: string,
  body: unknown,
  options: { headers?: Record<string, string>; to?: Prober } = {},
): Promise<Exchange> {
  const headers = options.headers ?? { origin: ALLOWED_ORIGIN, authorization: await by.assertion('identity') }
  return (options.to ?? prober).send({ method: 'POST', path, headers, body: JSON.stringify(body) })
}

/** An operator at core approves a version-1 rotation. */
export async function approve(did: string, rotationId: string): Promise<void> {
  const statement = {
    type: 'svc/operator-rotation-approve/v1' as const,
    realm: REALM,
    service: 'core',
    did,
    rotationId,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const act = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
  // Acts are limited by address, and a file of tests makes many.
  const group = crypto.getRandomValues(new Uint16Array(1))[0]?.toString(16)
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': `2001:db8:ffff:${group}::1` }
  const request = { method: 'POST', headers, body: JSON.stringify(act) }
  const { status } = await sendToCore(new Request('https://core.test/api/operator/acts', request))
  if (status !== 200) throw new Error(`not approved: ${status}`)
}

/** Hands a caller's identity over to a fresh key. */
export async function rotated(
  caller: TestCaller,
): Promise<{ readonly rotation: RotationRecord; readonly next: TestCaller }> {
  const { client, identity } = caller
  const successor = await identity.successor()
  const { rotationId } = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 1 }))
  await approve(identity.did, rotationId)
  const rotation = await client.rotation.activate({ rotationId, version: 1 })
  return { rotation, next: callerOf(successor, toEachHost) }
}
