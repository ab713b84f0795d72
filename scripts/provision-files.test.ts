import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashHex } from '@svc/protocol/hash'
import { modelManifestSchema } from '@svc/protocol/model-files'
import { expect, it, onTestFinished } from 'vitest'
import { type FileTarget, installedRuntime, provisionModels, provisionRuntime } from './lib/provision-files.ts'

/** A bucket that keeps what it gets, in the order in which it came. */
class Bucket implements FileTarget {
  readonly objects = new Map<string, { bytes: Uint8Array; customMetadata?: Record<string, string> }>()

  async head(key: string) {
    return this.objects.get(key) ?? null
  }

  async put(key: string, bytes: Uint8Array, options?: { customMetadata: Record<string, string> }) {
    this.objects.set(key, { bytes, ...options })
  }
}

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const manifestOf = ({ objects }: Bucket) =>
  modelManifestSchema.parse(JSON.parse(new TextDecoder().decode(objects.get('models/manifest.json')?.bytes)))
const hashOf = (text: string) => hashHex(new TextEncoder().encode(text))

it('puts the files of the runtime under its version, each with its hash, and nothing a second time', async () => {
  const folder = folderWith({
    'ort-wasm-simd.wasm': 'w',
    'ort-wasm-simd.mjs': 'm',
    'ort.min.js': 'x',
    'README.md': 'y',
  })
  const bucket = new Bucket()
  expect(await provisionRuntime(bucket, { folder, version: '1.2.3' })).toEqual({ written: 2, present: 0 })
  expect([...bucket.objects.keys()].toSorted()).toEqual(['ort/1.2.3/ort-wasm-simd.mjs', 'ort/1.2.3/ort-wasm-simd.wasm'])
  expect(bucket.objects.get('ort/1.2.3/ort-wasm-simd.wasm')?.customMetadata).toEqual({ sha3_384: hashOf('w') })
  expect(await provisionRuntime(bucket, { folder, version: '1.2.3' })).toEqual({ written: 0, present: 2 })
  writeFileSync(join(folder, 'ort-wasm-simd.wasm'), 'other')
  await expect(provisionRuntime(bucket, { folder, version: '1.2.3' })).rejects.toThrow('other bytes')
  await expect(provisionRuntime(bucket, { folder, version: '../1' })).rejects.toThrow('no version')
  await expect(provisionRuntime(bucket, { folder: folderWith({}), version: '1.2.3' })).rejects.toThrow('no runtime')
})

it('writes the manifest last, keeps models of earlier runs in it, and gives no name other bytes', async () => {
  const bucket = new Bucket()
  await provisionModels(bucket, folderWith({ 'image-1.onnx': 'a', 'tokens-1.json': 'b' }))
  expect([...bucket.objects.keys()].at(-1)).toBe('models/manifest.json')
  expect(manifestOf(bucket).artefacts).toEqual([
    { file: 'image-1.onnx', bytes: 1, sha3_384: hashOf('a') },
    { file: 'tokens-1.json', bytes: 1, sha3_384: hashOf('b') },
  ])
  await provisionModels(bucket, folderWith({ 'image-2.onnx': 'cc' }), manifestOf(bucket))
  expect(manifestOf(bucket).artefacts.map(({ file }) => file)).toEqual([
    'image-1.onnx',
    'tokens-1.json',
    'image-2.onnx',
  ])
  await expect(provisionModels(bucket, folderWith({ 'image-1.onnx': 'b' }))).rejects.toThrow('other bytes')
  for (const name of ['manifest.json', 'Upper.onnx', '.hidden'])
    await expect(provisionModels(bucket, folderWith({ [name]: 'a' }))).rejects.toThrow('name of a model')
})

it('finds the runtime that the lockfile pins', () => {
  expect(installedRuntime().version).toMatch(/^\d+\.\d+\.\d+$/)
})
