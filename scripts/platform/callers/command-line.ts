import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../workspace.ts'

/** The program `svc`: of the installed packages, if a test names them, else in few files, which start sooner than the sources. */
export async function bundleCommandLine(outdir: string): Promise<string> {
  const installed = process.env['SVC_INSTALLED']
  if (installed !== undefined) return join(installed, 'project/node_modules/@svc/cli/dist/cli/src/main.js')
  await build({
    entryPoints: [join(ROOT, 'packages/cli/src/main.ts')],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outdir,
    outExtension: { '.js': '.mjs' },
    // Native, and optional.
    external: ['@napi-rs/keyring'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  })
  return join(outdir, 'main.mjs')
}
