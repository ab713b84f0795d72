import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../workspace.ts'

/** `svc` as its package has it: in few files, which start sooner than the sources. Returns the program. */
export async function bundleCommandLine(outdir: string): Promise<string> {
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
