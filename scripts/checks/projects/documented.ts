import { DocumentedAnswers } from '@svc/platform/documented-answers'
import { readApi } from '@svc/platform/documented-api'
import type { WorkerName } from '@svc/platform/workspace'
import { type Request, Response } from 'miniflare'

/** What a Worker under test was asked and answered. */
export interface Exchanged {
  readonly method: string
  readonly pathname: string
  readonly status: number
  readonly headers: Record<string, string>
  /** Text, and of a body that is not JSON only whether it has one. */
  readonly body: string
}

/**
 * Holds the answers of a Worker to its published document, and answers with what is wrong. It runs in the process of the
 * tests, because the validator compiles code at run time, which workerd refuses.
 */
export function documentHolder(service: WorkerName): (request: Request) => Promise<Response> {
  let documented: DocumentedAnswers | undefined
  return async (request) => {
    documented ??= new DocumentedAnswers(readApi([service]), { redirects: true })
    const answers = documented
    const exchanges = (await request.json()) as Exchanged[]
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
