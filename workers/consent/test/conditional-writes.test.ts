/** What `decideWrite` refuses the database refuses too: two writes may have been decided on one state. */
import { env } from 'cloudflare:workers'
import type { Preferences } from '@svc/protocol/consent'
import { expect, it } from 'vitest'
import { ConsentStore, type NewAct } from '../src/consent/consent-store.ts'
import { freshHash } from './harness.ts'

const store = new ConsentStore([env.DB])
const [ALICE, BOB] = ['A', 'B'].map((letter) => `did:svc:${letter.repeat(32)}`) as [string, string]
const DISALLOW: Preferences = { ai_training: 'disallow' }

const act = (hash: string, action: NewAct['action'], changed: Partial<NewAct> = {}): NewAct => ({
  hash,
  action,
  creatorDid: ALICE,
  preferences: action === 'delete' ? null : DISALLOW,
  publicKeyB64u: 'A'.repeat(2603),
  signatureB64u: 'A'.repeat(4412),
  actHash: crypto.randomUUID(),
  signer: { kind: 'root', epoch: 0 },
  ...changed,
})
const countActs = (hash: string) =>
  env.DB.prepare('SELECT count(*) AS n FROM consent_acts WHERE content_hash = ?').bind(hash).first<number>('n')

/** A record after these acts, and what a further one leaves. */
async function after(
  before: readonly NewAct['action'][],
  tried: (hash: string, first: NewAct) => NewAct,
  version?: number,
) {
  const hash = freshHash()
  const acts = before.map((action) => act(hash, action))
  for (const one of acts) await store.write(one, 1_000)
  if (version !== undefined) {
    const statement = env.DB.prepare('UPDATE consent_records SET version = ? WHERE content_hash = ?')
    await statement.bind(version, hash).run()
  }
  const standing = await store.find(hash)
  const further = tried(hash, acts[0] ?? act(hash, 'create'))
  const left = await store.write(further, 2_000)
  const isTaken = left?.lastAct === further.actHash
  if (!isTaken) {
    expect(left && { ...left, remembersAct: false }).toEqual(standing)
    expect(await countActs(hash)).toBe(acts.length)
  }
  return isTaken
}

it.each<[string, NewAct['action'][], (hash: string, first: NewAct) => NewAct, boolean, number?]>([
  ['a creation of what is there', ['create'], (hash) => act(hash, 'create'), false],
  ['a creation by another', ['create'], (hash) => act(hash, 'create', { creatorDid: BOB }), false],
  [
    'a creation by another after a deletion',
    ['create', 'delete'],
    (hash) => act(hash, 'create', { creatorDid: BOB }),
    false,
  ],
  ['a creation after a deletion', ['create', 'delete'], (hash) => act(hash, 'create'), true],
  ['the first creation again after a deletion', ['create', 'delete'], (_, first) => first, false],
  ['an update', ['create'], (hash) => act(hash, 'update'), true],
  ['an update by another', ['create'], (hash) => act(hash, 'update', { creatorDid: BOB }), false],
  ['an update of what was revoked', ['create', 'delete'], (hash) => act(hash, 'update'), false],
  ['an update of what never was', [], (hash) => act(hash, 'update'), false],
  [
    'an update by a signature that was used',
    ['create', 'update'],
    (_, first) => ({ ...first, action: 'update' }),
    false,
  ],
  ['a deletion', ['create'], (hash) => act(hash, 'delete'), true],
  ['a deletion by another', ['create'], (hash) => act(hash, 'delete', { creatorDid: BOB }), false],
  ['a deletion of what was revoked', ['create', 'delete'], (hash) => act(hash, 'delete'), false],
  ['an update beyond the limit', ['create'], (hash) => act(hash, 'update'), false, 1_000],
  ['a deletion beyond the limit', ['create'], (hash) => act(hash, 'delete'), true, 1_000],
  ['a creation beyond the limit', ['create', 'delete'], (hash) => act(hash, 'create'), false, 1_000],
])('%s', async (_, before, tried, isTaken, version) => {
  expect(await after(before, tried, version)).toBe(isTaken)
})
