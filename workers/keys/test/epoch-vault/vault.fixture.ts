import { env } from 'cloudflare:workers'
import { EpochVault, type EpochVaultOptions } from '@svc/client/epoch-vault'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { type StatementType, signStatement, statementHash } from '@svc/protocol/base/statement'
import {
  cipherHashOf,
  type PublishVaultKey,
  type PutVaultNote,
  type VaultKey,
  type VaultNote,
  type VaultWrap,
  wrapHashOf,
} from '@svc/protocol/keys/epoch-vault'
import type { Exchange } from '@svc/service/testing'
import { REALM, signerOf, type TestCaller } from '@svc/testing'
import { call, caller, dataOf } from '../harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)
export const HOUR = 3_600_000
const random = (bytes: number) => encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))

/** Performs an act of the operator. */
export async function act(type: StatementType, members: object): Promise<Exchange> {
  const statement = { type, realm: REALM, service: 'keys', ...members, nonce: random(16), issuedAt: Date.now() }
  const body = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
  return call(null, 'POST', '/api/operator/acts', { body })
}

export const admit = (epoch: number, { identity: { did } }: TestCaller) =>
  act('svc/operator-epoch-member/v1', { epoch, did, action: 'admit' })
export const remove = (epoch: number, { identity: { did } }: TestCaller) =>
  act('svc/operator-epoch-member/v1', { epoch, did, action: 'remove' })

let opened = 0
/** A new epoch that is open for an hour; the one before is over. Returns its number. */
export async function openEpoch(): Promise<number> {
  opened += 1
  await env.DB.prepare('UPDATE epochs SET closes_at = min(closes_at, ?)').bind(Date.now()).run()
  dataOf(await act('svc/operator-epoch/v1', { epoch: opened, opensAt: Date.now(), closesAt: Date.now() + HOUR }))
  return opened
}

/** Closes the epoch as if its time had come, some milliseconds ago. */
export async function close(epoch: number, ago = 0): Promise<void> {
  const at = Date.now() - ago
  await env.DB.prepare('UPDATE epochs SET opens_at = ?2 - 1, closes_at = ?2 WHERE epoch = ?1').bind(epoch, at).run()
}

/** An identity with a registered key that has joined and acknowledged; the operator admits it unless told. */
export async function joiner(epoch: number, { isAdmitted = true } = {}): Promise<TestCaller> {
  const member = await caller()
  await member.client.did.register()
  await enter(epoch, member)
  if (isAdmitted) dataOf(await admit(epoch, member))
  return member
}

export async function enter(epoch: number, { client }: TestCaller): Promise<void> {
  await client.epochs.join()
  await client.epochs.acknowledge(epoch)
}

/** An open epoch with so many members. */
export async function vaultOf(count: number) {
  const epoch = await openEpoch()
  const members = await Promise.all(Array.from({ length: count }, () => joiner(epoch)))
  return { epoch, members: members as [TestCaller, ...TestCaller[]] }
}

export const vaultFor = ({ client }: TestCaller, epoch: number, options: EpochVaultOptions = {}) =>
  EpochVault.open(client, epoch, options)

/** A wrap of the right form, with nothing in it. */
function emptyWrap({ identity: { did, kemPublicKeyB64u } }: TestCaller): VaultWrap {
  return { did, kemKeyId: kemKeyId(kemPublicKeyB64u), kemCiphertextB64u: random(1088), wrappedB64u: random(48) }
}

/** A key as a client would sign it for these members; `changed` members override the statement's. */
export async function signedKey(
  publisher: TestCaller,
  epoch: number,
  covered: readonly TestCaller[],
  changed: Partial<VaultKey> = {},
): Promise<PublishVaultKey> {
  const wraps = covered.map(emptyWrap).sort((a, b) => (a.did < b.did ? -1 : 1))
  const statement: VaultKey = {
    type: 'svc/epoch-vault-key/v1',
    realm: REALM,
    epoch,
    generation: 1,
    previous: null,
    publisher: publisher.identity.did,
    keyHash: 'a7'.repeat(48),
    earlierKeyB64u: null,
    members: wraps.map((wrap) => ({ did: wrap.did, wrapHash: wrapHashOf(wrap) })),
    issuedAt: Date.now(),
    ...changed,
  }
  return { key: await signStatement(statement, signerOf(publisher.identity)), wraps }
}

export const publish = (by: TestCaller, epoch: number, body: object) =>
  call(by, 'POST', `/api/vault/${epoch}/keys`, { body })

/** Publishes a key for these members after the given one, and returns it. */
export async function published(
  by: TestCaller,
  epoch: number,
  covered: readonly TestCaller[],
  before?: PublishVaultKey,
): Promise<PublishVaultKey> {
  const follows = before && {
    generation: before.key.statement.generation + 1,
    previous: statementHash(before.key.statement),
  }
  const key = await signedKey(by, epoch, covered, follows)
  dataOf(await publish(by, epoch, key))
  return key
}

/** A note as a client would sign it. */
export async function signedNote(
  author: TestCaller,
  epoch: number,
  { bytes = 272, ...changed }: Partial<VaultNote> & { readonly bytes?: number } = {},
): Promise<PutVaultNote> {
  const ciphertextB64u = encodeBase64url(new Uint8Array(bytes).fill(3))
  const statement: VaultNote = {
    type: 'svc/epoch-note/v1',
    realm: REALM,
    epoch,
    generation: 1,
    noteId: random(16),
    author: author.identity.did,
    version: 1,
    nonceB64u: random(12),
    cipherHash: cipherHashOf(ciphertextB64u),
    issuedAt: Date.now(),
    ...changed,
  }
  return { ...(await signStatement(statement, signerOf(author.identity))), ciphertextB64u }
}

export const put = (by: TestCaller, note: PutVaultNote, path: { epoch?: number | string; noteId?: string } = {}) => {
  const { epoch = note.statement.epoch, noteId = note.statement.noteId } = path
  return call(by, 'PUT', `/api/vault/${epoch}/notes/${noteId}`, { body: note })
}
