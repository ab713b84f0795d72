import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { committedConfigs } from '@svc/operations/account'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { bindingsOf } from './bindings.fixture.ts'
import { type Block, blocksIn, commandsOf } from './blocks.ts'

const configs = committedConfigs()
const packages = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => dirname(path))
const examples = globSync('examples/*/package.json', { cwd: ROOT }).map((path) => dirname(path))
const readmeOf = (folder: string) => readFileSync(join(ROOT, folder, 'README.md'), 'utf8')

describe.each(WORKER_NAMES)('the README of %s', (worker) => {
  const readme = readmeOf(`workers/${worker}`)
  const config = configs.get(worker)

  it('has the parts that each has, in their order', () => {
    const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
    const own = headings.filter((title) => !['Where things are', 'Examples'].includes(title))
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
  it('names exactly the packages that it depends on', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const own = Object.keys(dependencies).filter((name) => name.startsWith('@svc/'))
    const said = /Depends on ([\s\S]+?)\.(?=\s|$)/.exec(readmeOf(folder))
    const named = [...(said?.[1] ?? '').matchAll(/`(@svc\/[a-z-]+)`/g)].map(([, name = '']) => name)
    expect(named.toSorted()).toEqual(own.toSorted())
  })
})

describe.each(examples)('the README of %s', (folder) => {
  it('has one command, which a test of that name runs', () => {
    const commands = blocksIn(readmeOf(folder), folder).filter(({ info }) => info === 'sh example')
    expect(commands).toHaveLength(1)
    const [command = ''] = commandsOf(commands[0] as Block)
    const program = /^(?:[A-Z_]+=\S+ )?node_modules\/\.bin\/node --no-warnings (\S+\.ts)/.exec(command)?.[1] ?? command
    expect(existsSync(join(ROOT, program)), command).toBe(true)
    const test = readFileSync(join(ROOT, `scripts/checks/examples/applications/${basename(folder)}.test.ts`), 'utf8')
    expect(test).toContain(`'${program.slice('examples/'.length)}'`)
  })
})

it('the page of the SDK lists every example', () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/sdk.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(examples\/[a-z-]+)` \|/gm)].map(([, folder = '']) => folder)
  expect(listed.toSorted()).toEqual(examples.toSorted())
})

it('the README of the protocol lists every module once', () => {
  const source = 'packages/protocol/src/'
  const files = globSync(`${source}**/*.ts`, { cwd: ROOT }).map((path) => path.slice(source.length, -'.ts'.length))
  const modules = files.filter((name) => !/\.(?:test|fixture)$/.test(name))
  const rows = [...readmeOf('packages/protocol').matchAll(/^\| `.+\/` \| (.+?) \|/gm)].flatMap(([, row = '']) =>
    [...row.matchAll(/`([a-z0-9/-]+)`/g)].map(([, name = '']) => name),
  )
  expect(rows.toSorted()).toEqual(modules.toSorted())
})

it('every file that a README names is there', () => {
  const faults: string[] = []
  for (const folder of ['.', ...packages, ...examples, ...WORKER_NAMES.map((name) => `workers/${name}`)]) {
    const links = [...readmeOf(folder).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target)
    for (const target of links) if (!existsSync(join(ROOT, folder, target))) faults.push(`${folder}: ${target}`)
    const paths = [...readmeOf(folder).matchAll(/`([a-z0-9-]+\/[a-z0-9./-]+\.(?:ts|wat)|src\/[a-z0-9/-]+\/)`/g)]
    for (const [, path = ''] of paths)
      if (![folder, `${folder}/src`, '.'].some((from) => existsSync(join(ROOT, from, path))))
        faults.push(`${folder}: ${path}`)
  }
  expect(faults).toEqual([])
})

it('no link in the top-level documents and in docs is broken', () => {
  const faults: string[] = []
  for (const file of globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })) {
    const links = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
    for (const [, target = ''] of links)
      if (!existsSync(join(ROOT, dirname(file), target))) faults.push(`${file}: ${target}`)
  }
  expect(faults).toEqual([])
})

it('the index of decision records lists each', () => {
  const folder = join(ROOT, 'docs/adr')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\((\S+\.md)\) \|/gm)].map(([, number, file]) => `${number} ${file}`)
  const files = globSync('[0-9]*.md', { cwd: folder }).toSorted()
  expect(listed).toEqual(files.map((file) => `${file.slice(0, 4)} ${file}`))
  for (const file of files)
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(new RegExp(`^# ${file.slice(0, 4)}: `))
})

it('CONTRIBUTING lists every code folder, and the architecture every Worker', () => {
  const map = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  for (const folder of [...packages, 'workers/docs/pages', 'migrations', 'deployments', 'scripts', 'examples'])
    expect(map, folder).toContain(`\`${folder}\``)
  const architecture = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  for (const worker of WORKER_NAMES) expect(architecture).toContain(`[${worker}](../workers/${worker}/README.md)`)
})
