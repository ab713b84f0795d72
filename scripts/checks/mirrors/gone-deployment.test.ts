import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Device, Identity, mirrorOf, type Pin } from '@svc/client'
import { consentBucketOf, makeKeyPackage } from '@svc/client/functions'
import { verifyAnchor } from '@svc/client/verify'
import { urlsOf } from '@svc/platform'
import { KillablePlatform } from '@svc/platform/killable-platform'
import { reservePortBase } from '@svc/platform/ports'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'svc-gone-'))
const undeclared = 'my-pictures/lighthouse'
const bucket = consentBucketOf(undeclared)
const portBase = await reservePortBase()
const { core } = urlsOf(portBase)
let platform: KillablePlatform
let mirror: MirrorProcess

interface MirrorProcess {
  readonly url: string
  readonly child: ChildProcess
}

/** `scripts/mirror` as a user runs it. Resolves when it listens. */
async function startMirror(): Promise<MirrorProcess> {
  const port = await freePort()
  const options = ['--core', core, '--state', join(folder, 'mirror.sqlite'), '--port', String(port), '--every', '1']
  const child = spawn(join(ROOT, 'scripts/mirror'), [...options, '--buckets', String(bucket)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const [, url] = /The mirror listens at (\S+)/.exec(output) ?? []
      if (url !== undefined) resolve({ url, child })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', (code) => reject(new Error(`scripts/mirror ended with ${code}:\n${output}`)))
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** A busy machine takes minutes to start eight Workers and a mirror. */
const START_MS = 600_000
let started: Promise<void> = Promise.resolve()
const stops: (() => Promise<unknown>)[] = []

async function startBoth(): Promise<void> {
  platform = await KillablePlatform.start(portBase, join(folder, 'state'))
  stops.push(() => platform.kill())
  mirror = await startMirror()
  stops.push(() => {
    const gone = once(mirror.child, 'exit')
    mirror.child.kill()
    return gone
  })
}

beforeAll(() => {
  started = startBoth()
  return started
}, START_MS)
afterAll(async () => {
  // If the hook timed out, both processes may still be starting. Left alone, they would keep the output of the test run open.
  await Promise.allSettled([started])
  for (const stop of stops) await stop()
  rmSync(folder, { recursive: true, force: true })
}, START_MS)

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

/** What the mirror says that it has. */
async function described() {
  const said = (await (await fetch(mirror.url)).json()) as {
    readonly logs: readonly { readonly log: string; readonly size: number }[]
    readonly mapEpoch: number | null
    readonly snapshotAt: number | null
  }
  return { sizeOf: (log: string) => said.logs.find((one) => one.log === log)?.size ?? 0, ...said }
}

it('a deployment is killed, and the SDK verifies its public part from a mirror', async () => {
  const identity = await Identity.create()
  // The key directory takes writes from pages of known origins, and from programs that name one.
  const client = await Client.connect({ core, identity, origin: 'http://localhost:3000' })
  const { hash: root } = await client.chain.genesis()
  const { anchorId } = await client.anchors.submit({ root, epoch: 'mirrored' })
  const patience = { timeout: 30_000, interval: 250 }
  await vi.waitFor(async () => expect((await client.anchors.read(anchorId)).position).not.toBeNull(), patience)
  const seen = await client.anchors.checkpoint()
  const keyPackage = await published(client, identity)
  const { position } = await client.transparency.prove(keyPackage)
  const account = await client.transparency.follow(identity.did)
  // The map that has the update: the answer from before it is cached for five seconds.
  const proved = await vi.waitFor(async () => {
    const found = await client.transparency.account(identity.did)
    expect(found.seq).toBe(account.seq)
    return found
  }, patience)
  const { epoch } = JSON.parse(proved.map.leaf) as { epoch: number }
  await vi.waitFor(async () => {
    const { sizeOf, mapEpoch, snapshotAt } = await described()
    expect(sizeOf(seen.statement.log)).toBeGreaterThanOrEqual(seen.statement.size)
    expect(sizeOf(position.log)).toBeGreaterThan(position.index)
    expect(mapEpoch).toBeGreaterThanOrEqual(epoch)
    expect(snapshotAt).not.toBeNull()
  }, patience)
  const absent = await Identity.create()
  await client.transparency.labelOf(absent.did)
  // All that the next client is given, as it would be stored.
  const stored = JSON.stringify({ pin: client.discovery?.pin, memory: await client.memory.export() })

  await platform.kill()
  for (const url of Object.values(urlsOf(portBase))) await expect(fetch(url)).rejects.toThrow('fetch failed')

  const kept = JSON.parse(stored) as { pin: Pin; memory: Awaited<ReturnType<Client['memory']['export']>> }
  const mirrors = { urls: [mirror.url], maxAgeMs: 600_000 }
  const later = await Client.connect({ core, pinned: kept.pin, memory: kept.memory, mirrors, retries: false })
  expect(later.discovery?.source).toBe('pin')
  const bundle = await later.anchors.bundle(anchorId)
  const logs = await later.anchors.logs()
  await verifyAnchor(bundle, { list: await logs.list() }, later.realms)
  expect(bundle.record).toMatchObject({ owner: identity.did, root })
  expect(mirrorOf(bundle)).toMatchObject({ mirror: mirror.url, isRefusing: false })
  expect(mirrorOf(bundle)?.ageMs).toBeLessThan(600_000)
  await later.anchors.verifyExtension(seen, await later.anchors.checkpoint())
  const update = await later.transparency.prove(keyPackage)
  expect([update.leafId, mirrorOf(update)?.mirror]).toEqual([keyPackage.leafId, mirror.url])
  expect(account.seq).toBeGreaterThan(0)
  expect(await later.transparency.follow(identity.did)).toEqual(account)
  expect(await later.transparency.account(absent.did)).toMatchObject({ result: 'absent' })
  // No mirror can tell the label of a DID that this client never looked up.
  const stranger = await Identity.create()
  await expect(later.transparency.account(stranger.did)).rejects.toMatchObject({ name: 'ConnectionError' })
  const snapshot = await later.consent.snapshot({ buckets: [bucket] })
  expect(snapshot.buckets).toEqual(new Set([bucket]))
  expect([snapshot.lookUp(undeclared).found, mirrorOf(snapshot)?.mirror]).toEqual([false, mirror.url])
  // A record names its creator, so mirrors have none.
  await expect(later.consent.read(undeclared)).rejects.toMatchObject({ name: 'ConnectionError' })
})
