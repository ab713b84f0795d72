import { type GenesisBlock, signBlock } from '@svc/protocol/chain/chain'
import { rotationIdOf } from '@svc/protocol/chain/rotation'
import { signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { approve, at, cosignBy, cosignerOf, freezeBy, newestOf, opened, submit } from './rotation.fixture.ts'

const RACERS = 20
const ACTIVATE = '/api/chain/rotation/v2/activate'
const FREEZE = '/api/chain/rotation/freeze'
const COSIGN = '/api/chain/rotation/cosign'
const times = <T>(make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: RACERS }, (_, i) => make(i)))
const count = (answers: readonly { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length

afterEach(() => {
  vi.useRealTimers()
})

describe('twenty at once', () => {
  it('activate one rotation: one key follows, and every answer is the same or refused', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const { rotation, successor, next } = await opened(caller, 2)
    const { rotationId } = rotation
    at(rotation.deadline ?? 0)
    const answers = await times(() => call(caller, 'POST', ACTIVATE, { rotationId }))
    const taken = answers.filter(({ status }) => status === 200)
    expect(taken.length).toBeGreaterThanOrEqual(1)
    expect(count(answers, 200) + count(answers, 401)).toBe(RACERS)
    const records = new Set(taken.map(({ body }) => JSON.stringify(body['data'])))
    expect(records.size).toBe(1)
    expect((await next.client.keyHistory.of(did)).map(({ userId }) => userId)).toEqual([
      caller.identity.userId,
      successor.userId,
    ])
  })

  it('request rotations: one is pending', async () => {
    const caller = await freshCaller()
    const requests = await times(async () =>
      caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 2 }),
    )
    const answers = await Promise.all(requests.map((signed) => submit(signed)))
    expect([count(answers, 200), count(answers, 409)]).toEqual([1, RACERS - 1])
    const winner = answers.findIndex(({ status }) => status === 200)
    const { latest } = await caller.client.rotation.current()
    expect(latest?.rotationId).toBe(requests[winner] && rotationIdOf(requests[winner].statement))
    const lost = answers.find(({ status }) => status === 409)
    expect(lost?.body).toMatchObject({ error: 'rotation_pending', details: { rotationId: latest?.rotationId } })
  })

  it('make one request: it is opened once', async () => {
    const caller = await freshCaller()
    const signed = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 2 })
    const answers = await times(() => submit(signed))
    expect(count(answers, 200)).toBe(RACERS)
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  it('send one co-signature: it counts once', async () => {
    const caller = await freshCaller()
    const { device } = await cosignerOf(caller)
    const { rotationId } = (await opened(caller, 2)).rotation
    const signed = await cosignBy(device, device.deviceId, caller.identity, rotationId)
    const answers = await times(() => call(caller, 'POST', COSIGN, signed))
    expect(count(answers, 200)).toBe(RACERS)
    expect(await newestOf(caller)).toMatchObject({ cosignatures: 1, cosigned: [signed] })
  })

  it('freeze by statements of their own: one is recorded', async () => {
    const caller = await freshCaller()
    const { rotationId } = (await opened(caller, 2)).rotation
    const freezes = await times((i) => {
      at(1_790_000_000_000 + i)
      return freezeBy(caller.identity, 'root', caller.identity, rotationId)
    })
    vi.useRealTimers()
    const answers = await Promise.all(freezes.map((signed) => call(caller, 'POST', FREEZE, signed)))
    expect([count(answers, 200), count(answers, 409)]).toEqual([1, RACERS - 1])
    const { status, freezes: taken, vetoes } = await newestOf(caller)
    expect([status, taken, vetoes.length]).toEqual(['frozen', 1, 1])
  })

  it('approve one rotation: one approval stands', async () => {
    const caller = await freshCaller()
    const { rotationId } = (await opened(caller, 1)).rotation
    const answers = await times(() => approve(caller.identity.did, rotationId))
    expect(count(answers, 200)).toBe(RACERS)
    const { latest } = await caller.client.rotation.current()
    const nonces = answers.map(({ body }) => (body['data'] as { nonce: string }).nonce)
    expect(nonces).toContain(latest?.approval?.nonce)
  })
})

describe('one key that two want', () => {
  it('becomes the root of one identity alone', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const first = await opened(alice, 2)
    const second = await opened(bob, 2, first.successor)
    at(Math.max(first.rotation.deadline ?? 0, second.rotation.deadline ?? 0))
    const answers = await Promise.all([
      call(alice, 'POST', ACTIVATE, { rotationId: first.rotation.rotationId }),
      call(bob, 'POST', ACTIVATE, { rotationId: second.rotation.rotationId }),
    ])
    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 1])
    const loser = answers[0].status === 200 ? bob : alice
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'key_in_use' })
    const { latest } = await loser.client.rotation.current()
    expect(latest?.status).toBe('pending')
    expect((await loser.client.rotation.cancel(latest?.rotationId ?? '')).status).toBe('cancelled')
  })

  it('is an identity of its own or the root of another, and never both', async () => {
    for (let round = 0; round < 4; round++) {
      const caller = await freshCaller()
      const { rotation, successor, next } = await opened(caller, 2)
      const { signature: _, ...template } = await caller.client.chain.makeGenesis()
      const block = await signBlock<GenesisBlock>(
        { ...template, ownerPublicKey: successor.publicKeyB64u, scope: successor.userId },
        signerOf(successor),
      )
      at(rotation.deadline ?? 0)
      const [active, born] = await Promise.all([
        call(caller, 'POST', ACTIVATE, { rotationId: rotation.rotationId }),
        anonymous('POST', '/api/genesis/init', { block }),
      ])
      expect([active.status, born.status].toSorted((a, b) => a - b)).toEqual([200, 409])
      const lost = active.status === 200 ? born : active
      expect(lost.body['error']).toBe(active.status === 200 ? 'genesis_conflict' : 'key_in_use')
      expect((await call(next, 'GET', '/api/chain/head')).status).toBe(200)
    }
  })
})
