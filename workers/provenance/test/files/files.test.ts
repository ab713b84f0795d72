import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { ALLOWED_ORIGIN, expectRefusal, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, send, sendWith } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string, headers: Record<string, string> = {}) => prober.send({ method: 'GET', path, headers })
const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i % 251)
const hash = hashHex(bytes)
const BLOB = `/keypoints/${hash}.akpb`

async function upload(body: Uint8Array, query = '', replaced?: object) {
  const headers = { authorization: await (await caller()).assertion('provenance') }
  const sender = new Prober({ service, send: replaced ? sendWith(replaced) : send, base: BASE })
  return sender.send({
    method: 'POST',
    path: `/api/keypoints/upload${query}`,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body,
  })
}

/** The object of the blob. */
async function keptObject() {
  const { objects } = await env.BLOBS.list({ prefix: `keypoints/${hash}/` })
  return env.BLOBS.head(objects[0]?.key ?? '')
}

/** A stored file as provisioning writes it, and what its manifest says of it. */
async function put(folder: string, file: string, text: string) {
  await env.BLOBS.put(folder + file, text)
  return { file, bytes: text.length, sha3_384: hashHex(new TextEncoder().encode(text)) }
}

const putManifest = (key: string, artefacts: readonly object[]) =>
  env.BLOBS.put(key, JSON.stringify({ version: 1, artefacts }))

describe('a keypoint blob', () => {
  it('is kept under its hash, once', async () => {
    const first = await upload(bytes, `?hash=${hash}`)
    expect(first.body).toMatchObject({ data: { hash, path: BLOB, bytes: 1_000, duplicate: false } })
    expect((await upload(bytes)).body).toMatchObject({ data: { hash, duplicate: true } })
    const { status, headers, raw } = await fetched(BLOB)
    expect([status, raw]).toEqual([200, bytes])
    expect(headers.get('etag')).toBe(`"${hash}"`)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-type')).toBe('application/octet-stream')
  })

  it('of another hash than was said is refused, and not kept', async () => {
    const other = Uint8Array.from([...bytes, 1])
    expectRefusal(await upload(other, `?hash=${hash}`), 'hash_mismatch')
    expectRefusal(await upload(other, '?hash=x'), 'invalid_request')
    expectRefusal(await get(`/keypoints/${hashHex(other)}.akpb`), 'not_found')
  })

  it('has a size: from a byte to half a megabyte', async () => {
    expectRefusal(await upload(new Uint8Array()), 'invalid_request')
    expectRefusal(await upload(new Uint8Array(524_289)), 'payload_too_large')
    expect((await upload(new Uint8Array(524_288))).status).toBe(200)
  })

  it('is not taken from nobody, and neither by another audience nor as JSON', async () => {
    const path = '/api/keypoints/upload'
    expectRefusal(await prober.send({ method: 'POST', path, body: bytes }), 'unauthorized')
    const by = await caller()
    const headers = { authorization: await by.assertion('notes'), 'content-type': 'application/octet-stream' }
    expectRefusal(await prober.send({ method: 'POST', path, headers, body: bytes }), 'wrong_audience')
    const json = { authorization: await by.assertion('provenance'), 'content-type': 'application/json' }
    expectRefusal(await prober.send({ method: 'POST', path, headers: json, body: '{}' }), 'unsupported_media_type')
  })

  it('is 503 when the store fails, on both sides', async () => {
    const gone = () => Promise.reject(new Error('canary: gone'))
    expectRefusal(await upload(Uint8Array.from([...bytes, 9]), '', { BLOBS: { put: gone } }), 'dependency_unavailable')
    for (const BLOBS of [{ head: gone }, { head: keptObject, get: gone }]) {
      const cut = new Prober({ service, send: sendWith({ BLOBS }), base: BASE })
      await upload(bytes)
      expectRefusal(await cut.send({ method: 'GET', path: BLOB }), 'dependency_unavailable')
    }
  })
})

/** The bytes of an answer as they came. */
async function fetched(path: string, init: RequestInit = {}) {
  const response = await send(new Request(BASE + path, init))
  return { status: response.status, headers: response.headers, raw: new Uint8Array(await response.arrayBuffer()) }
}

