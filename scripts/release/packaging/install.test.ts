import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { expect, inject, it } from 'vitest'
import { manifestOf } from './published-packages.ts'

const project = inject('project')

const SCRIPT = `
import { Identity } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { verifyChain } from '@svc/client/verify'
import { SignIn } from '@svc/client/sign-in'
import { fingerprintText } from '@svc/fingerprint'
import { fingerprintImage } from '@svc/fingerprint/images'

const identity = await Identity.create()
const seed = new Uint8Array(32).fill(1)
const publicKey = await mlDsa65.publicKeyOf(seed)
const message = new TextEncoder().encode('hello')
const signature = await mlDsa65.sign(seed, message)
console.log(JSON.stringify({
  did: /^did:svc:[A-Za-z0-9_-]{32}$/.test(identity.did),
  good: await mlDsa65.verify(publicKey, message, signature),
  bad: await mlDsa65.verify(publicKey, new Uint8Array(5), signature),
  chain: typeof verifyChain,
  signIn: typeof SignIn,
  chunks: fingerprintText('one two three four five six seven eight nine ten eleven twelve').chunks.length > 0,
  image: fingerprintImage({ data: new Uint8Array(400), width: 10, height: 10 }).values.length,
}))
`

it('installs from its tarball in an empty Node.js project, and runs', () => {
  expect(existsSync(join(project, 'node_modules/@svc/client/dist/client/src/index.js'))).toBe(true)
  expect(existsSync(join(project, 'node_modules/@svc/protocol'))).toBe(false)
  writeFileSync(join(project, 'main.js'), SCRIPT)
  const printed = execFileSync(process.execPath, ['main.js'], { cwd: project, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({
    did: true,
    good: true,
    bad: false,
    chain: 'function',
    signIn: 'function',
    chunks: true,
    image: 256,
  })
})

it.each(inject('built').map(({ name }) => name))('%s installs alone, from its tarball in an empty folder', (name) => {
  const alone = join(inject('alone'), name)
  const source = `const { fingerprintText, Client, run } = await import('${name}'); console.log(typeof (Client ?? fingerprintText ?? run))`
  expect(execFileSync(process.execPath, ['--eval', source], { cwd: alone, encoding: 'utf8' })).toBe('function\n')
  const own = readdirSync(join(alone, 'node_modules/@svc'))
  expect(own.map((one) => `@svc/${one}`)).toEqual([name])
})

/** Of its processor, ms: other work of the machine does not count. */
const MEASURE =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('cpu '+process.cpuUsage().user/1000+' '+process.cpuUsage().system/1000))"

function cpuMs(...args: string[]): number {
  const { stderr } = spawnSync(process.execPath, ['--import', MEASURE, ...args], { encoding: 'utf8' })
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)$/.exec(stderr) ?? []
  return Number(user) + Number(system)
}

/** 100 ms where Node.js alone takes 25: a slow or busy machine slows both. */
it('installs the command line, whose help takes at most four times as long as Node.js alone', () => {
  const svc = join(project, 'node_modules/.bin/svc')
  expect(execFileSync(svc, ['explain', 'error', 'stale_head'], { encoding: 'utf8' })).toMatch(/^stale_head, 409: \w/)
  const runs = Array.from({ length: 9 }, () => [cpuMs('--eval', '0'), cpuMs(realpathSync(svc), '--help')] as const)
  const [bare, help] = [0, 1].map((at) => Math.min(...runs.map((run) => run[at] ?? 0))) as [number, number]
  expect(help / bare).toBeLessThan(4)
})

it('has a bill of materials with every package that an application installs', () => {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--prefix', project], { encoding: 'utf8' })
  const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { name: string }[] }
  const names = components.map(({ name }) => name)
  expect(bomFormat).toBe('CycloneDX')
  expect(names).toEqual(expect.arrayContaining(['@svc/client', '@svc/fingerprint', '@noble/post-quantum', 'zod']))
})

const TYPED = `
import { type ChainHead, Client, Identity, ServiceError } from '@svc/client'
import { searchImage } from '@svc/client/images'
import { fingerprintText } from '@svc/fingerprint'
import type { Pixels } from '@svc/fingerprint/images'

const pixels: Pixels = { data: new Uint8ClampedArray(4), width: 1, height: 1 }
export const found = (client: Client) => searchImage(client.provenance, pixels, { orientations: true })
const identity = await Identity.create()
const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity })
const head: Promise<ChainHead> = client.chain.head()
// @ts-expect-error a service is named by its URL
new Client({ core: 5, did: 'https://did.example', identity })
head.catch((error: unknown) => error instanceof ServiceError && error.status)
const values: readonly (1 | -1)[] | Iterable<number> = fingerprintText('a text').chunks.flatMap(({ values }) => [...values])
export { values }
`

/** Every import of the client that is not for pages alone. */
const IN_PROGRAMS = Object.keys(manifestOf('client').exports)
  .filter((subpath) => !/browser|contact-form/.test(subpath))
  .map((subpath, at) => `import * as entry${at} from '@svc/client${subpath.slice(1)}'\nvoid entry${at}\n`)
  .join('')

it.each([
  ['Node.js', { module: 'nodenext', lib: ['es2024'], types: ['node'] }, TYPED + IN_PROGRAMS],
  [
    'a browser',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    TYPED,
  ],
])('type-checks in a strict application for %s, declarations included', async (name, options, source) => {
  const folder = join(project, `typed-${name.replaceAll(/\W/g, '')}`)
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
  const nodeTypes = join(project, 'node_modules/@types/node')
  if (!existsSync(nodeTypes)) symlinkSync(join(ROOT, 'node_modules/@types/node'), nodeTypes)
  writeFileSync(join(folder, 'main.ts'), source)
  const compilerOptions = { target: 'es2024', strict: true, skipLibCheck: false, noEmit: true, ...options }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  const { code, output } = await capture('tsc', ['-p', folder])
  expect(code, output).toBe(0)
})
