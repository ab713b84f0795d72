/** Who declares in the tests of consent, and where. */

import { Client } from '../src/client.ts'
import type { Identity } from '../src/identity/identity.ts'
import { NOW } from './fake-relay.ts'
import { fetchOf } from './fetch.ts'
import { alice, heirOfAlice } from './sides.ts'

export { NOW } from './fake-relay.ts'
export { alice, mallory } from './sides.ts'

export const CONSENT = 'https://consent.test'
export const places = { core: 'https://core.test', did: 'https://did.test', consent: CONSENT }

/** The next root key of alice, and the history of her keys as core gives it. */
export async function rotatedAlice() {
  const { heir, keys } = await heirOfAlice()
  return { heir, history: { did: alice.did, scope: alice.scope, keys, next: null, rotation: null } }
}

/** What stands in for the services. */
export type Answer = (request: Request, body: unknown) => Response | Promise<Response>

/** A client whose every request is answered so. */
export function answering(answer: Answer, options: { owner?: Identity | null; snapshotKeyB64u?: string } = {}) {
  const requests: Request[] = []
  const fetch = async (request: Request) => {
    requests.push(request.clone())
    return answer(request, request.body ? await request.json() : undefined)
  }
  const { owner = alice, snapshotKeyB64u } = options
  const client = new Client({
    ...places,
    ...(owner ? { identity: owner } : {}),
    ...(snapshotKeyB64u === undefined ? {} : { consentKeyB64u: snapshotKeyB64u }),
    fetch: fetchOf(fetch),
    now: () => NOW,
  })
  return { requests, consent: client.consent }
}

/** The words of what a promise throws. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )
