import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT } from '../lib/workspace.ts'
import type { BuiltPackage } from './build.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Record<string, string>
}

interface Entry {
  readonly manifest: Manifest
  readonly tarball: string
}

/**
 * A registry of the packages that were built and of what they depend on, as the lockfile has installed it. Package managers
 * install from it as they would from the public one, without a network.
 */
export class LocalRegistry {
  readonly url: string
  readonly #server: Server
  readonly #folder: string

  private constructor(server: Server, folder: string) {
    this.#server = server
    this.#folder = folder
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  static async start(built: readonly BuiltPackage[]): Promise<LocalRegistry> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-registry-'))
    const entries = new Map<string, Entry>()
    for (const { name, folder: source, tarball } of built)
      entries.set(name, { manifest: readManifest(source), tarball })
    for (const { name, folder: source } of built)
      for (const dependency of Object.keys(readManifest(source).dependencies ?? {}))
        addInstalled(dependency, join(ROOT, 'packages', basename(source), 'node_modules'), entries, folder, name)
    const server = createServer((request, response) => {
      const path = decodeURIComponent((request.url ?? '').slice(1))
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const tarball = [...entries.values()].find((entry) => `-/${basename(entry.tarball)}` === path)?.tarball
      if (tarball !== undefined) {
        response.end(readFileSync(tarball))
        return
      }
      const entry = entries.get(path)
      response.statusCode = entry === undefined ? 404 : 200
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(entry === undefined ? { error: 'not found' } : documentOf(entry, origin)))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return new LocalRegistry(server, folder)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function documentOf({ manifest, tarball }: Entry, origin: string) {
  const { name, version } = manifest
  const dist = { tarball: `${origin}/-/${basename(tarball)}` }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}

/** One installed package and whatever it depends on. A dependency that is declared and not installed is a fault. */
function addInstalled(
  name: string,
  nodeModules: string,
  entries: Map<string, Entry>,
  folder: string,
  requiredBy: string,
): void {
  if (entries.has(name)) return
  const source = realpathOf(join(nodeModules, name)) ?? realpathOf(join(ROOT, 'node_modules/.pnpm/node_modules', name))
  if (source === undefined) throw new Error(`${requiredBy} needs ${name}, which is not installed`)
  const manifest = readManifest(source)
  entries.set(name, { manifest, tarball: packInstalled(source, manifest, folder) })
  const siblings = join(source, ...name.split('/').map(() => '..'))
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    addInstalled(dependency, siblings, entries, folder, name)
}

function packInstalled(source: string, { name, version }: Manifest, folder: string): string {
  const work = mkdtempSync(join(folder, 'package-'))
  const copy = join(work, 'package')
  cpSync(source, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  // An application gets the package as its makers published it.
  const patch = join(ROOT, 'scripts/patches', `${name.replace('/', '__')}@${version}.patch`)
  if (existsSync(patch)) execFileSync('git', ['apply', '--reverse', patch], { cwd: copy, stdio: 'pipe' })
  const tarball = join(folder, `${name.replace('/', '-').replace('@', '')}-${version}.tgz`)
  execFileSync('tar', ['-czf', tarball, '-C', work, 'package'])
  return tarball
}

function readManifest(source: string): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
