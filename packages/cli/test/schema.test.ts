import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { GROUPS } from '../src/groups.ts'
import { manPage } from '../src/schema/man-page.ts'
import { namesOf, RESULTS, schemaOf } from '../src/schema/results.ts'
import { newMachine } from './svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())
const COMMANDS = GROUPS.flatMap(({ commands }) => commands)
const WORKERS = join(import.meta.dirname, '../../../workers')

describe('the schema of a result', () => {
  it('has the members that the help of the command names', () => {
    for (const { path, result } of COMMANDS) {
      if (typeof result === 'string') expect(RESULTS[path], path).toBeUndefined()
      else expect(Object.keys(RESULTS[path]?.shape ?? {}), path).toEqual(result)
    }
    expect(Object.keys(RESULTS).filter((path) => !COMMANDS.some((spec) => spec.path === path))).toEqual([])
  })

  it('says what each member means', () => {
    for (const spec of COMMANDS) {
      const properties = (schemaOf(spec)['properties'] ?? {}) as Record<string, { description?: string }>
      const silent = Object.entries(properties).filter(([, { description = '' }]) => description === '')
      expect(silent.map(([member]) => `${spec.path}: ${member}`)).toEqual([])
    }
  })

  it('refers to schemas that the services publish', () => {
    const all = COMMANDS.map((spec) => JSON.stringify(schemaOf(spec))).join('')
    const refs = new Set(
      [...all.matchAll(/"\$ref":"(\w+)\/openapi\.json#\/components\/schemas\/(\w+)"/g)].map(([ref]) => ref),
    )
    expect(refs.size).toBeGreaterThan(20)
    for (const ref of refs) {
      const [, service = '', name = ''] = /"(\w+)\/openapi.+\/(\w+)"$/.exec(ref) ?? []
      const { components } = JSON.parse(readFileSync(join(WORKERS, service, 'openapi.json'), 'utf8')) as {
        components: { schemas: object }
      }
      expect(Object.keys(components.schemas), ref).toContain(name)
    }
    expect(namesOf('ConsentRecord or ConsentMiss of consent')).toEqual([
      ['consent', 'ConsentRecord'],
      ['consent', 'ConsentMiss'],
    ])
  })

  it('is printed', async () => {
    const { code, stdout } = await machine.svc('schema anchor info')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'object',
      required: ['isComplete', 'anchorId', 'root', 'epoch', 'isFindable', 'owner', 'log', 'at'],
    })
    expect((await machine.svc('schema nothing')).code).toBe(2)
  })
})

describe('the manual page', () => {
  it('has every command with its options and examples', () => {
    const page = manPage()
      .replaceAll('\\-', '-')
      .replaceAll(/\\\[u([0-9A-F]{4})\]/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    for (const { path, options = [], examples } of COMMANDS) {
      expect(page).toContain(`\n.B svc ${path}`)
      for (const text of [...options.map(([flags]) => flags), ...examples])
        expect(page).toContain(text.replaceAll('\\', '\\e'))
    }
  })

  it('has no line that a formatter would take for an unknown request', () => {
    const requests = manPage().match(/^[.'].*$/gm) ?? []
    expect(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|B|I|RI|PP|RS|RE|nf|fi)\b/.test(line))).toEqual([])
  })

  it('is formatted without a warning', ({ skip }) => {
    const groff = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z'], { input: manPage(), encoding: 'utf8' })
    skip(groff.error !== undefined, 'no groff on this machine')
    expect(groff.stderr).toBe('')
  })
})
