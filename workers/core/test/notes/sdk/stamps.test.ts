import type { Client } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import { verifyAnchor } from '@svc/client/verify'
import { blindRoot } from '@svc/protocol/ledger/blind-root'
import { deviceOf, REALM, REALMS, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { breaking, clientOver } from './sdk.fixture.ts'

let alice: TestCaller
let client: Client
beforeAll(async () => {
  alice = await freshCaller()
  client = clientOver(send, { identity: alice.identity })
})
const fresh = async () => hashOf(crypto.getRandomValues(new Uint8Array(32)))
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
const foundBy = (root: string) => all(client.anchors.all({ root }))
const keptOf = (of: Client) => all(of.anchors.kept())

describe('a stamped file', () => {
  it('is found by nobody who has the file alone', async () => {
    const hash = await fresh()
    const bob = await freshCaller()
    const stamps = [
      await client.anchors.stamp({ hash }),
      await clientOver(send, { identity: bob.identity }).anchors.stamp({ hash }),
    ]
    expect(await foundBy(hash)).toEqual([])
    const [mine, his] = stamps.map(({ root }) => root)
    expect(mine).not.toBe(his)
    expect(await foundBy(mine!)).toMatchObject([{ owner: alice.identity.did, epoch: '-' }])
  })

  it('is found by everybody who has it, if the owner chose so', async () => {
    const hash = await fresh()
    const stamp = await client.anchors.stamp({ hash }, { isFindable: true, epoch: '2026' })
    expect(stamp).toMatchObject({ root: hash, nonceB64u: null, epoch: '2026' })
    expect(await foundBy(hash)).toMatchObject([{ anchorId: stamp.anchorId }])
    expect(await client.anchors.complete(stamp)).not.toHaveProperty('nonceB64u')
  })

  it('has a bundle with its nonce, which leads from the file to the root', async () => {
    const hash = await fresh()
    const stamp = await client.anchors.stamp({ hash, name: 'will.pdf' })
    const bundle = await client.anchors.complete(stamp)
    const { log } = bundle
    const verified = await verifyAnchor(bundle, { logKeyB64u: log.publicKeyB64u }, REALMS)
    expect(blindRoot(verified.nonceB64u ?? '', hash)).toBe(verified.record.root)
    expect(JSON.stringify(await client.anchors.bundle(stamp.anchorId))).not.toContain(stamp.nonceB64u)
  })

  it('is completed by no other stamp', async () => {
    const stamp = await client.anchors.stamp({ hash: await fresh() })
    const other = await client.anchors.stamp({ hash: await fresh() })
    const refusal = { reason: 'mismatch', subject: 'anchor' }
    for (const changed of [{ anchorId: other.anchorId }, { nonceB64u: other.nonceB64u }, { hash: other.hash }])
      await expect(client.anchors.complete({ ...stamp, ...changed })).rejects.toMatchObject(refusal)
  })
})

describe('the library of stamps', () => {
  it('has each stamp, encrypted for every device', async () => {
    const owner = await freshCaller()
    const { device } = await deviceOf(owner, { fetch: send, capabilities: ['notes:read', 'notes:write'] })
    const [root, phone] = [clientOver(send, { identity: owner.identity }), clientOver(send, { device })]
    const stamps = [
      await root.anchors.stamp({ hash: await fresh(), name: 'one.txt' }),
      await root.anchors.stamp({ hash: await fresh() }),
    ]
    await root.notes.put({ body: 'a note of another kind' })
    expect(await keptOf(phone)).toEqual(stamps)
    expect(stamps[0]).toMatchObject({ name: 'one.txt', realm: REALM })
  })

  it('passes over a note of another content', async () => {
    const owner = await freshCaller()
    const root = clientOver(send, { identity: owner.identity })
    await root.notes.putAs(`stamp-${'A'.repeat(32)}`, { body: 'a text' })
    const stamp = await root.anchors.stamp({ hash: await fresh() })
    expect(await keptOf(root)).toEqual([stamp])
  })

  it('has a stamp before the anchor is sent, so that an interruption loses no nonce', async () => {
    const owner = await freshCaller()
    const hash = await fresh()
    const broken: typeof send = (request) => {
      if (new URL(request.url).pathname === '/api/anchors') throw new TypeError('fetch failed')
      return send(request)
    }
    const cut = clientOver(broken, { identity: owner.identity })
    await expect(cut.anchors.stamp({ hash })).rejects.toThrow('fetch failed')
    const root = clientOver(send, { identity: owner.identity })
    const [kept] = await keptOf(root)
    expect(await all(root.anchors.all({ owner: owner.identity.did }))).toEqual([])
    await root.anchors.submit({ root: kept!.root, epoch: kept!.epoch })
    expect((await root.anchors.complete(kept!)).record).toMatchObject({ anchorId: kept!.anchorId })
  })

  it('gets a stamp once, whatever is sent twice', async () => {
    const owner = await freshCaller()
    const connection = breaking('POST', 'after', 1)
    const root = clientOver(connection, { identity: owner.identity })
    const made = await root.anchors.stamp({ hash: await fresh() })
    expect(connection.broken()).toBe(1)
    expect((await root.anchors.submit({ root: made.root, epoch: made.epoch })).anchorId).toBe(made.anchorId)
    await root.anchors.keep(made)
    await root.anchors.keep(made)
    expect(await keptOf(root)).toEqual([made])
  })
})
