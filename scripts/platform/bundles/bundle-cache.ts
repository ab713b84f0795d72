/**
 * Bundles of earlier runs. A run of the tests starts some ten platforms and as many Workers beside those under test:
 * each would bundle the same sources again.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { ROOT } from '../workspace.ts'

export interface Bundled<T> {
  readonly bundle: T
  /** Every file that went into it, absolute. */
  readonly inputs: readonly string[]
}

interface Entry {
  readonly installed: string
  /** The hash of each input outside the installed packages, by its path from the top. */
  readonly hashes: readonly (readonly [path: string, hash: string])[]
  readonly bundle: unknown
}

const FOLDER = join(ROOT, 'node_modules/.cache/bundles')
let installed: string | undefined

/** What was made from these settings before, as long as each file that went into it is what it was. */
export async function cachedBundle<T>(
  settings: unknown,
  make: () => Promise<Bundled<T>>,
  folder: string = FOLDER,
): Promise<T> {
  installed ??= installedPackages()
  const path = join(folder, hashOf(JSON.stringify(settings)))
  const known = read(path)
  const isSame = ([input, hash]: Entry['hashes'][number]) => fileHash(join(ROOT, input)) === hash
  if (known?.installed === installed && known.hashes.every(isSame)) return known.bundle as T
  const { bundle, inputs } = await make()
  const own = inputs.filter((input) => !input.includes('/node_modules/'))
  write(path, { installed, bundle, hashes: own.map((input) => [relative(ROOT, input), fileHash(input)]) })
  return bundle
}

/** What decides how imports resolve, and which code of others is behind them. */
function installedPackages(): string {
  const manifests = globSync('{packages,workers,scripts}/*/package.json', { cwd: ROOT }).toSorted()
  const files = ['pnpm-lock.yaml', 'tsconfig.base.json', relative(ROOT, join(import.meta.dirname, 'bundle.ts'))]
  return hashOf([...manifests, ...files].map((file) => fileHash(join(ROOT, file))).join())
}

function read(path: string): Entry | undefined {
  try {
    return deserialize(readFileSync(path)) as Entry
  } catch {
    return undefined
  }
}

/** Renamed into place, because another process may be reading it. A cache that cannot be written is none. */
function write(path: string, entry: Entry): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, serialize(entry))
    renameSync(unfinished, path)
  } catch {
    // The bundle was made all the same.
  }
}

/** A file that is gone is a file that has changed. */
function fileHash(path: string): string {
  try {
    return hashOf(readFileSync(path))
  } catch {
    return 'gone'
  }
}

const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
