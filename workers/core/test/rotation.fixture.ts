/** What the tests of rotation share: opening one as the DID Worker does, its operator, and devices. */
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import type { Capability } from '@svc/protocol/device'
import { type RotationRecord, rotationRecordSchema, type SignedRotationRequest } from '@svc/protocol/rotation'
import { signStatement } from '@svc/protocol/statement'
import { INTERNAL_HEADER } from '@svc/service'
import { callerOf, deviceOf, type TestCaller, type TestDevice } from '@svc/testing'
import { vi } from 'vitest'
import { internalService } from '../src/app.ts'
import { anonymous, call, send } from './harness.ts'

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

/** Sends a request to where core keeps it. */
export function submit(signed: SignedRotationRequest, replaced?: Replaced): Promise<Answer> {
  const path = `/api/internal/rotation/${signed.statement.did}`
  return internal('POST', path, { body: signed, ...(replaced ? { replaced } : {}) })
}

/** A request that its root key signs; statement, keys and signers as told. */
export async function requestBy(
  identity: Identity,
  next: Pick<Identity, 'publicKeyB64u' | 'sign'>,
  changes: { statement?: object; byRoot?: Identity; byNewKey?: Pick<Identity, 'sign'> } = {},
): Promise<SignedRotationRequest> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    did: identity.did,
    scope: identity.scope,
    version: 2 as const,
    epoch: identity.epoch + 1,
    newPublicKeyB64u: next.publicKeyB64u,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...changes.statement,
  }
  const byRoot = await signStatement(statement, (message) => (changes.byRoot ?? identity).sign(message))
  const byNewKey = await signStatement(statement, (message) => (changes.byNewKey ?? next).sign(message))
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

export interface Opened {
  readonly rotation: RotationRecord
  readonly signed: SignedRotationRequest
  readonly successor: Identity
  /** A caller with the new key; its assertions are refused until the rotation is active. */
  readonly next: TestCaller
}

/** Opens a rotation of a caller's root key, to a fresh key unless told. */
export async function opened({ identity }: TestCaller, version: 1 | 2, successor?: Identity): Promise<Opened> {
  const to = successor ?? (await identity.successor())
  const signed = await requestBy(identity, to, { statement: { version } })
  const { status, body } = await submit(signed)
  if (status !== 200) throw new Error(`not opened: ${status} ${String(body['error'])}`)
  return { rotation: rotationRecordSchema.parse(body), signed, successor: to, next: callerOf(to, { fetch: send }) }
}

/** An operator's approval of a rotation, signed. */
export async function approvalOf(did: string, rotationId: string, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-rotation-approve/v1' as const,
    did,
    rotationId,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export async function approve(did: string, rotationId: string) {
  return anonymous('POST', '/api/operator/acts', await approvalOf(did, rotationId))
}

/** Hands a caller's identity over by version 1, and gives the caller with the new key. */
export async function rotated(caller: TestCaller): Promise<Opened> {
  const open = await opened(caller, 1)
  const { rotationId } = open.rotation
  await approve(caller.identity.did, rotationId)
  const { status } = await call(caller, 'POST', '/api/chain/rotation/activate', { rotationId })
  if (status !== 200) throw new Error(`not activated: ${status}`)
  return open
}

/** The newest rotation of a caller, as the public sees it. */
export async function newestOf({ client, identity }: TestCaller): Promise<RotationRecord> {
  const rotation = await client.keyHistory.rotation(identity.did)
  if (!rotation) throw new Error('no rotation')
  return rotation
}

/** Stops the clock of tests and objects at a time; whoever does it lets it run again. */
export function at(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
}

/** A device that a caller has taken in. */
export function memberOf(caller: TestCaller, ...capabilities: readonly Capability[]): Promise<TestDevice> {
  return deviceOf(caller, { fetch: send, capabilities })
}

/** Devices that may co-sign what is requested from now on: they could for a whole window, which is over. */
export async function cosignersOf(caller: TestCaller, count: number): Promise<TestDevice[]> {
  const devices: TestDevice[] = []
  for (let i = 0; i < count; i++) devices.push(await memberOf(caller, 'rotation:cosign'))
  at(Date.now() + DAY_MS)
  return devices
}

export async function cosignerOf(caller: TestCaller): Promise<TestDevice> {
  const [device] = await cosignersOf(caller, 1)
  if (!device) throw new Error('no device')
  return device
}

type Signs = { sign(message: Uint8Array): Promise<Uint8Array> }
type Owner = Pick<Identity, 'did' | 'scope'>

/** A freeze by whoever signs, in the name of whoever is told. */
export function freezeBy(signer: Signs, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = { type: 'svc/rotation-freeze/v1' as const, did, scope, rotationId, signedBy, issuedAt: Date.now() }
  return signStatement(statement, (message) => signer.sign(message))
}

export function cancelBy(signer: Signs, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = { type: 'svc/rotation-cancel/v1' as const, did, scope, rotationId, signedBy, issuedAt: Date.now() }
  return signStatement(statement, (message) => signer.sign(message))
}

export function cosignBy(signer: Signs, signedBy: string, { did, scope }: Owner, rotationId: string) {
  const statement = { type: 'svc/rotation-cosign/v1' as const, did, scope, rotationId, signedBy, issuedAt: Date.now() }
  return signStatement(statement, (message) => signer.sign(message))
}

type Step = () => unknown
/** The objects of identities, where something happens before or after a call of some of their methods. */
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