describe('reading a file', () => {
  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1_000],
    ['bytes=-5', 995, 1_000],
    ['bytes=10-5000', 10, 1_000],
  ])('gives the range %s', async (range, start, end) => {
    await upload(bytes)
    const { status, headers, raw } = await fetched(BLOB, { headers: { range } })
    expect([status, raw]).toEqual([206, bytes.slice(start, end)])
    expect(headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`)
    expect(headers.get('content-length')).toBe(String(end - start))
  })

  it('refuses a range beyond the end, and says where that is', async () => {
    await upload(bytes)
    const refused = await get(BLOB, { range: 'bytes=1000-' })
    expectRefusal(refused, 'range_not_satisfiable')
    expect(refused.headers.get('content-range')).toBe('bytes */1000')
  })

  it('answers 304 to a current copy, and the whole file to any other', async () => {
    await upload(bytes)
    const etag = `"${hash}"`
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`])
      expect(await fetched(BLOB, { headers: { 'if-none-match': tags } })).toMatchObject({
        status: 304,
        raw: new Uint8Array(),
      })
    expect((await fetched(BLOB, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
    const part = { range: 'bytes=0-0' }
    expect((await fetched(BLOB, { headers: { ...part, 'if-range': etag } })).status).toBe(206)
    expect((await fetched(BLOB, { headers: { ...part, 'if-range': '"x"' } })).status).toBe(200)
  })

  it('by HEAD tells everything but the bytes', async () => {
    await upload(bytes)
    const { status, headers, raw } = await fetched(BLOB, { method: 'HEAD' })
    expect([status, raw.length, headers.get('etag')]).toEqual([200, 0, `"${hash}"`])
    expect([headers.get('content-length'), headers.get('accept-ranges')]).toEqual(['1000', 'bytes'])
    const ranged = await fetched(BLOB, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([ranged.status, ranged.headers.get('content-length')]).toEqual([206, '2'])
    const missing = `/keypoints/${'0'.repeat(96)}.akpb`
    expect((await fetched(missing, { method: 'HEAD' })).status).toBe(404)
  })

  it('is read by scripts of allowlisted origins alone, and by everybody else without one', async () => {
    await upload(bytes)
    const headersFor = async (origin: string) => (await fetched(BLOB, { headers: { origin } })).headers
    expect((await headersFor(ALLOWED_ORIGIN)).get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN)
    expect((await headersFor(FOREIGN_ORIGIN)).get('access-control-allow-origin')).toBeNull()
  })

  it.each([
    '/keypoints/x.akpb',
    `/keypoints/${hash.toUpperCase()}.akpb`,
    `/keypoints/${hash}.akpbx`,
    `/keypoints/${hash}`,
    '/models/x.onnx',
    '/models/%2e%2e%2fmanifest.json',
    '/ort/1.0.0/ort.min.js',
    '/ort/1.0/ort-wasm.wasm',
    '/ort/1.0.0/ort-wasm.wasm.map',
    '/ort/1.0.0/ort-wasm%2f..%2fx.wasm',
  ])('finds nothing at %s', async (path) => {
    expectRefusal(await get(path), 'not_found')
  })
})

describe('models and their runtime', () => {
  it('has no models before any were provisioned', async () => {
    await env.BLOBS.delete('models/manifest.json')
    expect((await get('/models/manifest.json')).body).toEqual({ version: 1, artefacts: [] })
  })

  it('serves what the manifest names, by its pin', async () => {
    const named = await put('models/files/', 'image-1.onnx', 'weights')
    await put('models/files/', 'unnamed.onnx', 'weights')
    await putManifest('models/manifest.json', [named])
    const manifest = await get('/models/manifest.json')
    expect(manifest.body).toEqual({ version: 1, artefacts: [named] })
    expect(manifest.headers.get('cache-control')).toBe('public, max-age=300')
    const { status, headers, raw } = await fetched('/models/image-1.onnx')
    expect([status, new TextDecoder().decode(raw)]).toEqual([200, 'weights'])
    expect(headers.get('etag')).toBe(`"${named.sha3_384}"`)
    expectRefusal(await get('/models/unnamed.onnx'), 'not_found')
  })

  it('serves nothing that is missing or of another length, and nothing by a manifest that is none', async () => {
    const named = await put('models/files/', 'image-2.onnx', 'weights')
    await putManifest('models/manifest.json', [
      { ...named, bytes: 8 },
      { ...named, file: 'image-3.onnx' },
    ])
    expectRefusal(await get('/models/image-2.onnx'), 'dependency_unavailable')
    expectRefusal(await get('/models/image-3.onnx'), 'dependency_unavailable')
    await env.BLOBS.put('models/manifest.json', '{"version":2}')
    expectRefusal(await get('/models/manifest.json'), 'dependency_unavailable')
    expectRefusal(await get('/models/image-2.onnx'), 'dependency_unavailable')
  })

  it('serves the runtime under the types that a browser wants, and of a version what its manifest names', async () => {
    const folder = 'ort/1.30.0/'
    const wasm = await put(folder, 'ort-wasm-simd-threaded.wasm', 'code')
    const script = await put(folder, 'ort-wasm-simd-threaded.jsep.mjs', 'script')
    await put(folder, 'ort-wasm-simd.wasm', 'left over')
    expectRefusal(await get(`/${folder}${wasm.file}`), 'not_found')
    await putManifest(`${folder}manifest.json`, [wasm, script])
    for (const [{ file, sha3_384 }, type] of [
      [wasm, 'application/wasm'],
      [script, 'text/javascript'],
    ] as const) {
      const { status, headers } = await fetched(`/${folder}${file}`)
      expect([status, headers.get('content-type'), headers.get('etag')]).toEqual([200, type, `"${sha3_384}"`])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expectRefusal(await get(`/${folder}ort-wasm-simd.wasm`), 'not_found')
    expectRefusal(await get(`/ort/1.30.1/${wasm.file}`), 'not_found')
    expectRefusal(await get(`/${folder}manifest.json`), 'not_found')
  })
})
