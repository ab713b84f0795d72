/** What a mirror answers while the services are down: everything that is signed or proved. */
import { Client, type ClientOptions, mirrorOf } from '@svc/client'
import { verifyAnchor } from '@svc/client/verify'
import { ISSUED_AT } from '@svc/protocol/merkle/rolled-log.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment, openDirectory } from '../deployment.fixture.ts'
import { pinned } from '../pinned.fixture.ts'
import type { RunningMirror } from '../running-mirror.ts'
import {
  ACCOUNT,
  ANCHOR_LOG,
  anchorLog,
  BUCKET,
  CONSENT_HASH,
  CORE,
  CREATOR,
  DECLARED,
  headAt,
  LABEL,
  lineNo,
  MAP_AT,
  NOW,
  OWNER,
  publicationNo,
  publishedNo,
  publisherKeyB64u,
  REALM,
} from '../signed-parts.fixture.ts'
import { clientOf as clientWith, down, HOUR, mirrorFor, NOBODY, network } from './mirrored-client.fixture.ts'

let deployment: FakeDeployment
let mirror: RunningMirror
beforeAll(async () => {
  deployment = await FakeDeployment.create()
  mirror = await mirrorFor(deployment)
})
afterAll(() => mirror.stop())
const clientOf = (options: Partial<ClientOptions> = {}) => clientWith(mirror, options)

