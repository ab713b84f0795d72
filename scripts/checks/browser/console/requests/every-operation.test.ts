import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { moved, openConsole, press, titled } from '../../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const UNREADABLE = 'The service does not let this page read its answer, or cannot be reached. Use the command below.'
const ENTER = /^Enter a value for (.+)\.$/
/**
 * What no page of another origin may read: the socket without a ticket, and what pay and docs keep to their own origin.
 * Their documents come with the console.
 */
const READ_BY_OWN_ORIGIN: Readonly<Partial<Record<WorkerName, readonly string[]>>> = {
  core: ['openEventSocket'],
  pay: ['readBanner', 'readObjectCommits', 'readOpenapi', 'readOpenapiHead'],
  docs: operationsOf('docs')
    .map(({ id }) => id)
    .filter((id) => !['readDiscoveryPointer'].includes(id)),
}
/** Operations that one address sends before it changes, so that no limit answers in place of the service. */
const TURN = 40

interface Documented {
  readonly id: string
  readonly summary: string
}

function operationsOf(service: WorkerName): readonly Documented[] {
  const document = JSON.parse(readFileSync(join(ROOT, 'workers', service, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; summary: string }>>
  }
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId: id, summary }) => ({ id, summary }))
}

/** What the page says after Send: the answer, or a sentence. */
async function outcomeOf(page: Page): Promise<string> {
  await press(page, 'Send')
  const answer = page.getByRole('heading', { level: 2, name: /^Answer: / })
  const said = page.locator('p.status.bad')
  await answer.or(said).first().waitFor()
  return ((await said.count()) > 0 ? said : answer).innerText()
}

/** Opens an operation, fills what it has no example for as the page asks, and sends it. */
async function tried(page: Page, service: WorkerName, { id, summary }: Documented): Promise<string> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#${service}.${id}`)
  await titled(page, summary)
  const first = await outcomeOf(page)
  const [, asked] = ENTER.exec(first) ?? []
  if (asked === undefined) return first
  for (const name of asked.split(', ')) await page.getByLabel(`${name} (required)`, { exact: true }).fill('something')
  return outcomeOf(page)
}

it.each(WORKER_NAMES)(
  'every operation of %s opens, is filled from its examples, and is answered',
  async (service) => {
    const { page } = await openConsole(visit, `/requests#${service}`)
    const unread: string[] = []
    for (const [index, operation] of operationsOf(service).entries()) {
      if (index % TURN === TURN - 1) await moved(page)
      const outcome = await tried(page, service, operation)
      if (outcome === UNREADABLE) unread.push(operation.id)
      else expect(outcome, operation.id).toMatch(/^Answer: [2-4]\d\d /)
    }
    expect(unread).toEqual(READ_BY_OWN_ORIGIN[service] ?? [])
  },
  600_000,
)
