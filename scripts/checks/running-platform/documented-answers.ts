import { DocumentedAnswers } from '@svc/platform/documented-answers'
import { readApi } from '@svc/platform/documented-api'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { afterEach, expect } from 'vitest'

// Every answer of the platform to a test is held to the published document of its service.
const held = globalThis as { faultsOfAnswers?: string[] }
/** Test files share a process, and `fetch` is wrapped once. */
const faults = held.faultsOfAnswers ?? heldFetch()
held.faultsOfAnswers = faults

afterEach(() => {
  expect(faults.splice(0), 'answers that the document of their service does not have').toEqual([])
})

function heldFetch(): string[] {
  const found: string[] = []
  const documented = new DocumentedAnswers(readApi())
  const { urls } = sharedPlatform()
  const services = new Map(WORKER_NAMES.map((name) => [new URL(urls[name]).origin, name]))
  const send = globalThis.fetch
  globalThis.fetch = async (...request) => {
    const sent = new Request(...request)
    const response = await send(sent)
    const { origin, pathname } = new URL(sent.url)
    const service = services.get(origin)
    if (service === undefined) return response
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const body = isJson ? new Uint8Array(await response.clone().arrayBuffer()) : new Uint8Array(response.body ? 1 : 0)
    const { status, headers } = response
    const answer = { status, headers: Object.fromEntries(headers), body }
    const fault = documented.faultOf(service, sent.method, pathname, answer)
    if (fault !== null) found.push(`${service}: ${sent.method} ${pathname}: ${fault}`)
    return response
  }
  return found
}
