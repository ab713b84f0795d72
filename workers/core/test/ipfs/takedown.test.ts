import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import type { OperatorTakedownPage } from '@svc/protocol/operator/reads'
import type { TakedownRecord } from '@svc/protocol/operator/takedown'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller, sendWith } from '../harness.ts'
import { fileOf, gatewayWith, leafOf, nodeOf, sample, sweepAt } from './ipfs.fixture.ts'

const takedown = (id: string, members: object = {}) =>
  signStatement(
    {
      type: 'svc/operator-takedown/v1' as const,
      realm: REALM,
      service: 'core',
      nonce: crypto.randomUUID(),
      subject: { kind: 'pin', id },
      reason: 'legal',
      issuedAt: Date.now(),
      ...members,
    },
    (message) => mlDsa65.sign(new Uint8Array(32).fill(7), message),
  )
const act = (signed: unknown) => anonymous('POST', '/api/operator/acts', signed)
const takeDown = async (id: string, members: object = {}) =>
  expect((await act(await takedown(id, members))).status).toBe(200)
const storedOf = async (name: string) =>
  (await env.BLOBS.list({ prefix: 'ipfs/' })).objects.filter(({ key }) => key.includes(name))
const read = async (name: string, headers: Record<string, string> = {}) => {
  const { status, body } = await anonymous('GET', `/ipfs/${name}`, undefined, headers)
  return { status, error: body['error'], details: body['details'] }
}
const GONE = { status: 410, error: 'taken_down', details: { reason: 'legal' } }

describe('content that was taken down', () => {
  it('is 410 with the reason, and none of its bytes are left', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { root, blocks } = await fileOf(sample(3_300, 201))
    const gateway = gatewayWith(...blocks)
    for (const { client } of [alice, bob]) await client.account.pin(root.name)
    expect((await storedOf(root.name)).length).toBeGreaterThan(blocks.length)
    await takeDown(root.cid.toV0().toString())
    expect(await read(root.name)).toEqual(GONE)
    expect(await read(root.name, { 'if-none-match': `"${root.name}"` })).toEqual(GONE)
    expect(await storedOf(root.name)).toEqual([])
    expect((await alice.client.account.pins()).pins).toEqual([])
    const { length } = gateway.asked
    await expect(bob.client.account.pin(root.name)).rejects.toMatchObject({ status: 410, error: 'taken_down' })
    expect(gateway.asked).toHaveLength(length)
  })

  it('is not served or pinned as a part of other content', async () => {
    const caller = await freshCaller()
    const [bad, good] = [await leafOf(sample(400, 202)), await leafOf(sample(400, 203))]
    const inner = await nodeOf([good, bad])
    const outer = await nodeOf([good, inner])
    const gateway = gatewayWith(bad, good, inner, outer)
    await takeDown(bad.name)
    expect(await read(inner.name)).toEqual(GONE)
    await expect(caller.client.account.pin(outer.name)).rejects.toMatchObject({ status: 410 })
    expect(gateway.asked).not.toContain(bad.name)
    expect((await caller.client.account.content(good.name)).length).toBe(400)
  })

  it('is listed in public, once, under its canonical CID', async () => {
    const { client } = await freshCaller({ genesis: false })
    const { root } = await fileOf(sample(1_500, 204))
    const acts = await Promise.all(Array.from({ length: 20 }, () => takedown(root.cid.toV0().toString())))
    const answers = await Promise.all(acts.map(act))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const found: TakedownRecord[] = []
    for await (const record of client.account.takedowns()) found.push(record)
    expect(found.filter(({ subject }) => subject.id === root.name)).toEqual([
      expect.objectContaining({ subject: { kind: 'pin', id: root.name }, reason: 'legal' }),
    ])
    expect(await anonymous('GET', '/api/takedowns?cursor=bm9uZQ')).toMatchObject({ status: 400 })
    const listing = await takedown('', {
      type: 'svc/operator-takedowns/v1',
      subject: undefined,
      reason: undefined,
      after: 0,
    })
    const { status, body } = await anonymous('POST', '/api/operator/takedowns', listing)
    const { takedowns } = body['data'] as OperatorTakedownPage
    const seen = takedowns.filter(({ subject }) => subject.id === root.name)
    expect([status, seen]).toEqual([200, [expect.objectContaining({ doneAt: expect.any(Number) as unknown })]])
  })

  it('cannot be taken down by an act for another service, of another kind, or without a readable CID', async () => {
    const leaf = await leafOf(sample(300, 205))
    gatewayWith(leaf)
    for (const wrong of [
      { service: 'provenance' },
      { reason: 'because' },
      { subject: { kind: 'keypoints', id: leaf.name } },
    ]) {
      expect(await act(await takedown(leaf.name, wrong))).toMatchObject({ status: 400 })
    }
    const unreadable = await act(await takedown('bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'))
    expect(unreadable).toMatchObject({ status: 400, body: { error: 'cid_unsupported' } })
    expect((await read(leaf.name)).status).toBe(200)
  })

  it('leaves nothing of a pin that was under way', async () => {
    const caller = await freshCaller()
    const { root, blocks } = await fileOf(sample(2_500, 206))
    gatewayWith(...blocks)
    let isTaken = false
    const BLOBS = {
      get: (key: string) => env.BLOBS.get(key),
      list: (options: R2ListOptions) => env.BLOBS.list(options),
      delete: (keys: string[]) => env.BLOBS.delete(keys),
      put: async (key: string, bytes: Uint8Array) => {
        const put = await env.BLOBS.put(key, bytes)
        if (key.startsWith('ipfs/pin/') && !isTaken) {
          isTaken = true
          await takeDown(root.name)
        }
        return put
      },
    }
    const pinned = await call(caller, 'POST', '/api/ipfs/pin', { cid: root.name }, sendWith({ BLOBS }))
    expect(pinned).toMatchObject({ status: 410, body: { error: 'taken_down' } })
    expect((await storedOf(root.name)).filter(({ key }) => key.startsWith('ipfs/pin/'))).toEqual([])
    expect((await caller.client.account.pins()).pins).toEqual([])
  })
})

describe('a pin that crashed', () => {
  it('leaves blocks that the next sweep after an hour deletes', async () => {
    const caller = await freshCaller()
    const { root, blocks } = await fileOf(sample(2_500, 207))
    gatewayWith(...blocks)
    let puts = 0
    const BLOBS = {
      get: (key: string) => env.BLOBS.get(key),
      put: (key: string, bytes: Uint8Array) => {
        if (key.startsWith('ipfs/pin/')) puts += 1
        return puts > 2 ? Promise.reject(new Error('crashed')) : env.BLOBS.put(key, bytes)
      },
    }
    const pinned = await call(caller, 'POST', '/api/ipfs/pin', { cid: root.name }, sendWith({ BLOBS }))
    expect(pinned.status).toBe(503)
    const pins = async () => (await storedOf(root.name)).filter(({ key }) => key.startsWith('ipfs/pin/'))
    expect(await pins()).toHaveLength(2)
    await sweepAt(Date.now() + 2 * 3_600_000)
    expect(await pins()).toEqual([])
  })
})
