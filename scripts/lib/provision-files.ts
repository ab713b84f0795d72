import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  MANIFEST_KEY,
  MODEL_FILE,
  type ModelManifest,
  modelKey,
  RUNTIME_FILE,
  RUNTIME_VERSION,
  runtimeKey,
} from '@svc/protocol/model-files'

/** The store of provenance, as far as provisioning needs it. A local R2 bucket is one. */
export interface FileTarget {
  head(key: string): Promise<{ customMetadata?: Record<string, string> } | null>
  put(key: string, bytes: Uint8Array, options?: { customMetadata: Record<string, string> }): Promise<unknown>
}

export interface Provisioned {
  readonly written: number
  readonly present: number
}

/** Puts what onnxruntime-web runs in where the models’ pages fetch it. Of a version that is there nothing is written. */
export async function provisionRuntime(
  target: FileTarget,
  { folder, version } = installedRuntime(),
): Promise<Provisioned> {
  if (!RUNTIME_VERSION.test(version)) throw new Error(`${version} is no version of a runtime`)
  const files = readdirSync(folder).filter((file) => RUNTIME_FILE.test(file))
  if (files.length === 0) throw new Error(`${folder} has no runtime files`)
  return putAll(
    target,
    files.map((file) => ({ key: runtimeKey(version, file), path: join(folder, file) })),
  )
}

/**
 * Puts every file of a folder where it is served, and last of all the manifest, so that it names nothing that is not
 * there. Models of earlier runs stay in it; a name never gets other bytes.
 */
export async function provisionModels(
  target: FileTarget,
  folder: string,
  before: ModelManifest = { version: 1, artefacts: [] },
): Promise<Provisioned> {
  const files = readdirSync(folder).toSorted()
  const wrong = files.find((file) => !MODEL_FILE.test(file) || file === 'manifest.json')
  if (wrong !== undefined) throw new Error(`${wrong} cannot be the name of a model`)
  const done = await putAll(
    target,
    files.map((file) => ({ key: modelKey(file), path: join(folder, file) })),
  )
  const artefacts = files.map((file) => {
    const bytes = readFileSync(join(folder, file))
    return { file, bytes: bytes.length, sha3_384: hashOf(bytes) }
  })
  const earlier = before.artefacts.filter(({ file }) => !files.includes(file))
  const manifest: ModelManifest = { version: 1, artefacts: [...earlier, ...artefacts] }
  await target.put(MANIFEST_KEY, new TextEncoder().encode(JSON.stringify(manifest)))
  return done
}

/** The npm package as the lockfile pins it. */
export function installedRuntime(): { folder: string; version: string } {
  const main = createRequire(import.meta.url).resolve('onnxruntime-web')
  const folder = dirname(main)
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string }
  return { folder, version }
}

async function putAll(target: FileTarget, files: readonly { key: string; path: string }[]): Promise<Provisioned> {
  let written = 0
  for (const { key, path } of files) {
    const bytes = readFileSync(path)
    const hash = hashOf(bytes)
    const there = await target.head(key)
    if (there && there.customMetadata?.['sha3_384'] !== hash) throw new Error(`${key} is there with other bytes`)
    if (there) continue
    await target.put(key, bytes, { customMetadata: { sha3_384: hash } })
    written += 1
  }
  return { written, present: files.length - written }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha3-384').update(bytes).digest('hex')
}
