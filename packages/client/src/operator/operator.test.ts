import { mlDsa65 } from '@svc/pqc'
import { type Signed, verifyStatement } from '@svc/protocol/base/statement'
import { codeHash, issuedCodePattern } from '@svc/protocol/pay/codes'
import { describe, expect, it } from 'vitest'
import { exportKeys } from '../backup/export.ts'
import { Device } from '../identity/device.ts'
import { newCode, signOperatorAct } from './act.ts'
import { exportOperatorKey, importOperatorKey, operatorKeyOf } from './operator-key.ts'

const REALM = 'https://core.test'
const NOW = 1_790_000_000_000
const PASSPHRASE = 'correct horse battery staple'
const seed = new Uint8Array(32).fill(7)
const publicKey = await mlDsa65.publicKeyOf(seed)

const act = { type: 'svc/operator-invites/v1', service: 'core', members: { after: 0 } } as const

describe('an operator act', () => {
  it('is signed for one service of one deployment, and can be sent once', async () => {
    const key = operatorKeyOf(seed)
    const [first, second] = [await signOperatorAct(key, REALM, act, NOW), await signOperatorAct(key, REALM, act, NOW)]
    expect(first.statement).toMatchObject({
      ...act.members,
      type: act.type,
      service: 'core',
      realm: REALM,
      issuedAt: NOW,
    })
    expect(first.statement).not.toEqual(second.statement)
    expect(await verifyStatement(first, publicKey, [REALM])).toBe(true)
    expect(await verifyStatement(first, publicKey, ['https://other.test'])).toBe(false)
  })

  it('that issues a code carries only its hash', () => {
    const { code, act: issuing, redeemableUntil } = newCode('atelier', 30, NOW)
    expect(code).toMatch(issuedCodePattern)
    expect(issuing.members).toEqual({ codeHash: codeHash(code), tier: 'atelier', days: 30, redeemableUntil })
    expect(redeemableUntil).toBeGreaterThan(NOW)
    expect(newCode('atelier', 30).code).not.toBe(code)
  })
})

describe('the key of the operator', () => {
  it('is exported and opened with a passphrase, and then signs the same', async () => {
    const exported = await exportOperatorKey(seed, PASSPHRASE)
    const key = await importOperatorKey(exported, PASSPHRASE)
    const signed: Signed<object> = await signOperatorAct(key, REALM, act, NOW)
    expect(await verifyStatement(signed, publicKey, [REALM])).toBe(true)
    expect(JSON.stringify(key)).toBe('{}')
  })

  it('does not open with another passphrase, and a device is none', async () => {
    const exported = await exportOperatorKey(seed, PASSPHRASE)
    await expect(importOperatorKey(exported, 'another')).rejects.toMatchObject({ reason: 'not_opened' })
    const device = await Device.create({ origin: 'app:phone', capabilities: ['notes:read'] })
    const ofDevice = await exportKeys({ devices: [device] }, PASSPHRASE)
    await expect(importOperatorKey(ofDevice, PASSPHRASE)).rejects.toMatchObject({ reason: 'malformed' })
  })
})
