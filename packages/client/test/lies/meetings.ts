/** Pairing, authorization, contact and recovery: what two sides hear of each other through core. */
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import type { Client } from '../../src/client.ts'
import { seal } from '../../src/devices/sealing.ts'
import { newReplyKey, type ReplyKey, sealReply } from '../../src/inbox/reply.ts'
import { HEAD, OFFER, OFFER_KEYS, POLL_MS } from '../fake-relay.ts'
import { REALM } from '../realm.ts'
import {
  alice,
  attested,
  deliver,
  type FlowName,
  heirOfAlice,
  invitation,
  mallory,
  requestOf,
  sides,
  tablet,
  theirs,
} from '../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

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

const ASSET = `asset:sha3-384:${'a7'.repeat(48)}`
/** Core names the key to write to the owner of an asset with. */
const keyOf = async (owner: typeof alice) => ({
  kemPublicB64u: owner.kemPublicKeyB64u,
  x25519B64u: owner.x25519B64u,
  kemKeyId: kemKeyId(owner.kemPublicKeyB64u),
  keyAgreement: await owner.keyAgreement({ realm: REALM, now: NOW }),
  rootPublicKeyB64u: owner.publicKeyB64u,
  rootEpoch: owner.epoch,
})

async function contact(owner = alice, keys: readonly object[] = keysOf(owner).keys) {
  const opened = {
    requestId: encodeBase64url(new Uint8Array(60)),
    expiresAt: NOW + 600_000,
    resendAfter: NOW + 30_000,
    sendsLeft: 2,
    ...(await keyOf(owner)),
  }
  const { requestId, expiresAt, resendAfter, sendsLeft } = opened
  const asked = { assetId: ASSET, fromEmail: 'bob@example.org', challengeToken: 'a token', owner: alice.did }
  const situation = {
    opened,
    resent: { requestId, expiresAt, resendAfter, sendsLeft },
    delivered: { requestId, deliveredAt: NOW },
    args: (): unknown[] => [asked],
    answers: () => ({
      [`/api/chain/root/${alice.did}/history`]: (page: URLSearchParams) =>
        data({ ...keysOf(alice), keys: keys.slice(Number(page.get('from'))) }),
      '/api/inbox/contact-request': data(opened),
      '/api/inbox/resend-otp': data(situation.resent),
      '/api/inbox/verify-otp': data(situation.delivered),
    }),
  }
  return situation
}
type Contacted = Awaited<ReturnType<typeof contact>>
const ofContact = (lie: string, reason: Lie['reason'], tell: Lie<Contacted>['tell']): Lie<Contacted> => ({
  lie,
  reason,
  tell,
  subject: 'contact',
})
const OTHER_REQUEST = encodeBase64url(new Uint8Array(60).fill(1))

/** The answer of an owner, as core or a mail server hands it on. */
async function answerOf(owner: typeof alice, given: Partial<ReplyKey> = {}) {
  const about = { requestId: encodeBase64url(new Uint8Array(60)), assetId: ASSET, owner: owner.did }
  const { requestId, publicKeyB64u } = { ...(await newReplyKey(about)), ...given }
  const signed = await owner.signMessage({ realm: REALM, audience: requestId, content: 'Yes', now: NOW })
  return sealReply(signed, publicKeyB64u, { requestId, assetId: ASSET })
}

async function replied() {
  const requestId = encodeBase64url(new Uint8Array(60))
  const kept = await newReplyKey({ requestId, assetId: ASSET, owner: alice.did })
  let reply: unknown = await answerOf(alice, kept)
  return {
    kept,
    give: (another: unknown): void => {
      reply = another
    },
    args: (): unknown[] => [reply, kept],
    answers: () => keyAnswers(alice),
  }
}
type Replied = Awaited<ReturnType<typeof replied>>
const ofReply = (lie: string, reason: Lie['reason'], tell: Lie<Replied>['tell']): Lie<Replied> => ({
  lie,
  reason,
  tell,
  subject: 'contact',
})

