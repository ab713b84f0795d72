import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './workspace.ts'

const SOURCE = join(ROOT, 'workers/auth/page')

/**
 * Builds the auth Worker's sign-in page, with the SDK and the WebAssembly of its OPAQUE client in one script. Only a
 * local platform serves it, so it is built at the start and never uploaded.
 */
export async function buildSignInPage(stateDir: string): Promise<string> {
  const folder = join(stateDir, 'sign-in-page')
  mkdirSync(folder, { recursive: true })
  for (const file of ['sign-in.html', 'sign-in.css']) cpSync(join(SOURCE, file), join(folder, file))
  await build({
    entryPoints: [join(SOURCE, 'sign-in.ts')],
    outfile: join(folder, 'sign-in.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    logLevel: 'silent',
  })
  return folder
}
