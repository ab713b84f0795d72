import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Device, type Fetch, Identity, mirrorOf } from '@svc/client'
import { consentBucketOf, makeKeyPackage } from '@svc/client/functions'
import { verifyAnchor } from '@svc/client/verify'
import { RunningMirror } from '@svc/mirroring/running-mirror'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, expect, it, vi } from 'vitest'

const { urls } = sharedPlatform()
const folder = mkdtempSync(join(tmpdir(), 'svc-mirror-'))
const bucket = consentBucketOf('my-pictures/lighthouse')
const mirror = await RunningMirror.start({
  core: urls.core,
  buckets: [bucket],
  state: join(folder, 'mirror.sqlite'),
  host: '127.0.0.1',
  port: 0,
  everySeconds: 60,
  onLine: () => {},
})
afterAll(async () => {
  await mirror.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The network once the platform is gone: only the mirror answers. */
const afterTheEnd: Fetch = async (address, init) => {
  if (new URL(address).origin !== mirror.url) throw new TypeError('fetch failed')
  return fetch(address, init)
}

/** A device of the identity publishes a key package, which the log has when this returns. */
async function published(client: Client, identity: Identity) {
  const { realm } = client
  const created = await Device.create({ origin: 'app:mirror', capabilities: ['prekeys:write'] })
  const attestation = await client.devices.attest(await created.acceptance(identity.did, { realm, now: Date.now() }))
  const device = await created.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
  const keyPackage = await makeKeyPackage(device, { realm, now: Date.now() })
  const { package: found } = await client.keyDirectory.publish(keyPackage)
  await client.transparency.waitFor(found, 30)
  return found
}

it('serves the public part of a deployment that is gone, and the SDK verifies it', async () => {
  const identity = await Identity.create()
  // The key directory takes writes from pages of known origins, and from programs that name one.
  const client = await Client.connect({ core: urls.core, identity, origin: 'http://localhost:3000' })
  const { hash: root } = await client.chain.genesis()
  const { anchorId } = await client.anchors.submit({ root, epoch: 'mirrored' })
  await vi.waitFor(async () => expect((await client.anchors.read(anchorId)).position).not.toBeNull(), {
    timeout: 20_000,
  })
  const seen = await client.anchors.checkpoint()
  const keyPackage = await published(client, identity)
  const visits = await mirror.visit()
  expect(visits.map(({ source, outcome }) => [source, outcome])).toEqual([
    ['core', 'followed'],
    ['keys', 'followed'],
    ['consent', 'followed'],
  ])

  const { discovery } = client
  if (!discovery) throw new Error('the client was not connected')
  const { did, keys, consent } = discovery.document.services
  const later = new Client({
    core: urls.core,
    did: did.url,
    keys: keys.url,
    consent: consent.url,
    discovery,
    memory: await client.memory.export(),
    fetch: afterTheEnd,
    retries: false,
    mirrors: { urls: [mirror.url], maxAgeMs: 600_000 },
  })
  const bundle = await later.anchors.bundle(anchorId)
  const logs = await later.anchors.logs()
  await verifyAnchor(bundle, { list: await logs.list() }, later.realms)
  expect(bundle.record).toMatchObject({ owner: identity.did, root })
  expect(mirrorOf(bundle)).toMatchObject({ mirror: mirror.url, isRefusing: false })
  expect(mirrorOf(bundle)?.ageMs).toBeLessThan(600_000)
  await later.anchors.verifyExtension(seen, await later.anchors.checkpoint())
  const update = await later.transparency.prove(keyPackage)
  expect([update.leafId, mirrorOf(update)?.mirror]).toEqual([keyPackage.leafId, mirror.url])
  const snapshot = await later.consent.snapshot({ buckets: [bucket] })
  expect(snapshot.buckets).toEqual(new Set([bucket]))
}, 120_000)
