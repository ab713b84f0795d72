import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { userIdOf } from '@svc/protocol/base/identity'
import { rotationIdOf } from '@svc/protocol/chain/rotation'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller, sendWith } from '../harness.ts'
import {
  approvalOf,
  approve,
  at,
  cosignerOf,
  memberOf,
  newestOf,
  OPERATOR_SEED,
  opened,
  requestBy,
  rotated,
  submit,
} from './rotation.fixture.ts'

const operator = userIdOf(await mlDsa65.publicKeyOf(OPERATOR_SEED))

afterEach(() => {
  vi.useRealTimers()
})

describe('a version-1 rotation', () => {
  it('is pending without a deadline, and public at once', async () => {
    const caller = await freshCaller()
    const { rotation, signed, successor } = await opened(caller, 1)
    expect(rotation).toEqual({
      rotationId: rotationIdOf(signed.statement),
      kind: 'rotation',
      basis: 'root',
      status: 'pending',
      version: 1,
      epoch: 1,
      newUserId: successor.userId,
      requestedAt: expect.any(Number),
      deadline: null,
      contestedAt: null,
      requiredCosigners: 0,
      cosignatures: 0,
      freezes: 0,
      cancels: 0,
      approvedAt: null,
      activatedAt: null,
      request: signed,
      cosigned: [],
      vetoes: [],
      approval: null,
    })
    const { request: _, cosigned: __, vetoes: ___, approval: ____, ...summary } = rotation
    expect((await caller.client.chain.root(caller.identity.did)).rotation).toEqual(summary)
  })

  it('is not activated before an operator has approved it', async () => {
    const caller = await freshCaller()
    const { rotation, next } = await opened(caller, 1)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({
      status: 409,
      error: 'rotation_unapproved',
    })
    expect((await caller.client.rotation.current()).latest).toEqual(rotation)
    expect(await call(next, 'GET', '/api/chain/head')).toMatchObject({ status: 401 })
  })

  it('is activated after it, and the new key is the root', async () => {
    const caller = await freshCaller()
    const { did, scope } = caller.identity
    const { rotation, successor, next } = await opened(caller, 1)
    expect((await approve(did, rotation.rotationId)).status).toBe(200)
    const active = await caller.client.rotation.activate(rotation)
    expect(active).toMatchObject({ status: 'active', epoch: 1, activatedAt: expect.any(Number) })
    expect(await next.client.chain.root(did)).toMatchObject({
      did,
      scope,
      userId: successor.userId,
      publicKeyB64u: successor.publicKeyB64u,
      epoch: 1,
      rotation: { status: 'active', rotationId: rotation.rotationId },
    })
    expect(await next.client.rotation.current()).toEqual({ active, latest: active })
  })

  it('is activated twice with one answer, by the new key', async () => {
    const caller = await freshCaller()
    const { rotation, next } = await opened(caller, 1)
    await approve(caller.identity.did, rotation.rotationId)
    const active = await caller.client.rotation.activate(rotation)
    expect(await next.client.rotation.activate(rotation)).toEqual(active)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({ status: 401 })
  })

  it('is not activated by the route of the other version', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 1)
    const { rotationId } = rotation
    await approve(caller.identity.did, rotationId)
    expect(await call(caller, 'POST', '/api/chain/rotation/v2/activate', { rotationId })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('of another identity is not found', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotation } = await opened(alice, 1)
    await approve(alice.identity.did, rotation.rotationId)
    await expect(bob.client.rotation.activate(rotation)).rejects.toMatchObject({ status: 404, error: 'not_found' })
    expect((await alice.client.rotation.current()).latest?.status).toBe('pending')
  })

  it('is vetoed by nobody once it is approved', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    const { rotation } = await opened(caller, 1)
    await approve(caller.identity.did, rotation.rotationId)
    for (const { client } of [caller, phone]) {
      await expect(client.rotation.freeze(rotation.rotationId)).rejects.toMatchObject({
        status: 409,
        error: 'rotation_approved',
      })
    }
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('is activated by anyone once it is approved', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotation } = await opened(alice, 1)
    await approve(alice.identity.did, rotation.rotationId)
    expect((await bob.client.rotation.activateFor(alice.identity.did, rotation)).status).toBe('active')
  })

  it('takes no co-signature', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 1)
    await expect(phone.client.rotation.cosign(rotation)).rejects.toMatchObject({
      status: 403,
      error: 'not_eligible',
    })
    expect((await caller.client.rotation.current()).latest?.cosigned).toEqual([])
  })

  it('works while the gate of version 2 is closed', async () => {
    const caller = await freshCaller()
    const signed = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 1 })
    const { status, body } = await submit(signed, { ROTATION_V2: 'off' })
    expect(status).toBe(200)
    const rotationId = String(body['rotationId'])
    await approve(caller.identity.did, rotationId)
    const closed = sendWith({ ROTATION_V2: 'off' })
    expect(await call(caller, 'POST', '/api/chain/rotation/activate', { rotationId }, closed)).toMatchObject({
      status: 200,
      body: { data: { status: 'active' } },
    })
  })
})

