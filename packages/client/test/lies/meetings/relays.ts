/** Pairing and authorization: what an identity and its new device hear of each other through core. */
import { seal } from '../../../src/devices/sealing.ts'
import { HEAD, OFFER, OFFER_KEYS, POLL_MS } from '../../fake-relay.ts'
import { REALM } from '../../realm.ts'
import {
  alice,
  attested,
  deliver,
  type FlowName,
  invitation,
  mallory,
  requestOf,
  sides,
  tablet,
  theirs,
} from '../../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from '../situation.ts'

const { code } = OFFER

/** What a relay hands on between an identity and its new device: by default, Alice and her tablet. */
async function relayed(flow: FlowName, { root = alice, device = tablet } = {}) {
  const { relay, owner, device: other } = sides(root)
  await other[flow].join(invitation, device)
  await deliver(owner, flow, await attested(owner, device, root.did))
  return { request: relay.request!, result: relay.result }
}

const sealedOf = (flow: FlowName, result: unknown) =>
  flow === 'pairing' ? result : (result as { wrappedKey: unknown }).wrappedKey

async function offer(flow: FlowName) {
  const { request, result } = await relayed(flow)
  const answered = { did: alice.did, status: 'joined', expiresAt: NOW, pollIntervalMs: POLL_MS }
  const state = { ...answered, code, request }
  const rootPublicKeyB64u = alice.publicKeyB64u
  const joined = { ...answered, rootPublicKeyB64u }
  const proofB64u = OFFER_KEYS.offerProof({ realm: REALM, did: alice.did, rootPublicKeyB64u })
  const path = flow === 'pairing' ? '/api/pair' : '/api/authorize'
  const situation = {
    state,
    offerer: {
      did: alice.did,
      rootPublicKeyB64u,
      proofB64u: proofB64u as string | null,
      inception: HEAD,
      expiresAt: NOW,
    },
    joined: joined as { did: string; rootPublicKeyB64u: string },
    result,
    history: keysOf(alice),
    /** Delivers something else to the tablet. */
    give: (sealed: unknown) => {
      situation.result = flow === 'pairing' ? sealed : { ...(result as object), wrappedKey: sealed }
    },
    options: { identity: alice },
    args: (): unknown[] => [invitation, tablet],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      [`${path}/offer/${code}`]: data(state),
      [`GET ${path}/offer/${code}/join`]: data(situation.offerer),
      [`${path}/offer/${code}/join`]: data(joined),
      [`${path}/${flow === 'pairing' ? 'seal' : 'grant'}/${code}`]: data(situation.result),
    }),
  }
  return situation
}
type Offered = Awaited<ReturnType<typeof offer>>
const lieOf =
  (subject: Lie['subject'], where: Lie['where'] = {}) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Offered>['tell']): Lie<Offered> => ({
    lie,
    reason,
    tell,
    subject,
    where,
  })
const ofOffer = lieOf('offer')

const meeting = (flow: FlowName) => [
  verifying({
    name: `client.${flow}.read`,
    honest: async () => Object.assign(await offer(flow), { args: () => [invitation] }),
    lies: [
      ofOffer('answers with the offer of another identity', 'different_answer', ({ state }) => {
        state.did = mallory.did
      }),
      ofOffer('shows a request that the device did not sign', 'invalid_signature', async ({ state }) => {
        const { statement } = state.request.acceptance
        state.request = { ...state.request, acceptance: await signedBy(mallory, statement) }
      }),
      ofOffer('shows a request for another identity', 'invalid_signature', async ({ state }) => {
        state.request = (await relayed(flow, { root: mallory })).request
      }),
      ofOffer('shows a request for another deployment', 'invalid_signature', async ({ state }) => {
        const acceptance = await tablet.acceptance(alice.did, { realm: OTHER_REALM, now: NOW })
        state.request = { ...state.request, acceptance }
      }),
      ofOffer('puts another device in the place of the one that joined', 'invalid_proof', async ({ state }) => {
        const { acceptance } = await requestOf(theirs)
        state.request = { ...state.request, acceptance }
      }),
    ],
  }),
  verifying({
    name: `client.${flow}.join`,
    honest: () => offer(flow),
    lies: [
      ofOffer('says that another identity offers', 'invalid_proof', ({ offerer }) => {
        offerer.did = mallory.did
        offerer.rootPublicKeyB64u = mallory.publicKeyB64u
      }),
      ofOffer('names the root key of somebody else', 'invalid_proof', ({ offerer }) => {
        offerer.rootPublicKeyB64u = mallory.publicKeyB64u
      }),
      ofOffer('leaves out the proof of who offers', 'invalid_proof', ({ offerer }) => {
        offerer.proofB64u = null
      }),
      ofOffer('answers for another identity', 'different_answer', ({ joined }) => {
        joined.did = mallory.did
      }),
    ],
  }),
  verifying({
    name: `client.${flow}.take`,
    honest: () => offer(flow),
    lies: [
      ofOffer('changes the ciphertext', 'modified', ({ result, give }) => {
        give({ ...(sealedOf(flow, result) as object), ciphertextB64u: 'AAAA' })
      }),
      ofOffer('delivers what is for another device', 'modified', async ({ give }) => {
        give(sealedOf(flow, (await relayed(flow, { device: theirs })).result))
      }),
      ofOffer('delivers something that it encrypted itself', 'modified', async ({ give }) => {
        // It does not have the secret of the invitation.
        const context = { code, deviceId: tablet.deviceId, sealKey: new Uint8Array(32) }
        give(await seal(new TextEncoder().encode('{'), tablet, context))
      }),
      lieOf('device')('delivers what another identity encrypted', 'wrong_identity', async ({ give }) => {
        give(sealedOf(flow, (await relayed(flow, { root: mallory })).result))
      }),
    ],
  }),
]

export const RELAYS = [...meeting('pairing'), ...meeting('authorization')]
