import { type ChainBlock, Client, Device, Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { hashOf, makeKeyPackage, noteArchiveLines } from '@svc/client/functions'
import type { RunningPlatform } from '@svc/platform/running'
import { expect, vi } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'

export const PASSPHRASE = 'correct horse battery staple'

const POEM = `The sea lay flat and grey that winter morning, and nobody in the harbour town believed the pilot when he said
that the old lightship had moved in the night. It had been anchored off the sandbank for ninety years. Children drew it
on their slates, and widows set their clocks by the lamp.`

/** Evidence of every kind, as the services of a running platform answer it. */
export async function makeEvidence({ urls }: RunningPlatform) {
  const identity = await Identity.create()
  const headers = { 'cf-connecting-ip': freshAddress() }
  const client = await Client.connect({ core: urls.core, identity, headers, origin: 'http://localhost:3000' })
  await client.chain.genesis()
  await client.chain.append({ payload: new TextEncoder().encode('hello'), contentType: 'text/plain' })
  await client.did.register()
  const earlier = await client.anchors.checkpoint()
  const { root } = await client.anchors.eligibility()
  const { anchorId } = await client.anchors.submit({ root: root ?? '', epoch: 'verifier' })
  const anchor = await client.anchors.bundle(anchorId)
  const later = await client.anchors.checkpoint()
  const photo = crypto.getRandomValues(new Uint8Array(700))
  const stampIs = { keep: () => Promise.resolve() }
  await client.anchors.stamp({ hash: await hashOf(photo) }, { ...stampIs, isFindable: true })
  const hidden = crypto.getRandomValues(new Uint8Array(700))
  const stamp = await client.anchors.stamp({ hash: await hashOf(hidden) }, stampIs)
  const blind = await client.anchors.complete(stamp)
  const directory = await directoryPair(client, identity.did)

  const file = crypto.getRandomValues(new Uint8Array(600))
  const capsule = await client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
  await client.provenance.register(capsule)
  const proof = await client.provenance.proof(capsule.capsule.assetId)

  const unregisteredFile = crypto.getRandomValues(new Uint8Array(500))
  const unregistered = await client.provenance.sign(unregisteredFile, { kind: 'image', mime: 'image/png' })
  const record = await client.provenance.capsule(capsule.capsule.assetId)
  const plan = crypto.getRandomValues(new Uint8Array(300))
  const opening = await client.provenance.commit(plan)
  const notes = await archiveOf(client, identity.did)

  const text = `${POEM} ${crypto.randomUUID()} ${crypto.randomUUID()}`
  await client.provenance.registerText(text)
  const receipt = await client.quota.consume('search')

  const page = `https://photos.example/${crypto.randomUUID()}.jpg`
  await client.consent.publish(page, { ai_training: 'disallow', search: 'allow' })

  const message = await identity.signMessage({ realm: client.realm, audience: 'readers', content: 'Good morning' })
  const blocks: ChainBlock[] = []
  for await (const block of client.chain.blocks()) blocks.push(block)
  const exported = await exportKeys({ identity }, PASSPHRASE)
  return {
    did: identity.did,
    client,
    root: anchor.record.root,
    anchorId,
    anchor,
    checkpoints: { earlier, later },
    directory,
    photo,
    hidden,
    blind,
    unregistered,
    unregisteredFile,
    record,
    plan,
    opening,
    notes,
    file,
    proof,
    text,
    receipt,
    page,
    message,
    chain: { blocks },
    exported,
  }
}
/** The directory publishes a checkpoint that has an update some time after it took the update. */
const GROWN_WITHIN_MS = 60_000

/** Two states of the log of the key directory: it grows by an update, and by the map of accounts that has it. */
async function directoryPair(client: Client, did: string) {
  const earlier = await client.transparency.checkpoint()
  const keys = await Device.create({ origin: 'app:phone', capabilities: ['prekeys:write'] })
  const attestation = await client.devices.attest(await keys.acceptance(did, client))
  const device = await keys.attested(attestation, await client.keyHistory.of(did), client.realms)
  await client.keyDirectory.publish(await makeKeyPackage(device, client), { version: 1 })
  await client.transparency.follow(did)
  const later = await vi.waitFor(
    async () => {
      const newest = await client.transparency.checkpoint()
      expect(newest.statement.size).toBeGreaterThan(earlier.statement.size)
      return newest
    },
    { timeout: GROWN_WITHIN_MS, interval: 500 },
  )
  return { earlier, later }
}

/** The file that the console and svc write of all notes. */
async function archiveOf(client: Client, did: string): Promise<string> {
  const note = await client.notes.put({ title: 'Harbour', body: 'The lightship has moved.' })
  await client.notes.attach(note, { name: 'map.bin', type: 'application/octet-stream', bytes: new Uint8Array(99) })
  const lines: string[] = []
  for await (const line of noteArchiveLines(did, client.notes.export())) lines.push(`${line}\n`)
  return lines.join('')
}

export type Evidence = Awaited<ReturnType<typeof makeEvidence>>
