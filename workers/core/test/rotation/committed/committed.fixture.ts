/** Identities that have committed to their next keys, and what their owners, thieves and operator do over HTTP. */
import { signStatement } from '@svc/protocol/base/statement'
import { successorHash } from '@svc/protocol/chain/commitment'
import { rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { REALM, signerOf, type TestCaller, type TestDevice } from '@svc/testing'
import { call, freshCaller } from '../../harness.ts'
import { at, cosignBy, DAY_MS, freezeBy, type Identity, internal, memberOf, requestBy } from '../rotation.fixture.ts'

export const WINDOW_MS = DAY_MS

export interface Committed {
  readonly alice: TestCaller
  /** Lends assertions. */
  readonly bob: TestCaller
  /** The keys that the genesis names. */
  readonly sheets: readonly [Identity, Identity]
}

/** An identity whose genesis names two keys. */
export async function committed(replaceable = false): Promise<Committed> {
  const [alice, bob] = [await freshCaller({ genesis: false }), await freshCaller()]
  const sheets = [await alice.identity.successor(), await alice.identity.successor()] as const
  const next = sheets.map(({ publicKeyB64u }) => successorHash(publicKeyB64u))
  await alice.client.chain.genesis({ commitment: { next, replaceable } })
  return { alice, bob, sheets }
}

/** The same with a phone that counts. */
export async function withPhone(replaceable = false): Promise<Committed & { readonly phone: TestDevice }> {
  const owner = await committed(replaceable)
  const phone = await memberOf(owner.alice, 'rotation:cosign')
  at(Date.now() + WINDOW_MS)
  return { ...owner, phone }
}

/** A request by root key and successor, or by the successor alone. */
export async function asks(
  { alice }: Pick<Committed, 'alice'>,
  to: Identity,
  options: { readonly alone?: boolean; readonly version?: 1 | 2; readonly next?: readonly string[] } = {},
): Promise<SignedRotationRequest> {
  const { alone = false, version = 2, next = [] } = options
  const signed = await requestBy(alice.identity, to, { statement: { version, next: [...next] } })
  return alone ? { ...signed, signatureB64u: null } : signed
}

/** Sends a request with the assertion of a stranger, as the resolver passes it on. */
export function sends({ bob }: Pick<Committed, 'bob'>, signed: SignedRotationRequest) {
  const path = `/api/internal/rotation/${signed.statement.did}?caller=${bob.identity.did}`
  return internal('POST', path, { body: signed })
}

/** A freeze or delay by a committed key. */
export async function heirFreezes({ alice, bob }: Committed, by: Identity, rotationId: string) {
  const { did, scope } = alice.identity
  const statement = {
    type: 'svc/rotation-freeze/v1' as const,
    realm: REALM,
    did,
    scope,
    rotationId,
    signedBy: 'successor' as const,
    successorPublicKeyB64u: by.publicKeyB64u,
    inception: null,
    issuedAt: Date.now(),
  }
  return call(bob, 'POST', '/api/chain/rotation/freeze', await signStatement(statement, signerOf(by)))
}

export async function rootFreezes({ alice, bob }: Committed, rotationId: string) {
  return call(
    bob,
    'POST',
    '/api/chain/rotation/freeze',
    await freezeBy(alice.identity, 'root', alice.identity, rotationId),
  )
}

export async function phoneFreezes(owner: Committed & { readonly phone: TestDevice }, rotationId: string) {
  const { alice, bob, phone } = owner
  const signed = await freezeBy(phone.device, phone.device.deviceId, alice.identity, rotationId)
  return call(bob, 'POST', '/api/chain/rotation/freeze', signed)
}

/** A co-signature by the phone that brings its request. */
export async function cosigns(owner: Committed & { readonly phone: TestDevice }, request: SignedRotationRequest) {
  const { alice, bob, phone } = owner
  const { deviceId } = phone.device
  const signed = await cosignBy(phone.device, deviceId, alice.identity, rotationIdOf(request.statement))
  return call(bob, 'POST', '/api/chain/rotation/cosign', { ...signed, request })
}

export async function activated({ alice, bob }: Committed, request: SignedRotationRequest) {
  const path = request.statement.version === 1 ? '/api/chain/rotation/activate' : '/api/chain/rotation/v2/activate'
  const { did } = alice.identity
  return call(bob, 'POST', path, { rotationId: rotationIdOf(request.statement), did })
}
