import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  MANIFEST_KEY,
  MODEL_FILE,
  type ModelManifest,
  modelKey,
  modelManifestSchema,
  RUNTIME_FILE,
  RUNTIME_VERSION,
  runtimeKey,
  runtimeManifestKey,
} from '@svc/protocol/provenance/model-files'

/** The part of provenance's bucket that provisioning needs. */
export interface FileTarget {
  read(key: string): Promise<Uint8Array | null>
  write(key: string, bytes: Uint8Array): Promise<unknown>
}

/** The files of one folder, their keys, and the manifest that lists them. */
export interface FileSet {
  readonly manifestKey: string
  readonly files: readonly { readonly file: string; readonly key: string; readonly path: string }[]
}

export interface Provisioned {
  readonly written: number
  readonly present: number
}

/** The installed npm package. */
export function installedRuntime(): { folder: string; version: string } {
  const main = createRequire(import.meta.url).resolve('onnxruntime-web')
  const folder = dirname(main)
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string }
  return { folder, version }
}

/** The WebAssembly files of onnxruntime-web, under the keys that pages load them from. */
export function runtimeFiles({ folder, version } = installedRuntime()): FileSet {
  if (!RUNTIME_VERSION.test(version)) throw new Error(`${version} is not a version of the runtime`)
  const names = readdirSync(folder)
    .filter((file) => RUNTIME_FILE.test(file))
    .toSorted()
  if (names.length === 0) throw new Error(`${folder} has no runtime files`)
  const files = names.map((file) => ({ file, key: runtimeKey(version, file), path: join(folder, file) }))
  return { manifestKey: runtimeManifestKey(version), files }
}

/** Every file in the folder is a model. */
export function modelFiles(folder: string): FileSet {
  const names = readdirSync(folder).toSorted()
  const wrong = names.find((file) => !MODEL_FILE.test(file) || file === 'manifest.json')
  if (wrong !== undefined) throw new Error(`${wrong} is not a valid name of a model`)
  return {
    manifestKey: MANIFEST_KEY,
    files: names.map((file) => ({ file, key: modelKey(file), path: join(folder, file) })),
  }
}

/**
 * Writes the files, and the manifest last. The manifest therefore lists only files that exist, and an interrupted run
 * can be repeated. Entries of earlier runs stay in the manifest, and the bytes behind a name never change.
 */
export async function provisionFiles(target: FileTarget, { manifestKey, files }: FileSet): Promise<Provisioned> {
  const { artefacts } = await manifestOf(target, manifestKey)
  const missing = files
    .map(({ file, key, path }) => ({ file, key, bytes: readFileSync(path) }))
    .filter(({ file, bytes }) => {
      if (bytes.length === 0) throw new Error(`${file} is empty`)
      const named = artefacts.find((artefact) => artefact.file === file)
      if (named && named.sha3_384 !== hashOf(bytes)) throw new Error(`${file} already exists with other bytes`)
      return !named
    })
  if (missing.length === 0) return { written: 0, present: files.length }
  for (const { key, bytes } of missing) await target.write(key, bytes)
  const added = missing.map(({ file, bytes }) => ({ file, bytes: bytes.length, sha3_384: hashOf(bytes) }))
  const manifest: ModelManifest = { version: 1, artefacts: [...artefacts, ...added] }
  await target.write(manifestKey, new TextEncoder().encode(JSON.stringify(manifest)))
  return { written: missing.length, present: files.length - missing.length }
}

/** The total size, to print before an upload. */
export function sizeOf({ files }: FileSet): number {
  return files.reduce((sum, { path }) => sum + statSync(path).size, 0)
}

async function manifestOf(target: FileTarget, key: string): Promise<ModelManifest> {
  const bytes = await target.read(key)
  if (bytes === null) return { version: 1, artefacts: [] }
  return modelManifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha3-384').update(bytes).digest('hex')
}
