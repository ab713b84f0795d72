import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { committedConfigs } from '@svc/operations/account'
import { secretNamesOf } from '@svc/operations/secrets'
import { readApi } from '@svc/platform/documented-api'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { bindingsOf } from './bindings.fixture.ts'

const pageOf = (slug: string) => readFileSync(join(ROOT, `workers/docs/pages/developer/${slug}.md`), 'utf8')

/** The table cells below a heading, without the header row. */
function rowsOf(slug: string, heading: string): string[][] {
  const part = pageOf(slug).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...part.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()))
  return rows.slice(1)
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
const workersOf = (cell = '') => (cell === 'all' ? WORKER_NAMES : cell.split(', '))

/** `worker name` of every row. */
function namedIn(heading: string, workers: number, names: number): string[] {
  return rowsOf('operating', heading).flatMap((row) =>
    workersOf(row[workers]).flatMap((worker) => quoted(row[names]).map((name) => `${worker} ${name}`)),
  )
}

describe('the tables of the page operating', () => {
  const configs = [...committedConfigs()]

  it('list exactly the variables of each Worker', () => {
    const secrets = new Set(configs.flatMap(([worker, config]) => secretNamesOf(worker, config)))
    const committed = configs.flatMap(([worker, { vars }]) =>
      [...Object.keys(vars), 'REDIRECT_ORIGINS', 'JURISDICTION', 'OBJECT_HINT', 'BUILD_SHA', 'COMMIT']
        .filter((name) => !secrets.has(name))
        .map((name) => `${worker} ${name}`),
    )
    expect(namedIn('Variables', 1, 0).toSorted()).toEqual(committed.toSorted())
  })

  it('have each secret of each Worker, and no other', () => {
    const committed = configs.flatMap(([worker, config]) => {
      const names = secretNamesOf(worker, config)
      // Set during a change only.
      const previous = ['SVC_INTERNAL_SECRET', 'INVITE_SEED'].flatMap((name) =>
        names.includes(name) ? [`${name}_PREVIOUS`] : [],
      )
      return [...names, ...previous].map((name) => `${worker} ${name}`)
    })
    expect(namedIn('Secrets', 1, 0).toSorted()).toEqual(committed.toSorted())
  })

  it('list exactly the bindings of each Worker', () => {
    const committed = configs.flatMap(([worker, config]) => bindingsOf(config).map((name) => `${worker} ${name}`))
    const named = namedIn('Bindings', 0, 1).filter((name) => !name.includes(' LIMIT_'))
    expect(named.toSorted()).toEqual(committed.toSorted())
  })
})

it('the page on deploying lists the CPU limit of every Worker', () => {
  const committed = [...committedConfigs()].map(([worker, { limits }]) => `${worker} ${limits?.cpu_ms}`)
  const listed = rowsOf('deploying', 'CPU limits').map(([worker, limit]) => `${worker} ${limit}`)
  expect(listed.toSorted()).toEqual(committed.toSorted())
  // The default of the platform: a higher one needs a measurement.
  for (const limited of committed) expect(Number(limited.split(' ')[1]), limited).toBeLessThanOrEqual(30_000)
})

it('the page on limits lists exactly the routes with their own limit', () => {
  const documented = readApi().operations.flatMap(
    ({ service, method, template, documented: { 'x-rate-limit': rate } }) =>
      rate?.routeLimit === undefined ? [] : [`${service} ${method} ${template} ${rate.routeLimit}`],
  )
  const rows = rowsOf('limits', 'Routes with a limit of their own')
  const named = rows.flatMap(([services, routes, limit = '']) =>
    workersOf(services).flatMap((service) =>
      quoted(routes).map((route) => `${service} ${route} ${limit.replaceAll(',', '').split(/\D/)[0]}`),
    ),
  )
  const isPairing = (line: string) => line.includes('/api/pair/')
  expect(named.filter((line) => !isPairing(line)).toSorted()).toEqual(
    documented.filter((line) => !isPairing(line)).toSorted(),
  )
  expect(documented.filter(isPairing).every((line) => line.endsWith(' 20'))).toBe(true)
  expect(named.filter(isPairing)).toEqual(['core /api/pair/ 20'])
})
