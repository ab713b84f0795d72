import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashHex } from '@svc/protocol/base/hash'
import { modelManifestSchema } from '@svc/protocol/provenance/model-files'
import { expect, it, onTestFinished } from 'vitest'
import {
  type FileTarget,
  installedRuntime,
  modelFiles,
  provisionFiles,
  runtimeFiles,
  sizeOf,
} from './provision-files.ts'

/** A bucket in memory that records the order of writes. */
class Bucket implements FileTarget {
  readonly objects = new Map<string, Uint8Array>()
  readonly written: string[] = []
  /** The key whose write fails. */
  failing: string | null = null

  async read(key: string) {
    return this.objects.get(key) ?? null
  }

  async write(key: string, bytes: Uint8Array) {
    if (key === this.failing) throw new Error('cut off')
    this.objects.set(key, bytes)
    this.written.push(key)
  }
}

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const manifestOf = ({ objects }: Bucket, key = 'models/manifest.json') =>
  modelManifestSchema.parse(JSON.parse(new TextDecoder().decode(objects.get(key)))).artefacts
const hashOf = (text: string) => hashHex(new TextEncoder().encode(text))

it('writes the runtime files under their version, the manifest last, and nothing the second time', async () => {
  const files = { 'ort-wasm-simd.wasm': 'w', 'ort-wasm-simd.mjs': 'mm', 'ort.min.js': 'x', 'README.md': 'y' }
  const folder = folderWith(files)
  const bucket = new Bucket()
  const set = runtimeFiles({ folder, version: '1.2.3' })
  expect(sizeOf(set)).toBe(3)
  expect(await provisionFiles(bucket, set)).toEqual({ written: 2, present: 0 })
  const written = ['ort/1.2.3/ort-wasm-simd.mjs', 'ort/1.2.3/ort-wasm-simd.wasm', 'ort/1.2.3/manifest.json']
  expect(bucket.written).toEqual(written)
  expect(manifestOf(bucket, 'ort/1.2.3/manifest.json')).toEqual([
    { file: 'ort-wasm-simd.mjs', bytes: 2, sha3_384: hashOf('mm') },
    { file: 'ort-wasm-simd.wasm', bytes: 1, sha3_384: hashOf('w') },
  ])
  expect(await provisionFiles(bucket, set)).toEqual({ written: 0, present: 2 })
  expect(bucket.written).toEqual(written)
})

it('rejects a malformed version, a folder without runtime files and an invalid model name', () => {
  const folder = folderWith({ 'ort-wasm.wasm': 'w' })
  expect(() => runtimeFiles({ folder, version: '../1' })).toThrow('not a version')
  expect(() => runtimeFiles({ folder: folderWith({}), version: '1.2.3' })).toThrow('no runtime')
  for (const name of ['manifest.json', 'Upper.onnx', '.hidden'])
    expect(() => modelFiles(folderWith({ [name]: 'a' }))).toThrow('name of a model')
})

it('keeps models of earlier runs in the manifest, and never changes the bytes behind a name', async () => {
  const bucket = new Bucket()
  await provisionFiles(bucket, modelFiles(folderWith({ 'image-1.onnx': 'a', 'tokens-1.json': 'b' })))
  await provisionFiles(bucket, modelFiles(folderWith({ 'image-2.onnx': 'cc', 'image-1.onnx': 'a' })))
  expect(manifestOf(bucket)).toEqual([
    { file: 'image-1.onnx', bytes: 1, sha3_384: hashOf('a') },
    { file: 'tokens-1.json', bytes: 1, sha3_384: hashOf('b') },
    { file: 'image-2.onnx', bytes: 2, sha3_384: hashOf('cc') },
  ])
  const before = [...bucket.written]
  const other = modelFiles(folderWith({ 'a-new.onnx': 'n', 'image-1.onnx': 'b' }))
  await expect(provisionFiles(bucket, other)).rejects.toThrow('image-1.onnx already exists with other bytes')
  const empty = modelFiles(folderWith({ 'image-3.onnx': '' }))
  await expect(provisionFiles(bucket, empty)).rejects.toThrow('image-3.onnx is empty')
  expect(bucket.written).toEqual(before)
})

it('writes no manifest when interrupted, and completes when run again', async () => {
  const bucket = new Bucket()
  const set = modelFiles(folderWith({ 'image-1.onnx': 'a', 'image-2.onnx': 'b' }))
  for (const failing of ['models/files/image-2.onnx', 'models/manifest.json']) {
    bucket.failing = failing
    await expect(provisionFiles(bucket, set)).rejects.toThrow('cut off')
    expect(bucket.objects.has('models/manifest.json')).toBe(false)
  }
  bucket.failing = null
  expect(await provisionFiles(bucket, set)).toEqual({ written: 2, present: 0 })
})

it('does not overwrite a manifest that it cannot read', async () => {
  const bucket = new Bucket()
  bucket.objects.set('models/manifest.json', new TextEncoder().encode('{"version":2}'))
  await expect(provisionFiles(bucket, modelFiles(folderWith({ 'image-1.onnx': 'a' })))).rejects.toThrow()
  expect(bucket.written).toEqual([])
})

it('finds the runtime that the lockfile pins', () => {
  expect(installedRuntime().version).toMatch(/^\d+\.\d+\.\d+$/)
  const names = runtimeFiles().files.map(({ file }) => file)
  expect(names).toEqual(expect.arrayContaining(['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm']))
})
