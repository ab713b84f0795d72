import type { Plugin, Rollup } from 'vite'

const PLACE = '["__OFFLINE_FILES__"]'
const PAGE = /\/src\/verify\/verify-page\.tsx$/

/** Tells the worker that keeps the verifier which files that is: everything that its page can load. */
export function offlineFiles(): Plugin {
  return {
    name: 'offline-files',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((one): one is Rollup.OutputChunk => one.type === 'chunk')
      const page = chunks.find(({ facadeModuleId }) => facadeModuleId !== null && PAGE.test(facadeModuleId))
      const worker = chunks.find(({ code }) => code.includes(PLACE))
      const entry = chunks.find(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith('index.html'))
      if (!page || !worker || !entry) throw new Error('The worker, its page or the entry is missing from the build')
      const scripts = reachedFrom(page, bundle)
      // What the entry imports itself, and the texts of its shell; other pages are not the verifier.
      for (const name of [entry.fileName, ...entry.imports]) scripts.add(name)
      for (const chunk of chunks)
        if (/\/src\/words\/(shell|failures)\//.test(chunk.facadeModuleId ?? '')) scripts.add(chunk.fileName)
      const styles = Object.keys(bundle).filter((name) => name.endsWith('.css'))
      const files = [...scripts, ...styles, 'icon.svg'].map((name) => `/${name}`).toSorted()
      worker.code = worker.code.replace(PLACE, JSON.stringify(files))
    },
  }
}

function reachedFrom(page: Rollup.OutputChunk, bundle: Rollup.OutputBundle): Set<string> {
  const names = new Set<string>()
  const add = (name: string) => {
    const one = bundle[name]
    if (names.has(name) || one?.type !== 'chunk') return
    names.add(name)
    for (const next of [...one.imports, ...one.dynamicImports]) add(next)
  }
  add(page.fileName)
  return names
}
