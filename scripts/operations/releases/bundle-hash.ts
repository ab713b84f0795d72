/**
 * One hash for the code of an upload: that of the lines which `sha256sum` prints for its modules, in the order of their
 * names. Source maps do not count.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Modules = ReadonlyMap<string, Uint8Array>

/** Wrangler explains in it what the folder is. */
const EXPLANATION = 'README.md'

export function bundleHash(modules: Modules): string {
  const lines = [...modules]
    .map(([name, bytes]) => [name.replace(/^\.\//, ''), hashOf(bytes)] as const)
    .filter(([name]) => name !== EXPLANATION && !name.endsWith('.map'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hash]) => `${hash}  ${name}\n`)
  if (lines.length === 0) throw new Error('a bundle has no module')
  return hashOf(lines.join(''))
}

/** Of what Wrangler wrote into a folder. */
export function bundleHashIn(folder: string): string {
  return bundleHash(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])))
}

function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
