import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, inject, it } from 'vitest'

const ATTW = join(import.meta.dirname, '../node_modules/.bin/attw')

const INSTALL = readFileSync(join(ROOT, 'workers/docs/pages/developer/sdk.md'), 'utf8').split('\n## Install\n')[1] ?? ''

const filesOf = (tarball: string) =>
  execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))

describe.each(inject('built'))('$name', ({ version, folder, tarball }) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  it('has types that resolve like the code, in Node.js and in bundlers', async () => {
    const { code, output } = await capture(ATTW, [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji'])
    expect(code, output).toBe(0)
  })

  it('contains code, declarations, README, changelog and licence, and no tests', () => {
    const files = filesOf(tarball)
    expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']))
    const others = files.filter((file) => !/^dist\/.+\.(js|d\.ts)$/.test(file))
    expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(files.filter((file) => /\.(test|fixture)\./.test(file))).toEqual([])
  })

  it('depends on published packages only, each in one version', () => {
    const ranges = Object.entries<string>(manifest.dependencies)
    for (const [dependency, range] of ranges) expect(range, dependency).toMatch(/^\^\d+\.\d+\.\d+$/)
    const own = ranges.map(([dependency]) => dependency).filter((dependency) => dependency.startsWith('@svc/'))
    expect(inject('built').map((published) => published.name)).toEqual(expect.arrayContaining(own))
    const reached = filesOf(tarball)
      .filter((file) => file.startsWith('dist/'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)[^;]*?from ['"]([^'"]+)['"]/gm),
      ])
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !/^(\.|#|node:)/.test(specifier))
    for (const specifier of reached) {
      const known = Object.keys(manifest.dependencies).some((dependency) =>
        `${specifier}/`.startsWith(`${dependency}/`),
      )
      expect(known, specifier).toBe(true)
    }
  })

  it('is on the page, with the Node.js that it needs; its README names its dependencies, and so does the page', () => {
    const needs = (manifest.engines.node as string).replace('>=', 'Node.js ')
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect(INSTALL).toContain(`\`${manifest.name}\``)
    for (const text of [INSTALL, readme]) expect(text).toContain(needs)
    if (manifest.bin !== undefined) return
    for (const dependency of Object.keys(manifest.dependencies)) {
      expect(INSTALL).toContain(`\`${dependency}\``)
      expect(readme).toContain(`\`${dependency}\``)
    }
  })

  it('has a changelog entry for its version', () => {
    expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(new RegExp(`^## ${version}$`, 'm'))
  })
})
