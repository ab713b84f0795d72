import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import { type ConsentAct, consentSignedBytes, type Preferences } from './consent.ts'
import { declaredAt, messageOf, stateAfter, verifyConsentHistory } from './consent-history.ts'
import { didOf, userIdOfKey } from './identity.ts'

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
): Promise<ConsentAct> {
  const signature = await mlDsa65.sign(by.seed, consentSignedBytes(messageOf(hash, creatorDid, { preferences })))
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
  verifyConsentHistory({ hash, creatorDid, rootKeys: keys }, history)

describe('a history', () => {
  it('folds into what was declared when', async () => {
    const verified = await verify(acts)
    if (!verified.ok) throw new Error(verified.error.reason)
    const both = { ai_training: 'disallow', search: 'allow' }
    expect(verified.value).toEqual({
      unproved: [],
      states: [
        { version: 1, at: 100, preferences: { ai_training: 'disallow' } },
        { version: 2, at: 200, preferences: both },
        { version: 3, at: 300, preferences: null },
        { version: 4, at: 400, preferences: { search: 'disallow' } },
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

  it('says whose keys it could not tell', async () => {
    expect(await verify(acts, [])).toMatchObject({ ok: true, value: { unproved: [4] } })
    const device = { ...second, signer: { kind: 'device' as const, device_id: 'PDw8'.repeat(8), epoch: 0 } }
    expect(await verify([first, device])).toMatchObject({ ok: true, value: { unproved: [2] } })
  })

  it.each([
    ['an act is left out', [first, third], 'gap', 3],
    ['the first is left out', [second], 'gap', 2],
    ['time runs backwards', [first, { ...second, recorded_at: 99 }], 'time', 2],
    ['it begins with an update', [{ ...second, version: 1 }], 'step', 1],
    ['it creates what there is', [first, { ...first, version: 2, recorded_at: 200 }], 'step', 2],
    ['it updates what was revoked', [first, second, third, { ...fourth, action: 'update' as const }], 'step', 4],
    ['a deletion declares', [first, { ...second, action: 'delete' as const }], 'step', 2],
    ['words were changed', [{ ...first, preferences: { ai_training: 'allow' as const } }], 'signature', 1],
    ['a signature is of another act', [first, { ...second, signature_b64u: first.signature_b64u }], 'signature', 2],
    ['a key is not the DID’s', [{ ...first, public_key_b64u: heir.key }], 'key', 1],
    ['a key is not of its epoch', [first, second, third, { ...fourth, public_key_b64u: root.key }], 'key', 4],
  ] as const)('does not hold when %s', async (_, history, reason, version) => {
    expect(await verify(history)).toEqual({ ok: false, error: { reason, version } })
  })

  it('takes no stranger at his word', async () => {
    const forged = await act(1, 'create', { ai_training: 'allow' }, stranger)
    expect(await verify([forged])).toEqual({ ok: false, error: { reason: 'key', version: 1 } })
  })
})

describe('stateAfter', () => {
  it('merges, and starts anew after a revocation', () => {
    const before = { ai_training: 'allow', conditional: true } as const
    const changed = { ai_training: 'disallow' } as const
    expect(stateAfter(before, { action: 'update', preferences: changed })).toEqual({ ...before, ...changed })
    expect(stateAfter(null, { action: 'create', preferences: changed })).toEqual(changed)
    expect(stateAfter(before, { action: 'delete', preferences: null })).toBeNull()
    expect(stateAfter(null, { action: 'delete', preferences: null })).toBeUndefined()
  })
})
