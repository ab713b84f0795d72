/** Answers that are not in the documented form, to every method of every service. */
import { describe, expect, it } from 'vitest'
import type { Parameter } from '../../src/arguments/check.ts'
import { METHODS } from '../../src/arguments/methods.ts'
import { Client } from '../../src/client.ts'
import { REALM } from '../realm.ts'
import { alice, HEAD, invitation, tablet } from '../sides.ts'
import { malformedTexts } from './texts.ts'

const NOW = 1_790_000_000_000
const HASH = 'a7'.repeat(48)
const ID = 'A'.repeat(32)
const ASSET = `asset:sha3-384:${HASH}`

/** Something of its form for each parameter, so that a call goes as far as to its first answer. */
const GIVEN: Readonly<Record<string, unknown>> = {
  did: alice.did,
  orgDid: alice.did,
  memberDid: alice.did,
  accountDid: alice.did,
  owner: alice.did,
  to: alice.did,
  deviceId: tablet.deviceId,
  device: tablet,
  by: tablet,
  successor: await alice.successor(),
  hash: HASH,
  hashes: [HASH],
  root: HASH,
  subjectHash: HASH,
  rotationId: HASH,
  noteId: 'A'.repeat(22),
  head: HEAD,
  invitation,
  blockId: '1',
  version: 1,
  versions: [1],
  code: '12345678',
  confirmed: '123456',
  acceptance: await tablet.acceptance(alice.did, { realm: REALM, now: NOW }),
  text: { body: 'A text' },
  texts: [{ body: 'A text' }],
  bytes: new Uint8Array(8),
  blob: new Uint8Array(8),
  file: { attachmentId: ID, name: 'f', type: 't', bytes: 8, keyB64u: 'A'.repeat(43), cipherHash: HASH },
  content: { payload: new Uint8Array(8) },
  services: [],
  preferences: { ai_training: 'disallow' },
  vectors: [Array.from({ length: 256 }, () => 1)],
  kind: 'text',
  amount: 1,
  epoch: 0,
  events: [],
  guardians: [alice.did],
  threshold: 1,
  seq: 0,
  read: async () => [],
}
/** Where the same name means something else. */
const GIVEN_TO: Readonly<Record<string, readonly unknown[]>> = {
  'provenance.registerText': ['one two three four five six seven eight nine ten'],
  'provenance.searchText': ['one two three four five six seven eight nine ten'],
  'provenance.commit': [new Uint8Array(8)],
  'provenance.verify': [{ publicKeyB64u: 'x', signatureB64u: 'x', messageB64u: 'x' }],
  'provenance.verifyWithKeyStatus': [{ publicKeyB64u: 'x', signatureB64u: 'x', messageB64u: 'x' }],
  'provenance.verifyBatch': [[{ publicKeyB64u: 'x', signatureB64u: 'x', messageB64u: 'x' }]],
  'anchors.submit': [{ root: HASH, epoch: '-' }],
  'anchors.attest': [HASH, '-'],
  'anchors.stamp': [{ hash: HASH }],
  'assets.transfer': [ASSET, alice.did],
  'assets.addReceipt': [ASSET, { standard: 'erc721', contract: `0x${'a'.repeat(40)}`, tokenId: '1' }],
  'keyDirectory.configure': [{ reserve: 'contacts', contacts: [] }],
  'assets.mint': [{ media: { mime: 'image/png' } }],
  'notes.putCiphertext': ['A'.repeat(22), ID, new Uint8Array(8)],
}

interface Case {
  readonly title: string
  readonly service: string
  readonly name: string
  readonly args: readonly unknown[]
}

const cases: readonly Case[] = Object.entries(METHODS).flatMap(([service, table]) =>
  Object.entries(table as Readonly<Record<string, string | readonly Parameter[]>>).flatMap(([name, entry]) => {
    const title = `${service}.${name}`
    return typeof entry === 'string' ? [] : [{ title, service, name, args: GIVEN_TO[title] ?? entry.map(given) }]
  }),
)

