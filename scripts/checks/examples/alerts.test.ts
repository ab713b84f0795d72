import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OBJECTIVES, QUEUE_RULES, RUN_RULES } from '@svc/operations/objectives'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const pageOf = (slug: string) => read(`workers/docs/pages/developer/${slug}.md`)
const filesOf = (pattern: string) => globSync(pattern, { cwd: ROOT }).map((file) => ({ file, text: read(file) }))
const SOURCES = filesOf('{workers,packages}/*/src/**/*.ts').filter(({ file }) => !file.endsWith('.test.ts'))
const TESTS = [...filesOf('workers/*/test/**/*.test.ts'), ...filesOf('packages/*/src/**/*.test.ts')]

/** The rows below the heading, each as its cells without marks. */
function rowsBelow(page: string, heading: string): string[][] {
  const [, table = ''] = page.split(`\n| ${heading} |`)
  const [rows = ''] = table.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replaceAll(/[|`]/g, '').trim()))
}

const firstColumn = (page: string, heading: string) => rowsBelow(page, heading).map(([cell = '']) => cell)
const namesIn = (files: typeof SOURCES, pattern: RegExp) =>
  [...new Set(files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = '']) => name)))].toSorted()

describe('the pages', () => {
  it('list every alarm that a service raises', () => {
    expect(firstColumn(pageOf('operating'), 'Alarm').toSorted()).toEqual(namesIn(SOURCES, /\balarm: '([a-z_]+)'/g))
  })

  it('list every alert, with what to do', () => {
    const alerts = filesOf('scripts/operations/slo/alerts.ts')
    const speeds = ['availability-fast', 'availability-slow', 'latency-fast', 'latency-slow']
    const rows = rowsBelow(pageOf('observing'), 'Alert')
    expect(rows.map(([name = '']) => name).toSorted()).toEqual(
      [...speeds, ...namesIn(alerts, /\balert: '([a-z-]+)'/g)].toSorted(),
    )
    expect(rows.every(([, rings = '', act = '']) => rings.length > 10 && act.length > 10)).toBe(true)
  })

  it('list the objectives', () => {
    expect(rowsBelow(pageOf('observing'), 'Objective').map((cells) => cells.slice(0, 4))).toEqual(
      OBJECTIVES.map(({ kind, title, availability, p99Ms }) => [kind, title, `${availability * 100} %`, `${p99Ms} ms`]),
    )
  })

  it('list the queues that are measured, as the services name them', () => {
    const rows = rowsBelow(pageOf('observing'), 'Queue')
    expect(rows.map(([queue, service, age]) => [queue, service, age])).toEqual(
      QUEUE_RULES.map(({ queue, service, maxAgeMinutes }) => [queue, service, `${maxAgeMinutes} minutes`]),
    )
    for (const { service, queue } of QUEUE_RULES) {
      expect(read(`workers/${service}/src/services.ts`)).toMatch(new RegExp(`'?${queue}'?: (?:backlogIn|async)`))
    }
  })

  it('list the triggers, as the services name them', () => {
    expect(rowsBelow(pageOf('observing'), 'Trigger').map(([run, service]) => [run, service])).toEqual(
      RUN_RULES.map(({ service, run }) => [run, service]),
    )
    for (const { service, run } of RUN_RULES) expect(read(`workers/${service}/src/index.ts`)).toContain(`'${run}'`)
  })
})

it.each(namesIn(SOURCES, /\balarm: '([a-z_]+)'/g))('a test makes the alarm %s ring', (name) => {
  const rings = new RegExp(`(?:alarm|name): '${name}'|"alarm":"${name}"`)
  expect(TESTS.filter(({ text }) => rings.test(text)).map(({ file }) => file)).not.toEqual([])
})
