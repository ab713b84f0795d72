import { createHash } from 'node:crypto'
import { mlDsa65 } from '@svc/pqc'
import { bytesOf } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { capsuleHash } from '@svc/protocol/provenance/capsules'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sdkBundle, Visit } from './browser.fixture.ts'

/** Set by the bundle for the page. */
declare const sdk: Pick<typeof import('@svc/client'), 'Client' | 'Identity'>

const TEXT = `A heron stands every evening on the third post of the old ferry landing and looks downstream, where the mill used
to be. The miller's daughter says that it has done so since the flood, and that nobody has seen it catch a fish. When
the carnival boats come past with their lanterns it does not move; only the geese make room for it in the reeds.`
const WORDS = ['heron', 'ferry', 'downstream', 'miller', 'daughter', 'carnival', 'lanterns', 'geese']

let visit: Visit
let bundle = ''
beforeAll(async () => {
  bundle = await sdkBundle('index.ts')
  visit = await Visit.begin()
}, 60_000)
afterAll(() => visit.end())

/** A page with the SDK, and the bytes of every later request. */
async function pageWithSdk(): Promise<{ page: Page; wire: { url: string; headers: string; body: Buffer }[] }> {
  const page = await visit.newPage({ bypassCSP: true })
  const wire: { url: string; headers: string; body: Buffer }[] = []
  await page.goto(`${visit.platform.consoleUrl}/config.json`)
  await page.addScriptTag({ content: bundle })
  page.on('request', (request) => {
    const headers = JSON.stringify(request.headers())
    wire.push({ url: request.url(), headers, body: request.postDataBuffer() ?? Buffer.alloc(0) })
  })
  return { page, wire }
}

const addresses = () => {
  const { core, did, pay, provenance } = visit.platform.urls
  return { core, did, pay, provenance }
}

it('registers a text in Chromium and finds an excerpt of it; the text never leaves the page', async () => {
  const { page, wire } = await pageWithSdk()
  const found = await page.evaluate(
    async ({ places, text }) => {
      const client = new sdk.Client({ ...places, identity: await sdk.Identity.create() })
      await client.chain.genesis()
      const registered = await client.provenance.registerText(text)
      const again = await client.provenance.registerText(text.toUpperCase())
      const excerpt = text.split(/\s+/).slice(10, 50).join(' ')
      const { matches } = await client.provenance.searchText(excerpt)
      return { registered, again, matches }
    },
    { places: addresses(), text: TEXT },
  )
  expect(found.registered).toMatchObject({ duplicate: false })
  expect(found.again).toEqual({ ...found.registered, duplicate: true })
  expect(found.matches[0]).toMatchObject({ asset_id: found.registered.asset_id })
  expect(found.matches[0]?.score).toBeGreaterThan(0.4)
  expect(wire.filter(({ url }) => /\/api\/(register|query)\/text/.test(url)).length).toBeGreaterThanOrEqual(3)
  const sent = wire.map(({ url, headers, body }) => `${url} ${headers} ${body.toString()}`.toLowerCase())
  for (const request of sent) for (const word of WORDS) expect(request).not.toContain(word)
})

it('signs and registers a capsule of an image in Chromium; the image never leaves the page', async () => {
  const { page, wire } = await pageWithSdk()
  const made = await page.evaluate(
    async ({ places }) => {
      // An image drawn on a canvas and encoded by the browser.
      const canvas = new OffscreenCanvas(64, 48)
      const context = canvas.getContext('2d')
      if (!context) throw new Error('no canvas')
      const noise = context.createImageData(64, 48)
      crypto.getRandomValues(noise.data)
      for (let i = 3; i < noise.data.length; i += 4) noise.data[i] = 255
      context.putImageData(noise, 0, 0)
      const file = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())

      const identity = await sdk.Identity.create()
      const client = new sdk.Client({ ...places, identity })
      await client.chain.genesis()
      const facts = { kind: 'image', mime: 'image/png', width: 64, height: 48 } as const
      const signed = await client.provenance.sign(file, facts)
      const registered = await client.provenance.register(signed)
      const again = await client.provenance.register(signed)
      const otherFile = await client.provenance.sign(file.slice(1), facts)
      const forged = { ...signed, capsule: otherFile.capsule }
      const refused = await client.provenance.register(forged).then(
        () => 'registered',
        (error: { error?: string }) => error.error ?? 'another fault',
      )
      const record = await client.provenance.capsule(signed.capsule.assetId)
      const { valid } = await client.provenance.verifyCapsule(signed.capsule.assetId)
      return { file: Array.from(file), did: identity.did, signed, registered, again, refused, record, valid }
    },
    { places: addresses() },
  )
  const file = Buffer.from(made.file)
  const { capsule, signature } = made.signed
  // Recomputes here what the page reports, with other code.
  expect(file.subarray(1, 4).toString()).toBe('PNG')
  expect(capsule).toMatchObject({
    did: made.did,
    assetId: `asset:sha3-384:${createHash('sha3-384').update(file).digest('hex')}`,
    media: { mime: 'image/png', bytes: file.length, width: 64, height: 48 },
  })
  const [key, signed] = [bytesOf(signature.publicKeyB64u), bytesOf(signature.signatureB64u)]
  expect(signature.algorithm).toBe('ml-dsa-65')
  expect(await mlDsa65.verify(key, jcsBytes(capsule), signed)).toBe(true)
  expect(made.registered).toMatchObject({ did: made.did, duplicate: false, capsuleHash: capsuleHash(capsule) })
  expect(made.again).toEqual({ ...made.registered, duplicate: true })
  expect(made.refused).toBe('invalid_signature')
  expect([made.record.capsule, made.record.signature, made.valid]).toEqual([capsule, signature, true])

  const posts = wire.filter(({ url, body }) => url.endsWith('/api/register') && body.length > 0)
  expect(posts).toHaveLength(3)
  // 96 bytes of noise from the middle of the image, raw and in every encoding that fits into JSON.
  const piece = file.subarray(file.length / 2, file.length / 2 + 96)
  const inBase64 = [0, 1, 2].map((shift) => piece.subarray(shift).toString('base64').slice(0, 100))
  const forms = [piece.toString('hex'), piece.join(','), ...inBase64, ...inBase64.map((form) => urlSafe(form))]
  for (const { url, headers, body } of wire) {
    expect(body.includes(piece)).toBe(false)
    for (const form of forms) expect(`${url} ${headers} ${body.toString('latin1')}`).not.toContain(form)
  }
})

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')
