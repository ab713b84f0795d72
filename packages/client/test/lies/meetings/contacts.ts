/** Contact: what the writer of a message and the owner of an asset hear of each other through core. */
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { newReplyKey, type ReplyKey, sealReply } from '../../../src/inbox/reply.ts'
import { REALM } from '../../realm.ts'
import { alice, heirOfAlice, mallory } from '../../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from '../situation.ts'

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

export async function contact(owner = alice, keys: readonly object[] = keysOf(owner).keys) {
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

export const CONTACTS = [
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
