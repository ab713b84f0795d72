/** Shared by the tests of rotation: opening one as the DID Worker does, its operator, and devices. */

import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import type { Capability } from '@svc/protocol/base/device'
import { signStatement } from '@svc/protocol/base/statement'
import { type RotationRecord, rotationRecordSchema, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { INTERNAL_HEADER } from '@svc/service'
import type { KeyHolder } from '@svc/testing'
import { callerOf, deviceOf, LIST_KEYS, REALM, signerOf, type TestCaller, type TestDevice } from '@svc/testing'
import { vi } from 'vitest'
import { internalService } from '../../src/app.ts'
import { anonymous, call, send } from '../harness.ts'

export const DAY_MS = 86_400_000
export const OPERATOR_SEED = new Uint8Array(32).fill(7)
const SECRET = 'internal-secret-of-the-tests-only'

export type Identity = TestCaller['identity']
type Replaced = Partial<Record<keyof Env, unknown>>
type Answer = { status: number; body: Record<string, unknown> }

/** As the DID Worker calls over its binding. */
export async function internal(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  options: { body?: unknown; replaced?: Replaced } = {},
): Promise<Answer> {
  const { body, replaced } = options
  const request = new Request(`https://internal${path}`, {
    method,
    headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: SECRET },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const context = { props: { caller: 'did' }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json() }
}

/** Sends a request to core’s internal route. */
export function submit(signed: SignedRotationRequest, replaced?: Replaced): Promise<Answer> {
  const { did } = signed.statement
  const path = `/api/internal/rotation/${did}?caller=${did}`
  return internal('POST', path, { body: signed, ...(replaced ? { replaced } : {}) })
}

/** A request signed by its root key; statement, keys and signers can be overridden. */
export async function requestBy(
  identity: Identity,
  next: KeyHolder & { readonly publicKeyB64u: string },
  changes: { statement?: object; byRoot?: Identity; byNewKey?: KeyHolder } = {},
): Promise<SignedRotationRequest> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    realm: REALM,
    did: identity.did,
    scope: identity.scope,
    version: 2 as const,
    epoch: identity.epoch + 1,
    newPublicKeyB64u: next.publicKeyB64u,
    next: [] as string[],
    replaceable: false,
    nonce: crypto.randomUUID(),
    inception: null,
    issuedAt: Date.now(),
    ...changes.statement,
  }
  const byRoot = await signStatement(statement, signerOf(changes.byRoot ?? identity))
  const byNewKey = await signStatement(statement, signerOf(changes.byNewKey ?? next))
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

export interface Opened {
  readonly rotation: RotationRecord
  readonly signed: SignedRotationRequest
  readonly successor: Identity
  /** A caller with the new key; its assertions are rejected until the rotation is active. */
  readonly next: TestCaller
}

/** It may ask the directory for what a rotation has in its log, and pins the keys that the list must have. */
const nextOf = (identity: Identity) => callerOf(identity, { fetch: send, logListKeys: LIST_KEYS })

/** Opens a rotation of a caller’s root key, by default to a fresh key. */
export async function opened({ identity }: TestCaller, version: 1 | 2, successor?: Identity): Promise<Opened> {
  const to = successor ?? (await identity.successor())
  const signed = await requestBy(identity, to, { statement: { version } })
  const { status, body } = await submit(signed)
  if (status !== 200) throw new Error(`not opened: ${status} ${String(body['error'])}`)
  return { rotation: rotationRecordSchema.parse(body), signed, successor: to, next: nextOf(to) }
}

/** An operator’s approval of a rotation, signed. */
export async function approvalOf(
  did: string,
  rotationId: string,
  seed = OPERATOR_SEED,
  request?: SignedRotationRequest,
) {
  const statement = {
    type: 'svc/operator-rotation-approve/v1' as const,
    realm: REALM,
    service: 'core',
    did,
    rotationId,
    ...(request ? { request } : {}),
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export async function approve(did: string, rotationId: string) {
  return anonymous('POST', '/api/operator/acts', await approvalOf(did, rotationId))
}

/** Rotates a caller’s identity by version 1, and returns the caller with the new key. */
export async function rotated(caller: TestCaller): Promise<Opened> {
  const open = await opened(caller, 1)
  const { rotationId } = open.rotation
  await approve(caller.identity.did, rotationId)
  const { status } = await call(caller, 'POST', '/api/chain/rotation/activate', { rotationId })
  if (status !== 200) throw new Error(`not activated: ${status}`)
  return open
}

/** The newest rotation of a caller, as publicly visible. */
export async function newestOf({ client, identity }: TestCaller): Promise<RotationRecord> {
  const rotation = await client.keyHistory.rotation(identity.did)
  if (!rotation) throw new Error('no rotation')
  return rotation
}

/** Stops the clock of tests and objects at a time; the caller restarts it. */
export function at(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
}

/** A device that a caller has attested. */
export function memberOf(caller: TestCaller, ...capabilities: readonly Capability[]): Promise<TestDevice> {
  return deviceOf(caller, { fetch: send, capabilities })
}

/** Attests devices and moves the clock until they can co-sign. `by`, a device with standing, agrees to them. */
export async function cosignersOf(caller: TestCaller, count: number, by?: TestDevice): Promise<TestDevice[]> {
  const devices: TestDevice[] = []
  const agreed = by ? { agreedBy: by.device } : {}
  for (let i = 0; i < count; i++) {
    devices.push(await deviceOf(caller, { fetch: send, capabilities: ['rotation:cosign'], ...agreed }))
  }
  at(Date.now() + DAY_MS)
  return devices
}

export async function cosignerOf(caller: TestCaller, by?: TestDevice): Promise<TestDevice> {
  const [device] = await cosignersOf(caller, 1, by)
  if (!device) throw new Error('no device')
  return device
}

type Owner = Pick<Identity, 'did' | 'scope'>

/** A freeze by the given signer, in the given name. */
export function freezeBy(signer: KeyHolder, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = {
    type: 'svc/rotation-freeze/v1' as const,
    realm: REALM,
    did,
    scope,
    rotationId,
    signedBy,
    inception: null,
    issuedAt: Date.now(),
  }
  return signStatement(statement, signerOf(signer))
}

export function cancelBy(signer: KeyHolder, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = {
    type: 'svc/rotation-cancel/v1' as const,
    realm: REALM,
    did,
    scope,
    rotationId,
    signedBy,
    inception: null,
    issuedAt: Date.now(),
  }
  return signStatement(statement, signerOf(signer))
}

export function cosignBy(signer: KeyHolder, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = {
    type: 'svc/rotation-cosign/v1' as const,
    realm: REALM,
    did,
    scope,
    rotationId,
    signedBy,
    inception: null,
    issuedAt: Date.now(),
  }
  return signStatement(statement, signerOf(signer))
}

type Step = () => unknown
/** The objects of identities, with hooks before or after calls of some of their methods. */
export function interposed(steps: {
  readonly before?: Readonly<Record<string, Step>>
  readonly after?: Readonly<Record<string, Step>>
}) {
  const { before = {}, after = {} } = steps
  const getByName = (name: string) =>
    new Proxy(env.IDENTITIES.getByName(name) as unknown as Record<string, (...operands: unknown[]) => unknown>, {
      get:
        (stub, method: string) =>
        async (...operands: unknown[]) => {
          await before[method]?.()
          const answer = await stub[method]?.(...operands)
          await after[method]?.()
          return answer
        },
    })
  return { IDENTITIES: { getByName } }
}
