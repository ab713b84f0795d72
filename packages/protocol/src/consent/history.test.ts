import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { didOf, userIdOfKey } from '../base/identity.ts'
import { signStatement } from '../base/statement.ts'
import { type ConsentAct, consentSignedBytes, type Preferences } from './consent.ts'
import { declaredAt, messageOf, stateAfter, verifyConsentHistory } from './history.ts'
import type { ConsentSettlement } from './settlement.ts'

const keyOf = async (byte: number) => {
  const seed = new Uint8Array(32).fill(byte)
  return { seed, key: encodeBase64url(await mlDsa65.publicKeyOf(seed)) }
}
const [root, heir, stranger] = [await keyOf(1), await keyOf(2), await keyOf(3)]
const creatorDid = didOf(userIdOfKey(root.key))
const hash = 'an identifier of content'

async function act(
  version: number,
  action: ConsentAct['action'],
  preferences: Preferences | null,
  by: { seed: Uint8Array; key: string; epoch?: number } = root,
  creator = creatorDid,
): Promise<ConsentAct> {
  const signature = await mlDsa65.sign(by.seed, consentSignedBytes(messageOf(hash, creator, { preferences })))
  return {
    version,
    action,
    preferences,
    public_key_b64u: by.key,
    signature_b64u: encodeBase64url(signature),
    signer: { kind: 'root', epoch: by.epoch ?? 0 },
    recorded_at: version * 100,
  }
}

const acts = [
  await act(1, 'create', { ai_training: 'disallow' }),
  await act(2, 'update', { search: 'allow' }),
  await act(3, 'delete', null),
  await act(4, 'create', { search: 'disallow' }, { ...heir, epoch: 1 }),
]
const [first, second, third, fourth] = acts as [ConsentAct, ConsentAct, ConsentAct, ConsentAct]
const rootKeys = [
  { epoch: 0, publicKeyB64u: root.key },
  { epoch: 1, publicKeyB64u: heir.key },
]
const verify = (history: readonly ConsentAct[], keys = rootKeys) =>
  verifyConsentHistory({ hash, creatorDid, rootKeys: new Map([[creatorDid, keys]]) }, history)

describe('a history', () => {
  it('folds into the declared states over time', async () => {
    const verified = await verify(acts)
    if (!verified.ok) throw new Error(verified.error.reason)
    const both = { ai_training: 'disallow', search: 'allow' }
    expect(verified.value).toEqual({
      unproved: [],
      states: [
        { version: 1, at: 100, creatorDid, preferences: { ai_training: 'disallow' } },
        { version: 2, at: 200, creatorDid, preferences: both },
        { version: 3, at: 300, creatorDid, preferences: null },
        { version: 4, at: 400, creatorDid, preferences: { search: 'disallow' } },
      ],
    })
    expect([99, 100, 299, 300, 1e9].map((at) => declaredAt(verified.value, at)?.version)).toEqual([
      undefined,
      1,
      2,
      3,
      4,
    ])
  })

  it('lists versions whose key it cannot link to the creator', async () => {
    expect(await verify(acts, [])).toMatchObject({ ok: true, value: { unproved: [4] } })
    const device = { ...second, signer: { kind: 'device' as const, device_id: 'PDw8'.repeat(8), epoch: 0 } }
    expect(await verify([first, device])).toMatchObject({ ok: true, value: { unproved: [2] } })
  })

  it.each([
    ['an act is left out', [first, third], 'gap', 3],
    ['the first is left out', [second], 'gap', 2],
    ['time runs backwards', [first, { ...second, recorded_at: 99 }], 'time', 2],
    ['it begins with an update', [{ ...second, version: 1 }], 'step', 1],
    ['it creates an existing record', [first, { ...first, version: 2, recorded_at: 200 }], 'step', 2],
    ['it updates a revoked record', [first, second, third, { ...fourth, action: 'update' as const }], 'step', 4],
    ['a deletion declares', [first, { ...second, action: 'delete' as const }], 'step', 2],
    ['preferences were changed', [{ ...first, preferences: { ai_training: 'allow' as const } }], 'signature', 1],
    ['a signature is of another act', [first, { ...second, signature_b64u: first.signature_b64u }], 'signature', 2],
    ['a key is not the DID’s', [{ ...first, public_key_b64u: heir.key }], 'key', 1],
    ['a key is not of its epoch', [first, second, third, { ...fourth, public_key_b64u: root.key }], 'key', 4],
  ] as const)('is not valid if %s', async (_, history, reason, version) => {
    expect(await verify(history)).toEqual({ ok: false, error: { reason, version } })
  })

  it('does not trust the claim of another DID', async () => {
    const forged = await act(1, 'create', { ai_training: 'allow' }, stranger)
    expect(await verify([forged])).toEqual({ ok: false, error: { reason: 'key', version: 1 } })
  })
})