function given(parameter: Parameter): unknown {
  const [named, members] = typeof parameter === 'string' ? [parameter] : parameter
  if (named.endsWith('?')) return undefined
  if (named in GIVEN) return GIVEN[named]
  if (!members) return ID
  const needed = Object.keys(members).filter((name) => members[name] === 1)
  return Object.fromEntries(needed.map((name) => [name, GIVEN[name] ?? ID]))
}

const { kept } = await alice.prepareRecovery({ realm: REALM, now: NOW })

/** So that no call ends before its answer. */
const TRUST = {
  logListKeys: { threshold: 1, publicKeysB64u: [alice.publicKeyB64u] },
  receiptKeyB64u: alice.publicKeyB64u,
  quotaReceiptKeyB64u: alice.publicKeyB64u,
  reservationKeyB64u: alice.publicKeyB64u,
  consentKeyB64u: alice.publicKeyB64u,
  witnesses: { threshold: 1, publicKeysB64u: [alice.publicKeyB64u] },
}

/** What the call throws, and whether it read the answer. */
async function thrownBy({ service, name, args }: Case, text: string) {
  let isRead = false
  const places = { core: REALM, did: REALM, pay: REALM, keys: REALM, provenance: REALM, consent: REALM }
  const fetch = async () => {
    isRead = true
    return new Response(text)
  }
  const sleep = () => Promise.resolve()
  const client = new Client({ ...places, ...TRUST, identity: alice, fetch, sleep, now: () => NOW, retries: false })
  const services = client as unknown as Record<string, Record<string, (...given: readonly unknown[]) => unknown>>
  const of = service === 'deployment' ? services : service === 'recovery' ? client.recovery(kept) : services[service]
  const error: unknown = await (async () => {
    const answer = await (of as (typeof services)[string])[name]?.(...args)
    if (isIterable(answer)) for await (const _ of answer) break
    return answer
  })().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { isRead, error }
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

/** What they make or compare is here already. */
const WITHOUT_ANSWER = [
  'anchors.attest',
  'anchors.logs',
  'authorization.confirmationCodeOf',
  'chain.discard',
  'chain.makeBlock',
  'chain.makeGenesis',
  'contact.replyKey',
  'contact.seal',
  'devices.known',
  'devices.makeAttestation',
  'devices.makeChange',
  'governance.attest',
  'guardians.makeRequest',
  'inbox.reply',
  'keyHistory.refuseOlder',
  'members.make',
  'notes.check',
  'notes.isOurs',
  'notes.isReceipt',
  'notes.open',
  'organization.approve',
  'organization.makeInception',
  'organization.makeRotation',
  'pairing.confirmationCodeOf',
  'provenance.bind',
  'provenance.sign',
  'recovery.forOperator',
  'rotation.makeRequest',
  'transparency.logs',
]
/** They read something signed before they ask; the table of lies has those that verify. */
const WITH_DOCUMENTS = [
  'anchors.verifyExtension',
  'inbox.open',
  'keyDirectory.publish',
  'members.send',
  'notes.restore',
  'organization.incept',
  'organization.rotateOfficers',
  'provenance.register',
  'recovery.recover',
  'rotation.recover',
  'transparency.prove',
  'transparency.waitFor',
  'transparency.witnessed',
]

const DOCUMENTED = ['VerificationError', 'HistoryError', 'ServiceError', 'ConfigurationError']
const unread = new Set<string>()

describe.each(cases)('$title', (called) => {
  it('says of a malformed answer what is wrong with it', async () => {
    for (const { what, text } of malformedTexts('{"success":true,"data":{"a":1}}')) {
      const { isRead, error } = await thrownBy(called, text)
      if (!isRead) unread.add(called.title)
      else if (error !== null)
        expect(DOCUMENTED, `${what}: ${(error as Error).message}`).toContain((error as Error).name)
    }
  })
})

it('is read by all other methods', () => {
  expect([...unread].toSorted()).toEqual([...WITHOUT_ANSWER, ...WITH_DOCUMENTS].toSorted())
})
