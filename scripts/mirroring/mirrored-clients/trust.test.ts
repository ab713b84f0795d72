/** What a client takes from a mirror, and from which: its pin, the age that it accepts, and mirrors that have nothing. */
import { Client, type ClientOptions, mirrorOf } from '@svc/client'
import { VALID_UNTIL } from '@svc/protocol/merkle/rolled-log.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import { pinned } from '../pinned.fixture.ts'
import type { RunningMirror } from '../running-mirror.ts'
import { ACCOUNT, BUCKET, CONSENT_HASH, CORE, NOW, publishedNo, REALM } from '../signed-parts.fixture.ts'
import { clientOf as clientWith, down, HOUR, MET, mirrorFor, network } from './mirrored-client.fixture.ts'

let deployment: FakeDeployment
let mirror: RunningMirror
beforeAll(async () => {
  deployment = await FakeDeployment.create()
  mirror = await mirrorFor(deployment)
})
afterAll(() => mirror.stop())
const clientOf = (options: Partial<ClientOptions> = {}) => clientWith(mirror, options)

describe('while the services are down', () => {
  it('a client connects with its pin, and reads', async () => {
    const options = { core: CORE, realm: REALM, fetch: network(down), retries: false, now: () => NOW } as const
    const mirrors = { urls: [mirror.url], maxAgeMs: HOUR }
    const client = await Client.connect({ ...options, mirrors, pinned: pinned(), memory: MET })
    expect(client.discovery?.source).toBe('pin')
    const { anchorId } = deployment.anchors[1]!
    expect((await client.anchors.bundle(anchorId)).record.anchorId).toBe(anchorId)
    expect((await client.transparency.prove(publishedNo(1))).seq).toBe(1)
    expect((await client.consent.snapshot({ buckets: [BUCKET] })).lookUp(CONSENT_HASH).found).toBe(true)
    await expect(Client.connect({ ...options, mirrors })).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('a list of a mirror is not trusted at first sight', async () => {
    const unpinned = { ...pinned(), logListKeys: null, list: null }
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
      clientOf({ now: () => NOW + 1_000, mirrors: { urls: [mirror.url], maxAgeMs } }).consent.snapshot({
        buckets: [BUCKET],
      })
    await expect(consentOf(999)).rejects.toMatchObject(stale)
    expect((await consentOf(1_000)).lookUp(CONSENT_HASH).found).toBe(true)
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
