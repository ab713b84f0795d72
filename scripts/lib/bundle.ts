import { readFileSync } from 'node:fs'
import { basename, matchesGlob, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { readWorkerConfig, type WorkerConfig } from './worker-config.ts'
import type { WorkerName } from './workspace.ts'

export interface WorkerModule {
  type: 'ESModule' | 'CompiledWasm' | 'Data'
  path: string
  contents: string | Uint8Array
}

export interface BundleOptions {
  minify?: boolean
  /** Put before the Worker's own code. */
  banner?: string
}

/** One ES module as the runtime loads it, with whatever compiled or binary modules it imports beside it. */
export async function bundleModules(config: WorkerConfig, options: BundleOptions = {}): Promise<WorkerModule[]> {
  const imported: WorkerModule[] = []
  const settings: BuildOptions & { write: false } = {
    entryPoints: [config.main],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    define: config.define,
    minify: options.minify ?? false,
    plugins: [moduleRules(config, imported)],
    logLevel: 'silent',
  }
  if (options.banner !== undefined) settings.banner = { js: options.banner }
  const { outputFiles } = await build(settings)
  const [output] = outputFiles
  if (output === undefined) throw new Error(`${config.name}: the bundler wrote nothing`)
  return [{ type: 'ESModule', path: 'index.js', contents: output.text }, ...imported]
}

/** The Worker as it would be uploaded; minified, because that is what size limits are about. */
export async function bundleWorker(name: WorkerName): Promise<{ code: string; gzipBytes: number }> {
  const modules = await bundleModules(readWorkerConfig(name), { minify: true })
  const gzipBytes = modules.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
  return { code: String(modules[0]?.contents), gzipBytes }
}

function moduleRules(config: WorkerConfig, imported: WorkerModule[]): Plugin {
  const typeOf = (path: string) =>
    // A glob for any folder does not match a path that begins with a dot.
    config.moduleRules.find(({ include }) =>
      include.some((glob) => matchesGlob(path.replace(/^(?:\.{1,2}\/)+/, ''), glob)),
    )?.type
  return {
    name: 'module-rules',
    setup(bundler) {
      bundler.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const type = typeOf(path)
        const file = resolve(resolveDir, path.replace('?module', ''))
        if (type === 'Text') return { path: file, namespace: 'text' }
        if (type !== 'CompiledWasm' && type !== 'Data') return undefined
        const name = `${imported.length}-${basename(file)}`
        imported.push({ type, path: name, contents: readFileSync(file) })
        return { path: `./${name}`, external: true }
      })
      bundler.onLoad({ filter: /./, namespace: 'text' }, ({ path }) => ({
        contents: readFileSync(path),
        loader: 'text',
      }))
    },
  }
}
