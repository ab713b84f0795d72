/**
 * What a page loads, in bytes of JavaScript after minification and compression: not what is in the bundle, but what runs
 * asks for.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Client, Identity } from '@svc/client'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { build } from 'esbuild'

const CLIENT = `
  import { Client, Identity } from '@svc/client'
  const fetch = () => Promise.reject(new TypeError('offline'))
  const identity = await Identity.create()
  const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity, fetch, retries: false })
`

/** Verifies a signature, so that it loads what a real chain needs. */
const VERIFY_CHAIN = `
  import { safeVerifyChain } from '@svc/client/verify'
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { did, chain } = JSON.parse(readFileSync(new URL('../chain.json', import.meta.url), 'utf8'))
  const verified = await safeVerifyChain(chain, did)
  if (!verified.ok) throw verified.error`

/**
 * Programs, and the most that each may load, kB: some 5 % above what was measured. Raise a bar deliberately.
 * `withoutNative`: in a runtime that has no ML-DSA-65 and no X-Wing of its own.
 */
export const LOADS = [
  { use: 'verify a chain', most: 9.5, source: VERIFY_CHAIN },
  { use: 'verify a chain in JavaScript', most: 20.5, withoutNative: true, source: VERIFY_CHAIN },
  { use: 'Identity', most: 48.5, source: `import { Identity } from '@svc/client/identity'\nawait Identity.create()` },
  {
    use: 'Identity in JavaScript',
    most: 70,
    withoutNative: true,
    source: `import { Identity } from '@svc/client/identity'\nawait Identity.create()`,
  },
  { use: 'Client without a call', most: 74, source: CLIENT },
  { use: 'Client with one service', most: 95.5, source: `${CLIENT}\nawait client.chain.head().catch(() => null)` },
  {
    use: 'sign-in without a password',
    most: 46,
    source: `
      import { SignIn } from '@svc/client/sign-in'
      const fetch = () => Promise.reject(new TypeError('offline'))
      await new SignIn({ auth: 'https://auth.test', fetch, retries: false }).challenge('', 'login').catch(() => null)`,
  },
  {
    use: 'sign-in with a password',
    most: 210,
    source: `
      import { SignIn } from '@svc/client/sign-in'
      const fetch = () => Promise.reject(new TypeError('offline'))
      await new SignIn({ auth: 'https://auth.test', fetch, retries: false }).logIn('ada', 'x').catch(() => null)`,
  },
] as const

const WITHOUT_NATIVE = 'without-native'

/** Prints every module that is loaded, as the program runs. */
const HOOKS = `
import { registerHooks } from 'node:module'
if (process.argv.includes('${WITHOUT_NATIVE}')) delete globalThis.SubtleCrypto.supports
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) process.stdout.write(url + '\\n')
    return next(url, context)
  },
})
`

const SERVICES = `
  import { Client, Identity } from '@svc/client'
  const [core, did, consent, provenance, pay, keys] = Array(6).fill('https://core.test')
  const client = new Client({ core, did, consent, provenance, pay, keys, identity: await Identity.create() })
  // More arguments than any method takes: the service is loaded, and refuses.
  const [method] = Object.values(client[process.argv[2]] ?? {})
  await method?.(...Array(9).fill('')).catch(() => null)`

/** The services of a client. */
export const SERVICE_NAMES = [
  'account',
  'anchors',
  'assets',
  'authorization',
  'chain',
  'consent',
  'contact',
  'devices',
  'did',
  'entitlement',
  'epochs',
  'events',
  'governance',
  'guardians',
  'inbox',
  'keyDirectory',
  'keyHistory',
  'members',
  'membership',
  'notes',
  'organization',
  'pairing',
  'pay',
  'provenance',
  'quota',
  'rotation',
  'security',
  'transparency',
  'watch',
] as const satisfies readonly (keyof Client)[]

const PAGE = join(ROOT, 'workers/docs/pages/developer/sdk-sizes.md')

/** The sizes that the page states, kB, by program or service. */
export function statedSizes(): Map<string, number> {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `?(?:client\.)?([^|`]+)`? \| ([0-9.]+) \|$/gm)
  return new Map([...rows].map(([, name = '', size]) => [name, Number(size)]))
}

/** What a program of the packages installed in `project` loads, kB. */
export async function loadedSize(project: string, load: (typeof LOADS)[number]): Promise<number> {
  const args = 'withoutNative' in load ? [WITHOUT_NATIVE] : []
  await writeChain(project)
  return loadedBy(await bundled(project, load), ...args)
}

/** Writes the chain that a program verifies: a genesis block. */
async function writeChain(project: string): Promise<void> {
  const identity = await Identity.create()
  const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity })
  const chain = [await client.chain.makeGenesis()]
  writeFileSync(join(project, 'chain.json'), JSON.stringify({ did: identity.did, chain }))
}

/** What each service adds to a client that has called none, kB: each by itself. */
export async function serviceSizes(project: string): Promise<Map<string, number>> {
  const main = await bundled(project, { use: 'services', source: SERVICES })
  const client = await loadedBy(main, '')
  const sizes = new Map<string, number>()
  for (const name of SERVICE_NAMES) sizes.set(name, (await loadedBy(main, name)) - client)
  return sizes
}

/** Bundles a program, and returns its first file. */
async function bundled(project: string, { use, source }: { readonly use: string; readonly source: string }) {
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
  return join(folder, 'stdin.mjs')
}

/** Runs a program, and adds up what it loaded. */
async function loadedBy(main: string, ...args: readonly string[]): Promise<number> {
  const { code, output } = await capture(process.execPath, [
    '--import',
    join(dirname(main), 'hooks.mjs'),
    main,
    ...args,
  ])
  if (code !== 0) throw new Error(`The program ${main} failed.\n${output.slice(-1000)}`)
  const loaded = new Set(output.split('\n').filter((line) => line.startsWith('file:') && !line.endsWith('/hooks.mjs')))
  const bytes = [...loaded].map((url) => gzipSync(readFileSync(fileURLToPath(url)), { level: 9 }).byteLength)
  return bytes.reduce((sum, size) => sum + size, 0) / 1000
}
