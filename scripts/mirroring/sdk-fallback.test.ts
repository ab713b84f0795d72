import { Client, type ClientOptions, type Fetch, mirrorOf } from '@svc/client'
import { verifyAnchor } from '@svc/client/verify'
import { ISSUED_AT, VALID_UNTIL } from '@svc/protocol/merkle/rolled-log.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment, openDirectory } from './deployment.fixture.ts'
import {
  type Answer,
  clientOf as clientWith,
  down,
  HOUR,
  mirrorFor,
  network,
  undeclaredIn,
} from './mirrored-client.fixture.ts'
import { pinned } from './pinned.fixture.ts'
import type { RunningMirror } from './running-mirror.ts'
import {
  ACCOUNT,
  ANCHOR_LOG,
  anchorLog,
  anchorNo,
  BUCKET,
  CONSENT,
  CONSENT_HASH,
  CORE,
  CREATOR,
  DECLARED,
  headAt,
  lineNo,
  MAP_AT,
  NOW,
  OWNER,
  publicationNo,
  publishedNo,
  publisherKeyB64u,
  REALM,
} from './signed-parts.fixture.ts'

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
    const unaware = clientOf({ mirrors }).anchors
    expect((await unaware.read(anchorId)).status).toBe('submitted')
    await expect(unaware.publications(anchorId)).rejects.toMatchObject({ reason: 'no_key' })
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

  it('an account is proved by its DID, present or absent, from the map that the mirror recomputed', async () => {
    const { transparency } = clientOf()
    const account = await transparency.account(ACCOUNT)
    expect(account).toMatchObject({ result: 'present', ...headAt(3) })
    expect(account.map.position).toEqual({ log: deployment.directory[1]?.log, index: 2 })
    // The map is the last entry: nothing came between it and the checkpoint.
    expect(mirrorOf(account)).toEqual({ mirror: mirror.url, signedAt: NOW - 1_000, ageMs: 1_000, isRefusing: false })
    expect(await transparency.account(`did:svc:${'C'.repeat(32)}`)).toMatchObject({ result: 'absent', seq: 0 })
    expect(await transparency.follow(ACCOUNT)).toEqual(headAt(3))
    expect(await transparency.follow(ACCOUNT, headAt(1))).toEqual(headAt(3))
    await expect(transparency.follow(ACCOUNT, { ...headAt(2), head: headAt(1).head })).rejects.toMatchObject({
      reason: 'inconsistent',
    })
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
    expect(snapshot.lookUp(CONSENT_HASH)).toMatchObject({ found: true, creator_did: CREATOR })
    expect(mirrorOf(snapshot)).toMatchObject({ mirror: mirror.url, signedAt: NOW })
  })

  it('a record of consent is read by its identifier, with the signature of its creator', async () => {
    const { consent } = clientOf()
    const from = { mirror: mirror.url, signedAt: NOW, ageMs: 0, isRefusing: false }
    const record = await consent.read(CONSENT_HASH)
    expect([record, mirrorOf(record)]).toEqual([DECLARED, from])
    // The bucket is complete, so the snapshot proves that there is no record.
    const other = undeclaredIn(BUCKET)
    const miss = await consent.read(other)
    expect([miss, mirrorOf(miss)]).toMatchObject([{ found: false, hash: other, source: 'default' }, from])
    // The mirror does not keep the bucket of this one.
    await expect(consent.read(undeclaredIn(BUCKET + 1))).rejects.toMatchObject({ name: 'ConnectionError' })
    const unmirrored = new Client({
      core: CORE,
      did: 'https://did.test',
      consent: CONSENT,
      retries: false,
      fetch: network(down),
    })
    await expect(unmirrored.consent.read(CONSENT_HASH)).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('a client connects with its pin, and reads', async () => {
    const options = { core: CORE, realm: REALM, fetch: network(down), retries: false, now: () => NOW } as const
    const mirrors = { urls: [mirror.url], maxAgeMs: HOUR }
    const client = await Client.connect({ ...options, mirrors, pinned: pinned() })
    expect(client.discovery?.source).toBe('pin')
    const { anchorId } = deployment.anchors[1]!
    expect((await client.anchors.bundle(anchorId)).record.anchorId).toBe(anchorId)
    expect((await client.transparency.prove(publishedNo(1))).seq).toBe(1)
    expect((await client.consent.snapshot({ buckets: [BUCKET] })).lookUp(CONSENT_HASH).found).toBe(true)
    await expect(Client.connect({ ...options, mirrors })).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('a list of a mirror is not trusted at first sight', async () => {
    const unpinned = { ...pinned(), logListKeys: null }
    const options = { core: CORE, fetch: network(down), retries: false, now: () => NOW } as const
    const client = await Client.connect({
      ...options,
      mirrors: { urls: [mirror.url], maxAgeMs: HOUR },
      pinned: unpinned,
    })
    await expect(client.anchors.bundle(deployment.anchors[1]!.anchorId)).rejects.toMatchObject({ reason: 'no_key' })
    await expect(client.transparency.checkpoint()).rejects.toMatchObject({ reason: 'no_key' })
  })

  it('nothing is read from elsewhere unless mirrors are configured', async () => {
    const { mirrors: _, ...options } = { mirrors: null }
    const client = new Client({
      core: CORE,
      did: 'https://did.test',
      realm: REALM,
      retries: false,
      fetch: network(down),
      ...options,
    })
    await expect(client.anchors.checkpoint()).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('what is older than the caller accepts is refused', async () => {
    const { anchors, transparency } = clientOf({ mirrors: { urls: [mirror.url], maxAgeMs: 999 } })
    const stale = { name: 'StaleMirrorError', mirror: mirror.url, ageMs: 1_000, maxAgeMs: 999 }
    await expect(anchors.bundle(deployment.anchors[0]!.anchorId)).rejects.toMatchObject(stale)
    await expect(anchors.page()).rejects.toMatchObject(stale)
    await expect(transparency.checkpoint()).rejects.toMatchObject(stale)
    await expect(transparency.account(ACCOUNT)).rejects.toMatchObject(stale)
    const consentOf = (maxAgeMs: number) =>
      clientOf({ now: () => NOW + 1_000, mirrors: { urls: [mirror.url], maxAgeMs } }).consent.read(CONSENT_HASH)
    await expect(consentOf(999)).rejects.toMatchObject(stale)
    expect((await consentOf(1_000)).found).toBe(true)
  })

  it('a deployment that never comes back stays provable after the end of its list, if the caller says so', async () => {
    const now = () => VALID_UNTIL + 2 * HOUR
    const { anchorId } = deployment.anchors[0]!
    await expect(clientOf({ now }).anchors.bundle(anchorId)).rejects.toMatchObject({ reason: 'list_expired' })
    const forever = { urls: [mirror.url], maxAgeMs: Number.POSITIVE_INFINITY }
    expect((await clientOf({ now, mirrors: forever }).anchors.bundle(anchorId)).record.anchorId).toBe(anchorId)
  })

  it('what no mirror has is an error of the service', async () => {
    const unknown = 'A'.repeat(32)
    await expect(clientOf().anchors.read(unknown)).rejects.toMatchObject({ name: 'ConnectionError' })
    await expect(
      clientOf({ fetch: network(async () => new Response('', { status: 503 })) }).anchors.read(unknown),
    ).rejects.toMatchObject({
      name: 'ServiceError',
      status: 503,
    })
  })

  it('a dead mirror is passed over', async () => {
    const client = clientOf({ mirrors: { urls: ['http://127.0.0.1:9', mirror.url], maxAgeMs: HOUR } })
    expect(mirrorOf(await client.anchors.checkpoint())?.mirror).toBe(mirror.url)
  })
})

describe('the service comes first', () => {
  it('is asked alone while it answers, and its refusals count', async () => {
    const client = clientOf({ fetch: network(async ({ href }) => deployment.fetch(href)) })
    const checkpoint = await client.anchors.checkpoint()
    expect(mirrorOf(checkpoint)).toBeNull()
    await expect(client.anchors.read(deployment.anchors[0]!.anchorId)).rejects.toMatchObject({ status: 404 })
  })

  it('is not asked again for 30 seconds while a mirror answers', async () => {
    let [asked, time] = [0, NOW]
    const fetch = network(() => {
      asked += 1
      return down(new URL(CORE), {})
    })
    const { anchors } = clientOf({ fetch, now: () => time })
    for (let i = 0; i < 3; i++) await anchors.checkpoint()
    expect(asked).toBe(1)
    time += 30_000
    await anchors.checkpoint()
    expect(asked).toBe(2)
  })

  it('keeps the headers that are meant for it', async () => {
    const seen: string[] = []
    const fetch: Fetch = async (address, init) => {
      const { origin } = new URL(address)
      if (new Headers(init.headers).has('x-secret')) seen.push(origin)
      return network(down)(address, init)
    }
    await clientOf({ fetch, headers: { 'x-secret': '1' } }).anchors.checkpoint()
    expect(new Set(seen)).toEqual(new Set([CORE]))
  })

  it('must extend what a mirror showed, and what it showed itself, when it is back', async () => {
    const grown = await FakeDeployment.create()
    await grown.add(1)
    let services: Answer = async ({ href }) => grown.fetch(href)
    let time = NOW
    const { anchors } = clientOf({ fetch: network((url, init) => services(url, init)), now: () => time })
    expect((await anchors.checkpoint()).statement.size).toBe(5)
    // The mirror is one anchor behind, and minutes have passed.
    services = down
    time += 120_000
    expect((await anchors.checkpoint()).statement.size).toBe(4)
    // A second history of the same size is a fork.
    const forked = await FakeDeployment.create()
    forked.anchors = [await anchorNo(90), ...grown.anchors.slice(1)]
    forked.anchorLog = anchorLog(forked.anchors)
    services = async ({ href }) => forked.fetch(href)
    time += 120_000
    await expect(anchors.checkpoint()).rejects.toMatchObject({ name: 'ForkError' })
  })
})