const CONTACT = [
  verifying({
    name: 'client.contact.request',
    honest: () => contact(),
    lies: [
      ofContact('names the key of another identity', 'wrong_identity', async ({ opened }) => {
        Object.assign(opened, await keyOf(mallory))
      }),
      ofContact('names another key than the owner stated', 'mismatch', ({ opened }) => {
        opened.kemPublicB64u = mallory.kemPublicKeyB64u
      }),
      ofContact('names another X25519 key than the owner stated', 'mismatch', ({ opened }) => {
        opened.x25519B64u = mallory.x25519B64u
      }),
      ofContact('names the root key of somebody else', 'wrong_key', ({ opened }) => {
        opened.rootPublicKeyB64u = mallory.publicKeyB64u
      }),
      ofContact('shows a key that the owner did not sign', 'invalid_signature', async ({ opened }) => {
        opened.keyAgreement = await signedBy(mallory, opened.keyAgreement.statement)
      }),
      ofContact('shows a key for another deployment', 'invalid_signature', async ({ opened }) => {
        opened.keyAgreement = await alice.keyAgreement({ realm: OTHER_REALM, now: NOW })
      }),
      {
        lie: 'shows an older key of the owner than before',
        tell: async ({ opened }) => {
          opened.keyAgreement = await alice.keyAgreement({ realm: REALM, now: NOW - 1 })
        },
        afterTruth: true,
        subject: 'agreement',
        reason: 'rollback',
        where: { position: NOW - 1 },
      },
    ],
  }),
  verifying({
    name: 'client.contact.request',
    given: 'after a rotation of the owner',
    honest: async () => {
      const { heir, keys } = await heirOfAlice()
      return contact(heir, keys)
    },
    lies: [
      {
        lie: 'names the previous root key',
        tell: async ({ opened }) => Object.assign(opened, await keyOf(alice)),
        afterTruth: true,
        subject: 'keys',
        reason: 'rollback',
        where: { position: 0 },
      },
    ],
  }),
  verifying({
    name: 'client.contact.resend',
    honest: async () => {
      const situation = await contact()
      return Object.assign(situation, { args: () => [{ requestId: situation.opened.requestId }] })
    },
    lies: [
      ofContact('answers for another request', 'different_answer', ({ resent }) => {
        resent.requestId = OTHER_REQUEST
      }),
    ],
  }),
  verifying({
    name: 'client.contact.verify',
    honest: async () => {
      const situation = await contact()
      return Object.assign(situation, { args: () => [{ requestId: situation.opened.requestId }, '042917', {}] })
    },
    lies: [
      ofContact('answers for another request', 'different_answer', ({ delivered }) => {
        delivered.requestId = OTHER_REQUEST
      }),
    ],
  }),
  verifying({
    name: 'client.contact.openReply',
    honest: replied,
    lies: [
      ofReply('hands on the answer to another message', 'mismatch', async ({ give }) => {
        give(await answerOf(alice, { requestId: OTHER_REQUEST }))
      }),
      ofReply('hands on an answer for another key', 'modified', async ({ give }) => {
        give(await answerOf(alice))
      }),
      ofReply('hands on what is not an answer', 'malformed', ({ give }) => give({})),
      ofReply('answers in the name of the owner', 'wrong_identity', async ({ give, kept }) => {
        give(await answerOf(mallory, kept))
      }),
    ],
  }),
]

/** What core says of the identity that a kept request recovers. */
async function recovery() {
  const { kept } = await alice.prepareRecovery({ realm: REALM, now: NOW })
  const { did, scope, userId, publicKeyB64u } = alice
  const situation = {
    root: {
      did,
      scope,
      userId,
      publicKeyB64u: publicKeyB64u,
      epoch: 0,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
    },
    history: keysOf(alice),
    kept,
    of: (client: Client) => client.recovery(kept),
    args: () => [],
    answers: () => ({
      [`/api/chain/root/${did}`]: data(situation.root),
      [`/api/chain/root/${did}/history`]: data(situation.history),
    }),
  }
  return situation
}

const RECOVERY = [
  verifying({
    name: 'client.recovery.status',
    honest: recovery,
    lies: [
      {
        lie: 'shows the keys of another identity',
        tell: (s) => {
          s.history = keysOf(mallory)
        },
        subject: 'keys',
        reason: 'bad_genesis',
        where: { epoch: 0 },
      },
      {
        lie: 'names the root key of somebody else',
        tell: ({ root }) => {
          root.publicKeyB64u = mallory.publicKeyB64u
        },
        subject: 'keys',
        reason: 'wrong_key',
        where: { epoch: 0 },
      },
    ],
  }),
]

export const MEETINGS = [...meeting('pairing'), ...meeting('authorization'), ...CONTACT, ...RECOVERY]
