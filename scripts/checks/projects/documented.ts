import { DocumentedAnswers } from '@svc/platform/documented-answers'
import { readApi } from '@svc/platform/documented-api'
import type { WorkerName } from '@svc/platform/workspace'
import { type Request, Response } from 'miniflare'
import { ExampleRecorder, type Exchange, jsonIn, recordingMode } from '../openapi/recorded-examples.ts'

/** What a Worker under test was asked and answered. */
export interface Exchanged {
  readonly method: string
  readonly pathname: string
  readonly status: number
  readonly headers: Record<string, string>
  /** Text, and of a body that is not JSON only whether it has one. */
  readonly body: string
  /** The request's JSON, while examples are recorded. */
  readonly request?: string | undefined
}

/**
 * Holds the answers of a Worker to its published document, and answers with what is wrong. It runs in the process of the
 * tests, because the validator compiles code at run time, which workerd refuses.
 */
export function documentHolder(service: WorkerName): (request: Request) => Promise<Response> {
  let documented: DocumentedAnswers | undefined
  const recorder = recordingMode() && new ExampleRecorder(service)
  if (recorder) process.once('exit', () => recorder.save())
  return async (request) => {
    documented ??= new DocumentedAnswers(readApi([service]), { redirects: true })
    const answers = documented
    const exchanges = (await request.json()) as Exchanged[]
    for (const exchange of exchanges) recorder?.record(readExchange(exchange))
    const faults = exchanges.flatMap(({ method, pathname, status, headers, body }) => {
      const fault = answers.faultOf(service, method, pathname, {
        status,
        headers,
        body: new TextEncoder().encode(body),
      })
      return fault === null ? [] : [`${method} ${pathname}: ${fault}`]
    })
    return Response.json(faults)
  }
}

function readExchange({ method, pathname, status, headers, body, request }: Exchanged): Exchange {
  const contentType = headers['content-type'] ?? ''
  const answer = contentType.includes('json') ? jsonIn(body) : undefined
  return { method, pathname, status, contentType, answer, request: jsonIn(request) }
}