describe('while the services are down', () => {
  it('anchors are read from a mirror, verified, and say so', async () => {
    const { anchorId } = deployment.anchors[1]!
    const { anchors } = clientOf()
    const bundle = await anchors.bundle(anchorId)
    const from = { mirror: mirror.url, signedAt: NOW - 1_000, ageMs: 1_000, isRefusing: false }
    expect(mirrorOf(bundle)).toEqual(from)
    const logs = await anchors.logs()
    expect((await verifyAnchor(bundle, { list: await logs.list() }, [REALM])).record.root).toBe(
      deployment.anchors[1]?.root,
    )
    const record = await anchors.read(anchorId)
    expect([record.position, mirrorOf(record)]).toEqual([{ log: ANCHOR_LOG, index: 2 }, from])
    const checkpoint = await anchors.checkpoint()
    expect([checkpoint.statement.size, mirrorOf(checkpoint)]).toEqual([4, from])
    const earlier = await anchorLog(deployment.anchors.slice(0, 2)).checkpoint()
    await anchors.verifyExtension(earlier as typeof checkpoint, checkpoint)
    const page = await anchors.page({ owner: OWNER, limit: 2 })
    expect([page.items.map(({ position }) => position?.index), mirrorOf(page)]).toEqual([[3, 2], from])
    const next = await anchors.page({ owner: OWNER, limit: 2, cursor: page.cursor ?? '' })
    expect(next).toMatchObject({ items: [{ position: { index: 1 } }], cursor: null })
  })

  it('which ledger carries an anchor is what verified reports of the publisher say', async () => {
    const published = await FakeDeployment.create()
    const reports = [
      await publicationNo(0),
      await publicationNo(1, { tx: '0xa' }),
      await publicationNo(1, { tx: '0xb', state: 'confirmed', nonce: 'another-nonce-of-1', issuedAt: ISSUED_AT + 2 }),
    ]
    published.publications = reports
    const running = await mirrorFor(published)
    const { anchorId } = published.anchors[1]!
    const mirrors = { urls: [running.url], maxAgeMs: HOUR }
    const { anchors } = clientOf({ publisherKeyB64u, mirrors })
    const listed = await anchors.publications(anchorId)
    expect([listed, mirrorOf(listed)?.mirror]).toEqual([reports.slice(1), running.url])
    const record = await anchors.read(anchorId)
    const chains = ['0xa', '0xb'].map((tx) => ({ chain: 'example-ledger', tx }))
    expect([record, mirrorOf(record)?.ageMs]).toMatchObject([{ status: 'confirmed', chains }, 1_000])
    expect((await anchors.read(published.anchors[0]!.anchorId)).status).toBe('published')
    expect((await anchors.read(published.anchors[2]!.anchorId)).status).toBe('submitted')
    expect((await anchors.bundle(anchorId)).record.status).toBe('submitted')
    // A client that connects knows the key from its pin.
    const options = { core: CORE, realm: REALM, fetch: network(down), retries: false, now: () => NOW } as const
    const connected = await Client.connect({ ...options, mirrors, pinned: pinned() })
    expect((await connected.anchors.read(anchorId)).status).toBe('confirmed')
    // The list that the mirror serves names no publisher.
    await expect(clientOf({ mirrors }).anchors.publications(anchorId)).rejects.toMatchObject({
      subject: 'anchor',
      reason: 'invalid_signature',
    })
    const unpinned = new Client({ ...options, did: 'https://did.test', mirrors })
    await expect(unpinned.anchors.publications(anchorId)).rejects.toMatchObject({ reason: 'no_key' })
    await running.stop()
  })

  it('updates of the key directory are proved, also in a closed log', async () => {
    const { transparency } = clientOf()
    for (const [seq, log] of [1, 2, 3].map((n) => [n, deployment.directory[n < 3 ? 0 : 1]!.log] as const)) {
      const proved = await transparency.prove(publishedNo(seq))
      expect(proved.position.log).toBe(log)
      expect(mirrorOf(proved)).toMatchObject({ mirror: mirror.url, ageMs: 1_000 })
    }
    expect((await transparency.checkpoint()).statement.log).toBe(deployment.directory[1]?.log)
  })

  it('an account whose label the directory has proved is proved, present or absent, from the recomputed map', async () => {
    const { transparency } = clientOf()
    const account = await transparency.account(ACCOUNT)
    expect(account).toMatchObject({ result: 'present', ...headAt(3) })
    expect(account.map.position).toEqual({ log: deployment.directory[1]?.log, index: 2 })
    // The map is the last entry: nothing came between it and the checkpoint.
    expect(mirrorOf(account)).toEqual({ mirror: mirror.url, signedAt: NOW - 1_000, ageMs: 1_000, isRefusing: false })
    expect(await transparency.account(NOBODY)).toMatchObject({ result: 'absent', seq: 0 })
    expect(await transparency.follow(ACCOUNT)).toEqual(headAt(3))
    expect(await transparency.follow(ACCOUNT, headAt(1))).toEqual(headAt(3))
    await expect(transparency.follow(ACCOUNT, { ...headAt(2), head: headAt(1).head })).rejects.toMatchObject({
      reason: 'inconsistent',
    })
  })

  it('an account that the client never met has no label that a mirror could prove', async () => {
    await expect(clientOf().transparency.account(OWNER)).rejects.toMatchObject({ name: 'ConnectionError' })
    const { transparency } = clientOf()
    await transparency.account(ACCOUNT)
    expect(await transparency.labelOf(ACCOUNT)).toBe(LABEL)
  })

  it('a mirror that is behind what the client knows of an account has nothing for it', async () => {
    await expect(clientOf().transparency.follow(ACCOUNT, headAt(4))).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('a directory that shows packages and does not prove the account gains nothing by it', async () => {
    const { transparency } = clientOf()
    const read = async () => [1, 2, 3].map(headAt)
    await expect(transparency.agree(ACCOUNT, 3, read)).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('a map that later entries follow is as old as itself', async () => {
    const updated = await FakeDeployment.create()
    updated.directory = updated.directory.with(1, openDirectory([lineNo(4)]))
    // The log goes on being signed, and the map stays.
    updated.issuedAt = ISSUED_AT + 20 * 60_000
    const later = await mirrorFor(updated)
    const now = () => updated.issuedAt + 1_000
    const accountWithin = (maxAgeMs: number) =>
      clientOf({ now, mirrors: { urls: [later.url], maxAgeMs } }).transparency.account(ACCOUNT)
    const ageMs = now() - MAP_AT
    expect(mirrorOf(await accountWithin(ageMs))).toMatchObject({ signedAt: MAP_AT, ageMs })
    await expect(accountWithin(ageMs - 1)).rejects.toMatchObject({ name: 'StaleMirrorError', ageMs })
    await later.stop()
  })

  it('consent is looked up in the snapshot that the mirror keeps', async () => {
    const snapshot = await clientOf().consent.snapshot({ buckets: [BUCKET] })
    expect(snapshot.lookUp(CONSENT_HASH)).toMatchObject({ found: true, hash: CONSENT_HASH, preferences: DECLARED })
    expect([CREATOR, OWNER].map((did) => snapshot.isDeclaredBy(CONSENT_HASH, did))).toEqual([true, false])
    expect(mirrorOf(snapshot)).toMatchObject({ mirror: mirror.url, signedAt: NOW })
  })

  it('a record of consent, which names its creator, is not read from a mirror', async () => {
    await expect(clientOf().consent.read(CONSENT_HASH)).rejects.toMatchObject({ name: 'ConnectionError' })
    const response = await fetch(`${mirror.url}/api/v1/consent/${encodeURIComponent(CONSENT_HASH)}`)
    expect(response.status).toBe(404)
  })
})
