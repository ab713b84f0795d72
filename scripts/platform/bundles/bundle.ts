import { readFileSync } from 'node:fs'
import { basename, matchesGlob, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin, version } from 'esbuild'
import { readWorkerConfig, type WorkerConfig } from '../worker-config.ts'
import { ROOT, type WorkerName } from '../workspace.ts'
import { type Bundled, cachedBundle } from './bundle-cache.ts'

export interface WorkerModule {
  type: 'ESModule' | 'CompiledWasm' | 'Data'
  path: string
  contents: string | Uint8Array
}

interface ImportedModule extends WorkerModule {
  file: string
}

export interface BundleOptions {
  minify?: boolean
  /** Put before the Worker's own code. */
  banner?: string
}

/** The Worker as one ES module for the runtime, together with the WebAssembly and binary modules that it imports. */
export function bundleModules(config: WorkerConfig, options: BundleOptions = {}): Promise<WorkerModule[]> {
  const settings = {
    entryPoints: [config.main],
    absWorkingDir: ROOT,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    define: config.define,
    minify: options.minify ?? false,
    ...(options.banner === undefined ? {} : { banner: { js: options.banner } }),
  } satisfies BuildOptions
  return cachedBundle([version, settings, config.moduleRules], () => bundle(config, settings))
}

async function bundle(config: WorkerConfig, settings: BuildOptions): Promise<Bundled<WorkerModule[]>> {
  const imported: ImportedModule[] = []
  const plugins = [moduleRules(config, imported)]
  const { outputFiles, metafile } = await build({
    ...settings,
    plugins,
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`${config.name}: the bundler produced no output`)
  const inputs = Object.keys(metafile.inputs).map((input) => resolve(ROOT, input.replace(/^text:/, '')))
  return {
    bundle: [
      { type: 'ESModule', path: 'index.js', contents: output.text },
      ...imported.map(({ type, path, contents }) => ({ type, path, contents })),
    ],
    inputs: [...inputs, ...imported.map(({ file }) => file)],
  }
}

/** The Worker as it is uploaded: minified, because size limits apply to that. */
export async function bundleWorker(name: WorkerName): Promise<{ modules: WorkerModule[]; gzipBytes: number }> {
  const modules = await bundleModules(readWorkerConfig(name), { minify: true })
  const gzipBytes = modules.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
  return { modules, gzipBytes }
}

function moduleRules(config: WorkerConfig, imported: ImportedModule[]): Plugin {
  const typeOf = (path: string) =>
    // `**` does not match a path that begins with a dot.
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
        imported.push({ type, path: name, contents: readFileSync(file), file })
        return { path: `./${name}`, external: true }
      })
      bundler.onLoad({ filter: /./, namespace: 'text' }, ({ path }) => ({
        contents: readFileSync(path),
        loader: 'text',
      }))
    },
  }
}
