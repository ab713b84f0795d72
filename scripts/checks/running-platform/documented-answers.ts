import { DocumentedAnswers } from '@svc/platform/documented-answers'
import { readApi } from '@svc/platform/documented-api'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { afterAll, afterEach, expect } from 'vitest'
import { ExampleRecorder, type Exchange, jsonIn, recordingMode } from '../openapi/recorded-examples.ts'

// Every answer of the platform to a test is held to the published document of its service.
const held = globalThis as { faultsOfAnswers?: string[]; recorders?: Map<WorkerName, ExampleRecorder> | undefined }
/** Test files share a process, and `fetch` is wrapped once. */
const faults = held.faultsOfAnswers ?? heldFetch()
held.faultsOfAnswers = faults

afterEach(() => {
  expect(faults.splice(0), 'answers that the document of their service does not have').toEqual([])
})

// Vitest stops the process, so nothing can be written when it exits.
afterAll(() => {
  for (const recorder of held.recorders?.values() ?? []) recorder.save()
})

function heldFetch(): string[] {
  const found: string[] = []
  const documented = new DocumentedAnswers(readApi())
  const { urls } = sharedPlatform()
  const services = new Map(WORKER_NAMES.map((name) => [new URL(urls[name]).origin, name]))
  const portBase = Number(new URL(urls.core).port)
  const recorders = recordingMode() && new Map(WORKER_NAMES.map((name) => [name, new ExampleRecorder(name, portBase)]))
  held.recorders = recorders
  const send = globalThis.fetch
  globalThis.fetch = async (...request) => {
    const sent = new Request(...request)
    const asked = recorders && isJson(sent.headers) ? jsonIn(await sent.clone().text()) : undefined
    const response = await send(sent)
    const { origin, pathname } = new URL(sent.url)
    const service = services.get(origin)
    if (service === undefined) return response
    const body = isJson(response.headers)
      ? new Uint8Array(await response.clone().arrayBuffer())
      : new Uint8Array(response.body ? 1 : 0)
    const { status, headers } = response
    const answer = { status, headers: Object.fromEntries(headers), body }
    recorders?.get(service)?.record(exchanged(sent, asked, response, body))
    const fault = documented.faultOf(service, sent.method, pathname, answer)
    if (fault !== null) found.push(`${service}: ${sent.method} ${pathname}: ${fault}`)
    return response
  }
  return found
}

const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') === true

function exchanged(sent: Request, request: unknown, { status, headers }: Response, body: Uint8Array): Exchange {
  const contentType = headers.get('content-type') ?? ''
  const answer = isJson(headers) ? jsonIn(new TextDecoder().decode(body)) : undefined
  return { method: sent.method, pathname: new URL(sent.url).pathname, status, contentType, request, answer }
}