const operator = heir
const operators = [userIdOfKey(operator.key)]
const authorDid = didOf(userIdOfKey(stranger.key))
const statement = {
  type: 'svc/operator-consent-settle/v1' as const,
  realm: REALM,
  service: 'consent' as const,
  nonce: 'n_000000000000-1',
  contentHash: hash,
  creatorDid: authorDid,
  reason: 'authorship' as const,
  issuedAt: 199,
}
const signed = await signStatement(statement, (message) => mlDsa65.sign(operator.seed, message))
const settled: ConsentSettlement = {
  version: 2,
  action: 'settle' as const,
  previous_creator_did: creatorDid,
  statement,
  signature_b64u: signed.signatureB64u,
  signer: { kind: 'operator' as const, user_id: userIdOfKey(operator.key) },
  public_key_b64u: operator.key,
  recorded_at: 200,
}
const declared = await act(3, 'create', { search: 'allow' }, stranger, authorDid)
const context = { hash, creatorDid: authorDid, realms: REALMS, operators }

describe('a history with a settlement', () => {
  it('has states by both creators, and nothing declared between them', async () => {
    const verified = await verifyConsentHistory(context, [first, settled, declared])
    expect(verified).toEqual({
      ok: true,
      value: {
        unproved: [],
        states: [
          { version: 1, at: 100, creatorDid, preferences: { ai_training: 'disallow' } },
          { version: 2, at: 200, creatorDid: authorDid, preferences: null },
          { version: 3, at: 300, creatorDid: authorDid, preferences: { search: 'allow' } },
        ],
      },
    })
  })

  it('says that the operator’s key is a claim if it is not known', async () => {
    const { operators: _, ...unknown } = context
    const verified = await verifyConsentHistory(unknown, [first, settled, declared])
    expect(verified).toMatchObject({ ok: true, value: { unproved: [2] } })
  })

  it.each([
    ['it passes to another than the one who holds it', [first, settled], { creatorDid }, 'creator', 2],
    ['it does not pass from its creator', [first, { ...settled, previous_creator_did: authorDid }], {}, 'key', 1],
    ['it is about another identifier', [first, settled], { hash: 'another identifier' }, 'signature', 1],
    ['it opens the history of another', [{ ...settled, version: 1 }], { hash: 'another identifier' }, 'step', 1],
    ['another operator signed it', [first, settled], { operators: [userIdOfKey(root.key)] }, 'key', 2],
    ['its key is not that of its signer', [first, { ...settled, public_key_b64u: root.key }], {}, 'key', 2],
    ['it is of another realm', [first, settled], { realms: ['https://core.other.test'] as const }, 'signature', 2],
    [
      'its reason was changed',
      [first, { ...settled, statement: { ...settled.statement, reason: 'mistake' as const } }],
      {},
      'signature',
      2,
    ],
    ['the creator before goes on', [first, settled, { ...second, version: 3, recorded_at: 300 }], {}, 'step', 3],
    [
      'an act by the creator before follows',
      [first, settled, { ...first, version: 3, recorded_at: 300 }],
      {},
      'key',
      3,
    ],
  ] as const)('is not valid if %s', async (_, history, changed, reason, version) => {
    const verified = await verifyConsentHistory({ ...context, ...changed }, history)
    expect(verified).toEqual({ ok: false, error: { reason, version } })
  })
})

describe('stateAfter', () => {
  it('merges, and starts over after a revocation', () => {
    const before = { ai_training: 'allow', conditional: true } as const
    const changed = { ai_training: 'disallow' } as const
    expect(stateAfter(before, { action: 'update', preferences: changed })).toEqual({ ...before, ...changed })
    expect(stateAfter(null, { action: 'create', preferences: changed })).toEqual(changed)
    expect(stateAfter(before, { action: 'delete', preferences: null })).toBeNull()
    expect(stateAfter(null, { action: 'delete', preferences: null })).toBeUndefined()
  })
})
