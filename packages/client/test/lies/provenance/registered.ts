import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { Client } from '../../../src/client.ts'
import { REALMS } from '../../realm.ts'
import { alice, mallory } from '../../sides.ts'
import { data, type Lie, NOW, signedBy } from '../situation.ts'

export const FILE = new TextEncoder().encode('a file')
export const OTHER_ASSET = `asset:sha3-384:${'0'.repeat(96)}`
export const verify = () => import('../../../src/verify.ts')

const signing = new Client({
  core: 'https://core.test',
  did: 'https://did.test',
  provenance: 'https://provenance.test',
  identity: alice,
  now: () => NOW,
})

export async function registered() {
  const { capsule: made, signature } = await signing.provenance.sign(FILE, { kind: 'image', mime: 'image/png' })
  const signer = { kind: 'root', scope: alice.scope, userId: alice.userId, epoch: 0, deviceId: null }
  return { assetId: made.assetId, did: alice.did, capsule: made, capsuleHash: capsuleHash(made), signature, signer }
}

const rootKeyOf = ({ epoch, userId, publicKeyB64u }: typeof alice) => ({ epoch, userId, publicKeyB64u })
/** The key of Alice was replaced. */
export const replaced = ({ rootKeys }: { readonly rootKeys: ReturnType<typeof rootKeyOf>[] }) =>
  void rootKeys.push({ ...rootKeyOf(mallory), epoch: 1 })

/** A capsule as the service has it. */
export async function capsule() {
  const { assetId, did, ...made } = await registered()
  const claim = { did, capsuleHash: made.capsuleHash, position: 1, registeredAt: NOW }
  const record = { assetId, kind: 'image', ...claim, ...made, chain: null, claims: [claim], claimCount: 1 }
  return {
    record,
    args: () => [assetId, alice.did],
    answers: () => ({ [`/api/capsule/${encodeURIComponent(assetId)}`]: data(record) }),
  }
}
type Capsule = Awaited<ReturnType<typeof capsule>>

/** The bundle of a registration. */
export async function bundle() {
  const made = await registered()
  const shown = {
    format: 'svc-proof-bundle/1',
    ...made,
    registration: { position: 1, registeredAt: NOW, claimCount: 1 },
    keyStatus: null,
    chain: null,
    evidence: [],
    gaps: [{ gap: 'no_ledger_anchor', says: 'x' }],
    anchor: null,
    anchorReason: 'x',
    issuedAt: NOW,
  }
  const expected = { realms: REALMS, file: FILE, expectedDid: alice.did, rootKeys: [rootKeyOf(alice)], now: NOW }
  return { shown, expected, args: (): unknown[] => [], answers: () => ({}) as Record<string, unknown> }
}
type Bundle = Awaited<ReturnType<typeof bundle>>

export const resigned = async (
  s: Pick<Capsule['record'], 'capsule' | 'signature' | 'capsuleHash'>,
  changes: object,
) => {
  const { statement, signatureB64u } = await signedBy(alice, s.capsule, changes)
  const signature = { ...s.signature, signatureB64u }
  Object.assign(s, { capsule: statement, capsuleHash: capsuleHash(statement), signature })
}

export const falseBundle = (
  lie: string,
  reason: Lie['reason'],
  tell: (shown: Bundle['shown'], expected: Bundle['expected']) => void | Promise<void>,
): Lie<Bundle> => ({ lie, tell: (s) => tell(s.shown, s.expected), subject: 'capsule', reason })
