import type { Operation } from '../app/operation.ts'
import type { Prober } from './prober.ts'

/**
 * The first route of each kind. One pipeline runs every route, and what it does with a credential and a body depends on
 * the properties below alone: so whatever can be wrong with a request is tried on one route of each kind, and every
 * other route shows in one test that it runs the same pipeline.
 */
export function exemplarsOf({ service }: Prober): ReadonlySet<Operation> {
  const first = new Map<string, Operation>()
  for (const { operation } of service.routes) {
    const kind = kindOf(operation, service.description.refusals?.nonceForm?.(operation.path)?.error)
    if (!first.has(kind)) first.set(kind, operation)
  }
  return new Set(first.values())
}

function kindOf(operation: Operation, nonceError: string | undefined): string {
  const { auth, tokenHeader, owner, malformed, maxBodyBytes } = operation
  return JSON.stringify([
    auth,
    tokenHeader,
    owner !== undefined,
    nonceError,
    bodyKindOf(operation),
    malformed,
    maxBodyBytes,
  ])
}

/** A body that is read by hand is a kind of its own for every reader. */
function bodyKindOf({ id, body, parse, screen, rawBody, streamBody }: Operation): string {
  if (parse || screen) return `by hand: ${id}`
  if (body) return 'by schema'
  if (rawBody) return 'bytes'
  return streamBody ? 'stream' : 'none'
}
