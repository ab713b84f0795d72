import { capture } from '@svc/platform/command'
import { WORKER_NAMES } from '@svc/platform/workspace'
import type { Calls, Given } from '@svc/site/calls/given'
import { callFiles, callsOf } from '@svc/site/try-it/calls'
import { PREAMBLE, SIGN_IN_PREAMBLE } from '@svc/site/try-it/try-it'
import { describe, expect, it } from 'vitest'
import { here } from '../running-platform/here.ts'
import { given } from './made.ts'
import { requestsOf } from './requests.ts'

/** The functions by the operation that each shows. */
async function functionsOf(service: string): Promise<Calls> {
  const modules = await Promise.all(
    callFiles(service).map((file) => import(file) as Promise<Readonly<Record<string, Calls>>>),
  )
  return Object.assign({}, ...modules.flatMap((one) => Object.values(one))) as Calls
}

it.each([
  ['the client', PREAMBLE, callsOf('core').get('readHead')?.code],
  ['sign-in', SIGN_IN_PREAMBLE, callsOf('auth').get('verifyChallenge')?.code],
])('a program with %s runs as the page shows it', async (_, preamble, call) => {
  expect(call).toBeDefined()
  const program = here(`${preamble}\n${call}\nconsole.log('done')`)
  const { code, output } = await capture(process.execPath, ['--input-type=module', '--no-warnings', '-e', program])
  expect([code, output.trim()]).toEqual([0, 'done'])
})

describe.each(WORKER_NAMES)('the calls of %s', async (service) => {
  const functions = await functionsOf(service)
  const shown = [...callsOf(service)]

  it('are shown as they are run', () => {
    expect(shown.map(([name]) => name).toSorted()).toEqual(Object.keys(functions).toSorted())
  })

  it.for(shown)('%s calls its operation, and gets an answer', async ([name, { given: names }]) => {
    let start: Given | undefined
    // Apart, so that what makes the start does not count.
    await requestsOf(async () => {
      start = await given(names)
    })
    const all = await requestsOf(async () => functions[name]?.(start!))
    const sent = all.filter(({ operation }) => operation?.service === service)
    const sentNames = sent.map(({ operation }) => operation?.documented.operationId)
    expect(sentNames).toContain(name)
    const statuses = sent.flatMap(({ status }, at) => (sentNames[at] === name ? [status] : []))
    expect(statuses.filter((status) => status >= 400)).toEqual([])
  })
})
