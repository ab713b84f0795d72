/**
 * Checks a response of a healthy platform: it keeps to the OpenAPI document of its service, leaks nothing, and is not a
 * server error.
 *
 * @module
 */

import { type Answer, DocumentedAnswers, type Hosting, jsonOf, nameOf } from '@svc/platform/documented-answers'
import type { Api } from '@svc/platform/documented-api'
import type { WorkerName } from '@svc/platform/workspace'

export type { Answer } from '@svc/platform/documented-answers'

/** Errors above 499 that a healthy local platform returns, because it is not configured for the feature. */
const UNCONFIGURED = ['pinning_unavailable']
/** Implementation details that must not appear in a response. */
const LEAKS = [/\n\s+at \S+ \(/, /SQLITE|D1_ERROR|workerd|node_modules|ZodError|TypeError|ReferenceError/]

export class Judge {
  readonly #documented: DocumentedAnswers

  constructor(api: Api, hosting?: Hosting) {
    this.#documented = new DocumentedAnswers(api, hosting)
  }

  /** What is wrong with a response; null if nothing is. */
  faultOf(service: WorkerName, method: string, pathname: string, answer: Answer): string | null {
    const { status, headers, body } = answer
    const type = headers['content-type'] ?? ''
    const text = type.includes('json') || type.startsWith('text/html') ? new TextDecoder().decode(body) : ''
    // A page of the documentation was written by us, and names these things where readers meet them.
    const isPage = service === 'docs' && status === 200 && type.startsWith('text/html')
    if (!isPage && LEAKS.some((leak) => leak.test(text))) return 'the body leaks an implementation detail'
    const name = nameOf(method === 'HEAD' ? null : jsonOf(answer))
    if (status >= 500 && !UNCONFIGURED.includes(name)) return `${status} ${name}`
    return this.#documented.faultOf(service, method, pathname, answer)
  }
}
