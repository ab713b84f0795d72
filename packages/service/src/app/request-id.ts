// oxlint-disable-next-line typescript/triple-slash-reference -- Workers compile this file without their own types of the module
/// <reference path="./async-hooks.d.ts" />
/**
 * The id of the request that code runs for, from the Worker that the client called to the last sibling. It joins the log
 * lines of all of them.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export const REQUEST_ID_HEADER = 'x-request-id'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const current = new AsyncLocalStorage<string>()

/** Undefined outside a request and outside work that is done later. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}

/** Runs the work, with everything that it awaits, under the id. */
export function underRequestId<R>(requestId: string, work: () => R): R {
  return current.run(requestId, work)
}

/** The id that a sibling passed on, or a new one. Never the id that a public request names: it could forge a trail. */
export function siblingRequestId(passed: unknown): string {
  return typeof passed === 'string' && UUID.test(passed) ? passed : crypto.randomUUID()
}