describe('the approval of an operator', () => {
  it('is recorded with who and when, beside the rotation and in the book of acts', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const { rotation } = await opened(caller, 1)
    const act = await approvalOf(did, rotation.rotationId)
    const { nonce } = act.statement
    const startedAt = Date.now()
    expect(await anonymous('POST', '/api/operator/acts', act)).toMatchObject({ status: 200, body: { data: { nonce } } })
    const { approval, approvedAt, status } = (await caller.client.rotation.current()).latest ?? {}
    expect(status).toBe('pending')
    expect(approval).toEqual({ operator, nonce, approvedAt })
    expect(approvedAt).toBeGreaterThanOrEqual(startedAt)
    expect((await caller.client.chain.root(did)).rotation?.approvedAt).toBe(approvedAt)
    const row = await env.CONTROL_DB.prepare(
      'SELECT type, operator, signed, recorded_at, done_at FROM operator_acts WHERE nonce = ?',
    )
      .bind(nonce)
      .first<{ signed: string; recorded_at: number }>()
    expect(row).toMatchObject({ type: 'svc/operator-rotation-approve/v1', operator, done_at: expect.any(Number) })
    expect(row?.recorded_at).toBeGreaterThanOrEqual(startedAt)
    expect(JSON.parse(row?.signed ?? '')).toEqual(act.statement)
  })

  it('counts once: the first one stays, and every act is in the book', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const { rotation } = await opened(caller, 1)
    const [first, second] = [await approvalOf(did, rotation.rotationId), await approvalOf(did, rotation.rotationId)]
    for (const act of [first, second]) expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(200)
    expect(await anonymous('POST', '/api/operator/acts', first)).toMatchObject({
      status: 409,
      body: { error: 'statement_replay' },
    })
    expect((await caller.client.rotation.current()).latest?.approval?.nonce).toBe(first.statement.nonce)
    const acts = await env.CONTROL_DB.prepare('SELECT nonce FROM operator_acts WHERE instr(signed, ?) > 0')
      .bind(rotation.rotationId)
      .all()
    expect(acts.results).toHaveLength(2)
  })

  it('is refused by any key but the operator’s', async () => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 1)
    const act = await approvalOf(caller.identity.did, rotation.rotationId, new Uint8Array(32).fill(8))
    expect(await anonymous('POST', '/api/operator/acts', act)).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
    expect((await caller.client.rotation.current()).latest?.approval).toBeNull()
  })

  it('of a version-2 rotation, of one that is active, or of none is not found', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotation: v2 } = await opened(alice, 2)
    expect(await approve(alice.identity.did, v2.rotationId)).toMatchObject({ status: 404 })
    expect((await alice.client.rotation.current()).latest).toEqual(v2)
    const { rotation: v1, next } = await rotated(bob)
    expect(await approve(bob.identity.did, v1.rotationId)).toMatchObject({ status: 404 })
    expect(await approve(bob.identity.did, 'a'.repeat(96))).toMatchObject({ status: 404 })
    expect(await approve(`did:svc:${'w'.repeat(32)}`, v1.rotationId)).toMatchObject({ status: 404 })
    expect((await next.client.rotation.current()).latest?.status).toBe('active')
  })

  it.each(['freeze', 'cancel'] as const)('takes a rotation after a %s', async (veto) => {
    const caller = await freshCaller()
    const { rotation } = await opened(caller, 1)
    await caller.client.rotation[veto](rotation.rotationId)
    expect((await approve(caller.identity.did, rotation.rotationId)).status).toBe(200)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('takes the place of whatever is pending, also of what is co-signed', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation: v1 } = await opened(caller, 1)
    await caller.client.rotation.cancel(v1.rotationId)
    const { rotation: theirs } = await opened(caller, 2)
    await phone.client.rotation.cosign(theirs)
    expect((await approve(caller.identity.did, v1.rotationId)).status).toBe(200)
    expect(await newestOf(caller)).toMatchObject({ rotationId: v1.rotationId, status: 'pending' })
    at(theirs.deadline ?? 0)
    await expect(caller.client.rotation.activate(theirs)).rejects.toMatchObject({
      error: 'rotation_not_pending',
      details: { status: 'displaced' },
    })
    expect((await caller.client.rotation.activate(v1)).status).toBe('active')
  })

  it('carries a request that core never saw, and only that one', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const request = await requestBy(caller.identity, await caller.identity.successor(), { statement: { version: 1 } })
    const rotationId = rotationIdOf(request.statement)
    expect((await approve(did, rotationId)).status).toBe(404)
    const other = await requestBy(caller.identity, await caller.identity.successor(), { statement: { version: 1 } })
    const forged = { ...request, signatureB64u: request.newKeySignatureB64u }
    for (const carried of [other, forged]) {
      const act = await approvalOf(did, rotationId, OPERATOR_SEED, carried)
      expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(404)
    }
    const act = await approvalOf(did, rotationId, OPERATOR_SEED, request)
    expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(200)
    expect((await caller.client.rotation.activate({ rotationId, version: 1 })).status).toBe('active')
  })
})
