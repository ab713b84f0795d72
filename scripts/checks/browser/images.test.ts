import { join } from 'node:path'
import { LOCAL_MODEL, LOCAL_MODEL_SIDE } from '@svc/platform/local/local-model'
import { installedRuntime } from '@svc/platform/provision-files'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noise, picture } from '../../../packages/fingerprint/src/images/pictures.fixture.ts'
import { VECTORS } from '../../../packages/fingerprint/src/images/reference.fixture.ts'
import { sdkBundle, Visit } from './browser.fixture.ts'

/** Set by the bundle for the page. */
declare const sdk: Pick<typeof import('@svc/client'), 'Client' | 'Identity'> &
  typeof import('@svc/client/images') &
  typeof import('@svc/client/browser-images')
/** Set by the runtime that `/ort` serves the WebAssembly of. */
declare const ort: {
  env: { wasm: { wasmPaths: string; numThreads: number } }
  Tensor: new (type: 'float32', data: Float32Array, shape: readonly number[]) => object
  InferenceSession: {
    create(
      model: Uint8Array,
    ): Promise<{ run(inputs: { luminance: object }): Promise<{ embedding: { data: Float32Array } }> }>
  }
}
/** Set by `SCENES`: a painted picture, the same for the same seed. */
declare const painted: (seed: number, width: number, height: number) => OffscreenCanvas

const SCENES = `
  globalThis.painted = (seed, width, height) => {
    let state = seed
    const chance = () => ((state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 8) / 2 ** 24
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    context.fillStyle = 'white'
    context.fillRect(0, 0, width, height)
    for (let i = 0; i < 40; i++) {
      const colour = 'hsl(' + Math.floor(360 * chance()) + ' 60% ' + Math.floor(20 + 60 * chance()) + '%)'
      const [x, y, size] = [chance() * width, chance() * height, (0.05 + 0.3 * chance()) * width]
      context.fillStyle = colour
      context.beginPath()
      if (i % 2) context.arc(x, y, size / 2, 0, 7)
      else context.rect(x - size / 2, y - size / 2, i < 4 ? width : size, i < 4 ? height : size)
      context.fill()
    }
    return canvas
  }`

let visit: Visit
let bundle = ''
beforeAll(async () => {
  bundle = await sdkBundle('index.ts', 'images/images.ts', 'browser/images.ts')
  visit = await Visit.begin()
}, 60_000)
afterAll(() => visit.end())

/** A page of an allowed origin with the SDK, and the bodies of what it sends. */
async function application(): Promise<{ page: Page; sent: string[] }> {
  const page = await visit.newPage({ bypassCSP: true })
  await page.goto(`${visit.platform.consoleUrl}/config.json`)
  await page.addScriptTag({ content: bundle })
  await page.addScriptTag({ content: SCENES })
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  return { page, sent }
}

const addresses = () => {
  const { core, did, pay, provenance } = visit.platform.urls
  return { core, did, pay, provenance }
}

it('computes the same hashes in Chromium as the reference implementation', async () => {
  const { page } = await application()
  for (const { made, seed, width, height, quality, hashes } of VECTORS) {
    if (made === 'plain' || width * height > 300_000) continue
    const { data } = made === 'noise' ? noise(seed, width, height) : picture(seed, width, height)
    const base64 = Buffer.from(data).toString('base64')
    const found = await page.evaluate(
      ([bytes, columns, rows]) => {
        const pixels = {
          data: Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)),
          width: columns,
          height: rows,
        }
        const fingerprint = sdk.fingerprintImage(pixels)
        return [fingerprint.hex, fingerprint.quality]
      },
      [base64, width, height] as const,
    )
    expect(found, `${made} ${seed}`).toEqual([hashes[0], quality])
  }
})

it('registers an image and finds a smaller, recompressed copy of it; the image never leaves the page', async () => {
  const { page, sent } = await application()
  const found = await page.evaluate(async (places) => {
    const client = new sdk.Client({ ...places, identity: await sdk.Identity.create() })
    await client.chain.genesis()
    const seed = Math.floor(Math.random() * 1e9)
    const original = await painted(seed, 800, 600).convertToBlob({ type: 'image/png' })
    const file = new Uint8Array(await original.arrayBuffer())
    const { assetId } = await sdk.registerImage(client.provenance, file, await sdk.pixelsOf(original), {
      mime: 'image/png',
    })

    const smaller = new OffscreenCanvas(320, 240)
    smaller.getContext('2d')?.drawImage(await createImageBitmap(original), 0, 0, 320, 240)
    const copy = await smaller.convertToBlob({ type: 'image/jpeg', quality: 0.3 })
    const mirrored = new OffscreenCanvas(800, 600)
    const context = mirrored.getContext('2d')
    context?.scale(-1, 1)
    context?.drawImage(await createImageBitmap(original), -800, 0)
    const other = await painted(seed + 1, 800, 600).convertToBlob({ type: 'image/jpeg' })
    const search = async (image: Blob | OffscreenCanvas, options = {}) =>
      (await sdk.searchImage(client.provenance, await sdk.pixelsOf(image), options)).map((match) => ({
        isIt: match.assetId === assetId,
        distance: match.distance,
        orientation: match.orientation,
      }))
    const { capsule } = await client.provenance.capsule(assetId)
    return {
      perceptual: capsule.perceptual,
      media: capsule.media,
      copy: await search(copy),
      other: await search(other),
      mirroredAlone: await search(mirrored),
      mirrored: await search(mirrored, { orientations: true }),
      hex: sdk.fingerprintImage(await sdk.pixelsOf(original)).hex,
    }
  }, addresses())
  expect(found.perceptual).toEqual({ algo: 'pdq', hashes: [found.hex] })
  expect(found.media).toMatchObject({ width: 800, height: 600 })
  expect(found.copy).toEqual([{ isIt: true, distance: expect.any(Number), orientation: 'original' }])
  expect(found.other).toEqual([])
  expect(found.mirroredAlone).toEqual([])
  expect(found.mirrored).toMatchObject([{ isIt: true, orientation: 'flipY' }])
  const { body = '' } = { body: sent.find((text) => text.includes('"fragment"')) }
  // A capsule, its signature and 256 signs: no room for an image.
  expect(body.length).toBeGreaterThan(1000)
  expect(body.length).toBeLessThan(12_000)
})

