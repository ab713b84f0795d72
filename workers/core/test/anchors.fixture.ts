/** What the tests of anchors share: submissions by the owner, the log filled from below, and the publisher. */
import { env } from 'cloudflare:workers'
import { Client } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { type AnchorRecord, anchorIdOf, type SignedPublication } from '@svc/protocol/anchors'
import { hashTextHex } from '@svc/protocol/hash'
import { signStatement } from '@svc/protocol/statement'
import type { TestCaller } from '@svc/testing'
import { anonymous, CORE, call, freshCaller, send } from './harness.ts'

type Send = (request: Request) => Promise<Response>

const PUBLISHER_SEED = new Uint8Array(32).fill(8)
export const LOG_SEED = new Uint8Array(32).fill(9)
/** Storage is emptied between files, and a stub does not outlive that. */
export const log = () => env.ANCHOR_LOG.getByName('log')

let roots = 0
/** A root that nobody else in this run anchors. */
export function freshRoot(): string {
  roots += 1
  return hashTextHex(`root ${roots}`)
}

/** A client without an identity. */
export const reader = (fetch: Send = send) => new Client({ core: CORE, did: 'https://did.test', fetch }).anchors

/** What a caller sends, attested by its own root key. */
export async function submission({ client }: TestCaller, { root = freshRoot(), epoch = 'e' } = {}) {
  return { root, epoch, attestations: [await client.anchors.attest(root, epoch)] }
}

export const submit = (caller: TestCaller, body: unknown, fetch: Send = send) =>
  call(caller, 'POST', '/api/anchors', body, fetch)

/** One anchor by an owner whom nobody else in this run is. */
export async function anchored(): Promise<AnchorRecord> {
  const { client } = await freshCaller()
  return client.anchors.submit({ root: freshRoot(), epoch: 'e' })
}

/** So many anchors of one owner, appended where authorized submissions end up. */
export async function fill(count: number, owner = `did:svc:${'A'.repeat(32)}`): Promise<void> {
  const anchors = Array.from({ length: count }, () => {
    const root = freshRoot()
    return { anchorId: anchorIdOf(owner, root, 'e'), owner, root, epoch: 'e', attestations: [] }
  })
  for (let done = 0; done < count; done += 256) {
    await Promise.all(anchors.slice(done, done + 256).map(async (anchor) => log().append(anchor)))
  }
}

/** A report of a transaction; members override what a good one would say. */
export function publicationOf(anchorId: string, members: Record<string, unknown> = {}, seed = PUBLISHER_SEED) {
  const statement = {
    type: 'svc/anchor-publication/v1' as const,
    anchorId,
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

/** The same, to a Worker with something replaced. */
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
