/** How an identity ends that has named its successors: R17. */
import { signStatement } from '@svc/protocol/base/statement'
import type { SignedDeactivation } from '@svc/protocol/chain/deactivation'
import { CONTEST_MS } from '@svc/protocol/chain/rotation'
import { REALM, signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call } from '../harness.ts'
import {
  asks,
  type Committed,
  committed,
  heirFreezes,
  phoneFreezes,
  rootFreezes,
  sends,
  WINDOW_MS,
  withPhone,
} from '../rotation/committed/committed.fixture.ts'
import { at, type Identity, newestOf } from '../rotation/rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Root key and, if there is one, a successor end the identity. */
async function ends({ alice }: Committed, successor?: Identity, byAnother = successor) {
  const { did, scope, epoch } = alice.identity
  const statement = {
    type: 'svc/did-deactivate/v1',
    realm: REALM,
    did,
    scope,
    epoch,
    inception: null,
    issuedAt: Date.now(),
  } as const
  const signed: SignedDeactivation = await signStatement(statement, signerOf(alice.identity))
  if (!successor || !byAnother) return call(alice, 'POST', '/api/chain/deactivate', signed)
  const { signatureB64u } = await signStatement(statement, signerOf(byAnother))
  const body = { ...signed, successorPublicKeyB64u: successor.publicKeyB64u, successorSignatureB64u: signatureB64u }
  return call(alice, 'POST', '/api/chain/deactivate', body)
}

const refused = (error: string, status = 409) => ({ status, body: { error } })

describe('an identity with a commitment', () => {
  it('is not ended by its root key, with or without a key that it did not name', async () => {
    const owner = await committed()
    const stranger = await owner.alice.identity.successor()
    expect(await ends(owner)).toMatchObject(refused('successor_required', 403))
    expect(await ends(owner, stranger)).toMatchObject(refused('successor_required', 403))
    expect(await ends(owner, owner.sheets[0], stranger)).toMatchObject(refused('successor_required', 403))
    const { did } = owner.alice.identity
    expect(await owner.alice.client.chain.root(did)).toMatchObject({ deactivated: false, rotation: null })
  })

  it('ends a window after root key and successor have signed, and neither root key nor device stops that', async () => {
    const owner = await withPhone()
    const now = Date.now()
    at(now)
    const { body } = await ends(owner, owner.sheets[0])
    expect(body['data']).toMatchObject({ status: 'pending', deadline: now + WINDOW_MS })
    const { rotationId } = await newestOf(owner.alice)
    expect(await rootFreezes(owner, rotationId)).toMatchObject(refused('rotation_full'))
    expect(await phoneFreezes(owner, rotationId)).toMatchObject(refused('rotation_full'))
    const { did } = owner.alice.identity
    at(now + WINDOW_MS - 1)
    expect(await owner.bob.client.chain.root(did)).toMatchObject({ deactivated: false })
    at(now + WINDOW_MS)
    expect(await owner.bob.client.chain.root(did)).toMatchObject({ deactivated: true })
  })

  it('waits seven days if a committed key delays its end', async () => {
    const owner = await committed()
    const now = Date.now()
    at(now)
    await ends(owner, owner.sheets[0])
    const { rotationId } = await newestOf(owner.alice)
    const { body } = await heirFreezes(owner, owner.sheets[1], rotationId)
    expect(body['data']).toMatchObject({ kind: 'deactivation', deadline: now + CONTEST_MS })
  })

  it('lives on if a rival asks for a rotation, and cannot be ended so again', async () => {
    const owner = await committed()
    await ends(owner, owner.sheets[0])
    const rival = await asks(owner, owner.sheets[1])
    expect(await sends(owner, rival)).toMatchObject({ status: 200, body: { status: 'disputed' } })
    at(Date.now() + WINDOW_MS)
    expect(await ends(owner, owner.sheets[0])).toMatchObject(refused('rotation_disputed'))
    const { did } = owner.alice.identity
    expect(await owner.bob.client.chain.root(did)).toMatchObject({ deactivated: false, disputed: true })
  })

  it('is not ended beside a rotation by root key and successor', async () => {
    const owner = await committed()
    await sends(owner, await asks(owner, owner.sheets[0]))
    expect(await ends(owner, owner.sheets[1])).toMatchObject(refused('rotation_pending'))
  })
})
