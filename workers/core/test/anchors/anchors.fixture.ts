/** Shared by the tests of anchors: submissions by the owner, direct appends to the log, and the publisher. */

import { env } from 'cloudflare:workers'
import { Client } from '@svc/client'
import { LogFiles } from '@svc/log'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import { anchorEntry, anchorLeafOf, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { ANCHOR_SALT_BYTES, type AnchorRecord, anchorIdOf, type SignedPublication } from '@svc/protocol/ledger/anchors'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { fetchOf, LIST_KEYS, REALM, type TestCaller } from '@svc/testing'
import { AnchorFiles } from '../../src/anchors/files.ts'
import { AnchorIndex } from '../../src/anchors/index-store.ts'
import { anonymous, CORE, call, freshAddress, freshCaller, send } from '../harness.ts'

type Send = (request: Request) => Promise<Response>

export const OPERATOR_SEED = new Uint8Array(32).fill(7)
const PUBLISHER_SEED = new Uint8Array(32).fill(8)
const LOG_SEED = new Uint8Array(32).fill(9)
/** By version. */
const LOG_SEEDS = [undefined, LOG_SEED, new Uint8Array(32).fill(0x19)]
/** The log that takes new anchors. */
export const LOG = `${REALM}/anchors/2027a`
/** The key of a log, derived here from the seed that the tests configure. */
export const logKey = async (log = LOG, keyVersion = 1) => {
  const seed = LOG_SEEDS[keyVersion] ?? LOG_SEED
  return encodeBase64url(await mlDsa65.publicKeyOf(logKeySeed(seed, keyVersion, log)))
}
/** Storage is reset between files, and a stub does not survive that, so get a new one each time. */
export const log = (name = LOG) => env.ANCHOR_LOG.getByName(name)

let roots = 0
/** A root that nothing else in this run anchors. */
export function freshRoot(): string {
  roots += 1
  return hashTextHex(`root ${roots}`)
}

/** A client without an identity, somewhere else than the others: reads are limited by address. */
export function reader(fetch: Send = send) {
  const address = freshAddress()
  const fromThere: Send = (request) => {
    const headers = new Headers(request.headers)
    headers.set('cf-connecting-ip', address)
    return fetch(new Request(request, { headers }))
  }
  return new Client({ core: CORE, did: 'https://did.test', logListKeys: LIST_KEYS, fetch: fetchOf(fromThere) }).anchors
}

/** A submission attested by the caller’s own root key. */
export async function submission({ client }: TestCaller, { root = freshRoot(), epoch = 'e' } = {}) {
  return { root, epoch, attestations: [await client.anchors.attest(root, epoch)] }
}

export const submit = (caller: TestCaller, body: unknown, fetch: Send = send) =>
  call(caller, 'POST', '/api/anchors', body, fetch)

/** One anchor by a fresh owner. */
export async function anchored(): Promise<AnchorRecord> {
  const { client } = await freshCaller()
  return client.anchors.submit({ root: freshRoot(), epoch: 'e' })
}

/** Anchors of one owner, put where a delivery by its object would put them. */
export async function fill(
  count: number,
  { owner = `did:svc:${'A'.repeat(32)}`, attestations = [] as readonly GovernanceAttestation[], name = LOG } = {},
): Promise<string[]> {
  const anchors = Array.from({ length: count }, (): LoggedAnchor => {
    const root = freshRoot()
    const createdAt = new Date().toISOString()
    const leaf = { anchorId: anchorIdOf(owner, root, 'e'), root, epoch: 'e', hashAlg: 'sha3-384', createdAt } as const
    const salt = encodeBase64url(crypto.getRandomValues(new Uint8Array(ANCHOR_SALT_BYTES)))
    return { ...leaf, owner, attestations: [...attestations], salt }
  })
  const files = new AnchorFiles(env.BLOBS)
  await Promise.all(anchors.map((anchor) => files.keep(anchor)))
  const leaves = anchors.map((anchor) => ({ leafId: anchorLeafOf(anchor), entry: anchorEntry(anchor) }))
  const placed = await log(name).submit(name, Date.now(), leaves)
  if (!placed.ok) throw new Error(placed.error.reason)
  const index = new AnchorIndex(env.DB)
  const rows = anchors.map((anchor, i) => ({ ...anchor, index: placed.value[i]?.index ?? -1 }))
  for (let done = 0; done < count; done += 50) await index.put(name, rows.slice(done, done + 50))
  return anchors.map(({ anchorId }) => anchorId)
}

/** Opens another log of the series, as a roll does. */
export async function openLog(name: string): Promise<void> {
  await sizeOf()
  await new LogFiles(env.BLOBS, name).open(name, { entry: openEntry(name, null), keyVersion: 1 })
}

export const sizeOf = async (name = LOG) => (await log(name).head(name)).size

/** The index of an anchor that the open log has. */
export function indexOf({ position }: Pick<AnchorRecord, 'position'>): number {
  if (position?.log !== LOG) throw new Error('The anchor is not in the open log')
  return position.index
}

/** The leaf of an anchor, also of a withheld one; an unused hash for an unknown anchor. */
async function leafOf(anchorId: string): Promise<string> {
  const body = await new AnchorFiles(env.BLOBS).lookup(anchorId)
  if (!body) return 'a7'.repeat(48)
  return 'withheld' in body ? body.withheld : anchorLeafOf(body)
}

/** A signed report of a transaction; `members` override those of a valid one. */
export async function publicationOf(anchorId: string, members: Record<string, unknown> = {}, seed = PUBLISHER_SEED) {
  const statement = {
    type: 'svc/anchor-publication/v2' as const,
    realm: REALM,
    leaf: await leafOf(anchorId),
    chain: 'example-ledger',
    tx: '0xabc',
    state: 'published' as const,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export const report = (signed: SignedPublication | object) => anonymous('POST', '/api/anchors/publish-callback', signed)

/** The same, to a Worker with some bindings replaced. */
export async function reportTo(fetch: Send, signed: object) {
  const response = await fetch(
    new Request(`${CORE}/api/anchors/publish-callback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': '2001:db8:a2::1' },
      body: JSON.stringify(signed),
    }),
  )
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** The operator rebuilds the index from a log. */
export async function rebuildIndex(members: { log?: string; from?: number; to?: number } = {}) {
  const statement = {
    type: 'svc/operator-rebuild-anchors/v1' as const,
    realm: REALM,
    service: 'core',
    log: LOG,
    from: 0,
    to: 100,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...members,
  }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
  return anonymous('POST', '/api/operator/acts', signed)
}
