import { exports } from 'cloudflare:workers'
import { callerOf, type TestCaller, testIdentity } from '@svc/testing'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

let identities = 0

/** A caller whose identity nobody else in this run has; it exists at core unless told. */
export async function freshCaller(options: { genesis?: boolean } = {}): Promise<TestCaller> {
  identities += 1
  const caller = callerOf(await testIdentity(identities + Math.floor(Math.random() * 1e9) * 4), { fetch: send })
  if (options.genesis !== false) await caller.client.chain.genesis()
  return caller
}
