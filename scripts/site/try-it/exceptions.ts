/**
 * Operations that nobody tries by hand, and why.
 *
 * @module
 */
import type { ShownOperation } from '@svc/service/markdown'

/** What the page says instead, by service and operation. */
const REASONS: Readonly<Record<string, string>> = {}

/** The reason why an operation has no example to run; undefined if it has one. */
export function withoutTrial(service: string, { operation }: ShownOperation): string | undefined {
  return REASONS[`${service} ${operation.operationId}`]
}