it('runs the deployment’s model in the deployment’s runtime, and finds an image by its embedding', async () => {
  const { page } = await application()
  const { folder, version } = installedRuntime()
  await page.addScriptTag({ path: join(folder, 'ort.wasm.min.js') })
  const loaded: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (response.ok() && /^\/(ort|models)\//.test(pathname)) loaded.push(pathname)
  })
  const found = await page.evaluate(
    async ({ places, runtime, name, side }) => {
      const client = new sdk.Client({ ...places, identity: await sdk.Identity.create() })
      await client.chain.genesis()
      ort.env.wasm.wasmPaths = `${places.provenance}/ort/${runtime}/`
      ort.env.wasm.numThreads = 1
      const { artefacts } = await client.provenance.models()
      const artefact = artefacts.find(({ file }) => file === name)
      if (!artefact) throw new Error('the manifest does not name the model')
      // The bytes match the hash of the manifest, or this throws.
      const session = await ort.InferenceSession.create(await client.provenance.model(artefact))
      const embed = async (image: OffscreenCanvas) => {
        const luminance = sdk.thumbnailOf(await sdk.pixelsOf(image), side)
        const { embedding } = await session.run({ luminance: new ort.Tensor('float32', luminance, [1, side * side]) })
        return sdk.signsOf(embedding.data)
      }
      const seed = Math.floor(Math.random() * 1e9)
      const image = painted(seed, 640, 480)
      const file = new Uint8Array(await (await image.convertToBlob()).arrayBuffer())
      const signed = await client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
      const { assetId } = await client.provenance.register(signed, { vectors: { semantic: [await embed(image)] } })
      const search = async (canvas: OffscreenCanvas) =>
        (await client.provenance.search('semantic', [await embed(canvas)])).matches.find(
          ({ asset_id }) => asset_id === assetId,
        )
      const [copy, other] = [await search(painted(seed, 200, 150)), await search(painted(seed + 1, 640, 480))]
      return { copy: copy?.vectors[0]?.distance, other: other?.vectors[0]?.distance ?? null }
    },
    { places: addresses(), runtime: version, name: LOCAL_MODEL, side: LOCAL_MODEL_SIDE },
  )
  expect(found.copy).toBeLessThanOrEqual(20)
  expect(found.other).toBeNull()
  expect(loaded).toContain(`/models/${LOCAL_MODEL}`)
  expect(
    loaded.filter((path) => path.startsWith(`/ort/${version}/ort-wasm`)).map((path) => path.split('.').at(-1)),
  ).toEqual(expect.arrayContaining(['mjs', 'wasm']))
})

it('samples a video in Chromium, and finds it and a clip of it by frames', async () => {
  const { page } = await application()
  const found = await page.evaluate(async (places) => {
    const client = new sdk.Client({ ...places, identity: await sdk.Identity.create() })
    await client.chain.genesis()
    /** A recording of a second for each picture. */
    const record = async (seeds: readonly number[]) => {
      const canvas = document.createElement('canvas')
      canvas.width = 320
      canvas.height = 240
      const context = canvas.getContext('2d')
      const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      recorder.ondataavailable = ({ data }) => parts.push(data)
      const stopped = new Promise((resolve) => {
        recorder.onstop = resolve
      })
      recorder.start()
      for (const seed of seeds) {
        const scene = painted(seed, 320, 240)
        for (let i = 0; i < 10; i++) {
          context?.drawImage(scene, 0, 0)
          await new Promise((resolve) => {
            setTimeout(resolve, 100)
          })
        }
      }
      recorder.stop()
      await stopped
      return new Blob(parts, { type: 'video/webm' })
    }
    const framesOf = (file: Blob) => {
      const video = document.createElement('video')
      video.muted = true
      video.src = URL.createObjectURL(file)
      return sdk.framesOf(video, { everyMs: 250 })
    }
    const seed = Math.floor(Math.random() * 1e9)
    const film = await record([seed, seed + 1, seed + 2, seed + 3])
    const clip = await record([seed + 1, seed + 2])
    const bytes = new Uint8Array(await film.arrayBuffer())
    const { assetId } = await sdk.registerVideo(client.provenance, bytes, framesOf(film), { mime: 'video/webm' })
    const kept = await sdk.sampleFrames(framesOf(film))
    const find = async (file: Blob, options = {}) =>
      (await sdk.searchVideo(client.provenance, framesOf(file), options)).find((match) => match.assetId === assetId)
    const other = await record([seed + 9])
    return {
      times: kept.map(({ atMs }) => atMs),
      same: await find(film),
      part: await find(clip, { clip: true }),
      other: (await find(other, { clip: true })) ?? null,
    }
  }, addresses())
  expect(found.times.length).toBeGreaterThanOrEqual(4)
  expect(found.times.length).toBeLessThanOrEqual(6)
  expect(found.same).toMatchObject({ score: 1 })
  expect(found.part?.score).toBe(1)
  expect(found.part?.frames.every(({ atMs }) => atMs >= 500 && atMs <= 3500)).toBe(true)
  expect(found.other).toBeNull()
}, 60_000)
