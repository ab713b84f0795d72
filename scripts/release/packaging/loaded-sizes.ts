/**
 * What a page loads, in bytes of JavaScript after minification and compression: not what is in the bundle, but what runs
 * asks for.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { capture } from '@svc/platform/command'
import { build } from 'esbuild'

const CLIENT = `
  import { Client, Identity } from '@svc/client'
  const fetch = () => Promise.reject(new TypeError('offline'))
  const identity = await Identity.create()
  const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity, fetch, retries: false })
`

/** Programs, and the most that each may load, kB. */
export const LOADS = [
  {
    use: 'verify a chain',
    most: 15,
    source: `
      import { safeVerifyChain } from '@svc/client/verify'
      await safeVerifyChain([], 'did:svc:' + 'A'.repeat(32)).catch(() => null)`,
  },
  { use: 'Identity', most: 40, source: `import { Identity } from '@svc/client/identity'\nawait Identity.create()` },
  { use: 'Client with one service', most: 60, source: `${CLIENT}\nawait client.chain.head().catch(() => null)` },
  { use: 'Client without a call', most: 60, source: CLIENT },
  {
    use: 'sign-in without a password',
    most: 120,
    source: `
      import { SignIn } from '@svc/client/sign-in'
      const fetch = () => Promise.reject(new TypeError('offline'))
      await new SignIn({ auth: 'https://auth.test', fetch, retries: false }).challenge('', 'login').catch(() => null)`,
  },
] as const

/** Prints every module that is loaded, as the program runs. */
const HOOKS = `
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) process.stdout.write(url + '\\n')
    return next(url, context)
  },
})
`

/** Bundles a program that uses the packages installed in `project`, runs it, and adds up what it loaded. kB. */
export async function loadedSize(project: string, { use, source }: Pick<(typeof LOADS)[number], 'use' | 'source'>) {
  const folder = join(project, `load-${use.replaceAll(' ', '-')}`)
  mkdirSync(folder)
  await build({
    stdin: { contents: source, resolveDir: project, sourcefile: 'main.js' },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  })
  writeFileSync(join(folder, 'hooks.mjs'), HOOKS)
  const main = join(folder, 'stdin.mjs')
  const { code, output } = await capture(process.execPath, ['--import', join(folder, 'hooks.mjs'), main])
  if (code !== 0) throw new Error(`The program "${use}" failed.\n${output.slice(-1000)}`)
  const loaded = new Set(output.split('\n').filter((line) => line.startsWith('file:') && !line.endsWith('/hooks.mjs')))
  const bytes = [...loaded].map((url) => gzipSync(readFileSync(fileURLToPath(url)), { level: 9 }).byteLength)
  return bytes.reduce((sum, size) => sum + size, 0) / 1000
}
