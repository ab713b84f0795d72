import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { capture } from './command.ts'
import { DEFAULT_CONSOLE_PORT, DEFAULT_PORT_BASE, ROOT } from './workspace.ts'

const PNPM = 'scripts/platform/pnpm'
const LOCKFILE = join(PNPM, 'package-lock.json')
const build = `@pnpm/exe.${process.platform}-${process.arch}`

interface Lockfile {
  readonly packages: Readonly<Record<string, { version: string; integrity?: string; resolved?: string }>>
}
const lockfileOf = (root: string) => JSON.parse(readFileSync(join(root, LOCKFILE), 'utf8')) as Lockfile
const packageManager = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { packageManager: string })
  .packageManager

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-bootstrap-'))
  for (const path of ['scripts/platform/bootstrap.sh', join(PNPM, 'package.json'), LOCKFILE])
    cpSync(join(ROOT, path), join(root, path))
  // An empty workspace: what pnpm has to install is nothing, and there is no Node.js in it.
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'empty', private: true, packageManager }, null, 2))
  writeFileSync(join(root, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n")
  writeFileSync(join(root, 'pnpm-workspace.yaml'), 'pmOnFail: ignore\n')
  writeFileSync(join(root, 'scripts/entry'), '. "$(dirname "$0")/platform/bootstrap.sh"\n')
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

const start = () => capture('sh', ['-eu', join(root, 'scripts/entry')])

it('takes the pnpm that has the hash of the lockfile, and no other', async () => {
  // pnpm ran: only then is the missing Node.js noticed.
  expect((await start()).output).toContain('No Node.js build is locked for this machine')
  const version = await capture(join(root, PNPM, 'node_modules', build, 'pnpm'), ['--version'])
  expect(version).toEqual({ code: 0, output: `${lockfileOf(root).packages[`node_modules/${build}`]?.version}\n` })

  const lockfile = lockfileOf(root)
  const locked = lockfile.packages[`node_modules/${build}`]
  if (!locked) throw new Error(`${build} is not locked`)
  locked.integrity = `sha512-${'A'.repeat(86)}==`
  writeFileSync(join(root, LOCKFILE), JSON.stringify(lockfile))
  const { code, output } = await start()
  expect(code).toBe(1)
  expect(output).toContain('was not installed')
  expect(output).not.toContain('Installing packages')
}, 300_000)

it.each([
  ['scripts/start', 'scripts/walkthrough/start.ts'],
  ['scripts/test', 'scripts/checks/test.ts'],
])('%s shows its help without installing anything', async (entry, source) => {
  for (const path of [entry, source]) cpSync(join(ROOT, path), join(root, path))
  const told = await capture(join(root, entry), ['--help'])
  expect(told).toEqual(await capture(join(ROOT, entry), ['--help']))
  expect(told.output).toContain(`Usage: ${entry} [options]`)
  expect(existsSync(join(root, PNPM, 'node_modules'))).toBe(false)
})

it('scripts/start names the ports that it takes by default', async () => {
  const { output } = await capture(join(ROOT, 'scripts/start'), ['--help'])
  expect(output).toMatch(new RegExp(`--port-base N .*default ${DEFAULT_PORT_BASE}\\)`))
  expect(output).toMatch(new RegExp(`--console-port N .*default ${DEFAULT_CONSOLE_PORT};`))
})

it('has one version of pnpm, by hash on all four platforms and by no address', () => {
  const version = /^pnpm@([\d.]+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager)?.[1]
  const { '': _, ...builds } = lockfileOf(ROOT).packages
  expect(Object.keys(builds)).toEqual(
    ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((kind) => `node_modules/@pnpm/exe.${kind}`),
  )
  for (const locked of Object.values(builds)) {
    expect(locked.version).toBe(version)
    expect(locked.integrity).toMatch(/^sha512-[\w+/]{86}==$/)
    expect(locked.resolved).toBeUndefined()
  }
})
