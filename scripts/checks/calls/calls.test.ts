import { WORKER_NAMES } from '@svc/platform/workspace'
import type { Calls } from '@svc/site/calls/given'
import { callFiles, callsOf } from '@svc/site/try-it/calls'
import { describe, expect, it } from 'vitest'
import { given } from './made.ts'
import { recording } from './requests.ts'

/** The functions by the operation that each shows. */
async function functionsOf(service: string): Promise<Calls> {
  const modules = await Promise.all(
    callFiles(service).map((file) => import(file) as Promise<Readonly<Record<string, Calls>>>),
  )
  return Object.assign({}, ...modules.flatMap((one) => Object.values(one))) as Calls
}

/** An answer that a call expects and that is no success. */
const REFUSED: Readonly<Record<string, number>> = {}

describe.each(WORKER_NAMES)('the calls of %s', async (service) => {
  const functions = await functionsOf(service)
  const shown = [...callsOf(service)]

  it('are shown as they are run', () => {
    expect(shown.map(([name]) => name).toSorted()).toEqual(Object.keys(functions).toSorted())
  })

  it.for(shown)('%s calls its operation, and gets an answer', async ([name, { given: names }]) => {
    // The requests that make what it starts from have the address of the first recording.
    const made = recording()
    const start = await given(names)
    made()
    const stop = recording()
    await functions[name]?.(start)
    const sent = stop().filter(({ operation }) => operation?.service === service)
    const statuses = sent.filter(({ operation }) => operation?.documented.operationId === name).map(({ status }) => status)
    expect(statuses, `${name} is among ${sent.map(({ operation }) => operation?.documented.operationId).join()}`).not.toEqual([])
    const expected = REFUSED[`${service} ${name}`]
    expect(statuses.filter((status) => (expected === undefined ? status >= 400 : status !== expected))).toEqual([])
  })
})
