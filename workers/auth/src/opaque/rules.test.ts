import { ristretto255 } from '@noble/curves/ed25519.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { isFinish } from './rules.ts'
import { server } from './server.fixture.ts'

const SECRET = new Uint8Array(32).fill(3)
const keys = server.deriveKeys(SECRET)
const ALICE = new Uint8Array(32).fill(1)
const BOB = new Uint8Array(32).fill(2)
const context = new Uint8Array()
const { BASE } = ristretto255.Point
const element = (scalar: bigint) => BASE.multiply(scalar).toBytes()
const chance = (fill: number) => ({
  maskingNonce: new Uint8Array(32).fill(fill),
  serverNonce: new Uint8Array(32).fill(fill + 1),
  keyshareSeed: new Uint8Array(32).fill(fill + 2),
})
const ke1 = new Uint8Array([...element(5n), ...new Uint8Array(32).fill(9), ...element(7n)])
/** The prime of the field, little-endian: no canonical encoding. */
const NOT_CANONICAL = new Uint8Array([0xed, ...new Uint8Array(30).fill(0xff), 0x7f])
const IDENTITY = new Uint8Array(32)

describe('deriveKeys', () => {
  it('derives the same from the same secret, and others from another', () => {
    expect(server.deriveKeys(SECRET)).toEqual(keys)
    const other = server.deriveKeys(new Uint8Array(32).fill(4))
    expect(bytesToHex(other.oprfSeed)).not.toBe(bytesToHex(keys.oprfSeed))
    expect(bytesToHex(other.publicKey)).not.toBe(bytesToHex(keys.publicKey))
    expect(keys.oprfSeed).toHaveLength(64)
  })
})

describe('registrationResponse', () => {
  it('evaluates under a key of the identifier', () => {
    const [alice, again, bob] = [ALICE, ALICE, BOB].map((id) => server.registrationResponse(keys, id, element(5n)))
    expect(alice).toEqual(again)
    expect(alice).not.toEqual(bob)
  })

  it.each([
    ['too short', new Uint8Array(31), 'length'],
    ['too long', new Uint8Array(33), 'length'],
    ['the identity', IDENTITY, 'element'],
    ['not canonical', NOT_CANONICAL, 'element'],
  ])('refuses what is %s', (_, request, reason) => {
    expect(server.registrationResponse(keys, ALICE, request)).toEqual({ ok: false, error: { reason } })
  })
})

describe('parseRecord', () => {
  const upload = new Uint8Array([...element(11n), ...new Uint8Array(160).fill(6)])

  it('takes a record apart', () => {
    const parsed = server.parseRecord(upload)
    expect(parsed.ok && Object.values(parsed.value).map(({ length }) => length)).toEqual([32, 64, 96])
  })

  it('refuses a wrong length, and a key that is not a group element', () => {
    expect(server.parseRecord(upload.slice(1))).toEqual({ ok: false, error: { reason: 'length' } })
    expect(server.parseRecord(upload.with(31, 0xff))).toEqual({ ok: false, error: { reason: 'element' } })
    expect(server.parseRecord(new Uint8Array([...IDENTITY, ...upload.slice(32)]))).toEqual({
      ok: false,
      error: { reason: 'element' },
    })
  })
})

describe('fakeRecord', () => {
  it('is one and the same for one identifier, and has the lengths of a real one', () => {
    const fake = server.fakeRecord(SECRET, ALICE)
    expect(server.fakeRecord(SECRET, ALICE)).toEqual(fake)
    expect(server.fakeRecord(SECRET, BOB)).not.toEqual(fake)
    expect(server.fakeRecord(new Uint8Array(32), ALICE)).not.toEqual(fake)
    expect(server.parseRecord(new Uint8Array([...fake.clientPublicKey, ...fake.maskingKey, ...fake.envelope])).ok).toBe(
      true,
    )
  })
})

describe('answerLogin', () => {
  const real = { clientPublicKey: element(11n), maskingKey: new Uint8Array(64).fill(8), envelope: new Uint8Array(96) }

  it('gives 320 bytes whose parts that a stranger can read are alike, with and without a record', () => {
    const [one, other] = [real, server.fakeRecord(SECRET, ALICE)].map((record) =>
      server.answerLogin(keys, ALICE, record, ke1, chance(1), { context }),
    )
    if (!one?.ok || !other?.ok) throw new Error('no answer')
    expect([one.value.ke2.length, other.value.ke2.length]).toEqual([320, 320])
    // What was evaluated and the two nonces do not depend on the record at all.
    expect(bytesToHex(one.value.ke2.slice(0, 64))).toBe(bytesToHex(other.value.ke2.slice(0, 64)))
    expect(bytesToHex(one.value.ke2.slice(192, 256))).toBe(bytesToHex(other.value.ke2.slice(192, 256)))
    expect(bytesToHex(one.value.ke2.slice(64, 192))).not.toBe(bytesToHex(other.value.ke2.slice(64, 192)))
  })

  it('expects another MAC under another context, chance or identity', () => {
    const options = [
      { chance: chance(1), parties: { context } },
      { chance: chance(2), parties: { context } },
      { chance: chance(1), parties: { context: new Uint8Array([1]) } },
      { chance: chance(1), parties: { context, clientIdentity: BOB } },
      { chance: chance(1), parties: { context, serverIdentity: BOB } },
    ]
    const macs = options.map((option) => {
      const answered = server.answerLogin(keys, ALICE, real, ke1, option.chance, option.parties)
      return answered.ok ? bytesToHex(answered.value.expectedClientMac) : 'none'
    })
    expect(new Set(macs).size).toBe(5)
  })

  it.each([
    ['too short', ke1.slice(1), 'length'],
    ['too long', new Uint8Array(97), 'length'],
    ['without a blinded password', new Uint8Array([...IDENTITY, ...ke1.slice(32)]), 'element'],
    ['with an encoding that is not canonical', new Uint8Array([...NOT_CANONICAL, ...ke1.slice(32)]), 'element'],
    ['without a key share', new Uint8Array([...ke1.slice(0, 64), ...IDENTITY]), 'element'],
  ])('refuses a first message that is %s', (_, message, reason) => {
    const refused = server.answerLogin(keys, ALICE, real, message, chance(1), { context })
    expect(refused).toEqual({ ok: false, error: { reason } })
  })
})

describe('isFinish', () => {
  it('takes the very MAC alone', () => {
    const mac = new Uint8Array(64).fill(1)
    expect(isFinish(new Uint8Array(64).fill(1), mac)).toBe(true)
    expect(isFinish(mac.with(63, 2), mac)).toBe(false)
    expect(isFinish(mac.slice(1), mac)).toBe(false)
    expect(isFinish(new Uint8Array(), mac)).toBe(false)
  })
})
