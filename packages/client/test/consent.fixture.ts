/** Who declares in the tests of consent, and where. */
import { alice, heirOfAlice } from './sides.ts'

export { NOW } from './fake-relay.ts'
export { alice, mallory } from './sides.ts'

export const CONSENT = 'https://consent.test'
export const places = { core: 'https://core.test', did: 'https://did.test', consent: CONSENT }

/** The next root key of alice, and the history of her keys as core gives it. */
export async function rotatedAlice() {
  const { heir, evidence } = await heirOfAlice()
  const first = { epoch: 0, userId: alice.userId, publicKeyB64u: alice.publicKeyB64u, activatedAt: 0, request: null }
  return { heir, history: { did: alice.did, scope: alice.scope, keys: [first, evidence], next: null, rotation: null } }
}
