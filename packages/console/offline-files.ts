import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rollup } from 'vite'

const PLACE = '{"__OFFLINE_FILES__":null}'
const PAGE = /\/src\/verify\/verify-page\.tsx$/
/** The texts of the shell, and what registers the worker: parts that the entry loads. Other pages are not the verifier. */
const OF_ENTRY = /\/src\/(words\/(shell|failures)\/|offline\/register\.ts$)/

/**
 * Tells the worker that keeps the verifier which files that is, with the hash of each: everything that its page can load.
 * Once they are written, because until then other plugins change them.
 */
export function offlineFiles(): Plugin {
  return {
    name: 'offline-files',
    writeBundle({ dir = '' }, bundle) {
      const chunks = Object.values(bundle).filter((one): one is Rollup.OutputChunk => one.type === 'chunk')
      const page = chunks.find(({ facadeModuleId }) => facadeModuleId !== null && PAGE.test(facadeModuleId))
      const worker = chunks.find(({ code }) => code.includes(PLACE))
      const entry = chunks.find(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith('index.html'))
      if (!page || !worker || !entry) throw new Error('The worker, its page or the entry is missing from the build')
      const loaded = [page, ...chunks.filter(({ facadeModuleId }) => OF_ENTRY.test(facadeModuleId ?? ''))]
      const scripts = reachedFrom(loaded, bundle)
      // The entry loads every page: only what it imports itself is needed.
      for (const name of [entry.fileName, ...entry.imports]) scripts.add(name)
      const styles = Object.keys(bundle).filter((name) => name.endsWith('.css'))
      const files = [...scripts, ...styles, 'icon.svg'].toSorted()
      const hashes = files.map((name) => [`/${name}`, hashOf(join(dir, name))] as const)
      const manifest: Readonly<Record<string, string | null>> = {
        '/verify/': hashOf(join(dir, 'index.html')),
        '/config.json': null,
        ...Object.fromEntries(hashes),
      }
      const path = join(dir, worker.fileName)
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(PLACE, () => JSON.stringify(manifest)),
      )
    },
  }
}

/** As in `integrity`. */
function hashOf(path: string): string {
  return `sha384-${createHash('sha384').update(readFileSync(path)).digest('base64')}`
}

function reachedFrom(chunks: readonly Rollup.OutputChunk[], bundle: Rollup.OutputBundle): Set<string> {
  const names = new Set<string>()
  const add = (name: string) => {
    const one = bundle[name]
    if (names.has(name) || one?.type !== 'chunk') return
    names.add(name)
    for (const next of [...one.imports, ...one.dynamicImports]) add(next)
  }
  for (const { fileName } of chunks) add(fileName)
  return names
}
