import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, WORKER_NAMES } from '../lib/workspace.ts'
import { committedConfigs } from '../operations/account.ts'
import { bindingsOf } from './bindings.fixture.ts'

const configs = committedConfigs()
const packages = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => dirname(path))
const readmeOf = (folder: string) => readFileSync(join(ROOT, folder, 'README.md'), 'utf8')

describe.each(WORKER_NAMES)('the README of %s', (worker) => {
  const readme = readmeOf(`workers/${worker}`)
  const config = configs.get(worker)

  it('has the parts that each has, in their order', () => {
    const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
    const own = headings.filter((title) => !['Where what is', 'Examples'].includes(title))
    expect(own).toEqual(['Owns', 'Life of a request', 'Bindings and keys', 'Limits', 'Does not do'])
  })

  it('names every binding and every secret', () => {
    const names = config === undefined ? [] : [...bindingsOf(config), ...(config.secrets?.required ?? [])]
    const part = readme.split('## Bindings and keys')[1]?.split('\n## ')[0] ?? ''
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !part.includes(`\`${name}\``))).toEqual([])
  })
})

describe.each(packages)('the README of %s', (folder) => {
  it('names the packages that it depends on, and no other', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const own = Object.keys(dependencies).filter((name) => name.startsWith('@svc/'))
    const said = /Depends on ([\s\S]+?)\.(?=\s|$)/.exec(readmeOf(folder))
    const named = [...(said?.[1] ?? '').matchAll(/`(@svc\/[a-z-]+)`/g)].map(([, name = '']) => name)
    expect(named.toSorted()).toEqual(own.toSorted())
  })
})

it('the README of the protocol places every module once', () => {
  const files = globSync('packages/protocol/src/*.ts', { cwd: ROOT }).map((path) => basename(path, '.ts'))
  const modules = files.filter((name) => !/\.(?:test|fixture)$/.test(name))
  const rows = [...readmeOf('packages/protocol').matchAll(/^\| (`.+`) \|/gm)].flatMap(([, row = '']) =>
    [...row.matchAll(/`([a-z0-9-]+)`/g)].map(([, name = '']) => name),
  )
  expect(rows.toSorted()).toEqual(modules.toSorted())
})

it('every file that a README names is there', () => {
  const faults: string[] = []
  for (const folder of ['.', ...packages, ...WORKER_NAMES.map((name) => `workers/${name}`)]) {
    const links = [...readmeOf(folder).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target)
    for (const target of links) if (!existsSync(join(ROOT, folder, target))) faults.push(`${folder}: ${target}`)
    const paths = [...readmeOf(folder).matchAll(/`([a-z0-9-]+\/[a-z0-9./-]+\.(?:ts|wat)|src\/[a-z0-9/-]+\/)`/g)]
    for (const [, path = ''] of paths)
      if (![folder, `${folder}/src`, '.'].some((from) => existsSync(join(ROOT, from, path))))
        faults.push(`${folder}: ${path}`)
  }
  expect(faults).toEqual([])
})

it('the map of the root README has every folder of code', () => {
  const readme = readmeOf('.')
  for (const folder of [...packages, 'workers/docs/pages', 'migrations', 'deployments', 'scripts'])
    expect(readme, folder).toContain(`\`${folder}\``)
  for (const worker of WORKER_NAMES) expect(readme).toContain(`[${worker}](workers/${worker}/README.md)`)
})
